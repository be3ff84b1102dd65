// printf of kernels, formatted on the host.
#pragma once
#include <string>

#include "types.h"

namespace emu {

// The text of a device's vprintf. Arguments lie packed: 4-byte integers, 8-byte doubles, pointers and long integers,
// each at a multiple of its size. Text arguments are addresses of terminated strings.
std::string format_device(const char *format, const u8 *arguments);

}  // namespace emu

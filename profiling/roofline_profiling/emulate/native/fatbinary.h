// Fat binaries: the containers of machine code and PTX that the compiler puts into programs.
#pragma once
#include <string>
#include <vector>

#include "types.h"

namespace emu {

struct FatEntry {
  bool machine_code = false;  // else PTX or something else
  u32 architecture = 0;       // 86: sm_86, 100: sm_100
  u64 flags = 0;
  const u8 *data = nullptr;   // as stored
  u64 bytes = 0;
  u64 unpacked_bytes = 0;     // 0: not compressed
};

struct Cubin {
  u32 architecture = 0;
  std::vector<u8> image;
};

// The entries of what __cudaRegisterFatBinary is given, or of the container that it points to. Raises
// std::runtime_error where it is malformed.
std::vector<FatEntry> fat_entries(const void *wrapper);

// The cubin that a device of this architecture runs: of its major number, the highest minor that is not above
// its own. Raises std::runtime_error, naming what the program has instead.
Cubin choose_cubin(const void *wrapper, u32 major, u32 minor);

// An LZ4 block. Raises std::runtime_error where it is malformed or has not the size that is expected.
std::vector<u8> unpack_lz4(const u8 *data, u64 bytes, u64 unpacked_bytes);

}  // namespace emu

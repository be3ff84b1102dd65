// The lines that a request touches, with what it touches of each.
#pragma once
#include "memory_system.h"

namespace emu {

constexpr u32 SECTOR_BYTES = 32, LINE_BYTES = 128, LINE_SECTORS = 4;
constexpr u32 MOST_LINES = 2 * LANES;  // every lane's access straddles two lines

struct Line {
  u64 address;              // of its first byte
  u32 sectors;              // a bit per sector
  u32 bytes[LINE_SECTORS];  // of stores: a bit per byte of each sector
};

// Fills in the lines of a request, in the order in which its lanes first touch them. Returns how many.
u32 split(const Request &request, Line lines[MOST_LINES]);

}  // namespace emu

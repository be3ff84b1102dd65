// Functions that kernels call and the driver provides: vprintf, malloc, free, assertions.
#include <cstdio>
#include "access.h"
#include "device_printf.h"
#include "executor.h"
#include "warp.h"

namespace emu {

namespace {

constexpr u32 RETURN_ADDRESS = 20;  // the register that holds it, by CUDA's calling convention
constexpr u32 FIRST_ARGUMENT = 4;

u64 word64(const Warp &w, u32 lane, u32 index) {
  const u32 at = FIRST_ARGUMENT + index;
  return u64(w.r[at + 1][lane]) << 32 | w.r[at][lane];
}

void give64(Warp &w, u32 lane, u64 value) {
  w.r[FIRST_ARGUMENT][lane] = u32(value);
  w.r[FIRST_ARGUMENT + 1][lane] = u32(value >> 32);
}

// The host's pointer to what a kernel passes.
const u8 *pointed(const Warp &w, u32 lane, u64 address) {
  const u32 offset = u32(address);
  switch (address >> 32) {
    case LOCAL_WINDOW >> 32: return w.local + u64(lane) * w.local_bytes + std::min(offset, w.local_bytes);
    case SHARED_WINDOW >> 32: return w.block->shared + std::min(offset, w.block->shared_bytes);
    case 0: return nullptr;
    default: return (const u8 *)address;
  }
}

[[noreturn]] void failed_assertion(const Warp &w, u32 lane, u32 at) {
  auto text = [&](u32 index) {
    const u8 *found = pointed(w, lane, word64(w, lane, index));
    return std::string(found ? (const char *)found : "?");
  };
  const u32 line = w.r[FIRST_ARGUMENT + 4][lane];
  throw Fault("assertion " + text(0) + " failed at " + text(2) + ":" + std::to_string(line), at, lane);
}

}  // namespace

u64 system_function(const std::string &name) {
  for (u32 n = 0; n < SYSTEM_COUNT; n++)
    if (name == SYSTEM_NAMES[n]) return SYSTEM + 16 * n;
  return 0;
}

u32 call_system(Warp &w, u32 &m, u32 code) {
  const u32 number = (code - SYSTEM) / 16;
  if (number >= SYSTEM_COUNT) throw Fault("a jump to an address that is not code's", code);
  const std::string name = SYSTEM_NAMES[number];
  EMU_LANES(lane, m) {
    if (name == "vprintf") {
      const u8 *format = pointed(w, lane, word64(w, lane, 0)), *values = pointed(w, lane, word64(w, lane, 2));
      const std::string line = format ? format_device((const char *)format, values) : "";
      std::fwrite(line.data(), 1, line.size(), stdout);
      w.r[FIRST_ARGUMENT][lane] = u32(line.size());
    } else if (name == "malloc") {
      give64(w, lane, u64(allocate(word64(w, lane, 0))));
    } else if (name == "free") {
      if (u64 address = word64(w, lane, 0)) release((u8 *)address);
    } else {
      failed_assertion(w, lane, w.r[RETURN_ADDRESS][lane] - 16);
    }
  }
  return scatter(w, m, w.r[RETURN_ADDRESS]);
}

}  // namespace emu

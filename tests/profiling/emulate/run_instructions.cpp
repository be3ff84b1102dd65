// Runs translated instructions on one warp whose registers a test gives.
#include <cstdlib>
#include "warp.h"

using namespace emu;

extern "C" const KernelCode emu_kernel;
namespace emu {
const V32 ZEROS[4] = {}, ONES[4] = {all(1), V32{}, V32{}, V32{}};
u32 call_system(Warp &, u32 &, u32) { return NOWHERE; }  // no test calls the driver's functions
}  // namespace emu

// `registers`: 256 x 32 words; `predicates`: 8 masks; `uniform`: 64 words. All are read and written.
extern "C" u32 run_instructions(u32 *registers, u32 *predicates, u32 *uniform, u32 lanes, u64 *block_threads,
                                u64 *predicated, const u8 *bank0) {
  V32 *r = (V32 *)std::aligned_alloc(256, 264 * sizeof(V32));
  std::memcpy((void *)r, registers, 256 * sizeof(V32));
  Warp warp;
  Block block;
  Launch launch;
  BlockCount blocks[64] = {};
  u64 guarded[256] = {};
  launch.blocks = blocks;
  launch.predicated = guarded;
  launch.bank[0] = bank0;
  launch.bank_bytes[0] = 1024;
  block.warp_count = 1;
  warp.r = r;
  warp.block = &block;
  warp.launch = &launch;
  warp.budget = 1 << 20;
  warp.alive = warp.active = lanes;
  warp.tid_x = lane_numbers();
  std::memcpy(warp.p, predicates, 7 * 4);
  warp.p[7] = warp.up[7] = EVERY;
  std::memcpy(warp.ur, uniform, 63 * 4);
  Stop stop = Stop::failed;
  try {
    stop = run_warp(CodeMap(emu_kernel), warp);
  } catch (const Fault &) {
  }
  std::memcpy(registers, (void *)r, 256 * sizeof(V32));
  std::memcpy(predicates, warp.p, 7 * 4);
  std::memcpy(uniform, warp.ur, 63 * 4);
  for (int n = 0; n < 64; n++) block_threads[2 * n] = blocks[n].warps, block_threads[2 * n + 1] = blocks[n].threads;
  std::memcpy(predicated, guarded, sizeof guarded);
  std::free(r);
  return u32(stop);
}

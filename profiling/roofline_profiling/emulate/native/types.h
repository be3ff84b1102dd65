// Values of a warp: 32 lanes of a register, and the warp, block and launch that kernels run in.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emu {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr u32 LANES = 32;
constexpr u32 EVERY = 0xffffffffu;  // a mask with all lanes

// One value per lane. GCC and Clang split these into the machine's vectors.
using V32 = u32 __attribute__((vector_size(128)));
using I32 = i32 __attribute__((vector_size(128)));
using F32 = float __attribute__((vector_size(128)));
using V64 = u64 __attribute__((vector_size(256)));
using I64 = i64 __attribute__((vector_size(256)));
using F64 = double __attribute__((vector_size(256)));

struct Dim3 {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64(x) * y * z; }
};

// Lanes that run together, at one place in the code.
struct Group {
  u32 lanes;
  u32 at;       // code address
  u32 waits;    // 0: can run; 1 + n: waits at convergence barrier n; WAITS_WARP: at a WARPSYNC
  u32 expects;  // the lanes that it waits for; kept after a WARPSYNC that lets only these go on together
};

struct Block;
struct Launch;

struct Warp {
  V32 *r = nullptr;       // registers; as many as the kernel has
  u32 p[8] = {};          // predicates, a bit per lane; p[7] is true in all
  u32 ur[64] = {};        // uniform registers
  u32 up[8] = {};         // uniform predicates: EVERY or 0; up[7] is true
  V32 b[16] = {};         // convergence barriers, in each lane: the lanes that it waits for
  u32 active = 0;         // the lanes that run now
  u32 next = 0;           // where they go on
  u32 alive = 0;          // the lanes that have not ended
  u32 at_barrier = 0;     // the lanes that wait at the block's barrier
  u32 barrier = 0;        // which of the block's barriers
  u32 barrier_expects = 0;  // threads that the barrier waits for; 0: all of the block
  u32 barrier_result = 0;   // what the last reducing barrier gave
  i64 budget = 0;         // instructions before other warps have their turn
  u32 index = 0;          // in the block
  u32 group_count = 0;    // lanes that wait for their turn, by place
  Group groups[LANES];
  V32 tid_x, tid_y, tid_z;
  u8 *local = nullptr;    // local memory: lane l's begins at local + l * local_bytes
  u32 local_bytes = 0;
  Block *block = nullptr;
  Launch *launch = nullptr;
};

// One memory instruction's counts over a launch. Sectors are 32 bytes.
struct SiteCount {
  u64 requests = 0;    // executions by warps, with at least one lane
  u64 threads = 0;     // executions by lanes
  u64 sectors = 0;     // global, local, texture: sectors that the requests touch
  u64 wavefronts = 0;  // shared memory: passes, with bank conflicts; global: tags (128-byte lines)
  u64 ideal = 0;       // shared memory: the passes that it would be without conflicts
};

struct BlockCount {
  u64 warps = 0;
  u64 threads = 0;
};

struct Block {
  Dim3 index;
  u64 linear = 0;
  u8 *shared = nullptr;
  u32 shared_bytes = 0;
  u32 sm = 0;  // where it is resident
  u32 warp_count = 0;
  Warp *warps = nullptr;
  u32 barrier_threads[16] = {};    // that have arrived and gone on, by barrier
  bool has_arrivals = false;       // of such threads, since barriers were looked at
  u32 reduced[16] = {};            // threads whose value is true, by barrier
  u32 reducing[16] = {};           // threads that gave one
  u8 reduction[16] = {};           // what is asked of them
};

class MemorySystem;

struct Launch {
  Dim3 grid, block;
  const u8 *bank[8] = {};     // constant banks, as code addresses them
  u32 bank_bytes[8] = {};
  const u64 *symbols = nullptr;   // values of the symbols that the kernel's code names, in its order
  BlockCount *blocks = nullptr;   // counters: basic blocks,
  u64 *predicated = nullptr;      // threads of predicated instructions,
  SiteCount *sites = nullptr;     // memory instructions
  MemorySystem *memory = nullptr; // null: only counts, no caches
  u64 bus_sectors = 0;            // of the host's memory
  u64 clock = 0;                  // warp instructions so far, in place of time
};

// How a warp's run ended.
enum class Stop : u32 { ended, barrier, turn, failed };

}  // namespace emu

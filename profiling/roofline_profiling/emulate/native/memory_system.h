// What a warp's memory access costs: sectors, bank conflicts, and bytes of DRAM behind simulated caches.
#pragma once
#include "types.h"

namespace emu {

enum class Operation : u8 { load, store, reduction, atomic };

// One warp instruction to global, local or texture memory.
struct Request {
  u32 lanes;           // active lanes
  const u64 *address;  // of each lane; those of inactive lanes are not read
  u32 bytes;           // of each lane: 1, 2, 4, 8 or 16
  Operation operation;
  bool bypass;         // past L1: volatile, system- or device-scope accesses, atomics
};

struct Coalesced {
  u32 sectors;  // distinct sectors of 32 bytes
  u32 lines;    // distinct lines of 128 bytes
};

// Sectors and lines that a request touches. No caches are asked.
Coalesced coalesce(const Request &request);

// Passes that shared memory needs: 32 banks of 4 bytes; equal words are one access (but in atomics,
// where equal addresses are served one after another). 8-byte accesses are served by half warps and
// 16-byte ones by quarters, as Nsight Compute counts them (l1tex__data_pipe_lsu_wavefronts).
// `offset` has a value for each of the 32 lanes; those of inactive lanes do not count.
u32 shared_passes(u32 lanes, const u32 *offset, u32 bytes, bool atomic);

struct Machine {
  u32 multiprocessors = 1;
  u64 l1_bytes = 0;      // of one multiprocessor, without what shared memory takes
  u64 l2_bytes = 0;
  u32 l2_ways = 16;      // 1 to 16
  u32 dram_fetch_bytes = 32;  // what a miss in L2 reads: the aligned 32, 64 or 128 bytes around a sector
  // Whether a sector that was written in part is read when L2 gives it up (memory that cannot write
  // single bytes, as with error correction). A load or an atomic always reads such a sector.
  bool fill_on_eviction = false;
  // L2 writes the sectors back that have been dirty longest while there are more bytes than these; 0: it keeps
  // them until it needs their lines.
  u64 most_dirty_bytes = 0;
};

// Sectors count once per request. Hits are sectors that needed nothing from the next level.
struct Traffic {
  u64 l1_sectors = 0, l1_hits = 0;  // of loads that do not bypass L1
  u64 l2_sectors = 0, l2_hits = 0;  // of what L1 does not serve. Stores always hit
  u64 dram_read_bytes = 0;
  u64 dram_write_bytes = 0;         // written back while the kernel ran
  u64 dirty_bytes = 0;              // still in L2 at its end
  u64 bus_bytes = 0;                // to and from the host's memory, in sectors; by whoever asks the caches
};

// L1 of each multiprocessor and the L2 that they share, with 128-byte lines of four sectors.
// Loads allocate sectors in both; stores write through L1 to L2, which writes back; a sector that is
// written whole is not read first. Used by one thread.
class MemorySystem {
 public:
  virtual ~MemorySystem() = default;
  virtual void begin_launch(u64 l1_bytes) = 0;  // caches cold, as a profiler leaves them
  virtual void access(u32 sm, const Request &request) = 0;
  virtual Traffic end_launch() = 0;
};

// Raises std::invalid_argument for a machine that cannot be.
MemorySystem *make_memory_system(const Machine &machine);

}  // namespace emu

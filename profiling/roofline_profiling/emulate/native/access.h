// Where an address leads: checks that an access stays inside what was allocated.
#pragma once
#include "memory_system.h"
#include "warp.h"

namespace emu {

// The allocation that a site's last access fell into.
struct SiteCache {
  u64 start = 1, end = 0;
};

[[noreturn]] void misaligned(const char *space, const char *verb, u64 offset, u32 bytes, u32 at, u32 lane);

// Whether the bytes at an address are allocated. If not: a Fault, or false where the configuration says
// that kernels go on (loads give zeros, stores are dropped); the first such access is kept for the record.
bool check_address(SiteCache &cache, u64 address, u32 bytes, u32 at, u32 lane, const char *verb);

// The lanes' values, as the simulated caches and banks take them.
inline const u64 *lanes_of(const V64 &x) { return reinterpret_cast<const u64 *>(&x); }
inline const u32 *lanes_of(const V32 &x) { return reinterpret_cast<const u32 *>(&x); }

inline void count_request(Warp &w, u32 lanes, u32 site) {
  SiteCount &counts = w.launch->sites[site];
  counts.requests++;
  counts.threads += u32(__builtin_popcount(lanes));
}

// Counts a request's sectors and lines, and asks the simulated caches, where there are any; what is in the
// host's memory crosses the bus.
void ask_memory(Warp &w, const Request &request, u32 site);

// Counts a request to shared memory and its passes.
void count_shared(Warp &w, u32 g, u32 site, const V32 &offset, u32 bytes, bool atomic);

[[noreturn]] void outside(const char *space, const char *verb, u64 offset, u32 bytes, u64 limit, u32 at,
                          u32 lane);

// Raises a Fault unless an offset in a thread's or block's own memory is a multiple of the access's bytes.
inline void check_aligned(const char *space, u32 offset, u32 bytes, u32 at, u32 lane, const char *verb) {
  if (offset & (bytes - 1)) misaligned(space, verb, offset, bytes, at, lane);
}

// The caches of a launch's sites, and the code addresses of these.
struct Sites {
  SiteCache *caches;
  const u32 *at;
};
Sites &sites_of_launch();  // of the launch that runs in this thread

// The first access outside memory of the launch that runs, where these are tolerated.
struct FirstOutside {
  std::string what;
  u32 at = 0, lane = 0;
};
FirstOutside &first_outside();

}  // namespace emu

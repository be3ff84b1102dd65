// The memory system behind C calls, for tests that load it with ctypes.
#include <exception>

#include "memory_system.h"

using namespace emu;

namespace {

Request request_of(u32 lanes, const u64 *address, u32 bytes, u32 operation, u32 bypass) {
  return {lanes, address, bytes, Operation(operation), bypass != 0};
}

}  // namespace

extern "C" {

void call_coalesce(u32 lanes, const u64 *address, u32 bytes, u32 *counted) {
  const Coalesced made = coalesce(request_of(lanes, address, bytes, 0, 0));
  counted[0] = made.sectors;
  counted[1] = made.lines;
}

u32 call_shared_passes(u32 lanes, const u32 *offset, u32 bytes, u32 atomic) {
  return shared_passes(lanes, offset, bytes, atomic != 0);
}

// Null where the machine is refused.
MemorySystem *make_system(u32 multiprocessors, u64 l1, u64 l2, u32 ways, u32 fetch, u32 fill) {
  Machine machine;
  machine.multiprocessors = multiprocessors;
  machine.l1_bytes = l1;
  machine.l2_bytes = l2;
  machine.l2_ways = ways;
  machine.dram_fetch_bytes = fetch;
  machine.fill_on_eviction = fill != 0;
  try {
    return make_memory_system(machine);
  } catch (const std::exception &) {
    return nullptr;
  }
}

void begin_launch(MemorySystem *system, u64 l1) { system->begin_launch(l1); }

// 0 where the multiprocessor is not there.
u32 access(MemorySystem *system, u32 sm, u32 lanes, const u64 *address, u32 bytes, u32 operation, u32 bypass) {
  try {
    system->access(sm, request_of(lanes, address, bytes, operation, bypass));
    return 1;
  } catch (const std::exception &) {
    return 0;
  }
}

void end_launch(MemorySystem *system, u64 *counted) {
  const Traffic traffic = system->end_launch();
  counted[0] = traffic.l1_sectors;
  counted[1] = traffic.l1_hits;
  counted[2] = traffic.l2_sectors;
  counted[3] = traffic.l2_hits;
  counted[4] = traffic.dram_read_bytes;
  counted[5] = traffic.dram_write_bytes;
  counted[6] = traffic.dirty_bytes;
}

void drop_system(MemorySystem *system) { delete system; }

}  // extern "C"

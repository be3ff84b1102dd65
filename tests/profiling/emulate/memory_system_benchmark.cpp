// How long the memory system takes per request and per sector. Not a test: figures are of the machine at hand.
//   g++ -std=c++17 -O2 -march=native -I NATIVE memory_system_benchmark.cpp
//       NATIVE/{coalescing,shared_memory,caches,memory_system}.cpp -o benchmark && ./benchmark
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "memory_system.h"

using namespace emu;

namespace {

constexpr u64 BASE = 0x7f1234000000ull;
constexpr u32 POOL = 1024;  // different requests per pattern

u64 sink = 0;
std::mt19937_64 randomness(1);

struct Pool {
  const char *name;
  u32 bytes = 4;
  u32 lanes = EVERY;
  std::vector<u64> address = std::vector<u64>(std::size_t(POOL) * LANES);

  template <class Of>
  Pool(const char *named, u32 width, u32 active, Of of) : name(named), bytes(width), lanes(active) {
    for (u32 i = 0; i < POOL; ++i)
      for (u32 lane = 0; lane < LANES; ++lane) address[std::size_t(i) * LANES + lane] = BASE + of(i, lane);
  }
  Request at(u64 i, Operation operation) const {
    return {lanes, &address[i % POOL * LANES], bytes, operation, false};
  }
};

std::vector<Pool> pools() {
  auto random = [](u64 size) { return randomness() % size; };
  std::vector<Pool> made;
  made.emplace_back("contiguous, 4 bytes", 4, EVERY, [](u32 i, u32 l) { return u64(i) * 128 + l * 4; });
  made.emplace_back("contiguous, 20 lanes", 4, 0xfffffu, [](u32 i, u32 l) { return u64(i) * 128 + l * 4; });
  made.emplace_back("contiguous, 16 bytes", 16, EVERY, [](u32 i, u32 l) { return u64(i) * 512 + l * 16; });
  made.emplace_back("equal", 4, EVERY, [](u32 i, u32) { return u64(i) * 4; });
  made.emplace_back("stride of 64", 4, EVERY, [](u32 i, u32 l) { return u64(i) * 4 + l * 64; });
  made.emplace_back("stride of 4096", 4, EVERY, [](u32 i, u32 l) { return u64(i) * 4 + l * 4096; });
  made.emplace_back("tile of 8x4, by columns", 4, EVERY,
                    [](u32 i, u32 l) { return u64(i) * 16 + l % 8 * 4096 + l / 8 * 4; });
  made.emplace_back("random in 4 KiB", 4, EVERY, [&](u32, u32) { return random(1024) * 4; });
  made.emplace_back("random in 1 MiB", 4, EVERY, [&](u32, u32) { return random(1 << 18) * 4; });
  made.emplace_back("random in 1 GiB", 4, EVERY, [&](u32, u32) { return random(1 << 28) * 4; });
  return made;
}

template <class Work>
double nanoseconds(u64 count, Work work) {
  const std::clock_t start = std::clock();  // of the processor, whatever else runs on the machine
  for (u64 i = 0; i < count; ++i) work(i);
  return double(std::clock() - start) * 1e9 / CLOCKS_PER_SEC / double(count);
}

void time_coalescing(const Pool &pool) {
  auto work = [&](u64 i) { sink += coalesce(pool.at(i, Operation::load)).sectors; };
  nanoseconds(POOL, work);
  std::printf("coalesce       %-26s %7.1f ns a request\n", pool.name, nanoseconds(1 << 20, work));
}

void time_shared(const Pool &pool) {
  std::vector<u32> offset(pool.address.size());
  for (std::size_t i = 0; i < offset.size(); ++i) offset[i] = u32(pool.address[i] - BASE) & 0xffff;
  auto work = [&](u64 i) { sink += shared_passes(pool.lanes, &offset[i % POOL * LANES], pool.bytes, false); };
  std::printf("shared_passes  %-26s %7.1f ns a request\n", pool.name, nanoseconds(1 << 20, work));
}

// Loads or stores by 68 multiprocessors that move through memory, as a launch's blocks would.
void time_caches(const Pool &pool, Operation operation, u64 spread) {
  Machine machine;
  machine.multiprocessors = 68;
  machine.l1_bytes = 128 << 10;
  machine.l2_bytes = 5 << 20;
  std::unique_ptr<MemorySystem> system(make_memory_system(machine));
  std::vector<u64> moved(LANES);
  u64 sectors = 0;
  constexpr u64 COUNT = 1 << 20;
  auto work = [&](u64 i) {
    Request request = pool.at(i, operation);
    for (u32 lane = 0; lane < LANES; ++lane) moved[lane] = request.address[lane] + i / POOL * spread;
    request.address = moved.data();
    system->access(u32(i / 8 % 68), request);
  };
  const double each = nanoseconds(COUNT, work);
  for (u64 i = 0; i < COUNT; ++i) sectors += coalesce(pool.at(i, operation)).sectors;
  const Traffic traffic = system->end_launch();
  sink += traffic.dram_read_bytes;
  std::printf("caches, %-6s %-26s %7.1f ns a request %7.1f million sectors/s  L1 %3.0f%% L2 %3.0f%%\n",
              operation == Operation::load ? "load" : "store", pool.name, each, double(sectors) / (each * COUNT) * 1e3,
              traffic.l1_sectors ? 100.0 * double(traffic.l1_hits) / double(traffic.l1_sectors) : 0.0,
              traffic.l2_sectors ? 100.0 * double(traffic.l2_hits) / double(traffic.l2_sectors) : 0.0);
}

void time_launches() {
  Machine machine;
  machine.multiprocessors = 132;
  machine.l1_bytes = 256 << 10;
  machine.l2_bytes = 50 << 20;
  std::unique_ptr<MemorySystem> system(make_memory_system(machine));
  auto work = [&](u64 i) {
    system->begin_launch(i % 2 ? 256 << 10 : 128 << 10);
    sink += system->end_launch().dirty_bytes;
  };
  std::printf("begin_launch and end_launch %29.1f ns a launch\n", nanoseconds(1 << 20, work));
}

}  // namespace

int main() {
  const std::vector<Pool> all = pools();
  for (const Pool &pool : all) time_coalescing(pool);
  for (const Pool &pool : all) time_shared(pool);
  for (const Pool &pool : all)
    for (const Operation operation : {Operation::load, Operation::store})
      time_caches(pool, operation, u64(POOL) * 512);
  time_launches();
  return sink == 42;
}

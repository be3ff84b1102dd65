// L1 caches, the L2 that they share, and the DRAM traffic behind them.
//
// Published: lines of L1 and L2 have 128 bytes in four sectors, and a miss need not fill the others
// (https://forums.developer.nvidia.com/t/pascal-l1-cache/49571); how much L2 fetches can be set
// (https://forums.developer.nvidia.com/t/the-granularity-of-l1-and-l2-caches/290065), thus
// Machine::dram_fetch_bytes. A patent of NVIDIA's (US 9110809) has, for DRAM with error correction, sectors that
// were written in part read before they are written back, when there are too many of them, thus
// Machine::fill_on_eviction.
// Measured by others: L1 has 4 sets with LRU (256 ways at 128 KiB; Accel-Sim's microbenchmarks and gpgpu-sim's
// configuration SM86_RTX3070); L2 writes back, allocates at stores and takes parts of sectors, and its 16 ways are
// a guess (Accel-Sim's microbenchmarks); on an RTX 3070 L2 keeps byte masks, and all stores hit in it, cold as it is
// (https://github.com/mushihao/cuda, nv_study/README.md).
// Assumed:
// - L1 is kept as sets of at most 64 ways with a hashed index; both caches give up the line used longest ago;
// - stores update L1 without allocating or refreshing a line, so that L1 is not asked; atomics and reductions
//   are done in L2 and drop the sector from their own L1. Other multiprocessors' L1 keep what they have;
// - a sector that was written in part keeps a mask of its bytes. A load or atomic reads it from DRAM, even if
//   it wants only bytes that were written, since L1 gets whole sectors. Given up, it costs a write of 32 bytes,
//   and a read only where Machine::fill_on_eviction says so;
// - L2 writes back what it gives up, and early only as Machine::most_dirty_bytes says.
#include "memory_system.h"

#include <deque>
#include <stdexcept>

#include "caches.h"

namespace emu {
namespace {

constexpr u32 L1_WAYS = 64;
constexpr u32 MOST_L2_WAYS = 16;  // as Entry's slots allow

u32 count_of(u32 sectors) { return u32(__builtin_popcount(sectors)); }

class SharedCache {
 public:
  explicit SharedCache(const Machine &machine)
      : sets_(u32(machine.l2_bytes / LINE_BYTES / machine.l2_ways)),
        ways_(machine.l2_ways),
        fetch_sectors_(machine.dram_fetch_bytes / SECTOR_BYTES),
        fill_on_eviction_(machine.fill_on_eviction),
        most_dirty_bytes_(machine.most_dirty_bytes),
        written_(std::size_t(sets_) * ways_) {}

  void begin() {
    tags_.begin(1, sets_, ways_);
    traffic_ = Traffic();
    dirtied_.clear();
  }

  void load(u64 address, u32 sectors) {
    Place place = use(address);
    traffic_.l2_hits += count_of(sectors & Entry::valid(*place.entry));
    fetch(place, sectors);
  }

  void update(u64 address, u32 sectors) {  // an atomic or a reduction
    Place place = use(address);
    traffic_.l2_hits += count_of(sectors & Entry::valid(*place.entry));
    fetch(place, sectors);
    make_dirty(place, sectors);
  }

  void store(const Line &line) {
    Place place = use(line.address);
    traffic_.l2_hits += count_of(line.sectors);
    const u32 dirty = Entry::dirty(*place.entry);
    u32 whole = 0;
    for (u32 rest = line.sectors & ~Entry::valid(*place.entry); rest; rest &= rest - 1) {
      const u32 sector = u32(__builtin_ctz(rest));
      u32 bytes = line.bytes[sector];
      if (bytes != EVERY) {
        u32 &written = written_[place.line].bytes[sector];
        bytes |= dirty >> sector & 1 ? written : 0;
        written = bytes;
      }
      whole |= u32(bytes == EVERY) << sector;
    }
    *place.entry |= whole;
    make_dirty(place, line.sectors);
  }

  Traffic &traffic() { return traffic_; }

 private:
  struct Written {  // bytes of sectors that are dirty but not valid
    u32 bytes[LINE_SECTORS];
  };
  struct Place {
    u64 *entry;
    std::size_t line;  // among all lines of the cache; does not change while the line is there
  };

  Place use(u64 address) {
    const u32 set = tags_.set_of(0, address);
    u64 given_up;
    u64 &entry = tags_.use(set, address, &given_up);
    if (given_up) give_up(given_up);
    return {&entry, std::size_t(set) * ways_ + Entry::slot(entry)};
  }

  void give_up(u64 entry) {
    const u32 dirty = Entry::dirty(entry);
    const u64 bytes = count_of(dirty) * u64(SECTOR_BYTES);
    traffic_.dram_write_bytes += bytes;
    traffic_.dirty_bytes -= bytes;
    if (fill_on_eviction_)
      traffic_.dram_read_bytes += count_of(dirty & ~Entry::valid(entry)) * u64(SECTOR_BYTES);
  }

  // Reads what is not valid of the sectors, with what DRAM gives along.
  void fetch(Place place, u32 sectors) {
    u32 missing = sectors & ~Entry::valid(*place.entry);
    if (!missing) return;
    if (fetch_sectors_ == 2) missing |= (missing & 5) << 1 | (missing & 10) >> 1;
    if (fetch_sectors_ == 4) missing = 15;
    missing &= ~Entry::valid(*place.entry);
    traffic_.dram_read_bytes += count_of(missing) * u64(SECTOR_BYTES);
    *place.entry |= missing;
  }

  void make_dirty(Place place, u32 sectors) {
    const u32 before = Entry::dirty(*place.entry), fresh = sectors & ~before;
    traffic_.dirty_bytes += count_of(fresh) * u64(SECTOR_BYTES);
    *place.entry |= u64(fresh) << Entry::DIRTY_AT;
    if (!most_dirty_bytes_) return;
    if (!before) dirtied_.push_back(*place.entry & Entry::ADDRESS);
    while (traffic_.dirty_bytes > most_dirty_bytes_ && !dirtied_.empty()) clean_oldest();
  }

  void clean_oldest() {
    const u64 address = dirtied_.front();
    dirtied_.pop_front();
    u64 *entry = tags_.find(tags_.set_of(0, address), address);
    if (!entry) return;  // given up meanwhile
    const u64 bytes = count_of(Entry::dirty(*entry)) * u64(SECTOR_BYTES);
    traffic_.dram_write_bytes += bytes;
    traffic_.dirty_bytes -= bytes;
    *entry &= ~(u64(15) << Entry::DIRTY_AT);
  }

  const u32 sets_, ways_, fetch_sectors_;
  const bool fill_on_eviction_;
  const u64 most_dirty_bytes_;
  std::deque<u64> dirtied_;  // lines in the order in which they became dirty
  Tags tags_;
  std::vector<Written> written_;
  Traffic traffic_;
};

class CachedMemory final : public MemorySystem {
 public:
  explicit CachedMemory(const Machine &machine) : multiprocessors_(machine.multiprocessors), shared_(machine) {
    begin_launch(machine.l1_bytes);
  }

  void begin_launch(u64 l1_bytes) override {
    const u32 lines = u32(l1_bytes / LINE_BYTES);
    const u32 sets = (lines + L1_WAYS - 1) / L1_WAYS;
    l1_.begin(multiprocessors_, sets, sets ? lines / sets : 0);
    shared_.begin();
  }

  void access(u32 sm, const Request &request) override {
    if (sm >= multiprocessors_) throw std::out_of_range("no such multiprocessor");
    Line lines[MOST_LINES];
    const u32 count = split(request, lines);
    switch (request.operation) {
      case Operation::load:
        for (u32 i = 0; i < count; ++i) load(sm, lines[i], request.bypass);
        break;
      case Operation::store:
        for (u32 i = 0; i < count; ++i) store(lines[i]);
        break;
      default:
        for (u32 i = 0; i < count; ++i) update(sm, lines[i]);
    }
  }

  Traffic end_launch() override { return shared_.traffic(); }

 private:
  void load(u32 sm, const Line &line, bool bypass) {
    const u64 address = line.address & Entry::ADDRESS;
    const u32 missing = bypass ? line.sectors : load_first(sm, address, line.sectors);
    if (!missing) return;
    shared_.traffic().l2_sectors += count_of(missing);
    shared_.load(address, missing);
  }

  // Asks L1, which then has the sectors. Returns those that it lacked.
  u32 load_first(u32 sm, u64 address, u32 sectors) {
    Traffic &traffic = shared_.traffic();
    traffic.l1_sectors += count_of(sectors);
    if (!l1_.sets()) return sectors;
    u64 given_up;
    u64 &entry = l1_.use(l1_.set_of(sm, address), address, &given_up);
    const u32 missing = sectors & ~Entry::valid(entry);
    traffic.l1_hits += count_of(sectors & ~missing);
    entry |= sectors;
    return missing;
  }

  void store(Line &line) {
    line.address &= Entry::ADDRESS;
    shared_.traffic().l2_sectors += count_of(line.sectors);
    shared_.store(line);
  }

  void update(u32 sm, const Line &line) {
    const u64 address = line.address & Entry::ADDRESS;
    if (l1_.sets())
      if (u64 *entry = l1_.find(l1_.set_of(sm, address), address)) *entry &= ~u64(line.sectors);
    shared_.traffic().l2_sectors += count_of(line.sectors);
    shared_.update(address, line.sectors);
  }

  const u32 multiprocessors_;
  Tags l1_;
  SharedCache shared_;
};

void check(const Machine &machine) {
  const u32 fetch = machine.dram_fetch_bytes;
  if (!machine.multiprocessors) throw std::invalid_argument("a machine needs a multiprocessor");
  if (!machine.l2_ways || machine.l2_ways > MOST_L2_WAYS) throw std::invalid_argument("L2 has 1 to 16 ways");
  if (machine.l2_bytes / LINE_BYTES < machine.l2_ways) throw std::invalid_argument("L2 is smaller than one set");
  if (fetch != 32 && fetch != 64 && fetch != 128)
    throw std::invalid_argument("DRAM is read by 32, 64 or 128 bytes");
}

}  // namespace

MemorySystem *make_memory_system(const Machine &machine) {
  check(machine);
  return new CachedMemory(machine);
}

}  // namespace emu

// Device memory: a reserved range of address space. Allocations keep their exact sizes; between them and
// where they have been released nothing can be read.
#include <sys/mman.h>

#include <map>
#include <mutex>
#include <shared_mutex>

#include "executor.h"

namespace emu {
namespace {

constexpr u64 PAGE = 4096;
constexpr u64 HUGE_PAGE = 2 << 20;
constexpr u64 GUARD = PAGE;              // at least so many bytes after each allocation
constexpr u64 LARGEST_ARENA = 16ull << 40;
constexpr u64 SMALLEST_ARENA = 1ull << 30;
constexpr std::size_t CROWDED = 20000;   // live allocations; each takes two of the kernel's 65530 mappings

u64 round_up(u64 value, u64 unit) { return (value + unit - 1) / unit * unit; }

struct Range {
  u64 bytes = 0;     // asked for
  u64 reserved = 0;  // with the guard; 0: host memory
};

class Memory {
 public:
  Memory() {
    for (u64 size = LARGEST_ARENA; size >= SMALLEST_ARENA; size /= 2) {
      void *at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at == MAP_FAILED) continue;
      first_ = next_ = round_up(reinterpret_cast<u64>(at), HUGE_PAGE);
      end_ = reinterpret_cast<u64>(at) + size;
      return;
    }
  }

  u8 *allocate(u64 bytes) {
    const std::unique_lock lock(mutex_);
    if (bytes > configuration().memory_bytes || used_ + bytes > configuration().memory_bytes) return nullptr;
    const u64 usable = round_up(bytes == 0 ? 1 : bytes, PAGE);
    const u64 start = find_room(usable + GUARD, usable >= 2 * HUGE_PAGE ? HUGE_PAGE : PAGE);
    if (start == 0 || !open(start, usable)) return nullptr;
    ranges_[start] = {bytes, usable + GUARD};
    used_ += bytes;
    return reinterpret_cast<u8 *>(start);
  }

  bool release(u8 *at) {
    const std::unique_lock lock(mutex_);
    const auto range = ranges_.find(reinterpret_cast<u64>(at));
    if (range == ranges_.end() || range->second.reserved == 0) return false;
    close(range->first, range->second.reserved);
    used_ -= range->second.bytes;
    released_[range->first] = range->second.reserved;
    ranges_.erase(range);
    return true;
  }

  bool find(u64 address, u64 *start, u64 *bytes) {
    const std::shared_lock lock(mutex_);
    auto range = ranges_.upper_bound(address);
    if (range == ranges_.begin()) return false;
    --range;
    if (address - range->first >= range->second.bytes) return false;
    *start = range->first;
    *bytes = range->second.bytes;
    return true;
  }

  bool holds(u64 address) const { return address - first_ < end_ - first_; }

  void map(u64 start, u64 bytes) {
    const std::unique_lock lock(mutex_);
    ranges_[start] = {bytes, 0};
  }

  void unmap(u64 start) {
    const std::unique_lock lock(mutex_);
    const auto range = ranges_.find(start);
    if (range != ranges_.end() && range->second.reserved == 0) ranges_.erase(range);
  }

 private:
  // Fresh address space while there is some, then the lowest released range that is large enough.
  u64 find_room(u64 bytes, u64 alignment) {
    const u64 start = round_up(next_, alignment);
    if (start < end_ && bytes <= end_ - start) {
      next_ = start + bytes;
      return start;
    }
    join_released();
    for (auto range = released_.begin(); range != released_.end(); ++range) {
      const u64 from = round_up(range->first, alignment);
      const u64 end = range->first + range->second;
      if (from >= end || end - from < bytes) continue;
      const u64 first = range->first;
      released_.erase(range);
      if (from > first) released_[first] = from - first;
      if (end > from + bytes) released_[from + bytes] = end - from - bytes;
      return from;
    }
    return 0;
  }

  void join_released() {
    for (auto range = released_.begin(); range != released_.end();) {
      const auto after = std::next(range);
      if (after != released_.end() && range->first + range->second == after->first) {
        range->second += after->second;
        released_.erase(after);
      } else {
        range = after;
      }
    }
  }

  bool open(u64 start, u64 bytes) {
    if (!open_all_ && ranges_.size() > CROWDED) {
      // One mapping for all that follows: only the exact sizes then say what can be read.
      open_all_ = mprotect(reinterpret_cast<void *>(start), end_ - start, PROT_READ | PROT_WRITE) == 0;
      opened_from_ = start;
    }
    if (open_all_ && start >= opened_from_) return true;
    void *at = reinterpret_cast<void *>(start);
    if (mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0) return false;
    if (bytes >= 2 * HUGE_PAGE) madvise(at, bytes, MADV_HUGEPAGE);
    return true;
  }

  void close(u64 start, u64 bytes) {
    void *at = reinterpret_cast<void *>(start);
    madvise(at, bytes, MADV_DONTNEED);
    if (!(open_all_ && start >= opened_from_)) mprotect(at, bytes, PROT_NONE);
  }

  std::shared_mutex mutex_;
  std::map<u64, Range> ranges_;     // live, by start
  std::map<u64, u64> released_;     // bytes, by start
  u64 first_ = 0;                   // of the address space
  u64 next_ = 0, end_ = 0;          // of what is not yet given out
  u64 used_ = 0;
  bool open_all_ = false;
  u64 opened_from_ = 0;
};

Memory &memory() {
  static Memory *result = new Memory;  // never destroyed: programs free memory in their own destructors
  return *result;
}

}  // namespace

u8 *allocate(u64 bytes) { return memory().allocate(bytes); }
bool release(u8 *at) { return memory().release(at); }
bool allocation_of(u64 address, u64 *start, u64 *bytes) { return memory().find(address, start, bytes); }
bool is_device_memory(u64 address) { return memory().holds(address); }
void map_host(u8 *start, u64 bytes) { memory().map(reinterpret_cast<u64>(start), bytes); }
void unmap_host(u8 *start) { memory().unmap(reinterpret_cast<u64>(start)); }

}  // namespace emu

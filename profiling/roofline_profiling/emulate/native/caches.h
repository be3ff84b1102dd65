// Tags of set-associative caches with the least recently used line given up first.
#pragma once
#include <vector>

#include "coalescing.h"

namespace emu {

// A line's entry: its address, with flags in the bits that addresses of lines leave free.
struct Entry {
  static constexpr u64 ADDRESS = 0x00ffffffffffff80ull;
  static constexpr u32 DIRTY_AT = 56, SLOT_AT = 60;

  static u32 valid(u64 entry) { return u32(entry) & 15; }              // sectors that can be read
  static u32 dirty(u64 entry) { return u32(entry >> DIRTY_AT) & 15; }  // sectors to be written back
  static u32 slot(u64 entry) { return u32(entry >> SLOT_AT); }         // the entry's own in its set
};

// The entries of one or more caches of the same size, each cache a row of sets. A set holds its entries in
// the order of their last use, so that there are no time stamps. Lines map to sets by a multiplicative hash:
// neighbouring lines spread evenly, and the number of sets need not be a power of two. (Real GPUs hash, too;
// how is not published.)
class Tags {
 public:
  // Makes all caches empty. Memory is written only where a set is used.
  void begin(u32 caches, u32 sets, u32 ways);

  u32 sets() const { return sets_; }
  u32 ways() const { return ways_; }
  u32 set_of(u32 cache, u64 address) const {
    const u64 mixed = (address / LINE_BYTES * 0x9e3779b97f4a7c15ull) >> 32;
    return cache * sets_ + u32(mixed * sets_ >> 32);
  }

  // The line's entry, now the most recently used of its set. Where the line was absent, it takes the place of
  // the least recently used one, which `given_up` becomes (else 0), and has no valid and no dirty sectors.
  u64 &use(u32 set, u64 address, u64 *given_up);

  // The line's entry, in its place; null where the line is absent.
  u64 *find(u32 set, u64 address);

 private:
  u64 *opened(u32 set);

  u32 sets_ = 0, ways_ = 0;
  u32 stride_ = 0;             // entries from set to set: the ways, rounded up for vectors
  u32 epoch_ = 0;              // of the latest begin
  std::vector<u64> entries_;
  std::vector<u32> epochs_;    // of each set: when it was last emptied
};

}  // namespace emu

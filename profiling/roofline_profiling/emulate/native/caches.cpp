#include "caches.h"

#include <cstring>
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace emu {
namespace {

constexpr u32 GROUP = 8;  // entries that are compared at once
constexpr u32 ABSENT = EVERY;

#if defined(__AVX512F__)

u32 matches(const u64 *entries, u64 address) {
  const __m512i differs = _mm512_xor_si512(_mm512_loadu_si512(entries), _mm512_set1_epi64(i64(address)));
  return _mm512_testn_epi64_mask(differs, _mm512_set1_epi64(i64(Entry::ADDRESS)));
}

#elif defined(__AVX2__)

u32 matches(const u64 *entries, u64 address) {
  const __m256i key = _mm256_set1_epi64x(i64(address)), bits = _mm256_set1_epi64x(i64(Entry::ADDRESS));
  u32 found = 0;
  for (u32 half = 0; half < 2; ++half) {
    const __m256i held = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(entries + 4 * half));
    const __m256i same = _mm256_cmpeq_epi64(_mm256_and_si256(held, bits), key);
    found |= u32(_mm256_movemask_pd(_mm256_castsi256_pd(same))) << 4 * half;
  }
  return found;
}

#else

u32 matches(const u64 *entries, u64 address) {
  u32 found = 0;
  for (u32 i = 0; i < GROUP; ++i) found |= u32((entries[i] & Entry::ADDRESS) == address) << i;
  return found;
}

#endif

// The place of a line among the first `ways` entries. Places behind them never hold a line: see opened().
u32 place_of(const u64 *entries, u32 ways, u64 address) {
  for (u32 start = 0; start < ways; start += GROUP)
    if (const u32 found = matches(entries + start, address)) return start + u32(__builtin_ctz(found));
  return ABSENT;
}

// Moves the first `count` entries back by one place.
void move_back(u64 *entries, u32 count) {
#if defined(__AVX512F__)
  const __m512i last_then_first = _mm512_setr_epi64(7, 8, 9, 10, 11, 12, 13, 14);
  __m512i before = _mm512_setzero_si512();
  for (u32 start = 0; start <= count; start += GROUP) {
    const __m512i held = _mm512_loadu_si512(entries + start);
    const __m512i moved = _mm512_permutex2var_epi64(before, last_then_first, held);
    const u32 rest = count - start;
    _mm512_mask_storeu_epi64(entries + start, __mmask8(rest >= 7 ? 0xff : (2u << rest) - 1), moved);
    before = held;
  }
#else
  std::memmove(entries + 1, entries, count * sizeof(u64));
#endif
}

}  // namespace

void Tags::begin(u32 caches, u32 sets, u32 ways) {
  sets_ = sets;
  ways_ = ways;
  stride_ = (ways + GROUP - 1) / GROUP * GROUP;
  const std::size_t rows = std::size_t(caches) * sets;
  if (++epoch_ == 0) {  // after 2^32 launches: no set may look as if it were of this one
    epochs_.assign(epochs_.size(), 0);
    epoch_ = 1;
  }
  if (epochs_.size() < rows) epochs_.resize(rows, 0);
  if (entries_.size() < rows * stride_) entries_.resize(rows * stride_);
}

// A set's entries, emptied at its first use since begin(). Empty entries have address 0, and those behind the
// set's ways one that no line has.
u64 *Tags::opened(u32 set) {
  u64 *entries = &entries_[std::size_t(set) * stride_];
  if (epochs_[set] != epoch_) {
    epochs_[set] = epoch_;
    for (u32 i = 0; i < stride_; ++i) entries[i] = i < ways_ ? u64(i & 15) << Entry::SLOT_AT : Entry::ADDRESS;
  }
  return entries;
}

u64 &Tags::use(u32 set, u64 address, u64 *given_up) {
  u64 *entries = opened(set);
  *given_up = 0;
  if ((entries[0] & Entry::ADDRESS) == address) return entries[0];
  const u32 place = place_of(entries, ways_, address);
  const u32 count = place == ABSENT ? ways_ - 1 : place;
  u64 entry = entries[count];
  if (place == ABSENT) {
    *given_up = entry;
    entry = address | (entry & ~u64(0) << Entry::SLOT_AT);
  }
  move_back(entries, count);
  entries[0] = entry;
  return entries[0];
}

u64 *Tags::find(u32 set, u64 address) {
  u64 *entries = opened(set);
  const u32 place = place_of(entries, ways_, address);
  return place == ABSENT ? nullptr : entries + place;
}

}  // namespace emu

// Which lanes of a warp have a value that no earlier lane has.
#pragma once
#include "types.h"
#if defined(__AVX512F__) && defined(__AVX512CD__)
#include <immintrin.h>
// GCC 12 warns of the undefined vectors in its own header.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define EMU_FAST_DISTINCT 1
#endif

namespace emu {

#if defined(EMU_FAST_DISTINCT)

// The lanes, as a mask, whose key is in no earlier lane.
inline u32 first_with_key(__m512i low, __m512i high) {
  const u32 low_again = _mm512_test_epi32_mask(_mm512_conflict_epi32(low), _mm512_set1_epi32(-1));
  u32 high_again = _mm512_test_epi32_mask(_mm512_conflict_epi32(high), _mm512_set1_epi32(-1));
  const __m512i one_on = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0);
  for (u32 turn = 0; turn < LANES / 2; ++turn) {
    high_again |= _mm512_cmpeq_epi32_mask(high, low);
    low = _mm512_permutexvar_epi32(one_on, low);
  }
  return ~(low_again | high_again << 16);
}

inline u32 first_with_key(u32 lanes, const u32 *keys) {
  const __m512i any = _mm512_set1_epi32(i32(keys[__builtin_ctz(lanes)]));
  const __m512i low = _mm512_mask_loadu_epi32(any, __mmask16(lanes), keys);
  const __m512i high = _mm512_mask_loadu_epi32(any, __mmask16(lanes >> 16), keys + LANES / 2);
  // Inactive lanes before the first active one took its key: that lane stands for them.
  const u32 first = first_with_key(low, high);
  return lanes & (first | u32(1) << __builtin_ctz(lanes));
}

#else

// The lanes, as a mask, whose key is in no earlier lane. At least one lane is active.
inline u32 first_with_key(u32 lanes, const u32 *keys) {
  constexpr u32 SLOTS = 128;
  u8 holder[SLOTS] = {};  // 1 + the lane that has the slot's key; 0: none
  u32 first = 0;
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    const u32 lane = u32(__builtin_ctz(rest)), key = keys[lane];
    u32 slot = key * 0x9e3779b9u >> 25;
    while (holder[slot] && keys[holder[slot] - 1] != key) slot = (slot + 1) % SLOTS;
    first |= u32(!holder[slot]) << lane;
    if (!holder[slot]) holder[slot] = u8(lane + 1);
  }
  return first;
}

#endif

}  // namespace emu

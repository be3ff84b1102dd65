// Operations on the 32 lanes of a register. GCC and Clang split the vectors into the machine's own;
// intrinsics are used only where they have no operator.
#pragma once
#include <cmath>
#include <cstring>
#include "types.h"
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define EMU_AVX512 1
#elif defined(__AVX2__)
#include <immintrin.h>
#define EMU_AVX2 1
#endif

namespace emu {

#define EMU_INLINE [[gnu::always_inline]] inline

EMU_INLINE V32 all(u32 value) { return V32{} + value; }
EMU_INLINE F32 allf(float value) { return F32{} + value; }
EMU_INLINE V64 all64(u64 value) { return V64{} + value; }

EMU_INLINE F32 f(V32 x) { return (F32)x; }
EMU_INLINE I32 i(V32 x) { return (I32)x; }
EMU_INLINE V32 u(F32 x) { return (V32)x; }
EMU_INLINE V32 u(I32 x) { return (V32)x; }
EMU_INLINE V32 u(V32 x) { return x; }
EMU_INLINE F64 d(V64 x) { return (F64)x; }
EMU_INLINE V64 u(F64 x) { return (V64)x; }
EMU_INLINE V64 u(I64 x) { return (V64)x; }
EMU_INLINE V64 u(V64 x) { return x; }
EMU_INLINE I64 i(V64 x) { return (I64)x; }

EMU_INLINE V64 wide(V32 x) { return __builtin_convertvector(x, V64); }
EMU_INLINE I64 wide(I32 x) { return __builtin_convertvector(x, I64); }
EMU_INLINE V32 low(V64 x) { return __builtin_convertvector(x, V32); }
EMU_INLINE V32 high(V64 x) { return __builtin_convertvector(x >> 32, V32); }
EMU_INLINE V64 pair(V32 lo, V32 hi) { return wide(lo) | (wide(hi) << 32); }

EMU_INLINE V32 lane_numbers() {
  return V32{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
             16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
}

// All ones in the lanes of a mask.
EMU_INLINE V32 spread(u32 mask) {
#if EMU_AVX512
  V32 out;
  __m512i half[2] = {_mm512_movm_epi32(mask & 0xffff), _mm512_movm_epi32(mask >> 16)};
  std::memcpy(&out, half, sizeof out);
  return out;
#else
  const V32 bit = all(1) << lane_numbers();
  return (V32)((all(mask) & bit) != 0);
#endif
}

EMU_INLINE V64 spread64(u32 mask) { return (V64) __builtin_convertvector((I32)spread(mask), I64); }

// The mask of the lanes whose highest bit is set, as comparisons set it.
EMU_INLINE u32 bits(V32 x) {
#if EMU_AVX512
  __m512i half[2];
  std::memcpy(half, &x, sizeof half);
  return u32(_mm512_movepi32_mask(half[0])) | u32(_mm512_movepi32_mask(half[1])) << 16;
#elif EMU_AVX2
  __m256 part[4];
  std::memcpy(part, &x, sizeof part);
  u32 out = 0;
  for (int n = 0; n < 4; n++) out |= u32(_mm256_movemask_ps(part[n])) << (8 * n);
  return out;
#else
  u32 out = 0;
  for (u32 n = 0; n < LANES; n++) out |= (x[n] >> 31) << n;
  return out;
#endif
}
EMU_INLINE u32 bits(I32 x) { return bits((V32)x); }

EMU_INLINE u32 bits64(V64 x) {
#if EMU_AVX512
  __m512i part[4];
  std::memcpy(part, &x, sizeof part);
  u32 out = 0;
  for (int n = 0; n < 4; n++) out |= u32(_mm512_movepi64_mask(part[n])) << (8 * n);
  return out;
#else
  return bits(high(x));
#endif
}
EMU_INLINE u32 bits64(I64 x) { return bits64((V64)x); }

// The old value in lanes outside the mask, the new one inside.
EMU_INLINE V32 blend(u32 mask, V32 old, V32 fresh) {
#if EMU_AVX512
  __m512i a[2], b[2];
  std::memcpy(a, &old, sizeof a);
  std::memcpy(b, &fresh, sizeof b);
  a[0] = _mm512_mask_mov_epi32(a[0], __mmask16(mask), b[0]);
  a[1] = _mm512_mask_mov_epi32(a[1], __mmask16(mask >> 16), b[1]);
  std::memcpy(&old, a, sizeof a);
  return old;
#else
  const V32 inside = spread(mask);
  return (fresh & inside) | (old & ~inside);
#endif
}

EMU_INLINE V32 pick(u32 mask, V32 yes, V32 no) { return blend(mask, no, yes); }

EMU_INLINE void put(V32 &to, u32 mask, V32 value) { to = blend(mask, to, value); }
EMU_INLINE void put(V32 &to, u32 mask, F32 value) { to = blend(mask, to, (V32)value); }
EMU_INLINE void put(V32 &to, u32 mask, I32 value) { to = blend(mask, to, (V32)value); }
EMU_INLINE void put64(V32 *to, u32 mask, V64 value) {
  to[0] = blend(mask, to[0], low(value));
  to[1] = blend(mask, to[1], high(value));
}
EMU_INLINE void put64(V32 *to, u32 mask, F64 value) { put64(to, mask, (V64)value); }
EMU_INLINE void put64(V32 *to, u32 mask, I64 value) { put64(to, mask, (V64)value); }
EMU_INLINE void set(u32 &predicate, u32 mask, u32 value) {
  predicate = (predicate & ~mask) | (value & mask);
}

// --- floating point -----------------------------------------------------------------------------

EMU_INLINE F32 fma32(F32 a, F32 b, F32 c) {
#if EMU_AVX512
  __m512 x[2], y[2], z[2];
  std::memcpy(x, &a, sizeof x);
  std::memcpy(y, &b, sizeof y);
  std::memcpy(z, &c, sizeof z);
  x[0] = _mm512_fmadd_ps(x[0], y[0], z[0]);
  x[1] = _mm512_fmadd_ps(x[1], y[1], z[1]);
  std::memcpy(&a, x, sizeof x);
  return a;
#else
  for (u32 n = 0; n < LANES; n++) a[n] = __builtin_fmaf(a[n], b[n], c[n]);
  return a;
#endif
}

EMU_INLINE F64 fma64(F64 a, F64 b, F64 c) {
#if EMU_AVX512
  __m512d x[4], y[4], z[4];
  std::memcpy(x, &a, sizeof x);
  std::memcpy(y, &b, sizeof y);
  std::memcpy(z, &c, sizeof z);
  for (int n = 0; n < 4; n++) x[n] = _mm512_fmadd_pd(x[n], y[n], z[n]);
  std::memcpy(&a, x, sizeof x);
  return a;
#else
  for (u32 n = 0; n < LANES; n++) a[n] = __builtin_fma(a[n], b[n], c[n]);
  return a;
#endif
}

EMU_INLINE F32 absolute(F32 x) { return (F32)((V32)x & 0x7fffffffu); }
EMU_INLINE F32 negative(F32 x) { return (F32)((V32)x ^ 0x80000000u); }
EMU_INLINE F64 absolute(F64 x) { return (F64)((V64)x & ~(1ull << 63)); }
EMU_INLINE F64 negative(F64 x) { return (F64)((V64)x ^ (1ull << 63)); }

// --- comparisons: the mask of the lanes where they hold ----------------------------------------

enum class Compare { equal, less, less_equal, not_equal, greater_equal, greater };

template <Compare C, typename T>
EMU_INLINE bool holds(T a, T b) {
  if constexpr (C == Compare::equal) return a == b;
  if constexpr (C == Compare::less) return a < b;
  if constexpr (C == Compare::less_equal) return a <= b;
  if constexpr (C == Compare::not_equal) return a < b || a > b;  // false for NaN
  if constexpr (C == Compare::greater_equal) return a >= b;
  return a > b;
}

#if EMU_AVX512
template <Compare C>
constexpr int integer_code = C == Compare::equal           ? _MM_CMPINT_EQ
                             : C == Compare::less          ? _MM_CMPINT_LT
                             : C == Compare::less_equal    ? _MM_CMPINT_LE
                             : C == Compare::not_equal     ? _MM_CMPINT_NE
                             : C == Compare::greater_equal ? _MM_CMPINT_NLT
                                                           : _MM_CMPINT_NLE;
template <Compare C>
constexpr int float_code = C == Compare::equal           ? _CMP_EQ_OQ
                           : C == Compare::less          ? _CMP_LT_OQ
                           : C == Compare::less_equal    ? _CMP_LE_OQ
                           : C == Compare::not_equal     ? _CMP_NEQ_OQ
                           : C == Compare::greater_equal ? _CMP_GE_OQ
                                                         : _CMP_GT_OQ;

#define EMU_COMPARE(name, type, machine, parts, step, call, code)              \
  template <Compare C>                                                         \
  EMU_INLINE u32 name(type a, type b) {                                        \
    machine x[parts], y[parts];                                                \
    std::memcpy(x, &a, sizeof x);                                              \
    std::memcpy(y, &b, sizeof y);                                              \
    u32 out = 0;                                                               \
    for (int n = 0; n < parts; n++) out |= u32(call(x[n], y[n], code<C>)) << (step * n); \
    return out;                                                                \
  }
#else
#define EMU_COMPARE(name, type, machine, parts, step, call, code)              \
  template <Compare C>                                                         \
  EMU_INLINE u32 name(type a, type b) {                                        \
    u32 out = 0;                                                               \
    for (u32 n = 0; n < LANES; n++) out |= u32(holds<C>(a[n], b[n])) << n;     \
    return out;                                                                \
  }
#endif
EMU_COMPARE(compare, I32, __m512i, 2, 16, _mm512_cmp_epi32_mask, integer_code)
EMU_COMPARE(compare, V32, __m512i, 2, 16, _mm512_cmp_epu32_mask, integer_code)
EMU_COMPARE(compare, F32, __m512, 2, 16, _mm512_cmp_ps_mask, float_code)
EMU_COMPARE(compare, I64, __m512i, 4, 8, _mm512_cmp_epi64_mask, integer_code)
EMU_COMPARE(compare, V64, __m512i, 4, 8, _mm512_cmp_epu64_mask, integer_code)
EMU_COMPARE(compare, F64, __m512d, 4, 8, _mm512_cmp_pd_mask, float_code)
#undef EMU_COMPARE

EMU_INLINE u32 is_nan(F32 x) {
  return compare<Compare::greater>((V32)absolute(x), all(0x7f800000u));
}
EMU_INLINE u32 is_nan(F64 x) {
  return compare<Compare::greater>((V64)absolute(x), all64(0x7ffull << 52));
}

// Subnormal numbers become zeros of the same sign.
EMU_INLINE F32 flush(F32 x) {
  const V32 bits = (V32)x;
  return (F32)pick(compare<Compare::equal>(bits & 0x7f800000u, V32{}), bits & 0x80000000u, bits);
}

EMU_INLINE F32 saturate(F32 x) {  // to 0..1; NaN becomes 0
  const V32 bounded = pick(compare<Compare::greater>(x, allf(1)), (V32)allf(1), (V32)x);
  return (F32)pick(compare<Compare::greater>(x, F32{}), bounded, V32{});
}

// The smaller or the larger; of a number and a NaN the number; -0 is smaller than +0.
EMU_INLINE F32 least(F32 a, F32 b) {
  const u32 first = compare<Compare::less>(a, b) | is_nan(b) |
                    (compare<Compare::equal>(a, b) & bits((V32)a));
  return (F32)pick(first, (V32)a, (V32)b);
}
EMU_INLINE F32 most(F32 a, F32 b) {
  const u32 first = compare<Compare::greater>(a, b) | is_nan(b) |
                    (compare<Compare::equal>(a, b) & bits((V32)b));
  return (F32)pick(first, (V32)a, (V32)b);
}

// --- integers -----------------------------------------------------------------------------------

EMU_INLINE V32 least_signed(V32 a, V32 b) {
  return pick(compare<Compare::less>((I32)a, (I32)b), a, b);
}
EMU_INLINE V32 most_signed(V32 a, V32 b) {
  return pick(compare<Compare::greater>((I32)a, (I32)b), a, b);
}
EMU_INLINE V32 least_unsigned(V32 a, V32 b) { return pick(compare<Compare::less>(a, b), a, b); }
EMU_INLINE V32 most_unsigned(V32 a, V32 b) { return pick(compare<Compare::greater>(a, b), a, b); }

// Any function of three bits: its value for a, b, c is bit 4a + 2b + c of the table.
template <u32 TABLE>
EMU_INLINE V32 lop3(V32 a, V32 b, V32 c) {
#if EMU_AVX512
  __m512i x[2], y[2], z[2];
  std::memcpy(x, &a, sizeof x);
  std::memcpy(y, &b, sizeof y);
  std::memcpy(z, &c, sizeof z);
  x[0] = _mm512_ternarylogic_epi32(x[0], y[0], z[0], TABLE);
  x[1] = _mm512_ternarylogic_epi32(x[1], y[1], z[1], TABLE);
  std::memcpy(&a, x, sizeof x);
  return a;
#else
  V32 out{};
  if (TABLE & 1) out |= ~a & ~b & ~c;
  if (TABLE & 2) out |= ~a & ~b & c;
  if (TABLE & 4) out |= ~a & b & ~c;
  if (TABLE & 8) out |= ~a & b & c;
  if (TABLE & 16) out |= a & ~b & ~c;
  if (TABLE & 32) out |= a & ~b & c;
  if (TABLE & 64) out |= a & b & ~c;
  if (TABLE & 128) out |= a & b & c;
  return out;
#endif
}

EMU_INLINE u32 lop3_bits(u32 table, u32 a, u32 b, u32 c) {
  u32 out = 0;
  if (table & 1) out |= ~a & ~b & ~c;
  if (table & 2) out |= ~a & ~b & c;
  if (table & 4) out |= ~a & b & ~c;
  if (table & 8) out |= ~a & b & c;
  if (table & 16) out |= a & ~b & ~c;
  if (table & 32) out |= a & ~b & c;
  if (table & 64) out |= a & b & ~c;
  if (table & 128) out |= a & b & c;
  return out;
}

EMU_INLINE V64 pick64(u32 mask, V64 yes, V64 no) {
#if EMU_AVX512
  __m512i a[4], b[4];
  std::memcpy(a, &no, sizeof a);
  std::memcpy(b, &yes, sizeof b);
  for (int n = 0; n < 4; n++) a[n] = _mm512_mask_mov_epi64(a[n], __mmask8(mask >> (8 * n)), b[n]);
  std::memcpy(&no, a, sizeof a);
  return no;
#else
  const V64 inside = spread64(mask);
  return (yes & inside) | (no & ~inside);
#endif
}

// Shifts by 64 and more give what shifting bit by bit would.
EMU_INLINE V64 shift_left(V64 x, V32 by) {
  const V64 n = wide(by);
  return pick64(compare<Compare::less>(n, all64(64)), x << (n & 63), V64{});
}
EMU_INLINE V64 shift_right(V64 x, V32 by) {
  const V64 n = wide(by);
  return pick64(compare<Compare::less>(n, all64(64)), x >> (n & 63), V64{});
}
EMU_INLINE V64 shift_right_signed(V64 x, V32 by) {
  const V64 n = wide(least_unsigned(by, all(63)));
  return (V64)((I64)x >> (I64)n);
}

#define EMU_EACH(lane) for (u32 lane = 0; lane < LANES; lane++)
#define EMU_LANES(lane, mask) \
  for (u32 left_ = mask, lane; left_ && (lane = __builtin_ctz(left_), true); left_ &= left_ - 1)

}  // namespace emu

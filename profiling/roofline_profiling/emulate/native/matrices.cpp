// Half precision, and matrix products as the PTX instructions mma lay out their fragments.
#include <algorithm>
#include "warp.h"

namespace emu {

namespace {

float half_value(u16 bits) {
  const u32 sign = u32(bits & 0x8000) << 16, exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 0) return (sign ? -1.0f : 1.0f) * std::ldexp(float(fraction), -24);
  const u32 word = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
  float x;
  std::memcpy(&x, &word, 4);
  return x;
}

u16 half_bits(float x) {
  u32 word;
  std::memcpy(&word, &x, 4);
  const u16 sign = u16(word >> 16 & 0x8000);
  const float size = std::fabs(x);
  if (size != size) return u16(sign | 0x7fff);
  if (size >= 65520.0f) return u16(sign | 0x7c00);
  if (size < 0x1p-14f) return u16(sign | u16(std::nearbyint(std::ldexp(size, 24))));
  int exponent;
  const float fraction = std::frexp(size, &exponent);  // 0.5..1
  u32 mantissa = u32(std::nearbyint(std::ldexp(fraction, 11)));  // 1024..2048
  return u16(sign | ((u32(exponent + 13) << 10) + mantissa));
}

}  // namespace

F32 half_to_float(V32 x, bool high_half, bool brain) {
  const V32 bits_of = high_half ? x >> 16 : x & 0xffffu;
  if (brain) return f(bits_of << 16);
#if EMU_AVX512
  F32 out;
  __m512 part[2];
  __m512i words[2];
  std::memcpy(words, &bits_of, sizeof words);
  for (int n = 0; n < 2; n++) part[n] = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(words[n]));
  std::memcpy(&out, part, sizeof out);
  return out;
#else
  F32 out;
  EMU_EACH(n) out[n] = half_value(u16(bits_of[n]));
  return out;
#endif
}

namespace {

// The nearest number of 16 bits that is not larger than x, or not smaller.
V32 half_towards(F32 x, bool brain, Round mode) {
  V32 out;
  EMU_EACH(n) {
    const float value = x[n];
    u32 word;
    std::memcpy(&word, &value, 4);
    const bool is_negative = word >> 31;
    const bool outwards = mode == (is_negative ? Round::down : Round::up);
    u32 size = word & 0x7fffffffu, half;
    bool exact;
    if (size > 0x7f800000u) {
      out[n] = 0x7fff;
      continue;
    }
    if (brain) {
      half = size >> 16, exact = !(size & 0xffffu);
    } else if (size >= 0x47800000u) {  // 65536 and more
      exact = size == 0x7f800000u, half = exact ? 0x7c00 : 0x7bff;
    } else if (size >= 0x38800000u) {  // normal
      half = (size - 0x38000000u) >> 13, exact = !(size & 0x1fffu);
    } else {
      const float units = std::ldexp(std::fabs(value), 24);
      half = u32(units), exact = float(half) == units;
    }
    out[n] = (half + (outwards && !exact)) | (is_negative ? 0x8000u : 0u);
  }
  return out;
}

}  // namespace

F32 narrow_to_odd(F64 x) {
  const F32 nearest = __builtin_convertvector(x, F32);
  const F64 back = widen(nearest);
  const u32 even = compare<Compare::equal>(u(nearest) & 1u, V32{});
  const u32 fix = compare<Compare::not_equal>(back, x) & even;
  const u32 smaller = compare<Compare::less>(absolute(back), absolute(x));
  return f(pick(fix, pick(smaller, u(nearest) + 1u, u(nearest) - 1u), u(nearest)));
}

F32 fma_to_odd(F32 a, F32 b, F32 c) {
  const F64 product = widen(a) * widen(b), addend = widen(c);  // the product is exact
  const F64 sum = product + addend, part = sum - product;
  const F64 error = (product - (sum - part)) + (addend - part);
  const u32 even = compare<Compare::equal>(u(sum) & 1ull, V64{});
  const u32 fix = compare<Compare::not_equal>(error, F64{}) & even;
  const u32 outwards = ~(compare<Compare::less>(sum, F64{}) ^ compare<Compare::less>(error, F64{}));
  return narrow_to_odd(d(pick64(fix, pick64(outwards, u(sum) + 1ull, u(sum) - 1ull), u(sum))));
}

V32 float_to_half(F32 x, bool brain, Round mode) {
  if (mode != Round::nearest) return half_towards(x, brain, mode);
  if (brain) {
    const V32 word = u(x), odd = (word >> 16) & 1u;
    const V32 rounded = (word + 0x7fffu + odd) >> 16;
    return pick(is_nan(x), all(0x7fff), rounded);
  }
#if EMU_AVX512
  V32 out;
  __m512 part[2];
  __m512i words[2];
  std::memcpy(part, &x, sizeof part);
  for (int n = 0; n < 2; n++)
    words[n] = _mm512_cvtepu16_epi32(_mm512_cvtps_ph(part[n], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  std::memcpy(&out, words, sizeof out);
  return out;
#else
  V32 out;
  EMU_EACH(n) out[n] = half_bits(x[n]);
  return out;
#endif
}

V32 transposed_matrix(V32 x) {
  u16 cells[8][8];
  EMU_EACH(lane) {
    cells[lane / 4][2 * (lane % 4)] = u16(x[lane]);
    cells[lane / 4][2 * (lane % 4) + 1] = u16(x[lane] >> 16);
  }
  EMU_EACH(lane) {
    const u32 row = lane / 4, column = 2 * (lane % 4);
    x[lane] = cells[column][row] | u32(cells[column + 1][row]) << 16;
  }
  return x;
}

namespace {

u32 bits_per(Element type) {
  switch (type) {
    case Element::f64: return 64;
    case Element::tf32: return 32;
    case Element::f16:
    case Element::bf16: return 16;
    case Element::s8:
    case Element::u8: return 8;
    case Element::s4:
    case Element::u4: return 4;
    case Element::b1:
    case Element::b1_xor: return 1;
  }
  return 0;
}

double element(Element type, const V32 *from, u32 lane, u32 index) {
  const u32 width = bits_per(type);
  if (type == Element::f64) {
    const u64 word = u64(from[2 * index + 1][lane]) << 32 | from[2 * index][lane];
    double x;
    std::memcpy(&x, &word, 8);
    return x;
  }
  const u32 per = 32 / width, word = from[index / per][lane] >> (width * (index % per));
  switch (type) {
    case Element::f16: return half_value(u16(word));
    case Element::bf16:
    case Element::tf32: {
      const u32 whole = type == Element::bf16 ? word << 16 : word & 0xffffe000u;
      float x;
      std::memcpy(&x, &whole, 4);
      return x;
    }
    case Element::s8: return double(std::int8_t(word));
    case Element::u8: return double(u8(word));
    case Element::s4: return double(i32(word << 28) >> 28);
    case Element::u4: return double(word & 15);
    default: return double(word & 1);
  }
}

}  // namespace

// D = A x B + C, with A of m_rows x k and B of k x 8. A's register pairs alternate between rows
// r and r + 8; a lane holds as many neighbouring columns as fit 32 bits (one, for f64).
void matrix_product(V32 *out, u32 g, const V32 *a, const V32 *b, const V32 *c, Element type_a, Element type_b,
                    u32 k, bool flag, u32 m_rows) {
  double left[16][256] = {}, right[256][8] = {};
  const u32 width = bits_per(type_a);
  const u32 together = width == 64 ? 1 : 32 / width;  // columns of a register
  const u32 row_groups = m_rows / 8, column_groups = k / (4 * together);
  EMU_EACH(lane) {
    const u32 row = lane / 4, place = lane % 4;
    for (u32 column_group = 0; column_group < column_groups; column_group++) {
      for (u32 row_group = 0; row_group < row_groups; row_group++)
        for (u32 e = 0; e < together; e++) {
          const u32 index = (column_group * row_groups + row_group) * together + e;
          const u32 column = column_group * 4 * together + place * together + e;
          left[row + 8 * row_group][column] = element(type_a, a, lane, index);
        }
      for (u32 e = 0; e < together; e++) {
        const u32 line = column_group * 4 * together + place * together + e;
        right[line][row] = element(type_b, b, lane, column_group * together + e);
      }
    }
  }
  const bool is_integer = width <= 8, is_double = width == 64;
  V32 result[8];
  EMU_EACH(lane) for (u32 e = 0; e < m_rows / 4; e++) {
    const u32 row = lane / 4 + 8 * (e / 2), column = 2 * (lane % 4) + e % 2;
    double sum = 0;
    for (u32 at = 0; at < k; at++) {
      if (type_a == Element::b1_xor) sum += double(left[row][at] != right[at][column]);
      else sum += left[row][at] * right[at][column];
    }
    if (is_double) {
      u64 word = u64(c[2 * e + 1][lane]) << 32 | c[2 * e][lane];
      double x;
      std::memcpy(&x, &word, 8);
      x += sum;
      std::memcpy(&word, &x, 8);
      result[2 * e][lane] = u32(word), result[2 * e + 1][lane] = u32(word >> 32);
    } else if (is_integer) {
      const i64 total = i64(sum) + i32(c[e][lane]);
      result[e][lane] = u32(flag ? std::min<i64>(std::max<i64>(total, INT32_MIN), INT32_MAX) : total);
    } else if (flag) {
      float x;
      u32 word = c[e][lane];
      std::memcpy(&x, &word, 4);
      x = float(double(x) + sum);
      std::memcpy(&word, &x, 4);
      result[e][lane] = word;
    } else {
      const u32 shift = 16 * (e % 2);
      const float x = float(double(half_value(u16(c[e / 2][lane] >> shift))) + sum);
      const u32 kept = e % 2 ? result[e / 2][lane] & 0xffffu : 0;
      result[e / 2][lane] = kept | u32(half_bits(x)) << shift;
    }
  }
  const u32 registers = is_double ? m_rows / 2 : flag || is_integer ? m_rows / 4 : m_rows / 8;
  for (u32 e = 0; e < registers; e++) put(out[e], g, result[e]);
}

}  // namespace emu

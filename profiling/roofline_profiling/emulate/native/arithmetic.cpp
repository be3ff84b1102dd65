// Instructions that have no operator: special functions, conversions, roundings, bits.
#include <cfenv>
#include "warp.h"

namespace emu {

V32 special(const Warp &w, Special what) {
  const Launch &launch = *w.launch;
  const V32 lane = lane_numbers();
  const V32 bit = all(1) << lane;
  switch (what) {
    case Special::tid_x: return w.tid_x;
    case Special::tid_y: return w.tid_y;
    case Special::tid_z: return w.tid_z;
    case Special::ctaid_x: return all(w.block->index.x);
    case Special::ctaid_y: return all(w.block->index.y);
    case Special::ctaid_z: return all(w.block->index.z);
    case Special::ntid_x: return all(launch.block.x);
    case Special::ntid_y: return all(launch.block.y);
    case Special::ntid_z: return all(launch.block.z);
    case Special::nctaid_x: return all(launch.grid.x);
    case Special::nctaid_y: return all(launch.grid.y);
    case Special::nctaid_z: return all(launch.grid.z);
    case Special::lane: return lane;
    case Special::warp: return all(w.index);
    case Special::warp_count: return all(w.block->warp_count);
    case Special::sm: return all(w.block->sm);
    case Special::sm_count: return all(u32(launch.grid.count()));
    case Special::clock_low:
    case Special::timer_low: return all(u32(launch.clock - u64(w.budget)));
    case Special::clock_high:
    case Special::timer_high: return all(u32((launch.clock - u64(w.budget)) >> 32));
    case Special::equal: return bit;
    case Special::less: return bit - 1;
    case Special::less_equal: return bit | (bit - 1);
    case Special::greater: return ~(bit | (bit - 1));
    case Special::greater_equal: return ~(bit - 1);
    case Special::shared_window: return all(u32(SHARED_WINDOW >> 32));
    case Special::local_window: return all(u32(LOCAL_WINDOW >> 32));
    case Special::grid:
    case Special::zero: return V32{};
  }
  return V32{};
}

V32 shuffle(Shuffle mode, u32 g, V32 value, V32 source, V32 bounds, u32 &inside) {
  V32 out = value;
  inside = 0;
  for (u32 lane = 0; lane < LANES; lane++) {
    if (!(g >> lane & 1)) continue;
    const u32 segment = (bounds[lane] >> 8) & 31, clamp = bounds[lane] & 31, by = source[lane] & 31;
    const u32 first = lane & segment, last = first | (clamp & ~segment);
    i32 from = 0;
    bool fits = false;
    switch (mode) {
      case Shuffle::up: from = i32(lane) - i32(by), fits = from >= i32(last); break;
      case Shuffle::down: from = i32(lane + by), fits = from <= i32(last); break;
      case Shuffle::butterfly: from = i32(lane ^ by), fits = from <= i32(last); break;
      case Shuffle::index: from = i32(first | (by & ~segment)), fits = from <= i32(last); break;
    }
    if (fits) {
      out[lane] = value[u32(from) & 31];
      inside |= 1u << lane;
    }
  }
  return out;
}

u32 match_any(u32 g, const V32 &value, V32 &out) {
  u32 everyone = g;
  for (u32 rest = g; rest;) {
    const u32 same = compare<Compare::equal>(value, all(value[__builtin_ctz(rest)])) & g;
    out = blend(same, out, all(same));
    if (same != g) everyone = 0;
    rest &= ~same;
  }
  return everyone;
}

u32 match_any64(u32 g, const V64 &value, V32 &out) {
  u32 everyone = g;
  for (u32 rest = g; rest;) {
    const u32 same = compare<Compare::equal>(value, all64(value[__builtin_ctz(rest)])) & g;
    out = blend(same, out, all(same));
    if (same != g) everyone = 0;
    rest &= ~same;
  }
  return everyone;
}

namespace {

double from_high(u32 word) {
  const u64 bits = u64(word) << 32;
  double x;
  std::memcpy(&x, &bits, 8);
  return x;
}

u32 to_high(double x) {
  u64 bits;
  std::memcpy(&bits, &x, 8);
  return u32(bits >> 32);
}

}  // namespace

V32 mufu(Function what, V32 x) {
  F32 in = f(x), out{};
  switch (what) {
    case Function::rcp: return u(1.0f / in);
    case Function::rsq: EMU_EACH(n) out[n] = 1.0f / std::sqrt(in[n]); break;
    case Function::sqrt: EMU_EACH(n) out[n] = std::sqrt(in[n]); break;
    case Function::sin: EMU_EACH(n) out[n] = float(std::sin(6.283185307179586 * double(in[n]))); break;
    case Function::cos: EMU_EACH(n) out[n] = float(std::cos(6.283185307179586 * double(in[n]))); break;
    case Function::ex2: EMU_EACH(n) out[n] = std::exp2(in[n]); break;
    case Function::lg2: EMU_EACH(n) out[n] = std::log2(in[n]); break;
    case Function::tanh: EMU_EACH(n) out[n] = std::tanh(in[n]); break;
    case Function::rcp64h: EMU_EACH(n) x[n] = to_high(1.0 / from_high(x[n])); return x;
    case Function::rsq64h: EMU_EACH(n) x[n] = to_high(1.0 / std::sqrt(from_high(x[n]))); return x;
  }
  return u(out);
}

// Whether a division's quotient or remainder could leave the range in which the short sequence is
// right: by the exponents, with room for the remainder's 24 bits. A numerator of zero takes the long way,
// too: kernels measured on an RTX 3080 that divide zeros count its instructions. It loses the sign of a negative zero.
u32 needs_slow_division(F32 a, F32 b) {
  u32 slow = 0;
  EMU_EACH(n) {
    u32 x, y;
    const float one = a[n], two = b[n];
    std::memcpy(&x, &one, 4);
    std::memcpy(&y, &two, 4);
    const i32 ea = (x >> 23) & 255, eb = (y >> 23) & 255;
    const bool odd = eb == 0 || eb >= 253 || ea == 255 || ea <= 24 || ea - eb >= 126 || ea - eb <= -125;
    slow |= u32(odd) << n;
  }
  return slow;
}

namespace {

int machine_mode(Round mode) {
  switch (mode) {
    case Round::down: return FE_DOWNWARD;
    case Round::up: return FE_UPWARD;
    case Round::zero: return FE_TOWARDZERO;
    case Round::nearest: break;
  }
  return FE_TONEAREST;
}

// Runs with another rounding mode. The operation must not be moved out: values pass through memory.
template <typename V, typename Operation>
V in_mode(Round mode, Operation operation) {
  V out;
  const int before = fegetround();
  fesetround(machine_mode(mode));
  for (u32 lane = 0; lane < LANES; lane++) {
    volatile auto value = operation(lane);
    out[lane] = value;
  }
  fesetround(before);
  return out;
}

template <typename T>
[[gnu::noinline]] T hidden(T x) {
  volatile T held = x;
  return held;
}

}  // namespace

F32 add_rounded(F32 a, F32 b, Round mode) {
  return in_mode<F32>(mode, [&](u32 n) { return hidden<float>(a[n]) + hidden<float>(b[n]); });
}
F32 mul_rounded(F32 a, F32 b, Round mode) {
  return in_mode<F32>(mode, [&](u32 n) { return hidden<float>(a[n]) * hidden<float>(b[n]); });
}
F32 fma_rounded(F32 a, F32 b, F32 c, Round mode) {
  return in_mode<F32>(mode, [&](u32 n) { return std::fma(hidden<float>(a[n]), hidden<float>(b[n]), hidden<float>(c[n])); });
}
F64 add_rounded(F64 a, F64 b, Round mode) {
  return in_mode<F64>(mode, [&](u32 n) { return hidden<double>(a[n]) + hidden<double>(b[n]); });
}
F64 mul_rounded(F64 a, F64 b, Round mode) {
  return in_mode<F64>(mode, [&](u32 n) { return hidden<double>(a[n]) * hidden<double>(b[n]); });
}
F64 fma_rounded(F64 a, F64 b, F64 c, Round mode) {
  return in_mode<F64>(mode, [&](u32 n) { return std::fma(hidden<double>(a[n]), hidden<double>(b[n]), hidden<double>(c[n])); });
}

namespace {

template <typename T>
T integral_of(T x, Round mode) {
  switch (mode) {
    case Round::down: return std::floor(x);
    case Round::up: return std::ceil(x);
    case Round::zero: return std::trunc(x);
    case Round::nearest: break;
  }
  return std::nearbyint(x);
}

template <typename T>
i64 bounded(T x, Round mode, u32 width, bool is_signed) {
  if (x != x) return is_signed && width == 64 ? INT64_MIN : 0;
  const double whole = integral_of(double(x), mode);
  const double least = is_signed ? -std::ldexp(1.0, int(width) - 1) : 0.0;
  const double beyond = std::ldexp(1.0, int(width) - (is_signed ? 1 : 0));
  if (whole <= least) return is_signed ? i64(-(1ull << (width - 1))) : 0;
  if (whole >= beyond) return i64(is_signed ? (1ull << (width - 1)) - 1 : width == 64 ? ~0ull : (1ull << width) - 1);
  return is_signed ? i64(whole) : i64(u64(whole));
}

}  // namespace

F32 integral(F32 x, Round mode) {
  EMU_EACH(n) x[n] = integral_of<float>(x[n], mode);
  return x;
}
F64 integral(F64 x, Round mode) {
  EMU_EACH(n) x[n] = integral_of<double>(x[n], mode);
  return x;
}

F32 narrow(F64 x, Round mode) {
  if (mode == Round::nearest) return __builtin_convertvector(x, F32);
  return in_mode<F32>(mode, [&](u32 n) { return float(hidden<double>(x[n])); });
}

V32 to_integer(F32 x, Round mode, u32 width, bool is_signed) {
  V32 out;
  EMU_EACH(n) out[n] = u32(bounded<float>(x[n], mode, width, is_signed));
  return out;
}
V64 to_integer64(F32 x, Round mode, bool is_signed) {
  V64 out;
  EMU_EACH(n) out[n] = u64(bounded<float>(x[n], mode, 64, is_signed));
  return out;
}
V32 to_integer(F64 x, Round mode, u32 width, bool is_signed) {
  V32 out;
  EMU_EACH(n) out[n] = u32(bounded<double>(x[n], mode, width, is_signed));
  return out;
}
V64 to_integer64(F64 x, Round mode, bool is_signed) {
  V64 out;
  EMU_EACH(n) out[n] = u64(bounded<double>(x[n], mode, 64, is_signed));
  return out;
}

F32 to_float(V32 x, bool is_signed, Round mode) {
  if (mode != Round::nearest)
    return in_mode<F32>(mode, [&](u32 n) {
      const double exact = is_signed ? double(i32(x[n])) : double(x[n]);
      return float(hidden<double>(exact));
    });
  return is_signed ? __builtin_convertvector((I32)x, F32) : __builtin_convertvector(x, F32);
}
F32 to_float(V64 x, bool is_signed, Round mode) {
  return in_mode<F32>(mode, [&](u32 n) {
    return is_signed ? float(i64(hidden<u64>(x[n]))) : float(hidden<u64>(x[n]));
  });
}
F64 to_double(V64 x, bool is_signed, Round mode) {
  return in_mode<F64>(mode, [&](u32 n) {
    return is_signed ? double(i64(hidden<u64>(x[n]))) : double(hidden<u64>(x[n]));
  });
}

V32 permute(V32 a, V32 selector, V32 b) {
  V32 out{};
  EMU_EACH(n) {
    const u64 bytes = u64(b[n]) << 32 | a[n];
    u32 word = 0;
    for (u32 place = 0; place < 4; place++) {
      const u32 which = (selector[n] >> (4 * place)) & 15;
      u32 byte = u32(bytes >> (8 * (which & 7))) & 0xff;
      if (which & 8) byte = byte & 0x80 ? 0xff : 0;
      word |= byte << (8 * place);
    }
    out[n] = word;
  }
  return out;
}

V32 highest_bit(V32 x, bool is_signed, bool as_shift) {
  EMU_EACH(n) {
    u32 value = x[n];
    if (is_signed && i32(value) < 0) value = ~value;
    const u32 bit = value ? 31 - u32(__builtin_clz(value)) : EVERY;
    x[n] = value && as_shift ? 31 - bit : bit;
  }
  return x;
}

V32 reversed_bits(V32 x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  return (x >> 16) | (x << 16);
}

V32 bit_mask(V32 from, V32 width, bool wrap) {
  EMU_EACH(n) {
    const u32 start = wrap ? from[n] & 31 : from[n], size = wrap ? width[n] & 31 : width[n];
    from[n] = start >= 32 ? 0 : u32((size >= 32 ? 0xffffffffull : (1ull << size) - 1) << start);
  }
  return from;
}

V32 extend_bits(V32 x, V32 width, bool is_signed) {
  EMU_EACH(n) {
    const u32 size = width[n];
    if (size >= 32) continue;
    const u32 kept = size ? x[n] & ((1u << size) - 1) : 0;
    const bool minus = is_signed && size && (kept >> (size - 1) & 1);
    x[n] = minus ? kept | ~((1u << size) - 1) : kept;
  }
  return x;
}

V32 dot_bytes(V32 a, V32 b, V32 c, bool signed_a, bool signed_b, bool halves, bool high) {
  EMU_EACH(n) {
    i64 sum = i32(c[n]);
    for (u32 place = 0; place < (halves ? 2u : 4u); place++) {
      const u32 x = halves ? a[n] >> (16 * place) : a[n] >> (8 * place);
      const u32 y = b[n] >> (8 * (halves ? place + (high ? 2 : 0) : place));
      const i64 p = halves ? (signed_a ? i64(std::int16_t(x)) : i64(u16(x))) : (signed_a ? i64(std::int8_t(x)) : i64(u8(x)));
      const i64 q = signed_b ? i64(std::int8_t(y)) : i64(u8(y));
      sum += p * q;
    }
    c[n] = u32(sum);
  }
  return c;
}

V32 absolute_difference(V32 a, V32 b, bool is_signed) {
  EMU_EACH(n) {
    const i64 x = is_signed ? i64(i32(a[n])) : i64(a[n]), y = is_signed ? i64(i32(b[n])) : i64(b[n]);
    a[n] = u32(x > y ? x - y : y - x);
  }
  return a;
}

V32 absolute_differences_of_bytes(V32 a, V32 b, V32 c, bool is_signed, bool accumulate) {
  EMU_EACH(n) {
    u32 sum = c[n], word = 0;
    for (u32 place = 0; place < 32; place += 8) {
      const i32 x = is_signed ? std::int8_t(a[n] >> place) : i32(u8(a[n] >> place));
      const i32 y = is_signed ? std::int8_t(b[n] >> place) : i32(u8(b[n] >> place));
      const u32 apart = u32(x > y ? x - y : y - x);
      sum += apart;
      word |= (apart & 0xff) << place;
    }
    a[n] = accumulate ? sum : word;
  }
  return a;
}

}  // namespace emu

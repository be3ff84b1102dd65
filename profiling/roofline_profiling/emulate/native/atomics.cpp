// Atomic operations: lanes one after another, in their order.
#include <algorithm>
#include <array>
#include <type_traits>
#include "access.h"
#include "executor.h"
#include "memory_system.h"

namespace emu {
namespace {

template <typename T>
T renewed(Atomic what, T old, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    switch (what) {
      case Atomic::bit_and: return T(Bits(old) & Bits(a));
      case Atomic::bit_or: return T(Bits(old) | Bits(a));
      case Atomic::bit_xor: return T(Bits(old) ^ Bits(a));
      case Atomic::inc: return old >= a ? T(0) : T(old + 1);
      case Atomic::dec: return old == 0 || old > a ? a : T(old - 1);
      case Atomic::add: return T(Bits(old) + Bits(a));
      default: break;
    }
  } else if (what == Atomic::add) {
    return old + a;
  }
  switch (what) {
    case Atomic::min: return std::min(old, a);
    case Atomic::max: return std::max(old, a);
    case Atomic::exchange: return a;
    case Atomic::compare:
    case Atomic::cast: return std::memcmp(&old, &a, sizeof old) ? old : b;
    default: return old;
  }
}

template <typename T>
T value_of(const V32 *from, u32 lane) {
  u32 words[2] = {from ? from[0][lane] : 0, 0};
  if (sizeof(T) == 8 && from) words[1] = from[1][lane];
  T value;
  std::memcpy(&value, words, sizeof value);
  return value;
}

u32 sum_of_halves(u32 old, u32 more, bool brain) {
  V32 x = all(old), y = all(more);
  const V32 lower = float_to_half(half_to_float(x, false, brain) + half_to_float(y, false, brain), brain);
  const V32 upper = float_to_half(half_to_float(x, true, brain) + half_to_float(y, true, brain), brain);
  return pack(lower, upper)[0];
}

template <typename T>
void apply(Atomic what, u8 *place, u32 lane, V32 *result, const V32 *a, const V32 *b) {
  T old;
  std::memcpy(&old, place, sizeof old);
  const T fresh = renewed<T>(what, old, value_of<T>(a, lane), value_of<T>(b, lane));
  const bool swapped = what == Atomic::cast && !std::memcmp(&old, std::array<T, 1>{value_of<T>(a, lane)}.data(), sizeof old);
  std::memcpy(place, &fresh, sizeof fresh);
  if (!result) return;
  u32 words[2] = {0, 0};
  std::memcpy(words, &old, sizeof old);
  if (what == Atomic::cast) words[0] = swapped, words[1] = 0;
  result[0][lane] = words[0];
  if (sizeof(T) == 8) result[1][lane] = words[1];
}

void apply_any(Atomic what, Number type, u8 *place, u32 lane, V32 *result, const V32 *a, const V32 *b) {
  switch (type) {
    case Number::u32: return apply<u32>(what, place, lane, result, a, b);
    case Number::s32: return apply<i32>(what, place, lane, result, a, b);
    case Number::u64: return apply<u64>(what, place, lane, result, a, b);
    case Number::s64: return apply<i64>(what, place, lane, result, a, b);
    case Number::f32: return apply<float>(what, place, lane, result, a, b);
    case Number::f64: return apply<double>(what, place, lane, result, a, b);
    case Number::f16x2:
    case Number::bf16x2: {
      u32 old;
      std::memcpy(&old, place, 4);
      const u32 fresh = sum_of_halves(old, (*a)[lane], type == Number::bf16x2);
      std::memcpy(place, &fresh, 4);
      if (result) result[0][lane] = old;
    }
  }
}

u32 size_of(Number type) {
  return type == Number::u64 || type == Number::s64 || type == Number::f64 ? 8 : 4;
}

}  // namespace

void atomic(Warp &w, u32 g, u32 site, Atomic what, Number type, const V64 &address, V32 *result, const V32 *a,
            const V32 *b) {
  const u32 shared = compare<Compare::equal>(high(address), all(u32(SHARED_WINDOW >> 32))) & g;
  if (shared) {
    atomic_shared(w, shared, site, what, type, low(address), result, a, b);
    if (!(g &= ~shared)) return;
  }
  Sites &sites = sites_of_launch();
  const u32 bytes = size_of(type);
  count_request(w, g, site);
  ask_memory(w, {g, lanes_of(address), bytes, result ? Operation::atomic : Operation::reduction, true}, site);
  EMU_LANES(lane, g) {
    if (check_address(sites.caches[site], address[lane], bytes, sites.at[site], lane, "an atomic operation"))
      apply_any(what, type, (u8 *)address[lane], lane, result, a, b);
  }
}

void atomic_shared(Warp &w, u32 g, u32 site, Atomic what, Number type, const V32 &offset, V32 *result,
                   const V32 *a, const V32 *b) {
  const u32 bytes = size_of(type);
  count_shared(w, g, site, offset, bytes, true);
  EMU_LANES(lane, g) {
    if (u64(offset[lane]) + bytes > w.block->shared_bytes)
      outside("shared", "an atomic operation", offset[lane], bytes, w.block->shared_bytes,
              sites_of_launch().at[site], lane);
    check_aligned("shared", offset[lane], bytes, sites_of_launch().at[site], lane, "an atomic operation");
    apply_any(what, type, w.block->shared + offset[lane], lane, result, a, b);
  }
}

}  // namespace emu

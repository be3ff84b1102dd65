// Texture fetches and surface accesses. Arrays lie row by row here; the hardware's order is its own, so
// sectors of two-dimensional fetches are those of memory in rows.
#include "access.h"
#include "executor.h"
#include "memory_system.h"

namespace emu {

namespace {

enum AddressMode : u8 { wrap, clamp, mirror, border };
enum ChannelKind : u8 { is_signed, is_unsigned, is_float };

float as_float(u32 bits_of) {
  float x;
  std::memcpy(&x, &bits_of, 4);
  return x;
}
u32 as_bits(float x) {
  u32 out;
  std::memcpy(&out, &x, 4);
  return out;
}

// An index inside 0..size-1; false: outside, where the border's zeros are.
bool inside(i64 &at, u32 size, u8 mode) {
  if (at >= 0 && at < i64(size)) return true;
  switch (mode) {
    case wrap: at = ((at % i64(size)) + size) % size; return true;
    case mirror: {
      const i64 period = 2 * i64(size);
      at = ((at % period) + period) % period;
      if (at >= i64(size)) at = period - 1 - at;
      return true;
    }
    case border: return false;
    default: at = at < 0 ? 0 : i64(size) - 1; return true;
  }
}

struct Texel {
  u64 address = 0;  // 0: outside
  i64 at[3] = {};
};

u64 texel_address(const Texture &t, const i64 at[3]) {
  const u64 bytes = u64(t.channels) * t.channel_bits / 8;
  const u64 pitch = t.pitch ? t.pitch : u64(t.width) * bytes;
  const u64 rows = t.height ? t.height : 1;
  return t.address + (u64(at[2]) * rows + u64(at[1])) * pitch + u64(at[0]) * bytes;
}

// A channel's value, as bits: a float where the texture gives floats.
u32 channel(const Texture &t, u64 texel, u32 number) {
  if (number >= t.channels || !texel) return number == 3 && t.channels < 4 && texel ? 0 : 0;
  const u32 bytes = t.channel_bits / 8;
  u32 word = 0;
  std::memcpy(&word, (const u8 *)texel + number * bytes, bytes);
  if (t.channel_kind == is_float) return bytes == 2 ? as_bits(half_to_float(all(word), false, false)[0]) : word;
  const u32 unused = 32 - 8 * bytes;
  const i32 value = t.channel_kind == is_signed ? i32(word << unused) >> unused : i32(word);
  if (!t.read_normalized) return u32(value);
  const float most = t.channel_kind == is_signed ? float((1u << (8 * bytes - 1)) - 1) : float((1ull << (8 * bytes)) - 1);
  return as_bits(std::fmax(-1.0f, float(value) / most));
}

struct Sample {
  u64 address[8] = {};
  float weight[8] = {};
  u32 count = 0;
};

Sample sample(const Texture &t, const float *coordinates, u32 dimensions, const i64 *whole, u32 layer) {
  const u32 sizes[3] = {t.width, t.height, t.depth};
  const bool linear = t.linear_filter && !whole;
  i64 first[3] = {};
  float fraction[3] = {};
  for (u32 n = 0; n < dimensions; n++) {
    const u32 size = sizes[n] ? sizes[n] : 1;
    if (whole) {
      first[n] = whole[n];
      continue;
    }
    float x = coordinates[n];
    if (t.normalized) x *= float(size);
    if (linear) x -= 0.5f;
    first[n] = i64(std::floor(x));
    fraction[n] = std::round((x - std::floor(x)) * 256) / 256;  // as the hardware: 8 bits
  }
  Sample out;
  for (u32 corner = 0; corner < (linear ? 1u << dimensions : 1u); corner++) {
    i64 at[3] = {0, 0, i64(layer)};
    float weight = 1;
    bool found = true;
    for (u32 n = 0; n < dimensions; n++) {
      at[n] = first[n] + (corner >> n & 1);
      if (linear) weight *= corner >> n & 1 ? fraction[n] : 1 - fraction[n];
      found &= inside(at[n], sizes[n] ? sizes[n] : 1, t.address_mode[n]);
    }
    out.address[out.count] = found ? texel_address(t, at) : 0;
    out.weight[out.count++] = linear ? weight : 1;
  }
  return out;
}

const Texture &named(u32 site, u32 lane, u64 handle) {
  if (const Texture *found = texture(handle & 0xffffffffu)) return *found;
  throw Fault("a texture or surface object that was not made, or was destroyed", sites_of_launch().at[site], lane);
}

}  // namespace

void texture_fetch(Warp &w, u32 g, u32 site, u32 dimensions, bool whole, bool layered, u32 channels,
                   const V64 &handle, const V32 *coordinates, V32 *to[4]) {
  V64 places[8];
  u32 valid[8] = {}, bytes = 4;
  EMU_LANES(lane, g) {
    const Texture &t = named(site, lane, handle[lane]);
    float at[3] = {};
    i64 integers[3] = {};
    for (u32 n = 0; n < dimensions; n++) {
      at[n] = as_float(coordinates[n + layered][lane]);
      integers[n] = i32(coordinates[n + layered][lane]);
    }
    const u32 layer = layered ? coordinates[0][lane] & 0xffff : 0;
    const Sample found = sample(t, at, dimensions, whole ? integers : nullptr, layer);
    bytes = t.channels * t.channel_bits / 8;
    for (u32 n = 0; n < found.count; n++) {
      if (!found.address[n]) continue;
      if (!check_address(sites_of_launch().caches[site], found.address[n], bytes, sites_of_launch().at[site], lane,
                         "a texture fetch"))
        continue;
      places[n][lane] = found.address[n];
      valid[n] |= 1u << lane;
    }
    u32 next = 0;
    for (u32 c = 0; c < 4; c++) {
      if (!(channels >> c & 1)) continue;
      u32 value = channel(t, found.address[0], c);
      if (found.count > 1) {
        float sum = 0;
        for (u32 n = 0; n < found.count; n++) sum += found.weight[n] * as_float(channel(t, found.address[n], c));
        value = as_bits(sum);
      }
      (*to[next++])[lane] = value;
    }
  }
  count_request(w, g, site);
  for (u32 n = 0; n < 8; n++)
    if (valid[n]) ask_memory(w, {valid[n], lanes_of(places[n]), bytes, Operation::load, false}, site);
}

namespace {

V64 surface_places(u32 g, u32 site, u32 dimensions, const V64 &handle, const V32 *coordinates, u32 bytes,
                   u32 &found) {
  V64 places{};
  found = 0;
  EMU_LANES(lane, g) {
    const Texture &t = named(site, lane, handle[lane]);
    i64 at[3] = {};
    for (u32 n = 0; n < dimensions; n++) at[n] = i32(coordinates[n][lane]);
    const u64 element = u64(t.channels) * t.channel_bits / 8, pitch = t.pitch ? t.pitch : t.width * element;
    const bool fits = at[0] >= 0 && u64(at[0]) + bytes <= t.width * element && at[1] >= 0 &&
                      at[1] < i64(t.height ? t.height : 1) && at[2] >= 0 && at[2] < i64(t.depth ? t.depth : 1);
    if (!fits) throw Fault("a surface access outside the surface", sites_of_launch().at[site], lane);
    places[lane] = t.address + (u64(at[2]) * (t.height ? t.height : 1) + u64(at[1])) * pitch + u64(at[0]);
    found |= 1u << lane;
  }
  return places;
}

}  // namespace

void surface_load(Warp &w, u32 g, u32 site, u32 dimensions, Width width, const V64 &handle, const V32 *coordinates,
                  V32 *to) {
  u32 found;
  const V64 places = surface_places(g, site, dimensions, handle, coordinates, bytes_of(width), found);
  load(w, found, site, width, false, places, to);
}

void surface_store(Warp &w, u32 g, u32 site, u32 dimensions, Width width, const V64 &handle, const V32 *coordinates,
                   const V32 *from) {
  u32 found;
  const V64 places = surface_places(g, site, dimensions, handle, coordinates, bytes_of(width), found);
  store(w, found, site, width, false, places, from);
}

}  // namespace emu

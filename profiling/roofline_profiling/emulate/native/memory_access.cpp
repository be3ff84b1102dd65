// Loads and stores of a warp: global, generic, shared, local and constant memory.
#include <algorithm>
#include <cstdio>
#include "access.h"
#include "executor.h"
#include "memory_system.h"

namespace emu {

const V32 ZEROS[4] = {}, ONES[4] = {all(1), V32{}, V32{}, V32{}};

Sites &sites_of_launch() {
  static thread_local Sites sites;
  return sites;
}

void outside(const char *space, const char *verb, u64 offset, u32 bytes, u64 limit, u32 at, u32 lane) {
  char text[200];
  std::snprintf(text, sizeof text, "%s of %u bytes at %s address 0x%llx, outside its %llu bytes", verb, bytes,
                space, (unsigned long long)offset, (unsigned long long)limit);
  throw Fault(text, at, lane);
}

void misaligned(const char *space, const char *verb, u64 offset, u32 bytes, u32 at, u32 lane) {
  char text[200];
  std::snprintf(text, sizeof text, "%s of %u bytes at %s address 0x%llx, which is not a multiple of %u", verb, bytes,
                space, (unsigned long long)offset, bytes);
  throw Fault(text, at, lane);
}

namespace {

constexpr u64 PAGE = 4096;             // allocations begin at multiples of it
constexpr u64 NEARBY = 4096 * PAGE;    // how far beyond one an access is still told to be beyond it

// The last allocation before an address that is in none. False where there is none nearby.
bool allocation_before(u64 address, u64 *start, u64 *size) {
  for (u64 at = address & ~(PAGE - 1), gone = 0; at >= PAGE && gone <= NEARBY; at -= PAGE, gone += PAGE)
    if (allocation_of(at, start, size)) return true;
  return false;
}

}  // namespace

FirstOutside &first_outside() {
  static thread_local FirstOutside first;
  return first;
}

namespace {

// Whether an access is aligned and inside an allocation, with which it fills the cache.
bool is_right(SiteCache &cache, u64 address, u32 bytes) {
  u64 start, size;
  if ((address & (bytes - 1)) || !allocation_of(address, &start, &size) || address + bytes > start + size) return false;
  cache.start = start;
  cache.end = start + size;
  return true;
}

std::string what_is_wrong(u64 address, u32 bytes, const char *verb) {
  u64 start, size;
  char text[200], where[120] = "which is not allocated";
  if (address & (bytes - 1))
    std::snprintf(where, sizeof where, "which is not a multiple of %u", bytes);
  else if (allocation_of(address, &start, &size) || allocation_before(address, &start, &size))
    std::snprintf(where, sizeof where, "which ends %llu bytes beyond an allocation of %llu bytes",
                  (unsigned long long)(address + bytes - start - size), (unsigned long long)size);
  std::snprintf(text, sizeof text, "%s of %u bytes at address 0x%llx, %s", verb, bytes, (unsigned long long)address,
                where);
  return text;
}

}  // namespace

void ask_memory(Warp &w, const Request &request, u32 site) {
  SiteCount &counts = w.launch->sites[site];
  const Coalesced cost = coalesce(request);
  counts.sectors += cost.sectors;
  counts.wavefronts += cost.lines;
  if (!w.launch->memory) return;
  if (is_device_memory(request.address[__builtin_ctz(request.lanes)]))
    w.launch->memory->access(w.block->sm, request);
  else
    w.launch->bus_sectors += cost.sectors;
}

void count_shared(Warp &w, u32 g, u32 site, const V32 &offset, u32 bytes, bool atomic) {
  SiteCount &counts = w.launch->sites[site];
  const u32 passes = shared_passes(g, lanes_of(offset), bytes, atomic);
  count_request(w, g, site);
  counts.wavefronts += passes;
  counts.ideal += std::min(passes, bytes <= 4 ? 1 : bytes / 4);
}

bool check_address(SiteCache &cache, u64 address, u32 bytes, u32 at, u32 lane, const char *verb) {
  if (address >= cache.start && address + bytes <= cache.end && !(address & (bytes - 1))) return true;
  if (is_right(cache, address, bytes)) return true;
  if (!configuration().tolerate) throw Fault(what_is_wrong(address, bytes, verb), at, lane);
  if (first_outside().what.empty()) first_outside() = {what_is_wrong(address, bytes, verb), at, lane};
  return false;
}

namespace {

EMU_INLINE void get(Width width, const u8 *from, V32 *to, u32 lane) {
  u32 words[4];
  switch (width) {
    case Width::u8: to[0][lane] = *from; return;
    case Width::s8: to[0][lane] = u32(i32(*(const signed char *)from)); return;
    case Width::u16: { u16 x; std::memcpy(&x, from, 2); to[0][lane] = x; return; }
    case Width::s16: { std::int16_t x; std::memcpy(&x, from, 2); to[0][lane] = u32(i32(x)); return; }
    case Width::w32: std::memcpy(words, from, 4); to[0][lane] = words[0]; return;
    case Width::w64: std::memcpy(words, from, 8); to[0][lane] = words[0]; to[1][lane] = words[1]; return;
    case Width::w128:
      std::memcpy(words, from, 16);
      for (u32 n = 0; n < 4; n++) to[n][lane] = words[n];
  }
}

EMU_INLINE void give(Width width, u8 *to, const V32 *from, u32 lane) {
  u32 words[4];
  const u32 bytes = bytes_of(width);
  words[0] = from[0][lane];
  if (bytes >= 8) words[1] = from[1][lane];
  if (bytes >= 16) words[2] = from[2][lane], words[3] = from[3][lane];
  std::memcpy(to, words, bytes);
}

// Whether lane n's address is the first one's plus n times the bytes.
EMU_INLINE bool contiguous(const V64 &address, u32 bytes) {
  const V64 wanted = all64(address[0]) + wide(lane_numbers()) * u64(bytes);
  return compare<Compare::equal>(address, wanted) == EVERY;
}

void count(Warp &w, u32 g, u32 site, const V64 &address, u32 bytes, Operation what, bool bypass) {
  count_request(w, g, site);
  ask_memory(w, {g, lanes_of(address), bytes, what, bypass}, site);
}

// Generic addresses may be in the windows of shared and local memory.
EMU_INLINE u32 in_windows(u32 g, const V64 &address) {
  return compare<Compare::less>(address, all64(3ull << 32)) & g;
}

template <bool IS_STORE>
void windowed(Warp &w, u32 g, u32 site, Width width, const V64 &address, V32 *registers) {
  const u32 at = sites_of_launch().at[site];
  const u32 shared = compare<Compare::equal>(high(address), all(u32(SHARED_WINDOW >> 32))) & g;
  const u32 local = compare<Compare::equal>(high(address), all(u32(LOCAL_WINDOW >> 32))) & g;
  if (u32 none = g & ~shared & ~local)
    outside("global", IS_STORE ? "a store" : "a load", address[__builtin_ctz(none)], bytes_of(width), 0, at,
            u32(__builtin_ctz(none)));
  const V32 offset = low(address);
  if (shared) IS_STORE ? store_shared(w, shared, site, width, offset, registers)
                       : load_shared(w, shared, site, width, offset, registers);
  if (local) IS_STORE ? store_local(w, local, site, width, offset, registers)
                      : load_local(w, local, site, width, offset, registers);
}

}  // namespace

void load(Warp &w, u32 g, u32 site, Width width, bool bypass, const V64 &address, V32 *to) {
  if (u32 special = in_windows(g, address)) {
    windowed<false>(w, special, site, width, address, to);
    if (!(g &= ~special)) return;
  }
  Sites &sites = sites_of_launch();
  SiteCache &cache = sites.caches[site];
  const u32 bytes = bytes_of(width), at = sites.at[site];
  count(w, g, site, address, bytes, Operation::load, bypass);
  if (g == EVERY && contiguous(address, bytes)) {
    if (check_address(cache, address[0], bytes, at, 0, "a load") && address[0] + 32 * bytes <= cache.end) {
      const u8 *from = (const u8 *)address[0];
      if (width == Width::w32) {
        std::memcpy(to, from, 128);
        return;
      }
      EMU_EACH(lane) get(width, from + lane * bytes, to, lane);
      return;
    }
  }
  EMU_LANES(lane, g) {
    static const u8 nothing[16] = {};
    const bool there = check_address(cache, address[lane], bytes, at, lane, "a load");
    get(width, there ? (const u8 *)address[lane] : nothing, to, lane);
  }
}

void store(Warp &w, u32 g, u32 site, Width width, bool bypass, const V64 &address, const V32 *from) {
  if (u32 special = in_windows(g, address)) {
    windowed<true>(w, special, site, width, address, const_cast<V32 *>(from));
    if (!(g &= ~special)) return;
  }
  Sites &sites = sites_of_launch();
  SiteCache &cache = sites.caches[site];
  const u32 bytes = bytes_of(width), at = sites.at[site];
  count(w, g, site, address, bytes, Operation::store, bypass);
  if (g == EVERY && width == Width::w32 && contiguous(address, bytes)) {
    if (check_address(cache, address[0], bytes, at, 0, "a store") && address[0] + 128 <= cache.end) {
      std::memcpy((u8 *)address[0], from, 128);
      return;
    }
  }
  EMU_LANES(lane, g) {
    if (check_address(cache, address[lane], bytes, at, lane, "a store"))
      give(width, (u8 *)address[lane], from, lane);
  }
}

void load_shared(Warp &w, u32 g, u32 site, Width width, const V32 &offset, V32 *to) {
  const u32 bytes = bytes_of(width), limit = w.block->shared_bytes;
  count_shared(w, g, site, offset, bytes, false);
  EMU_LANES(lane, g) {
    if (u64(offset[lane]) + bytes > limit)
      outside("shared", "a load", offset[lane], bytes, limit, sites_of_launch().at[site], lane);
    check_aligned("shared", offset[lane], bytes, sites_of_launch().at[site], lane, "a load");
    get(width, w.block->shared + offset[lane], to, lane);
  }
}

void store_shared(Warp &w, u32 g, u32 site, Width width, const V32 &offset, const V32 *from) {
  const u32 bytes = bytes_of(width), limit = w.block->shared_bytes;
  count_shared(w, g, site, offset, bytes, false);
  EMU_LANES(lane, g) {
    if (u64(offset[lane]) + bytes > limit)
      outside("shared", "a store", offset[lane], bytes, limit, sites_of_launch().at[site], lane);
    check_aligned("shared", offset[lane], bytes, sites_of_launch().at[site], lane, "a store");
    give(width, w.block->shared + offset[lane], from, lane);
  }
}

namespace {

// Local memory lies in words that are interleaved over the lanes of a warp.
V64 local_place(const Warp &w, const V32 &offset) {
  const u64 start = (3ull << 32) + u64(w.index + w.block->linear * w.block->warp_count) * w.local_bytes * LANES;
  return all64(start) + wide(offset & ~3u) * u64(LANES) + wide(lane_numbers() * 4u) + wide(offset & 3u);
}

void count_local(Warp &w, u32 g, u32 site, const V32 &offset, u32 bytes, Operation what) {
  const u32 words = bytes <= 4 ? 1 : bytes / 4;
  SiteCount &counts = w.launch->sites[site];
  count_request(w, g, site);
  for (u32 word = 0; word < words; word++) {
    const V64 place = local_place(w, offset + 4 * word);
    const Request request{g, lanes_of(place), bytes < 4 ? bytes : 4, what, false};
    const Coalesced cost = coalesce(request);
    counts.sectors += cost.sectors;
    counts.wavefronts += cost.lines;
    if (w.launch->memory) w.launch->memory->access(w.block->sm, request);
  }
}

EMU_INLINE u8 *local_at(Warp &w, u32 site, u32 lane, u32 offset, u32 bytes, const char *verb) {
  if (u64(offset) + bytes > w.local_bytes)
    outside("local", verb, offset, bytes, w.local_bytes, sites_of_launch().at[site], lane);
  check_aligned("local", offset, bytes, sites_of_launch().at[site], lane, verb);
  return w.local + u64(lane) * w.local_bytes + offset;
}

}  // namespace

void load_local(Warp &w, u32 g, u32 site, Width width, const V32 &offset, V32 *to) {
  count_local(w, g, site, offset, bytes_of(width), Operation::load);
  EMU_LANES(lane, g) get(width, local_at(w, site, lane, offset[lane], bytes_of(width), "a load"), to, lane);
}

void store_local(Warp &w, u32 g, u32 site, Width width, const V32 &offset, const V32 *from) {
  count_local(w, g, site, offset, bytes_of(width), Operation::store);
  EMU_LANES(lane, g) give(width, local_at(w, site, lane, offset[lane], bytes_of(width), "a store"), from, lane);
}

void load_constant(Warp &w, u32 g, u32 number, Width width, const V32 &offset, V32 *to) {
  const u32 limit = w.launch->bank_bytes[number & 7];
  EMU_LANES(lane, g) {
    const u32 bytes = bytes_of(width);
    if (u64(offset[lane]) + bytes > limit)
      outside("constant", "a load", offset[lane], bytes, limit, 0, lane);
    get(width, w.launch->bank[number & 7] + offset[lane], to, lane);
  }
}

void copy_to_shared(Warp &w, u32 g, u32 site, u32 bytes, const V32 &offset, const V64 &address, u32 filled) {
  Sites &sites = sites_of_launch();
  const u32 limit = w.block->shared_bytes;
  if (filled) count(w, filled, site, address, bytes, Operation::load, bytes == 16);
  EMU_LANES(lane, g) {
    if (u64(offset[lane]) + bytes > limit)
      outside("shared", "a copy", offset[lane], bytes, limit, sites.at[site], lane);
    check_aligned("shared", offset[lane], bytes, sites.at[site], lane, "a copy");
    if (filled >> lane & 1) {
      if (check_address(sites.caches[site], address[lane], bytes, sites.at[site], lane, "a copy"))
        std::memcpy(w.block->shared + offset[lane], (const void *)address[lane], bytes);
    } else {
      std::memset(w.block->shared + offset[lane], 0, bytes);
    }
  }
}

void load_matrix(Warp &w, u32 g, u32 site, u32 count_of, bool transposed, const V32 &address, V32 *to) {
  const V32 offset = address;  // which the results may overwrite
  const u32 at = sites_of_launch().at[site];
  if (g != EVERY) throw Fault("ldmatrix needs all lanes of its warp", at);
  SiteCount &counts = w.launch->sites[site];
  count_request(w, g, site);
  counts.ideal += count_of;
  for (u32 matrix = 0; matrix < count_of; matrix++) {
    u16 cells[8][8];
    const u32 lanes = 0xffu << (8 * matrix);
    counts.wavefronts += shared_passes(lanes, lanes_of(offset), 16, false);
    for (u32 row = 0; row < 8; row++) {
      const u32 from = offset[8 * matrix + row];
      if (u64(from) + 16 > w.block->shared_bytes)
        outside("shared", "a load", from, 16, w.block->shared_bytes, at, 8 * matrix + row);
      check_aligned("shared", from, 16, at, 8 * matrix + row, "a load");
      std::memcpy(cells[row], w.block->shared + from, 16);
    }
    EMU_EACH(lane) {
      const u32 row = lane / 4, column = 2 * (lane % 4);
      const u16 first = transposed ? cells[column][row] : cells[row][column];
      const u16 second = transposed ? cells[column + 1][row] : cells[row][column + 1];
      to[matrix][lane] = first | u32(second) << 16;
    }
  }
}

}  // namespace emu

// Sectors and lines of global, local and texture accesses.
//
// Published: a request is one warp instruction; it accesses sectors, aligned chunks of 32 bytes, four of
// which are a cache line; it looks up one tag per line (definitions of Nsight Compute's Kernel Profiling
// Guide, https://forums.developer.nvidia.com/t/problem-about-bank-conflict-test/285476/7).
// One lane gives one sector per request, 32 lanes in 32 lines give 32
// (https://forums.developer.nvidia.com/t/understanding-l1-tex-cache-sectors-req/312884).
// Assumed: a sector that lanes of different quarters of a warp touch counts once in 8- and 16-byte accesses, too.
#include "coalescing.h"

#include <cstring>

#include "distinct.h"

namespace emu {
namespace {

u32 first_lane(u32 lanes) { return u32(__builtin_ctz(lanes)); }

// The lowest `count` bits; count is at most 32.
u32 ones(u32 count) { return count >= 32 ? EVERY : (1u << count) - 1; }

struct Range {
  u64 start, end;  // end is the first byte behind
};

// Whether the lanes touch one unbroken range: equal addresses, or neighbours in order in neighbouring lanes.
bool unbroken(const Request &request, Range *range) {
  const u32 first = first_lane(request.lanes);
  const u32 run = request.lanes >> first;
  if (run & (run + 1)) return false;
  const u32 count = u32(__builtin_popcount(run));
  const u64 *address = request.address + first;
  const u64 start = address[0];
  const u64 step = address[count - 1] == start ? 0 : request.bytes;
  if (address[count - 1] != start + step * (count - 1)) return false;
  u64 differs = 0;
  if (count == LANES) {  // a fixed number, for the vectoriser
    for (u64 i = 0; i < LANES; ++i) differs |= address[i] ^ (start + step * i);
  } else {
    for (u64 i = 0; i < count; ++i) differs |= address[i] ^ (start + step * i);
  }
  *range = {start, start + step * (count - 1) + request.bytes};
  return !differs;
}

// The aligned chunks of so many bytes that a range touches.
u32 count_in(const Range &range, u32 bytes) { return u32((range.end - 1) / bytes - range.start / bytes) + 1; }

// The part of a range that is in one line.
Line part(const Range &range, u64 line, bool with_bytes) {
  const u32 low = range.start > line ? u32(range.start - line) : 0;
  const u32 high = range.end - line < LINE_BYTES ? u32(range.end - line) : LINE_BYTES;
  Line made;
  made.address = line;
  made.sectors = ones((high + SECTOR_BYTES - 1) / SECTOR_BYTES) & ~ones(low / SECTOR_BYTES);
  if (!with_bytes) return made;
  for (u32 sector = 0; sector < LINE_SECTORS; ++sector) {
    const u32 start = sector * SECTOR_BYTES;
    const u32 below = high > start ? ones(high - start) : 0;
    made.bytes[sector] = below & ~(low > start ? ones(low - start) : 0);
  }
  return made;
}

u32 split_range(const Range &range, bool with_bytes, Line *lines) {
  u32 count = 0;
  for (u64 line = range.start & ~u64(LINE_BYTES - 1); line < range.end; line += LINE_BYTES)
    lines[count++] = part(range, line, with_bytes);
  return count;
}

// Lines by address: a small open hash table over an array that its user holds.
class LineTable {
 public:
  explicit LineTable(Line *lines) : lines_(lines) { std::memset(slots_, 0, sizeof slots_); }

  u32 count() const { return count_; }

  Line &at(u64 address) {
    u32 slot = u32((address >> 7) * 0x9e3779b97f4a7c15ull >> 57);
    for (; slots_[slot]; slot = (slot + 1) % SLOTS)
      if (lines_[slots_[slot] - 1].address == address) return lines_[slots_[slot] - 1];
    Line &made = lines_[count_++];
    slots_[slot] = u8(count_);
    made = {address, 0, {0, 0, 0, 0}};
    return made;
  }

 private:
  static constexpr u32 SLOTS = 128;
  Line *lines_;
  u32 count_ = 0;
  u8 slots_[SLOTS];  // 1 + the line's index; 0: free
};

// Adds an access of one lane, which may straddle sectors and lines.
void add(LineTable &table, u64 start, u32 bytes) {
  for (u64 at = start, end = start + bytes; at < end;) {
    const u64 sector_end = (at | (SECTOR_BYTES - 1)) + 1;
    const u64 stop = sector_end < end ? sector_end : end;
    Line &line = table.at(at & ~u64(LINE_BYTES - 1));
    const u32 sector = u32(at / SECTOR_BYTES % LINE_SECTORS);
    line.sectors |= 1u << sector;
    line.bytes[sector] |= ones(u32(stop - at)) << at % SECTOR_BYTES;
    at = stop;
  }
}

u32 split_any(const Request &request, Line *lines) {
  LineTable table(lines);
  Line *last = nullptr;
  const u32 mask = ones(request.bytes);
  for (u32 rest = request.lanes; rest; rest &= rest - 1) {
    const u64 at = request.address[first_lane(rest)];
    if (at % SECTOR_BYTES + request.bytes > SECTOR_BYTES) {
      add(table, at, request.bytes);
      continue;
    }
    const u64 address = at & ~u64(LINE_BYTES - 1);
    if (!last || last->address != address) last = &table.at(address);
    const u32 sector = u32(at / SECTOR_BYTES % LINE_SECTORS);
    last->sectors |= 1u << sector;
    last->bytes[sector] |= mask << at % SECTOR_BYTES;
  }
  return table.count();
}

#if defined(EMU_FAST_DISTINCT)

// Sectors or lines of 16 lanes, as 32-bit keys: `shift` bits narrower than addresses.
__m512i keys_of(__m512i first, __m512i second, u32 shift) {
  const __m256i low = _mm512_cvtepi64_epi32(_mm512_srli_epi64(first, shift));
  const __m256i high = _mm512_cvtepi64_epi32(_mm512_srli_epi64(second, shift));
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// Counts sectors and lines of aligned accesses that are not too far apart for 32-bit keys. Else false.
bool count_quickly(const Request &request, Coalesced *counted) {
  const __m512i any = _mm512_set1_epi64(i64(request.address[first_lane(request.lanes)]));
  const __m512i unaligned = _mm512_set1_epi64(request.bytes - 1), far = _mm512_set1_epi64(i64(~0ull << 37));
  __m512i part[4], wrong = _mm512_setzero_si512();
  for (u32 i = 0; i < 4; ++i) {
    part[i] = _mm512_mask_loadu_epi64(any, __mmask8(request.lanes >> 8 * i), request.address + 8 * i);
    const __m512i apart = _mm512_and_si512(_mm512_xor_si512(part[i], any), far);
    wrong = _mm512_or_si512(wrong, _mm512_or_si512(apart, _mm512_and_si512(part[i], unaligned)));
  }
  if (_mm512_test_epi64_mask(wrong, wrong)) return false;
  const u32 sectors = first_with_key(keys_of(part[0], part[1], 5), keys_of(part[2], part[3], 5));
  const u32 lines = first_with_key(keys_of(part[0], part[1], 7), keys_of(part[2], part[3], 7));
  *counted = {u32(__builtin_popcount(sectors)), u32(__builtin_popcount(lines))};
  return true;
}

#else

// Counts the sectors and lines of aligned accesses whose sectors never fall, or never rise, from lane to
// lane. Else false.
bool count_quickly(const Request &request, Coalesced *counted) {
  u64 before = request.address[first_lane(request.lanes)];
  u32 sectors = 1, lines = 1;
  bool rises = false, falls = false;
  u64 bits = 0;
  for (u32 rest = request.lanes; rest; rest &= rest - 1) {
    const u64 now = request.address[first_lane(rest)];
    sectors += now / SECTOR_BYTES != before / SECTOR_BYTES;
    lines += now / LINE_BYTES != before / LINE_BYTES;
    rises |= now > before;
    falls |= now < before;
    bits |= now;
    before = now;
  }
  *counted = {sectors, lines};
  return !(rises && falls) && bits % request.bytes == 0;
}

#endif

}  // namespace

u32 split(const Request &request, Line lines[MOST_LINES]) {
  if (!request.lanes) return 0;
  Range range;
  if (unbroken(request, &range)) return split_range(range, request.operation == Operation::store, lines);
  return split_any(request, lines);
}

Coalesced coalesce(const Request &request) {
  Coalesced counted = {0, 0};
  Range range;
  if (!request.lanes) return counted;
  if (unbroken(request, &range)) return {count_in(range, SECTOR_BYTES), count_in(range, LINE_BYTES)};
  if (count_quickly(request, &counted)) return counted;
  Line lines[MOST_LINES];
  counted = {0, split_any(request, lines)};
  for (u32 i = 0; i < counted.lines; ++i) counted.sectors += u32(__builtin_popcount(lines[i].sectors));
  return counted;
}

}  // namespace emu

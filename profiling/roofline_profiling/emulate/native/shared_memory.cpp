// Passes (wavefronts) of shared memory.
//
// Published by NVIDIA:
// - a wavefront is what is processed at once; wavefronts of a request follow each other (Kernel Profiling
//   Guide, https://forums.developer.nvidia.com/t/problem-about-bank-conflict-test/285476/7);
// - 128 bytes return per cycle, so that a 16-byte load of a full warp takes 4 passes, and 2 where, for all
//   active lanes, lanes n and n^1 (or n and n^2) have equal addresses. Said of compute capability 7.0 to 7.5
//   (https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228/2).
// Measured by others: Nsight Compute gives 4 wavefronts for a 16-byte load without conflicts and 32 for one
// with all lanes in the same four banks (https://forums.developer.nvidia.com/t/
// clarification-bank-conflicts-metric-vs-wavefronts-for-shared-memory-lds-128/359822).
// Assumed: the parts are halves (8 bytes) and quarters (16 bytes) of the warp in lane order; equal pairs double
// a part in 8-byte accesses, in stores and on later GPUs, too; the pair of an inactive lane counts as equal;
// an atomic's lanes are served one per bank and pass.
#include <algorithm>

#include "distinct.h"
#include "memory_system.h"

namespace emu {
namespace {

constexpr u32 BANKS = 32, WORD_BYTES = 4;

u32 first_lane(u32 lanes) { return u32(__builtin_ctz(lanes)); }

// Whether each active lane's neighbour, `distance` lanes off, is inactive or has its address.
bool paired(u32 lanes, const u32 *offset, u32 distance) {
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    const u32 lane = first_lane(rest), other = lane ^ distance;
    if (lanes >> other & 1 && offset[lane] != offset[other]) return false;
  }
  return true;
}

// One pass where all that the lanes touch is within as many bytes as the banks hold at once.
bool within_banks(u32 lanes, const u32 *offset, u32 bytes) {
  u32 low = EVERY, high = 0;
  if (lanes == EVERY) {  // a fixed number, for the vectoriser
    for (u32 lane = 0; lane < LANES; ++lane) {
      low = offset[lane] < low ? offset[lane] : low;
      high = offset[lane] > high ? offset[lane] : high;
    }
  } else {
    for (u32 rest = lanes; rest; rest &= rest - 1) {
      const u32 at = offset[first_lane(rest)];
      low = at < low ? at : low;
      high = at > high ? at : high;
    }
  }
  return u64(high) + bytes <= u64(low / WORD_BYTES + BANKS) * WORD_BYTES;
}

// Lanes of the busiest bank, by the first word of each lane's access.
u32 busiest(u32 lanes, const u32 *words) {
  u8 depth[BANKS] = {};
  u32 most = 0;
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    const u32 held = ++depth[words[first_lane(rest)] % BANKS];
    most = held > most ? held : most;
  }
  return most;
}

// Passes of misaligned accesses, each of which touches up to five words: the distinct words of the busiest bank.
u32 misaligned_passes(u32 lanes, const u32 *offset, u32 bytes) {
  u32 words[BANKS][LANES], depth[BANKS] = {}, most = 0;  // a lane touches no bank twice
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    const u32 at = offset[first_lane(rest)];
    for (u32 word = at / WORD_BYTES; word <= (at + bytes - 1) / WORD_BYTES; ++word) {
      u32 *held = words[word % BANKS], &count = depth[word % BANKS];
      if (std::find(held, held + count, word) == held + count) held[count++] = word;
      most = std::max(most, count);
    }
  }
  return most;
}

// Passes of lanes that are served together. Aligned 8- and 16-byte accesses keep the two or four banks from
// their first word's on equally busy, so that the first words tell all.
u32 part_passes(u32 lanes, const u32 *offset, u32 bytes) {
  if (!lanes) return 0;
  if (within_banks(lanes, offset, bytes)) return 1;
  u32 words[LANES], bits = 0;
  for (u32 rest = lanes; rest; rest &= rest - 1) bits |= offset[first_lane(rest)];
  if (bits % bytes) return misaligned_passes(lanes, offset, bytes);
  for (u32 lane = 0; lane < LANES; ++lane) words[lane] = offset[lane] / WORD_BYTES;
  return busiest(first_with_key(lanes, words), words);
}

// Passes of an atomic's lanes that are served together: the lanes of the busiest bank.
u32 atomic_passes(u32 lanes, const u32 *offset, u32 bytes) {
  u8 depth[BANKS] = {};
  u32 most = 0;
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    const u32 at = offset[first_lane(rest)];
    for (u32 word = at / WORD_BYTES; word <= (at + bytes - 1) / WORD_BYTES; ++word)
      if (++depth[word % BANKS] > most) most = depth[word % BANKS];
  }
  return most;
}

// How many parts of the warp are served one after another.
u32 parts_of(u32 lanes, const u32 *offset, u32 bytes, bool atomic) {
  const u32 parts = bytes <= WORD_BYTES ? 1 : bytes / WORD_BYTES;
  if (parts == 1 || atomic) return parts;
  return paired(lanes, offset, 1) || paired(lanes, offset, 2) ? parts / 2 : parts;
}

}  // namespace

u32 shared_passes(u32 lanes, const u32 *offset, u32 bytes, bool atomic) {
  const u32 parts = parts_of(lanes, offset, bytes, atomic);
  const u32 width = LANES / parts;
  u32 passes = 0;
  for (u32 part = 0; part < parts; ++part) {
    const u32 mask = u32(((u64(1) << width) - 1) << part * width);
    passes += (atomic ? atomic_passes : part_passes)(lanes & mask, offset, bytes);
  }
  return passes;
}

}  // namespace emu

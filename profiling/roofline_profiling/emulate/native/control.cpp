// Lanes of a warp that have gone different ways.
#include "warp.h"

namespace emu {

void unsupported(const char *what, u32 at) {
  throw Fault(std::string("the instruction ") + what + " is not supported", at);
}

void split(Warp &w, u32 lanes, u32 at) {
  for (u32 n = 0; n < w.group_count; n++) {
    Group &group = w.groups[n];
    if (!group.waits && group.at == at && !group.expects) {
      group.lanes |= lanes;
      return;
    }
  }
  w.groups[w.group_count++] = {lanes, at, 0, 0};
}

namespace {

void put_aside(Warp &w, u32 lanes, u32 at, u32 waits, u32 expects) {
  for (u32 n = 0; n < w.group_count; n++) {
    Group &group = w.groups[n];
    if (group.waits == waits && group.at == at && group.expects == expects) {
      group.lanes |= lanes;
      return;
    }
  }
  w.groups[w.group_count++] = {lanes, at, waits, expects};
}

// The lanes that a waiting group still lacks.
u32 lacking(const Warp &w, const Group &group) {
  u32 there = 0;
  for (u32 n = 0; n < w.group_count; n++)
    // At a WARPSYNC lanes have come whatever masks they gave themselves.
    if (w.groups[n].waits == group.waits && (group.waits == WAITS_WARP || w.groups[n].expects == group.expects))
      there |= w.groups[n].lanes;
  return group.expects & w.alive & ~there;
}

void release_complete(Warp &w) {
  bool free[LANES];
  for (u32 n = 0; n < w.group_count; n++)
    free[n] = w.groups[n].waits && w.groups[n].waits <= WAITS_WARP && !lacking(w, w.groups[n]);
  for (u32 n = 0; n < w.group_count; n++) {
    if (!free[n]) continue;
    if (w.groups[n].waits != WAITS_ALONE) w.groups[n].expects = 0;
    w.groups[n].waits = 0;
  }
  for (u32 n = 0; n < w.group_count; n++)
    for (u32 other = n + 1; other < w.group_count;) {
      Group &one = w.groups[n], &two = w.groups[other];
      if (!one.waits && !two.waits && one.at == two.at && one.expects == two.expects) {
        one.lanes |= two.lanes;
        two = w.groups[--w.group_count];
      } else {
        other++;
      }
    }
}

}  // namespace

u32 resume(Warp &w, u32 &m) {
  release_complete(w);
  u32 best = LANES;
  for (u32 n = 0; n < w.group_count; n++) {
    if (w.groups[n].waits) continue;
    if (best == LANES || w.groups[n].at < w.groups[best].at) best = n;
  }
  if (best == LANES) return NOWHERE;
  const Group chosen = w.groups[best];
  w.groups[best] = w.groups[--w.group_count];
  m = chosen.lanes;
  return chosen.at;
}

// Each lane has the mask of its own barrier: lanes that have gone into functions, or deeper into a
// recursion, use the same barrier's number for others.
u32 converge(Warp &w, u32 &m, u32 barrier, u32 at) {
  const V32 &masks = w.b[barrier];
  u32 first = masks[__builtin_ctz(m)];
  if ((compare<Compare::equal>(masks, all(first)) & m) == m && (first & w.alive & ~m) == 0) return at;
  u32 passing = 0;
  for (u32 rest = m; rest;) {
    first = masks[__builtin_ctz(rest)];
    const u32 same = compare<Compare::equal>(masks, all(first)) & rest;
    const u32 waiting = (first & w.alive & ~same) == 0 ? 0 : same & first;
    if (waiting) put_aside(w, waiting, at, 1 + barrier, first);
    passing |= same & ~waiting;
    rest &= ~same;
  }
  if (!passing) return resume(w, m);
  m = passing;
  return at;
}

void break_out(Warp &w, u32 lanes, u32 barrier) {
  for (u32 rest = lanes; rest;) {
    const u32 before = w.b[barrier][__builtin_ctz(rest)], after = before & ~lanes;
    const u32 members = compare<Compare::equal>(w.b[barrier], all(before));
    put(w.b[barrier], members, all(after));
    for (u32 n = 0; n < w.group_count; n++)
      if (w.groups[n].waits == 1 + barrier && w.groups[n].expects == before) w.groups[n].expects = after;
    rest &= ~members;
  }
}

u32 meet(Warp &w, u32 &m, const V32 &expects, bool alone, u32 at) {
  const u32 first = expects[__builtin_ctz(m)];
  if ((compare<Compare::equal>(expects, all(first)) & m) == m && (first & w.alive & ~m) == 0) return at;
  for (u32 rest = m; rest;) {
    const u32 wanted = expects[__builtin_ctz(rest)];
    const u32 same = compare<Compare::equal>(expects, all(wanted)) & rest;
    put_aside(w, same, at, alone ? WAITS_ALONE : WAITS_WARP, wanted);
    rest &= ~same;
  }
  return resume(w, m);
}

void leave(Warp &w, u32 lanes) { w.alive &= ~lanes; }

u32 scatter(Warp &w, u32 &m, const V32 &to) {
  const u32 first = to[__builtin_ctz(m)];
  u32 rest = m, here = 0;
  while (rest) {
    const u32 target = to[__builtin_ctz(rest)];
    const u32 lanes = compare<Compare::equal>(to, all(target)) & rest;
    if (target == first)
      here = lanes;
    else
      split(w, lanes, target);
    rest &= ~lanes;
  }
  m = here;
  return first;
}

void arrive(Warp &w, u32 m, u32 number, u32 threads, u32 at) {
  if (w.at_barrier && w.barrier != number)
    throw Fault("lanes of one warp wait at different barriers", at);
  w.at_barrier |= m;
  w.barrier = number;
  w.barrier_expects = threads;
  put_aside(w, m, at, WAITS_BLOCK, 0);
}

void pass_barrier(Warp &w, u32 result) {
  w.at_barrier = 0;
  w.barrier_result = result;
  for (u32 n = 0; n < w.group_count; n++)
    if (w.groups[n].waits == WAITS_BLOCK) w.groups[n].waits = 0;
}

Stop stopped(Warp &w) {
  if (!w.alive) return Stop::ended;
  if (w.at_barrier) return Stop::barrier;
  for (u32 n = 0; n < w.group_count; n++)
    if (w.groups[n].waits == WAITS_WARP || w.groups[n].waits == WAITS_ALONE)
      throw Fault("deadlock: lanes wait at __syncwarp or a shuffle for lanes that do not come",
                  w.groups[n].at);
  throw Fault("deadlock: lanes wait for others of their warp", w.group_count ? w.groups[0].at : 0);
}

void arrive_only(Warp &w, u32 m, u32 number) {
  w.block->barrier_threads[number & 15] += u32(__builtin_popcount(m));
  w.block->has_arrivals = true;
}

void reduce_at_barrier(Warp &w, u32 m, u32 number, u32 values, Reduction mode) {
  Block &block = *w.block;
  number &= 15;
  block.reduced[number] += u32(__builtin_popcount(values & m));
  block.reducing[number] += u32(__builtin_popcount(m));
  block.reduction[number] = u8(mode);
}

CodeMap::CodeMap(const KernelCode &code) {
  for (u32 n = 0; n < code.chunk_count; n++) {
    const Chunk &chunk = code.chunks[n];
    const u32 section = chunk.at / SECTION, first = chunk.at % SECTION / 16;
    if (tables_.size() <= section) tables_.resize(section + 1);
    std::vector<Piece> &table = tables_[section];
    if (table.size() < first + chunk.count) table.resize(first + chunk.count);
    for (u32 place = first; place < first + chunk.count; place++) table[place] = chunk.run;
  }
}

Stop run_warp(const CodeMap &map, Warp &w) {
  u32 m = w.active, pc = w.next;
  for (;;) {
    if (Piece piece = map.at(pc)) {
      pc = piece(w, m, pc);
      continue;
    }
    if (pc == PICK) {
      pc = resume(w, m);
    } else if (pc == END_TURN) {
      w.active = m;
      return Stop::turn;
    } else if (pc == NOWHERE) {
      return stopped(w);
    } else {
      pc = call_system(w, m, pc);
    }
  }
}

}  // namespace emu

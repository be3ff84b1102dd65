// What translated kernels call: control flow of diverged warps, memory, and instructions that have no
// operator. A translated kernel is one function that runs a warp until it ends, waits or has had its turn.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>
#include "vectors.h"

namespace emu {

constexpr u32 NOWHERE = 0xffffffffu;
constexpr u32 WAITS_ALONE = 999;   // Group::waits at a WARPSYNC.EXCLUSIVE,
constexpr u32 WAITS_WARP = 1000;   // at another WARPSYNC
constexpr u32 WAITS_BLOCK = 1001;  // and at a barrier of the block
constexpr u64 SHARED_WINDOW = 1ull << 32;  // generic addresses of shared memory
constexpr u64 LOCAL_WINDOW = 2ull << 32;   // and of a thread's local memory

// A kernel did what it must not do, or what is not supported. `site` and `lane`: where.
struct Fault : std::runtime_error {
  Fault(const std::string &what, u32 code, u32 lane_number = NOWHERE)
      : std::runtime_error(what), at(code), lane(lane_number) {}
  u32 at;    // code address
  u32 lane;
};

// What a translated kernel tells of itself (extern "C" const KernelCode emu_kernel).
// A piece of its code: runs the lanes `m` from the code address `pc`, and returns where they go on.
using Piece = u32 (*)(Warp &w, u32 &m, u32 pc);
struct Chunk {
  u32 at, count;  // first code address, and instructions
  Piece run;
};
constexpr u32 PICK = 0xfffffffeu;      // in place of a code address: other lanes of the warp have their turn
constexpr u32 END_TURN = 0xfffffffdu;  // the warp's turn is over; it goes on at Warp::next

struct KernelCode {
  const Chunk *chunks;
  u32 chunk_count;
  u32 block_count, predicated_count, site_count, symbol_count;
  const char *const *symbols;  // names whose values the code uses
  const u32 *sites;            // code addresses of memory instructions
  const char *metadata;        // path of the instructions' description
  u32 line_count;
  const u32 (*lines)[3];       // code address, file and line, by address
  const char *const *files;
};
// The kernel's code is at 0; device functions follow, in the order of their names.
constexpr u32 SECTION = 1u << 20;

// --- control flow --------------------------------------------------------------------------------

// Puts lanes aside, to go on at `at` later.
void split(Warp &w, u32 lanes, u32 at);
// The next lanes that can run: sets `m` and returns where; NOWHERE if there are none.
u32 resume(Warp &w, u32 &m);
// BSYNC: the lanes of `m` arrive. Returns where to go on, with `m` the lanes that do.
u32 converge(Warp &w, u32 &m, u32 barrier, u32 at);
// BREAK: lanes take no part in a barrier any more.
void break_out(Warp &w, u32 lanes, u32 barrier);
// WARPSYNC: the same as BSYNC, each lane for the lanes in its `expects`. `alone`: lanes that expect others go on
// by themselves.
u32 meet(Warp &w, u32 &m, const V32 &expects, bool alone, u32 at);
// Lanes end.
void leave(Warp &w, u32 lanes);
// An indirect branch: the lanes of `m` go to `to`, each to its own. Returns where to go on.
u32 scatter(Warp &w, u32 &m, const V32 &to);
// The lanes of `m` arrive at the block's barrier `number`, which waits for `threads` (0: all).
// They go on at `at`.
void arrive(Warp &w, u32 m, u32 number, u32 threads, u32 at);
// The same where threads only say that they came (BAR.ARV).
void arrive_only(Warp &w, u32 m, u32 number);
enum class Reduction : u8 { popc_, and_, or_ };
void reduce_at_barrier(Warp &w, u32 m, u32 number, u32 values, Reduction mode);
// Lanes that waited at the block's barrier go on.
void pass_barrier(Warp &w, u32 result);
// Functions of the driver have code addresses, too. Returns where to go on.
constexpr u32 SYSTEM = 0xf0000000u, SYSTEM_COUNT = 4;
constexpr const char *SYSTEM_NAMES[SYSTEM_COUNT] = {"vprintf", "malloc", "free", "__assertfail"};
u64 system_function(const std::string &name);  // 0: there is no such function
u32 call_system(Warp &w, u32 &m, u32 code);
// What ends a run where no lane can go on: Stop::barrier or Stop::ended; a deadlock is a Fault.
Stop stopped(Warp &w);
// The warp's turn is over; it goes on at `at`.
EMU_INLINE u32 end_turn(Warp &w, u32 at) {
  w.next = at;
  return END_TURN;
}
// Where a kernel's pieces are, by code address: a table for each section.
class CodeMap {
 public:
  explicit CodeMap(const KernelCode &code);
  Piece at(u32 address) const {
    const u32 section = address / SECTION, place = address % SECTION / 16;
    return section < tables_.size() && place < tables_[section].size() ? tables_[section][place] : nullptr;
  }

 private:
  std::vector<std::vector<Piece>> tables_;
};
// Runs a warp until it ends, waits or has had its turn.
Stop run_warp(const CodeMap &map, Warp &w);

[[noreturn]] void unsupported(const char *what, u32 at);

// --- memory --------------------------------------------------------------------------------------

enum class Width : u8 { u8, s8, u16, s16, w32, w64, w128 };
EMU_INLINE u32 bytes_of(Width width) {
  constexpr u32 table[] = {1, 1, 2, 2, 4, 8, 16};
  return table[u32(width)];
}

void load(Warp &w, u32 g, u32 site, Width width, bool bypass, const V64 &address, V32 *to);
void store(Warp &w, u32 g, u32 site, Width width, bool bypass, const V64 &address, const V32 *from);
void load_shared(Warp &w, u32 g, u32 site, Width width, const V32 &offset, V32 *to);
void store_shared(Warp &w, u32 g, u32 site, Width width, const V32 &offset, const V32 *from);
void load_local(Warp &w, u32 g, u32 site, Width width, const V32 &offset, V32 *to);
void store_local(Warp &w, u32 g, u32 site, Width width, const V32 &offset, const V32 *from);
void load_constant(Warp &w, u32 g, u32 bank, Width width, const V32 &offset, V32 *to);
// Global to shared memory (LDGSTS).
void copy_to_shared(Warp &w, u32 g, u32 site, u32 bytes, const V32 &offset, const V64 &address, u32 filled);
// Rows of 8x8 matrices of 16-bit values (LDSM), `count` matrices.
void load_matrix(Warp &w, u32 g, u32 site, u32 count, bool transposed, const V32 &offset, V32 *to);

enum class Atomic : u8 { add, min, max, inc, dec, bit_and, bit_or, bit_xor, exchange, compare, cast };
enum class Number : u8 { u32, s32, u64, s64, f32, f64, f16x2, bf16x2 };
// `result` is null for reductions. For compare-and-swap `a` is what is compared, `b` the new value.
void atomic(Warp &w, u32 g, u32 site, Atomic what, Number type, const V64 &address, V32 *result,
            const V32 *a, const V32 *b);
void atomic_shared(Warp &w, u32 g, u32 site, Atomic what, Number type, const V32 &offset, V32 *result,
                   const V32 *a, const V32 *b);

extern const V32 ZEROS[4], ONES[4];

template <typename T>
EMU_INLINE T bank(const Launch &launch, u32 number, u32 offset) {
  T value;
  std::memcpy(&value, launch.bank[number] + offset, sizeof value);
  return value;
}

// --- instructions --------------------------------------------------------------------------------

enum class Special : u8 {
  tid_x, tid_y, tid_z, ctaid_x, ctaid_y, ctaid_z, ntid_x, ntid_y, ntid_z, nctaid_x, nctaid_y, nctaid_z,
  lane, warp, sm, clock_low, clock_high, timer_low, timer_high, equal, less, less_equal, greater,
  greater_equal, shared_window, local_window, grid, zero, warp_count, sm_count
};
V32 special(const Warp &w, Special what);

enum class Shuffle : u8 { index, up, down, butterfly };
// The value of each lane's source lane; `inside` gets the lanes whose source is in range.
V32 shuffle(Shuffle mode, u32 g, V32 value, V32 source, V32 bounds, u32 &inside);
u32 match_any(u32 g, const V32 &value, V32 &out);
u32 match_any64(u32 g, const V64 &value, V32 &out);

enum class Function : u8 { rcp, rsq, sqrt, sin, cos, ex2, lg2, tanh, rcp64h, rsq64h };
V32 mufu(Function what, V32 x);
u32 needs_slow_division(F32 a, F32 b);

enum class Round : u8 { nearest, down, up, zero };
F32 add_rounded(F32 a, F32 b, Round mode);
F32 mul_rounded(F32 a, F32 b, Round mode);
F32 fma_rounded(F32 a, F32 b, F32 c, Round mode);
F64 add_rounded(F64 a, F64 b, Round mode);
F64 mul_rounded(F64 a, F64 b, Round mode);
F64 fma_rounded(F64 a, F64 b, F64 c, Round mode);
F32 integral(F32 x, Round mode);
F64 integral(F64 x, Round mode);
F32 narrow(F64 x, Round mode);
EMU_INLINE F64 widen(F32 x) { return __builtin_convertvector(x, F64); }

// Conversions; out of range values go to the nearest, NaN to zero (or the least, as CUDA says).
V32 to_integer(F32 x, Round mode, u32 bits, bool is_signed);
V64 to_integer64(F32 x, Round mode, bool is_signed);
V32 to_integer(F64 x, Round mode, u32 bits, bool is_signed);
V64 to_integer64(F64 x, Round mode, bool is_signed);
F32 to_float(V32 x, bool is_signed, Round mode);
F32 to_float(V64 x, bool is_signed, Round mode);
EMU_INLINE F64 to_double(V32 x, bool is_signed) {
  return is_signed ? __builtin_convertvector((I32)x, F64) : __builtin_convertvector(x, F64);
}
F64 to_double(V64 x, bool is_signed, Round mode);

V32 permute(V32 a, V32 selector, V32 b);
EMU_INLINE V32 population(V32 x) {
  EMU_EACH(n) x[n] = __builtin_popcount(x[n]);
  return x;
}
V32 highest_bit(V32 x, bool is_signed, bool as_shift);
V32 reversed_bits(V32 x);
V32 bit_mask(V32 from, V32 width, bool wrap);
V32 extend_bits(V32 x, V32 width, bool is_signed);
V32 dot_bytes(V32 a, V32 b, V32 c, bool signed_a, bool signed_b, bool halves, bool high);
V32 absolute_difference(V32 a, V32 b, bool is_signed);
V32 absolute_differences_of_bytes(V32 a, V32 b, V32 c, bool is_signed, bool accumulate);

// Half precision: two values in a register.
F32 half_to_float(V32 x, bool high, bool brain);
V32 float_to_half(F32 x, bool brain, Round mode = Round::nearest);  // in the low 16 bits
// Rounded so that rounding the result to half precision is as if the exact value were rounded: an
// inexact result has an odd last bit.
F32 narrow_to_odd(F64 x);
F32 fma_to_odd(F32 a, F32 b, F32 c);
EMU_INLINE V32 pack(V32 low_half, V32 high_half) { return (low_half & 0xffffu) | (high_half << 16); }

// Matrix products of a warp. Registers as the PTX mma instructions lay them out.
enum class Element : u8 { f16, bf16, tf32, f64, s8, u8, s4, u4, b1, b1_xor };
// `flag`: the accumulator is of 32 bits, for floating-point elements; the sum saturates, for integers.
void matrix_product(V32 *d, u32 g, const V32 *a, const V32 *b, const V32 *c, Element type_a, Element type_b,
                    u32 k, bool flag, u32 m_rows);
V32 transposed_matrix(V32 x);

// Texture fetches: coordinates in registers, the layer first. `channels` is the mask of those wanted,
// which go to `to` in their order.
void texture_fetch(Warp &w, u32 g, u32 site, u32 dimensions, bool whole, bool layered, u32 channels,
                   const V64 &handle, const V32 *coordinates, V32 *to[4]);
void surface_load(Warp &w, u32 g, u32 site, u32 dimensions, Width width, const V64 &handle, const V32 *coordinates,
                  V32 *to);
void surface_store(Warp &w, u32 g, u32 site, u32 dimensions, Width width, const V64 &handle, const V32 *coordinates,
                   const V32 *from);

EMU_INLINE u32 uniform(u32 mask) { return mask & 1 ? EVERY : 0; }

}  // namespace emu

// OpenCL's functions of NVIDIA's GPUs that no table of library.py has: work-items, barriers, and what stores by a
// pointer. Mathematics is that of libdevice, CUDA's library, which NVIDIA's OpenCL compiler links as well.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define FUNCTION __attribute__((overloadable, always_inline))
#define READS FUNCTION __attribute__((const))

// --- work-items, as NVIDIA's compiler has them. Environment registers: 0 to 2 are the first group that a launch has, 3
// to 5 the global offset, 6 to 8 the groups of the whole range, 9 its dimensions.
#define ENVIRONMENT(n)                                        \
  static inline __attribute__((always_inline, const)) uint environment##n(void) { \
    uint value;                                               \
    __asm__("mov.b32 %0, %%envreg" #n ";" : "=r"(value));     \
    return value;                                             \
  }
ENVIRONMENT(0) ENVIRONMENT(1) ENVIRONMENT(2) ENVIRONMENT(3) ENVIRONMENT(4)
ENVIRONMENT(5) ENVIRONMENT(6) ENVIRONMENT(7) ENVIRONMENT(8) ENVIRONMENT(9)

#define BY_DIMENSION(name, x, y, z, beyond) \
  size_t READS name(uint dimension) { return dimension == 0 ? x : dimension == 1 ? y : dimension == 2 ? z : beyond; }
#define SREG(name) ((uint)__nvvm_read_ptx_sreg_##name())
BY_DIMENSION(get_local_id, SREG(tid_x), SREG(tid_y), SREG(tid_z), 0)
BY_DIMENSION(get_local_size, SREG(ntid_x), SREG(ntid_y), SREG(ntid_z), 1)
BY_DIMENSION(get_enqueued_local_size, SREG(ntid_x), SREG(ntid_y), SREG(ntid_z), 1)
BY_DIMENSION(get_group_id, SREG(ctaid_x) + environment0(), SREG(ctaid_y) + environment1(), SREG(ctaid_z) + environment2(), 0)
BY_DIMENSION(get_num_groups, environment6(), environment7(), environment8(), 1)
BY_DIMENSION(get_global_offset, environment3(), environment4(), environment5(), 0)
#define GLOBAL_ID(axis, n) (SREG(ctaid_##axis) * SREG(ntid_##axis) + SREG(tid_##axis) + environment##n())
BY_DIMENSION(get_global_id, GLOBAL_ID(x, 3), GLOBAL_ID(y, 4), GLOBAL_ID(z, 5), 0)
#define GLOBAL_SIZE(axis, n) (environment##n() * SREG(ntid_##axis))
BY_DIMENSION(get_global_size, GLOBAL_SIZE(x, 6), GLOBAL_SIZE(y, 7), GLOBAL_SIZE(z, 8), 1)
uint READS get_work_dim(void) { return environment9(); }
size_t READS get_local_linear_id(void) {
  return (SREG(tid_z) * SREG(ntid_y) + SREG(tid_y)) * SREG(ntid_x) + SREG(tid_x);
}
size_t READS get_global_linear_id(void) {
  const uint x = GLOBAL_ID(x, 3) - environment3(), y = GLOBAL_ID(y, 4) - environment4(), z = GLOBAL_ID(z, 5) - environment5();
  return ((size_t)z * GLOBAL_SIZE(y, 7) + y) * GLOBAL_SIZE(x, 6) + x;
}

// --- barriers and fences
void FUNCTION __attribute__((convergent)) barrier(cl_mem_fence_flags flags) { __syncthreads(); }
void FUNCTION __attribute__((convergent)) work_group_barrier(cl_mem_fence_flags flags) { __syncthreads(); }
void FUNCTION mem_fence(cl_mem_fence_flags flags) { __nvvm_membar_cta(); }
void FUNCTION read_mem_fence(cl_mem_fence_flags flags) { __nvvm_membar_cta(); }
void FUNCTION write_mem_fence(cl_mem_fence_flags flags) { __nvvm_membar_cta(); }

// --- integers
int __nv_mul24(int, int);
uint __nv_umul24(uint, uint);
int __nv_mulhi(int, int);
uint __nv_umulhi(uint, uint);
long __nv_mul64hi(long, long);
ulong __nv_umul64hi(ulong, ulong);
int READS mul24(int x, int y) { return __nv_mul24(x, y); }
uint READS mul24(uint x, uint y) { return __nv_umul24(x, y); }
int READS mad24(int x, int y, int z) { return __nv_mul24(x, y) + z; }
uint READS mad24(uint x, uint y, uint z) { return __nv_umul24(x, y) + z; }
int READS mul_hi(int x, int y) { return __nv_mulhi(x, y); }
uint READS mul_hi(uint x, uint y) { return __nv_umulhi(x, y); }
long READS mul_hi(long x, long y) { return __nv_mul64hi(x, y); }
ulong READS mul_hi(ulong x, ulong y) { return __nv_umul64hi(x, y); }
short READS mul_hi(short x, short y) { return (short)((int)x * y >> 16); }
ushort READS mul_hi(ushort x, ushort y) { return (ushort)((uint)x * y >> 16); }
char READS mul_hi(char x, char y) { return (char)((int)x * y >> 8); }
uchar READS mul_hi(uchar x, uchar y) { return (uchar)((uint)x * y >> 8); }

// --- fast functions of single precision
float __nv_fast_sinf(float);
float __nv_fast_cosf(float);
float __nv_fast_tanf(float);
float __nv_fast_expf(float);
float __nv_fast_exp10f(float);
float __nv_fast_logf(float);
float __nv_fast_log2f(float);
float __nv_fast_log10f(float);
float __nv_fast_powf(float, float);
float __nv_fast_fdividef(float, float);
static inline __attribute__((always_inline, const)) float reciprocal(float x) {
  float value;
  __asm__("rcp.approx.f32 %0, %1;" : "=f"(value) : "f"(x));
  return value;
}
#define FAST(name, parameters, value)                         \
  float READS native_##name parameters { return value; }      \
  float READS half_##name parameters { return value; }
FAST(sin, (float x), __nv_fast_sinf(x))
FAST(cos, (float x), __nv_fast_cosf(x))
FAST(tan, (float x), __nv_fast_tanf(x))
FAST(exp, (float x), __nv_fast_expf(x))
FAST(exp2, (float x), __nvvm_ex2_approx_f(x))
FAST(exp10, (float x), __nv_fast_exp10f(x))
FAST(log, (float x), __nv_fast_logf(x))
FAST(log2, (float x), __nv_fast_log2f(x))
FAST(log10, (float x), __nv_fast_log10f(x))
FAST(sqrt, (float x), __nvvm_sqrt_approx_f(x))
FAST(rsqrt, (float x), __nvvm_rsqrt_approx_f(x))
FAST(recip, (float x), reciprocal(x))
FAST(divide, (float x, float y), __nv_fast_fdividef(x, y))
FAST(powr, (float x, float y), __nv_fast_powf(x, y))

// --- floating-point numbers of both precisions. T: the type, S: libdevice's suffix, I: the integer of its size,
// L: marks constants.
#define REAL(T, S, I, L, BITS, MANTISSA)                                                              \
  T __nv_frexp##S(T, int *);                                                                          \
  T __nv_modf##S(T, T *);                                                                             \
  T __nv_remquo##S(T, T, int *);                                                                      \
  T __nv_ldexp##S(T, int);                                                                            \
  T __nv_powi##S(T, int);                                                                             \
  int __nv_ilogb##S(T);                                                                               \
  T READS mad(T x, T y, T z) { return x * y + z; }                                                    \
  T READS rint(T x) { return __builtin_rint##S(x); }                                                  \
  T READS ldexp(T x, int n) { return __nv_ldexp##S(x, n); }                                           \
  T READS pown(T x, int n) { return __nv_powi##S(x, n); }                                             \
  T READS rootn(T x, int n) {                                                                         \
    const T root = __nv_pow##S(__nv_fabs##S(x), (T)1 / n);                                            \
    return x < 0 && (n & 1) ? -root : root;                                                           \
  }                                                                                                   \
  T READS powr(T x, T y) { return __nv_pow##S(x, y); }                                                \
  int READS ilogb(T x) { return __nv_ilogb##S(x); }                                                   \
  T READS acospi(T x) { return __nv_acos##S(x) * (T)0.31830988618379067154; }                         \
  T READS asinpi(T x) { return __nv_asin##S(x) * (T)0.31830988618379067154; }                         \
  T READS atanpi(T x) { return __nv_atan##S(x) * (T)0.31830988618379067154; }                         \
  T READS atan2pi(T y, T x) { return __nv_atan2##S(y, x) * (T)0.31830988618379067154; }               \
  T READS tanpi(T x) { return __nv_sinpi##S(x) / __nv_cospi##S(x); }                                  \
  T READS maxmag(T x, T y) {                                                                          \
    const T a = __nv_fabs##S(x), b = __nv_fabs##S(y);                                                 \
    return a > b ? x : b > a ? y : __nv_fmax##S(x, y);                                                \
  }                                                                                                   \
  T READS minmag(T x, T y) {                                                                          \
    const T a = __nv_fabs##S(x), b = __nv_fabs##S(y);                                                 \
    return a < b ? x : b < a ? y : __nv_fmin##S(x, y);                                                \
  }                                                                                                   \
  T READS max(T x, T y) { return __nv_fmax##S(x, y); }                                                \
  T READS min(T x, T y) { return __nv_fmin##S(x, y); }                                                \
  T READS clamp(T x, T low, T high) { return __nv_fmin##S(__nv_fmax##S(x, low), high); }              \
  T READS mix(T x, T y, T a) { return x + (y - x) * a; }                                              \
  T READS step(T edge, T x) { return x < edge ? (T)0 : (T)1; }                                        \
  T READS smoothstep(T low, T high, T x) {                                                            \
    const T t = clamp((x - low) / (high - low), (T)0, (T)1);                                          \
    return t * t * (3 - 2 * t);                                                                       \
  }                                                                                                   \
  T READS degrees(T x) { return x * (T)57.295779513082320877; }                                       \
  T READS radians(T x) { return x * (T)0.01745329251994329577; }                                      \
  T READS sign(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? x : (T)0; }                      \
  T READS nan(u##I code) { return __builtin_astype((u##I)(code | QUIET_##T), T); }                    \
  int READS isequal(T x, T y) { return x == y; }                                                      \
  int READS isnotequal(T x, T y) { return x != y; }                                                   \
  int READS isgreater(T x, T y) { return x > y; }                                                     \
  int READS isgreaterequal(T x, T y) { return x >= y; }                                               \
  int READS isless(T x, T y) { return x < y; }                                                        \
  int READS islessequal(T x, T y) { return x <= y; }                                                  \
  int READS islessgreater(T x, T y) { return x < y || x > y; }                                        \
  int READS isordered(T x, T y) { return x == x && y == y; }                                          \
  int READS isunordered(T x, T y) { return x != x || y != y; }                                        \
  int READS isnan(T x) { return x != x; }                                                             \
  int READS isinf(T x) { return __builtin_isinf(x); }                                                 \
  int READS isfinite(T x) { return __builtin_isfinite(x); }                                           \
  int READS isnormal(T x) { return __builtin_isnormal(x); }                                           \
  int READS signbit(T x) { return __builtin_astype(x, I) < 0; }                                       \
  T READS bitselect(T a, T b, T c) {                                                                  \
    const I keep = __builtin_astype(c, I);                                                            \
    return __builtin_astype((I)((__builtin_astype(a, I) & ~keep) | (__builtin_astype(b, I) & keep)), T); \
  }                                                                                                   \
  T READS select(T a, T b, I c) { return c ? b : a; }                                                 \
  T READS select(T a, T b, u##I c) { return c ? b : a; }
#define QUIET_float 0x7fc00000u
#define QUIET_double 0x7ff8000000000000ul
REAL(float, f, int, f, 32, 23)
REAL(double, , long, , 64, 52)

// What stores a second result.
#define SECOND(A, T, S)                                                                               \
  T FUNCTION fract(T x, A T *whole) {                                                                 \
    *whole = __nv_floor##S(x);                                                                        \
    return __nv_fmin##S(x - __nv_floor##S(x), LAST_##T);                                              \
  }                                                                                                   \
  T FUNCTION modf(T x, A T *whole) {                                                                  \
    T held;                                                                                           \
    const T part = __nv_modf##S(x, &held);                                                            \
    *whole = held;                                                                                    \
    return part;                                                                                      \
  }                                                                                                   \
  T FUNCTION sincos(T x, A T *cosine) {                                                               \
    *cosine = __nv_cos##S(x);                                                                         \
    return __nv_sin##S(x);                                                                            \
  }                                                                                                   \
  T FUNCTION frexp(T x, A int *exponent) {                                                            \
    int held;                                                                                         \
    const T part = __nv_frexp##S(x, &held);                                                           \
    *exponent = held;                                                                                 \
    return part;                                                                                      \
  }                                                                                                   \
  T FUNCTION remquo(T x, T y, A int *quotient) {                                                      \
    int held;                                                                                         \
    const T rest = __nv_remquo##S(x, y, &held);                                                       \
    *quotient = held;                                                                                 \
    return rest;                                                                                      \
  }                                                                                                   \
  T FUNCTION lgamma_r(T x, A int *sign) {                                                             \
    *sign = x < 0 && (long)__nv_floor##S(x) % 2 != 0 ? -1 : 1;                                        \
    return __nv_lgamma##S(x);                                                                         \
  }
#define LAST_float 0x1.fffffep-1f
#define LAST_double 0x1.fffffffffffffp-1
SECOND(__global, float, f) SECOND(__local, float, f) SECOND(__private, float, f)
SECOND(__global, double, ) SECOND(__local, double, ) SECOND(__private, double, )

// --- geometry
#define GEOMETRY(T)                                                                                   \
  T READS dot(T a, T b) { return a * b; }                                                             \
  T READS dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }                                       \
  T READS dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                           \
  T READS dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }               \
  T##3 READS cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }                          \
  T##4 READS cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), 0); }                         \
  T READS length(T a) { return fabs(a); }                                                             \
  T READS distance(T a, T b) { return fabs(a - b); }                                                  \
  T READS normalize(T a) { return sign(a); }
GEOMETRY(float) GEOMETRY(double)
#define SIZES(T, E)                                                                                   \
  E READS length(T a) { return sqrt(dot(a, a)); }                                                     \
  E READS distance(T a, T b) { return length(a - b); }                                                \
  T READS normalize(T a) { return a * rsqrt(dot(a, a)); }
SIZES(float2, float) SIZES(float3, float) SIZES(float4, float)
SIZES(double2, double) SIZES(double3, double) SIZES(double4, double)
#define FAST_SIZES(T)                                                                                 \
  float READS fast_length(T a) { return half_sqrt(dot(a, a)); }                                       \
  float READS fast_distance(T a, T b) { return fast_length(a - b); }                                  \
  T READS fast_normalize(T a) { return a * half_rsqrt(dot(a, a)); }
FAST_SIZES(float) FAST_SIZES(float2) FAST_SIZES(float3) FAST_SIZES(float4)

// --- atomics. `atom_` is the name that extensions give to the same. R: the kind of register, S: the space in PTX.
#define ATOM(A, S, T, R, name, operation, by)                                                         \
  T FUNCTION name {                                                                                   \
    T old;                                                                                            \
    __asm__ volatile("atom." S "." operation " %0, [%1], %2;"                                         \
                     : "=" R(old) : "l"((ulong)at), R(by) : "memory");                                \
    return old;                                                                                       \
  }
#define ATOMIC(A, S, T, K, R, N, P)                                                                   \
  ATOM(A, S, T, R, P##add(volatile A T *at, T by), "add.u" N, by)                                      \
  ATOM(A, S, T, R, P##sub(volatile A T *at, T by), "add.u" N, -by)                                     \
  ATOM(A, S, T, R, P##inc(volatile A T *at), "add.u" N, (T)1)                                          \
  ATOM(A, S, T, R, P##dec(volatile A T *at), "add.u" N, (T)-1)                                         \
  ATOM(A, S, T, R, P##min(volatile A T *at, T by), "min." K N, by)                                      \
  ATOM(A, S, T, R, P##max(volatile A T *at, T by), "max." K N, by)                                      \
  ATOM(A, S, T, R, P##and(volatile A T *at, T by), "and.b" N, by)                                      \
  ATOM(A, S, T, R, P##or(volatile A T *at, T by), "or.b" N, by)                                        \
  ATOM(A, S, T, R, P##xor(volatile A T *at, T by), "xor.b" N, by)                                      \
  ATOM(A, S, T, R, P##xchg(volatile A T *at, T by), "exch.b" N, by)                                    \
  T FUNCTION P##cmpxchg(volatile A T *at, T held, T by) {                                             \
    T old;                                                                                            \
    __asm__ volatile("atom." S ".cas.b" N " %0, [%1], %2, %3;"                                         \
                     : "=" R(old) : "l"((ulong)at), R(held), R(by) : "memory");                       \
    return old;                                                                                       \
  }
#define ATOMICS(A, S)                                                                                 \
  ATOMIC(A, S, int, "s", "r", "32", atomic_) ATOMIC(A, S, uint, "u", "r", "32", atomic_)        \
  ATOMIC(A, S, int, "s", "r", "32", atom_) ATOMIC(A, S, uint, "u", "r", "32", atom_)            \
  ATOMIC(A, S, long, "s", "l", "64", atom_) ATOMIC(A, S, ulong, "u", "l", "64", atom_)          \
  float FUNCTION atomic_xchg(volatile A float *at, float by) {                                        \
    return as_float(atomic_xchg((volatile A int *)at, as_int(by)));                                   \
  }
ATOMICS(__global, "global") ATOMICS(__local, "shared")

// --- copies by a work-group, which are done when they are called for
#define COPY(T)                                                                                       \
  event_t FUNCTION __attribute__((convergent))                                                        \
  async_work_group_copy(__local T *to, const __global T *from, size_t count, event_t event) {         \
    for (size_t i = get_local_linear_id(); i < count; i += GROUP) to[i] = from[i];                    \
    return event;                                                                                     \
  }                                                                                                   \
  event_t FUNCTION __attribute__((convergent))                                                        \
  async_work_group_copy(__global T *to, const __local T *from, size_t count, event_t event) {         \
    for (size_t i = get_local_linear_id(); i < count; i += GROUP) to[i] = from[i];                    \
    return event;                                                                                     \
  }                                                                                                   \
  event_t FUNCTION __attribute__((convergent)) async_work_group_strided_copy(                         \
      __local T *to, const __global T *from, size_t count, size_t stride, event_t event) {            \
    for (size_t i = get_local_linear_id(); i < count; i += GROUP) to[i] = from[i * stride];           \
    return event;                                                                                     \
  }                                                                                                   \
  event_t FUNCTION __attribute__((convergent)) async_work_group_strided_copy(                         \
      __global T *to, const __local T *from, size_t count, size_t stride, event_t event) {            \
    for (size_t i = get_local_linear_id(); i < count; i += GROUP) to[i * stride] = from[i];           \
    return event;                                                                                     \
  }                                                                                                   \
  void FUNCTION prefetch(const __global T *from, size_t count) {}
#define GROUP (SREG(ntid_x) * SREG(ntid_y) * SREG(ntid_z))
#define COPIES(T) COPY(T) COPY(T##2) COPY(T##3) COPY(T##4) COPY(T##8) COPY(T##16)
COPIES(char) COPIES(uchar) COPIES(short) COPIES(ushort) COPIES(int) COPIES(uint) COPIES(long) COPIES(ulong)
COPIES(float) COPIES(double)
void FUNCTION __attribute__((convergent)) wait_group_events(int count, __private event_t *events) { __syncthreads(); }

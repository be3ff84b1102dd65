// What RAFT says of numbers, and its shuffles and votes.
#pragma once
namespace raft {
constexpr int WarpSize = 32;
template <class T> __host__ __device__ constexpr T alignTo(T a, T b) { return (a + b - 1) / b * b; }
template <class T> __host__ __device__ constexpr T alignDown(T a, T b) { return a / b * b; }
template <class T> __host__ __device__ constexpr T div_rounding_up_safe(T n, T d) { return (n + d - 1) / d; }
template <class T> __host__ __device__ constexpr T div_rounding_up_unsafe(T n, T d) { return (n + d - 1) / d; }
template <class T> __host__ __device__ constexpr T round_up_safe(T n, T m) { return (n + m - 1) / m * m; }
template <class T> __host__ __device__ constexpr T round_down_safe(T n, T m) { return n / m * m; }
template <class T> __host__ __device__ T upper_bound() { return std::numeric_limits<T>::max(); }
template <class T> __host__ __device__ T lower_bound() { return std::numeric_limits<T>::lowest(); }
template <class K, class V> struct KeyValuePair {
    K key;
    V value;
};
template <auto N> struct Pow2 {
    template <class I> static __host__ __device__ I quot(I x) { return x / I(N); }
    template <class I> static __host__ __device__ I rem(I x) { return x % I(N); }
    template <class I> static __host__ __device__ I div(I x) { return x / I(N); }
    template <class I> static __host__ __device__ I mod(I x) { return x & I(N - 1); }
    template <class I> static __host__ __device__ I roundDown(I x) { return x & ~I(N - 1); }
    template <class I> static __host__ __device__ I roundUp(I x) { return (x + I(N - 1)) & ~I(N - 1); }
    template <class I> static __host__ __device__ bool isAligned(I x) { return (x & I(N - 1)) == 0; }
};
template <class T> __device__ T shfl_xor(T v, int lanes, int width = 32, unsigned mask = 0xffffffff) { return __shfl_xor_sync(mask, v, lanes, width); }
template <class T> __device__ T shfl_up(T v, int delta, int width = 32, unsigned mask = 0xffffffff) { return __shfl_up_sync(mask, v, delta, width); }
template <class T> __device__ T shfl_down(T v, int delta, int width = 32, unsigned mask = 0xffffffff) { return __shfl_down_sync(mask, v, delta, width); }
__device__ inline unsigned ballot(bool p, unsigned mask = 0xffffffff) { return __ballot_sync(mask, p); }
__device__ inline bool any(bool p, unsigned mask = 0xffffffff) { return __any_sync(mask, p); }
__device__ inline bool all(bool p, unsigned mask = 0xffffffff) { return __all_sync(mask, p); }
template <class T> __device__ void ldg(T &x, const T *p) { x = __ldg(p); }
}  // namespace raft

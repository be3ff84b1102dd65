// Macros of CUTLASS and CuTe, and the arrays that their kernels hold in registers.
#pragma once
#define CUTLASS_DEVICE __forceinline__ __device__
#define CUTLASS_HOST_DEVICE __forceinline__ __host__ __device__
#define CUTLASS_GLOBAL __global__ static
#define CUTLASS_PRAGMA_UNROLL _Pragma("unroll")
#define CUTLASS_PRAGMA_NO_UNROLL _Pragma("unroll 1")
#define CUTLASS_GEMM_LOOP _Pragma("unroll 1")
#define CUTE_DEVICE __forceinline__ __device__
#define CUTE_HOST __forceinline__ __host__
#define CUTE_HOST_DEVICE __forceinline__ __host__ __device__
#define CUTE_UNROLL _Pragma("unroll")
#define CUTE_NO_UNROLL _Pragma("unroll 1")
#define CUTE_INLINE_CONSTANT static const __device__
#define CUTE_STATIC_ASSERT static_assert
namespace cutlass {
using half_t = __half;
using bfloat16_t = __nv_bfloat16;
template <class T, int N> struct Array {
    T storage[N];
    __host__ __device__ T &operator[](int i) { return storage[i]; }
    __host__ __device__ const T &operator[](int i) const { return storage[i]; }
    __host__ __device__ T *data() { return storage; }
    __host__ __device__ void clear() { for (int i = 0; i < N; ++i) storage[i] = T(0); }
};
}

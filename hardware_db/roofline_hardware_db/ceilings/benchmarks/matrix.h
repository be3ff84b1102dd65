// Dense FP16 products with FP32 accumulation on tensor cores (NVIDIA) and matrix cores (AMD CDNA).
#pragma once
#include "runtime.h"

constexpr int MATRIX_STEPS = 2048;
constexpr int TILES = 4;  // independent accumulators of a warp, to keep the units busy

#if defined(__HIP__) || defined(__HIPCC__)

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float16v __attribute__((ext_vector_type(16)));

constexpr double MATRIX_FLOPS = 2.0 * 32 * 32 * 8;  // of one instruction of a wavefront

__global__ void matrix(float *out, float seed) {
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
  half4 a, b;
  for (int i = 0; i < 4; i++) a[i] = b[i] = (_Float16)seed;
  float16v sum[TILES];
  for (int t = 0; t < TILES; t++)
    for (int i = 0; i < 16; i++) sum[t][i] = seed;
  for (int step = 0; step < MATRIX_STEPS; step++)
    for (int t = 0; t < TILES; t++)
      sum[t] = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, sum[t], 0, 0, 0);
  float total = 0;
  for (int t = 0; t < TILES; t++)
    for (int i = 0; i < 16; i++) total += sum[t][i];
  if (total == -1.0f) *out = total;
#endif
}

// Whether a GPU of this name has matrix cores that the kernel above is written for.
inline bool has_matrix(const hipDeviceProp_t &device) {
  const char *name = device.gcnArchName;
  for (const char *known : {"gfx908", "gfx90a", "gfx942", "gfx950"}) {
    int at = 0;
    while (known[at] && known[at] == name[at]) at++;
    if (!known[at]) return true;
  }
  return false;
}

#else

#include <mma.h>

constexpr double MATRIX_FLOPS = 2.0 * 16 * 16 * 16;  // of one product of a warp

__global__ void matrix(float *out, float seed) {
#if __CUDA_ARCH__ >= 700
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> sum[TILES];
  fill_fragment(a, __float2half(seed));
  fill_fragment(b, __float2half(seed));
#pragma unroll
  for (int t = 0; t < TILES; t++) fill_fragment(sum[t], seed);
  for (int step = 0; step < MATRIX_STEPS; step++)
#pragma unroll
    for (int t = 0; t < TILES; t++) mma_sync(sum[t], a, b, sum[t]);
  float total = 0;
#pragma unroll
  for (int t = 0; t < TILES; t++)
    for (int i = 0; i < sum[t].num_elements; i++) total += sum[t].x[i];
  if (total == -1.0f) *out = total;
#endif
}

inline bool has_matrix(const cudaDeviceProp &device) { return device.major >= 7; }

#endif

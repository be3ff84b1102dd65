// Sums and scales a matrix, with templates, macros, classes and host code around the kernels.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define BLOCK 256
#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t status = (call);                                           \
    if (status != cudaSuccess) {                                           \
      fprintf(stderr, "%s failed: %s\n", #call, cudaGetErrorString(status)); \
      exit(1);                                                             \
    }                                                                      \
  } while (0)
#define FILL_KERNEL(name, type)                                 \
  __global__ void name(type *out, type value, int count) {      \
    int i = blockIdx.x * blockDim.x + threadIdx.x;              \
    if (i < count) out[i] = value;                              \
  }

namespace sums {

struct Shape {
  int rows, columns;
  __host__ __device__ int size() const { return rows * columns; }
};

template <typename T>
__device__ inline T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  return value;
}

/* One block sums one row; the first thread of each warp
   adds what its warp found. */
template <typename T, int Threads = BLOCK>
__global__ void __launch_bounds__(Threads)
row_sums(const T *__restrict__ in, T *out, Shape shape) {
  __shared__ T partial[Threads / 32];
  T sum = T(0);
#pragma unroll 4
  for (int column = threadIdx.x; column < shape.columns; column += Threads) {
    sum += in[blockIdx.x * shape.columns + column];
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < Threads / 32; i++) sum += partial[i];
    out[blockIdx.x] = sum;
  }
}

}  // namespace sums

FILL_KERNEL(fill_float, float)
FILL_KERNEL(fill_int, int)

__constant__ float weights[4] = {0.25f, 0.5f, 0.75f, 1.0f};

__global__ void scale(float *data, const float *sums, sums::Shape shape) {
  const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= shape.columns) return;  // the last block of a row
  float factor = sums[row] != 0.0f ? 1.0f / sums[row] : 1.0f;
  data[row * shape.columns + column] *= factor * weights[(row & 3)];
}

extern "C" __global__ void histogram(const unsigned char *in, int *bins, int n) {
  extern __shared__ int local[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (i < n ? in[i] : 256) {
    case 256: break;
    case '"': atomicAdd(&local[34], 1); break;
    default: atomicAdd(&local[in[i]], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

static void usage(const char *program) {
  printf("usage: %s rows columns {both > 0}\n", program);
  exit(2);
}

int main(int argc, char **argv) {
  if (argc != 3) usage(argv[0]);
  sums::Shape shape{atoi(argv[1]), atoi(argv[2])};
  float *data, *sums;
  CHECK(cudaMalloc(&data, shape.size() * sizeof(float)));
  CHECK(cudaMalloc(&sums, shape.rows * sizeof(float)));
  fill_float<<<(shape.size() + BLOCK - 1) / BLOCK, BLOCK>>>(data, 1.5f, shape.size());
  sums::row_sums<float><<<shape.rows, BLOCK>>>(data, sums, shape);
  dim3 grid((shape.columns + BLOCK - 1) / BLOCK, shape.rows);
  scale<<<grid, BLOCK>>>(data, sums, shape);
  CHECK(cudaDeviceSynchronize());
  cudaFree(data);
  cudaFree(sums);
  return 0;
}

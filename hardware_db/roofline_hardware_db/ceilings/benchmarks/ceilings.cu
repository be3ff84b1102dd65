// What a GPU reaches: DRAM copy, multiply-adds of each precision, dense FP16 matrix products.
//
// Prints one figure a line, `name value`, after the name of the device. A multiply-add counts as two
// operations. Builds with nvcc and, as HIP, with hipcc.
#include "matrix.h"

constexpr int THREADS = 256;
constexpr int CHAINS = 8;  // independent accumulators of a thread
constexpr int STEPS = 4096;

struct alignas(16) Quad {
  float values[4];
};

__global__ void copy(const Quad *in, Quad *out, size_t count) {
  size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
    out[i] = in[i];
}

template <class T>
__device__ T multiply_add(T a, T b, T c) {
  return a * b + c;
}
template <>
__device__ __half2 multiply_add(__half2 a, __half2 b, __half2 c) {
  return __hfma2(a, b, c);
}

template <class T>
__device__ T number(float value) {
  return T(value);
}
template <>
__device__ __half2 number(float value) {
  return __float2half2_rn(value);
}

template <class T>
__device__ bool is_zero(T value) {
  return value == T(0);
}
template <>
__device__ bool is_zero(__half2 value) {
  return __low2float(value) == 0.0f;
}

template <class T>
__global__ void chains(T *out, float seed) {
  T factor = number<T>(seed), sum[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++) sum[c] = number<T>(seed + float(threadIdx.x + c));
  for (int step = 0; step < STEPS; step++)
#pragma unroll
    for (int c = 0; c < CHAINS; c++) sum[c] = multiply_add(sum[c], factor, factor);
  bool zero = false;
#pragma unroll
  for (int c = 0; c < CHAINS; c++) zero = zero || is_zero(sum[c]);
  if (zero && seed == -1.0f) *out = sum[0];
}

// Tera-operations per second of the chains of one type, each element `lanes` numbers wide.
template <class T>
double chain_tera(int multiprocessors, int lanes, void *scratch) {
  int blocks = multiprocessors * 16;
  double seconds =
      best_seconds([&] { chains<T><<<blocks, THREADS>>>(static_cast<T *>(scratch), 3.0f); });
  return 2.0 * lanes * CHAINS * STEPS * double(THREADS) * blocks / seconds * 1e-12;
}

int main() {
  int count = 0;
  MUST(GPU(GetDeviceCount)(&count));
  if (count == 0) {
    std::fprintf(stderr, "no device\n");
    return 1;
  }
#if defined(__HIP__) || defined(__HIPCC__)
  hipDeviceProp_t device;
#else
  cudaDeviceProp device;
#endif
  MUST(GPU(GetDeviceProperties)(&device, 0));
  std::printf("device %s\n", device.name);
  int multiprocessors = device.multiProcessorCount;

  size_t available = 0, total = 0;
  MUST(GPU(MemGetInfo)(&available, &total));
  size_t bytes = available / 4 < (size_t(1) << 30) ? available / 4 : size_t(1) << 30;
  bytes -= bytes % sizeof(Quad);
  Quad *in = nullptr, *out = nullptr;
  MUST(GPU(Malloc)(reinterpret_cast<void **>(&in), bytes));
  MUST(GPU(Malloc)(reinterpret_cast<void **>(&out), bytes));
  MUST(GPU(Memset)(in, 0, bytes));
  double seconds =
      best_seconds([&] { copy<<<multiprocessors * 32, THREADS>>>(in, out, bytes / sizeof(Quad)); });
  std::printf("memory_bandwidth_gbs %.6g\n", 2.0 * bytes / seconds * 1e-9);

  std::printf("fp64_tflops %.6g\n", chain_tera<double>(multiprocessors, 1, out));
  std::printf("fp32_tflops %.6g\n", chain_tera<float>(multiprocessors, 1, out));
  std::printf("fp16_tflops %.6g\n", chain_tera<__half2>(multiprocessors, 2, out));
  std::printf("int32_tops %.6g\n", chain_tera<int>(multiprocessors, 1, out));
  if (has_matrix(device)) {
    int blocks = multiprocessors * 8, warps = THREADS / device.warpSize;
    seconds =
        best_seconds([&] { matrix<<<blocks, THREADS>>>(reinterpret_cast<float *>(out), 0.5f); });
    double products = double(MATRIX_STEPS) * TILES * warps * blocks;
    std::printf("tensor_fp16_tflops %.6g\n", MATRIX_FLOPS * products / seconds * 1e-12);
  }
  return 0;
}

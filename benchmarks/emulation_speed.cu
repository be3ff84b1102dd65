// Kernels of different kinds for emulation_speed.py: arithmetic, shared memory, gathers, diverging loops,
// double precision.
#include <cuda_runtime.h>

constexpr int N = 4096;

extern "C" __global__ void bodies(int n, const float4 *p, float3 *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = p[i];
  float x = 0, y = 0, z = 0;
  for (int j = 0; j < n; j++) {
    float4 q = p[j];
    float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
    r = r * r * r * q.w;
    x += dx * r, y += dy * r, z += dz * r;
  }
  a[i] = make_float3(x, y, z);
}

extern "C" __global__ void tiles(int n, const float *A, const float *B, float *C) {
  __shared__ float a[16][16], b[16][16];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    a[y][x] = A[row * n + k + x];
    b[y][x] = B[(k + y) * n + column];
    __syncthreads();
    for (int t = 0; t < 16; t++) sum += a[y][t] * b[t][x];
    __syncthreads();
  }
  C[row * n + column] = sum;
}

extern "C" __global__ void gathers(int n, const int *index, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 64; k++) sum += x[(index[i] * 7919 + k * 104729) & (n - 1)];
  y[i] = sum;
}

extern "C" __global__ void diverging(const int *index, int *steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = index[i] + 1;
  int count = 0;
  while (value != 1) value = value & 1 ? 3 * value + 1 : value / 2, count++;
  steps[i] = count;
}

extern "C" __global__ void doubles(int n, double *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double value = x[i];
  for (int k = 0; k < n; k++) value = value * 1.0000001 + sqrt(value);
  x[i] = value;
}

int main() {
  float *memory;
  cudaMalloc(&memory, 64 << 20);
  int host[16 * N];
  for (int i = 0; i < 16 * N; i++) host[i] = i;
  int *index;
  cudaMalloc(&index, sizeof host);
  cudaMemcpy(index, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(memory, 0, 64 << 20);
  bodies<<<N / 256, 256>>>(N, (float4 *)memory, (float3 *)(memory + 8 * N));
  tiles<<<dim3(32, 32), dim3(16, 16)>>>(512, memory, memory + 512 * 512, memory + 2 * 512 * 512);
  gathers<<<16 * N / 256, 256>>>(8 << 20, index, memory, memory + (8 << 20));
  diverging<<<16 * N / 256, 256>>>(index, (int *)memory);
  doubles<<<N / 128, 128>>>(1000, (double *)memory);
  return cudaDeviceSynchronize();
}

// What goes wrong in kernels: the argument says which. test_execution.py knows the lines by their names.
#include <cassert>
#include <cstdio>
#include <cstdlib>

__global__ void fine(int *p) { p[threadIdx.x] = int(threadIdx.x); }

__global__ void fails(int *p, int n, int how) {  // two blocks of 64
  __shared__ int s[64];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = t;
  if (how == 0 && t == 70) p[t] = p[n + t];  // @beyond
  if (how == 1) p[t] += 1;  // @released
  if (how == 2 && t == 70) *reinterpret_cast<long long *>(p + 1) = 5;  // @misaligned
  if (how == 3) {
    if (threadIdx.x < 32) asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
    else asm volatile("barrier.cta.sync 2, 64;" ::: "memory");
  }
  if (how == 4 && t == 70) __trap();  // @trap
  assert(how != 5 || t != 70);  // @assertion
  if (how == 6 && t == 70) p[t] = s[t + n];  // @shared
}

int main(int, char **arguments) {
  const int how = std::atoi(arguments[1]);
  int *p = nullptr, *other = nullptr;
  cudaMalloc(&other, 1000), cudaMalloc(&p, 128 * sizeof(int)), cudaMemset(p, 0, 512);
  fine<<<1, 64>>>(p);
  cudaDeviceSynchronize();
  if (how == 1) cudaFree(p);
  fails<<<2, 64>>>(p, 128, how);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

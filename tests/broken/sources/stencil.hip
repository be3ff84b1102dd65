// A two-dimensional stencil and a saxpy, launched in both of HIP's ways.
#include <hip/hip_runtime.h>
#include <vector>
#include <iostream>

constexpr int tile = 16;

__device__ __forceinline__ float blend(float centre, float around) {
  return 0.5f * centre + 0.125f * around;
}

__global__ void saxpy(float a, const float *x, float *y, size_t n) {
  size_t i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  for (; i < n; i += hipGridDim_x * hipBlockDim_x) {
    y[i] = fmaf(a, x[i], y[i]);
  }
}

__global__ void stencil(const float *in, float *out, int width, int height) {
  __shared__ float cell[tile + 2][tile + 2];
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  auto at = [=](int cx, int cy) {
    cx = max(0, min(cx, width - 1));
    cy = max(0, min(cy, height - 1));
    return in[cy * width + cx];
  };
  cell[ty][tx] = at(x, y);
  if (tx == 1) { cell[ty][0] = at(x - 1, y); cell[ty][tile + 1] = at(x + tile, y); }
  if (ty == 1) {
    cell[0][tx] = at(x, y - 1);
    cell[tile + 1][tx] = at(x, y + tile);
  }
  __syncthreads();
  if (x < width && y < height) {
    float around = cell[ty][tx - 1] + cell[ty][tx + 1] + cell[ty - 1][tx] + cell[ty + 1][tx];
    out[y * width + x] = blend(cell[ty][tx], around);
  }
}

template <class Op>
__global__ void transform(double *values, int n, Op op) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = op(values[i]);
}

struct Square {
  __device__ double operator()(double v) const { return v * v; }
};

class Field {
 public:
  explicit Field(int width, int height) : width_(width), height_(height) {
    hipMalloc((void **)&data_, sizeof(float) * width * height);
  }
  ~Field() { hipFree(data_); }
  float *data() { return data_; }

 private:
  int width_, height_;
  float *data_ = nullptr;
};

int main() {
  const int width = 1024, height = 768;
  Field a(width, height), b(width, height);
  dim3 block(tile, tile), grid(width / tile, height / tile);
  for (int step = 0; step < 10; ++step) {
    hipLaunchKernelGGL(stencil, grid, block, 0, 0, a.data(), b.data(), width, height);
    hipLaunchKernelGGL(saxpy, dim3(96), dim3(256), 0, 0, 2.0f, a.data(), b.data(), width * height);
  }
  double *values;
  hipMalloc(&values, 4096 * sizeof(double));
  transform<Square><<<16, 256>>>(values, 4096, Square{});
  hipDeviceSynchronize();
  std::cout << "done, \"" << width << "\" wide\n";
  return 0;
}

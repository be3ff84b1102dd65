// y = a x + y, the plainest streaming kernel.
//
// usage: saxpy [elements]

#include <cmath>
#include <vector>

#include "check.cuh"

__global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 24;
    const float a = 2.5f;
    const size_t bytes = n * sizeof(float);

    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i % 1000);
        y[i] = 1.0f;
    }

    float *d_x, *d_y;
    CUDA_CHECK(cudaMalloc(&d_x, bytes));
    CUDA_CHECK(cudaMalloc(&d_y, bytes));
    CUDA_CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice));

    const int block = 256;
    const int grid = (n + block - 1) / block;
    saxpy<<<grid, block>>>(n, a, d_x, d_y);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(y.data(), d_y, bytes, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        wrong += std::fabs(y[i] - (a * x[i] + 1.0f)) > 1e-3f;
    }
    printf("saxpy: %d elements, %d wrong\n", n, wrong);

    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

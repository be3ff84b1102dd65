// C = A B for square row-major matrices, one thread for each element of C and no shared memory.
//
// usage: gemm_naive [n]

#include <vector>

#include "check.cuh"
#include "gemm_check.cuh"

__global__ void gemm_naive(int n, const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ c) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) {
        sum += a[row * n + k] * b[k * n + col];
    }
    c[row * n + col] = sum;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1024;
    const size_t bytes = static_cast<size_t>(n) * n * sizeof(float);

    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = static_cast<float>(i % 17) / 17.0f;
        b[i] = static_cast<float>(i % 29) / 29.0f - 0.5f;
    }

    float *d_a, *d_b, *d_c;
    CUDA_CHECK(cudaMalloc(&d_a, bytes));
    CUDA_CHECK(cudaMalloc(&d_b, bytes));
    CUDA_CHECK(cudaMalloc(&d_c, bytes));
    CUDA_CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));

    const dim3 block(16, 16);
    const dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
    gemm_naive<<<grid, block>>>(n, d_a, d_b, d_c);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
    const int wrong = count_wrong(n, a, b, c);
    printf("gemm_naive: %d x %d, %d of the sampled elements wrong\n", n, n, wrong);

    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_c));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

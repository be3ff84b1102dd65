// The sum of an array: grid-stride loads, warp shuffles, a shared word a warp, an atomic a block.
//
// usage: reduction [elements]

#include <cmath>
#include <vector>

#include "check.cuh"

constexpr int BLOCK = 256;
constexpr int WARP = 32;

__device__ float warp_sum(float value) {
    for (int offset = WARP / 2; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    return value;
}

__global__ void reduce_sum(int n, const float* __restrict__ in, float* __restrict__ total) {
    __shared__ float warp_totals[BLOCK / WARP];

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
    }

    sum = warp_sum(sum);
    const int lane = threadIdx.x % WARP;
    const int warp = threadIdx.x / WARP;
    if (lane == 0) {
        warp_totals[warp] = sum;
    }
    __syncthreads();

    if (warp == 0) {
        sum = lane < BLOCK / WARP ? warp_totals[lane] : 0.0f;
        sum = warp_sum(sum);
        if (lane == 0) {
            atomicAdd(total, sum);
        }
    }
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 25;
    const size_t bytes = n * sizeof(float);

    std::vector<float> in(n);
    double expected = 0.0;
    for (int i = 0; i < n; ++i) {
        in[i] = static_cast<float>(i % 8) * 0.125f;
        expected += in[i];
    }

    float *d_in, *d_total;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_total, sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(d_total, 0, sizeof(float)));

    const int grid = 68 * 6;  // six blocks of 256 fill each multiprocessor of an RTX 3080
    reduce_sum<<<grid, BLOCK>>>(n, d_in, d_total);
    CUDA_CHECK_LAUNCH();

    float total = 0.0f;
    CUDA_CHECK(cudaMemcpy(&total, d_total, sizeof(float), cudaMemcpyDeviceToHost));
    const bool right = std::fabs(total - expected) <= 1e-4 * expected;
    printf("reduction: %d elements, sum %.1f, expected %.1f\n", n, total, expected);

    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_total));
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

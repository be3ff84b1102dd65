// Heat on a square plate: an explicit 5-point step, iterated by swapping two grids. The border
// stays as it is.
//
// usage: stencil2d [n [steps]]

#include <cmath>
#include <utility>
#include <vector>

#include "check.cuh"

__global__ void heat_step(int n, float k, const float* __restrict__ in, float* __restrict__ out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1) {
        return;
    }
    const int i = y * n + x;
    const float center = in[i];
    out[i] = center + k * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4.0f * center);
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 4096;
    const int steps = argc > 2 ? atoi(argv[2]) : 100;
    const float k = 0.2f;
    const size_t bytes = static_cast<size_t>(n) * n * sizeof(float);

    // A product of sines that vanishes on the border: each step multiplies it by the same factor.
    const double pi = 3.14159265358979323846;
    const double frequency = pi * (n / 32) / (n - 1);
    std::vector<double> wave(n);
    for (int i = 0; i < n; ++i) {
        wave[i] = std::sin(frequency * i);
    }
    std::vector<float> plate(static_cast<size_t>(n) * n);
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
            plate[static_cast<size_t>(y) * n + x] = static_cast<float>(wave[x] * wave[y]);
        }
    }

    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, plate.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_out, plate.data(), bytes, cudaMemcpyHostToDevice));

    const dim3 block(32, 8);
    const dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
    for (int step = 0; step < steps; ++step) {
        heat_step<<<grid, block>>>(n, k, d_in, d_out);
        CUDA_CHECK(cudaGetLastError());
        std::swap(d_in, d_out);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(plate.data(), d_in, bytes, cudaMemcpyDeviceToHost));

    const double half = std::sin(frequency / 2.0);
    const double decay = std::pow(1.0 - 8.0 * k * half * half, steps);
    int wrong = 0;
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
            const double expected = decay * wave[x] * wave[y];
            wrong += std::fabs(plate[static_cast<size_t>(y) * n + x] - expected) > 1e-3;
        }
    }
    printf("stencil2d: %d x %d, %d steps, %d points wrong\n", n, n, steps, wrong);

    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

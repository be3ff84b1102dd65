// A matrix transposed through a tile in shared memory, so that rows are read and written whole.
//
// usage: transpose [n], a multiple of 32

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <hip/hip_runtime.h>

#define HIP_CHECK(call)                                                        \
    do {                                                                       \
        const hipError_t status_ = (call);                                     \
        if (status_ != hipSuccess) {                                           \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                         hipGetErrorString(status_));                          \
            std::exit(EXIT_FAILURE);                                           \
        }                                                                      \
    } while (0)

constexpr int TILE = 32;
constexpr int ROWS = 8;

__global__ void transpose(int n, const float* __restrict__ in, float* __restrict__ out) {
    __shared__ float tile[TILE][TILE + 1];  // a column more, against bank conflicts
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS) {
        tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    }
    __syncthreads();
    const int to_x = blockIdx.y * TILE + threadIdx.x;
    const int to_y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS) {
        out[(to_y + row) * n + to_x] = tile[threadIdx.x][threadIdx.y + row];
    }
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 4096;
    const size_t count = static_cast<size_t>(n) * n;
    std::vector<float> in(count), out(count);
    for (size_t i = 0; i < count; ++i) {
        in[i] = static_cast<float>(i % 9973);
    }

    float *d_in, *d_out;
    HIP_CHECK(hipMalloc(&d_in, count * sizeof(float)));
    HIP_CHECK(hipMalloc(&d_out, count * sizeof(float)));
    HIP_CHECK(hipMemcpy(d_in, in.data(), count * sizeof(float), hipMemcpyHostToDevice));

    const dim3 block(TILE, ROWS);
    const dim3 grid(n / TILE, n / TILE);
    hipLaunchKernelGGL(transpose, grid, block, 0, 0, n, d_in, d_out);
    HIP_CHECK(hipGetLastError());

    HIP_CHECK(hipMemcpy(out.data(), d_out, count * sizeof(float), hipMemcpyDeviceToHost));
    size_t wrong = 0;
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
            wrong += out[static_cast<size_t>(x) * n + y] != in[static_cast<size_t>(y) * n + x];
        }
    }
    printf("transpose: %d x %d, %zu wrong\n", n, n, wrong);

    HIP_CHECK(hipFree(d_in));
    HIP_CHECK(hipFree(d_out));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// C = A B for square row-major matrices: 64 x 64 tiles of C, their inputs staged through shared
// memory, 4 x 4 elements a thread.
//
// usage: gemm_tiled [n]          n must be a multiple of 64

#include <vector>

#include "check.cuh"
#include "gemm_check.cuh"

constexpr int TILE = 64;   // rows and columns of C per block
constexpr int DEPTH = 16;  // columns of A and rows of B staged at a time
constexpr int MICRO = 4;   // rows and columns of C per thread
constexpr int SIDE = TILE / MICRO;
constexpr int THREADS = SIDE * SIDE;

__global__ void __launch_bounds__(THREADS)
    gemm_tiled(int n, const float* __restrict__ a, const float* __restrict__ b,
               float* __restrict__ c) {
    __shared__ float a_tile[DEPTH][TILE + 2];  // transposed; the pad avoids bank conflicts
    __shared__ float b_tile[DEPTH][TILE];

    const int thread = threadIdx.y * SIDE + threadIdx.x;
    const int row0 = blockIdx.y * TILE;
    const int col0 = blockIdx.x * TILE;

    float sum[MICRO][MICRO] = {};
    for (int k0 = 0; k0 < n; k0 += DEPTH) {
        for (int i = thread; i < TILE * DEPTH; i += THREADS) {
            a_tile[i % DEPTH][i / DEPTH] = a[(row0 + i / DEPTH) * n + k0 + i % DEPTH];
            b_tile[i / TILE][i % TILE] = b[(k0 + i / TILE) * n + col0 + i % TILE];
        }
        __syncthreads();

#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            float a_frag[MICRO], b_frag[MICRO];
#pragma unroll
            for (int m = 0; m < MICRO; ++m) {
                a_frag[m] = a_tile[k][threadIdx.y + m * SIDE];
                b_frag[m] = b_tile[k][threadIdx.x + m * SIDE];
            }
#pragma unroll
            for (int i = 0; i < MICRO; ++i) {
#pragma unroll
                for (int j = 0; j < MICRO; ++j) {
                    sum[i][j] += a_frag[i] * b_frag[j];
                }
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < MICRO; ++i) {
#pragma unroll
        for (int j = 0; j < MICRO; ++j) {
            c[(row0 + threadIdx.y + i * SIDE) * n + col0 + threadIdx.x + j * SIDE] = sum[i][j];
        }
    }
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 2048;
    if (n <= 0 || n % TILE != 0) {
        fprintf(stderr, "gemm_tiled: n must be a positive multiple of %d\n", TILE);
        return EXIT_FAILURE;
    }
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

    const dim3 block(SIDE, SIDE);
    const dim3 grid(n / TILE, n / TILE);
    gemm_tiled<<<grid, block>>>(n, d_a, d_b, d_c);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
    const int wrong = count_wrong(n, a, b, c);
    printf("gemm_tiled: %d x %d, %d of the sampled elements wrong\n", n, n, wrong);

    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_c));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

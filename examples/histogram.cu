// How often each byte value occurs: a private histogram in shared memory for each block, merged at
// the end.
//
// usage: histogram [bytes]       a multiple of 4

#include <vector>

#include "check.cuh"

constexpr int BINS = 256;

// `words` holds four bytes a word, so that a warp reads 128 bytes at a time.
__global__ void histogram(int n_words, const unsigned int* __restrict__ words,
                          unsigned int* __restrict__ counts) {
    __shared__ unsigned int local[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        local[bin] = 0;
    }
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n_words; i += gridDim.x * blockDim.x) {
        const unsigned int word = words[i];
        atomicAdd(&local[word & 0xffu], 1u);
        atomicAdd(&local[(word >> 8) & 0xffu], 1u);
        atomicAdd(&local[(word >> 16) & 0xffu], 1u);
        atomicAdd(&local[word >> 24], 1u);
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&counts[bin], local[bin]);
    }
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 26;
    if (n <= 0 || n % 4 != 0) {
        fprintf(stderr, "histogram: the number of bytes must be a positive multiple of 4\n");
        return EXIT_FAILURE;
    }

    std::vector<unsigned char> data(n);
    std::vector<unsigned int> expected(BINS, 0), counts(BINS);
    unsigned int state = 12345u;
    for (int i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        data[i] = static_cast<unsigned char>(state >> 24);
        ++expected[data[i]];
    }

    unsigned int *d_words, *d_counts;
    CUDA_CHECK(cudaMalloc(&d_words, n));
    CUDA_CHECK(cudaMalloc(&d_counts, BINS * sizeof(unsigned int)));
    CUDA_CHECK(cudaMemcpy(d_words, data.data(), n, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(d_counts, 0, BINS * sizeof(unsigned int)));

    const int block = 256;
    const int grid = 68 * 6;  // six blocks of 256 fill each multiprocessor of an RTX 3080
    histogram<<<grid, block>>>(n / 4, d_words, d_counts);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(
        cudaMemcpy(counts.data(), d_counts, BINS * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int bin = 0; bin < BINS; ++bin) {
        wrong += counts[bin] != expected[bin];
    }
    printf("histogram: %d bytes, %d of %d bins wrong\n", n, wrong, BINS);

    CUDA_CHECK(cudaFree(d_words));
    CUDA_CHECK(cudaFree(d_counts));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Softmax of each row of a matrix, one block a row: maximum, sum of exponentials, quotients.
//
// usage: softmax [rows [columns]]

#include <cmath>
#include <vector>

#include "check.cuh"

constexpr int BLOCK = 256;
constexpr int WARPS = BLOCK / 32;

// The maximum of `value` over the block, in every thread. `scratch` has one word for each warp.
__device__ float block_max(float value, float* scratch) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
    }
    if (threadIdx.x % 32 == 0) {
        scratch[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = scratch[0];
    for (int warp = 1; warp < WARPS; ++warp) {
        value = fmaxf(value, scratch[warp]);
    }
    __syncthreads();
    return value;
}

// The sum of `value` over the block, in every thread. `scratch` has one word for each warp.
__device__ float block_sum(float value, float* scratch) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        scratch[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = scratch[0];
    for (int warp = 1; warp < WARPS; ++warp) {
        value += scratch[warp];
    }
    __syncthreads();
    return value;
}

__global__ void softmax(int columns, const float* __restrict__ in, float* __restrict__ out) {
    __shared__ float scratch[WARPS];

    const float* row_in = in + static_cast<size_t>(blockIdx.x) * columns;
    float* row_out = out + static_cast<size_t>(blockIdx.x) * columns;

    float largest = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += BLOCK) {
        largest = fmaxf(largest, row_in[i]);
    }
    largest = block_max(largest, scratch);

    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += BLOCK) {
        sum += expf(row_in[i] - largest);
    }
    sum = block_sum(sum, scratch);

    const float inverse = 1.0f / sum;
    for (int i = threadIdx.x; i < columns; i += BLOCK) {
        row_out[i] = expf(row_in[i] - largest) * inverse;
    }
}

// Compares a sample of rows with softmax in double precision.
static int count_wrong(int rows, int columns, const std::vector<float>& in,
                       const std::vector<float>& out) {
    int wrong = 0;
    for (int s = 0; s < 64; ++s) {
        const size_t row = static_cast<size_t>((s * 131) % rows) * columns;
        double largest = in[row];
        for (int i = 1; i < columns; ++i) {
            largest = std::fmax(largest, in[row + i]);
        }
        double sum = 0.0;
        for (int i = 0; i < columns; ++i) {
            sum += std::exp(in[row + i] - largest);
        }
        for (int i = 0; i < columns; ++i) {
            const double expected = std::exp(in[row + i] - largest) / sum;
            wrong += std::fabs(out[row + i] - expected) > 1e-4 * expected + 1e-9;
        }
    }
    return wrong;
}

int main(int argc, char** argv) {
    const int rows = argc > 1 ? atoi(argv[1]) : 8192;
    const int columns = argc > 2 ? atoi(argv[2]) : 4096;
    const size_t count = static_cast<size_t>(rows) * columns;
    const size_t bytes = count * sizeof(float);

    std::vector<float> in(count), out(count);
    unsigned int state = 7u;
    for (float& value : in) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<float>(state >> 8) / 16777216.0f * 20.0f - 10.0f;
    }

    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));

    softmax<<<rows, BLOCK>>>(columns, d_in, d_out);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    const int wrong = count_wrong(rows, columns, in, out);
    printf("softmax: %d x %d, %d of the sampled elements wrong\n", rows, columns, wrong);

    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

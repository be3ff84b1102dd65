// y = A x for a sparse matrix in compressed rows, one warp a row, double precision.
//
// usage: spmv_csr [rows [nonzeros per row]]

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.cuh"

constexpr int WARP = 32;
constexpr int BLOCK = 256;

__global__ void spmv_csr(int rows, const int* __restrict__ row_start,
                         const int* __restrict__ column, const double* __restrict__ value,
                         const double* __restrict__ x, double* __restrict__ y) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const int lane = threadIdx.x % WARP;
    if (row >= rows) {
        return;
    }

    double sum = 0.0;
    for (int k = row_start[row] + lane; k < row_start[row + 1]; k += WARP) {
        sum += value[k] * x[column[k]];
    }
    for (int offset = WARP / 2; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}

int main(int argc, char** argv) {
    const int rows = argc > 1 ? atoi(argv[1]) : 1 << 18;
    const int per_row = argc > 2 ? atoi(argv[2]) : 64;
    const int nonzeros = rows * per_row;

    // A band around the diagonal, clipped at the ends.
    std::vector<int> row_start(rows + 1), column(nonzeros);
    std::vector<double> value(nonzeros), x(rows), y(rows);
    for (int row = 0; row < rows; ++row) {
        row_start[row] = row * per_row;
        x[row] = 1.0 + row % 7;
        for (int k = 0; k < per_row; ++k) {
            column[row * per_row + k] =
                std::min(std::max(row + 3 * (k - per_row / 2), 0), rows - 1);
            value[row * per_row + k] = 1.0 / (1 + k);
        }
    }
    row_start[rows] = nonzeros;

    int *d_row_start, *d_column;
    double *d_value, *d_x, *d_y;
    CUDA_CHECK(cudaMalloc(&d_row_start, (rows + 1) * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_column, nonzeros * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_value, nonzeros * sizeof(double)));
    CUDA_CHECK(cudaMalloc(&d_x, rows * sizeof(double)));
    CUDA_CHECK(cudaMalloc(&d_y, rows * sizeof(double)));
    CUDA_CHECK(cudaMemcpy(d_row_start, row_start.data(), (rows + 1) * sizeof(int),
                          cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_column, column.data(), nonzeros * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CHECK(
        cudaMemcpy(d_value, value.data(), nonzeros * sizeof(double), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_x, x.data(), rows * sizeof(double), cudaMemcpyHostToDevice));

    const int rows_per_block = BLOCK / WARP;
    const int grid = (rows + rows_per_block - 1) / rows_per_block;
    spmv_csr<<<grid, BLOCK>>>(rows, d_row_start, d_column, d_value, d_x, d_y);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(y.data(), d_y, rows * sizeof(double), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int row = 0; row < rows; ++row) {
        double expected = 0.0;
        for (int k = row_start[row]; k < row_start[row + 1]; ++k) {
            expected += value[k] * x[column[k]];
        }
        wrong += std::fabs(y[row] - expected) > 1e-9 * std::fabs(expected);
    }
    printf("spmv_csr: %d rows, %d nonzeros, %d rows wrong\n", rows, nonzeros, wrong);

    CUDA_CHECK(cudaFree(d_row_start));
    CUDA_CHECK(cudaFree(d_column));
    CUDA_CHECK(cudaFree(d_value));
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

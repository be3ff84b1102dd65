#include "missing.cuh"

__global__ void half_written(int n, float* y) {
    for (int i = 0; i < n; ++i {
        y[i] = 1.0f;
    }
}

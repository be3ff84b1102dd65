#include <cstdlib>
#include <cuda_runtime.h>

__global__ void iterate(int n, int steps, float *v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float x = v[i];
    for (int k = 0; k < steps; k++) {
        x = x * x - 0.75f;
    }
    v[i] = x;
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int steps = atoi(argv[2]);
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemset(v, 0, n * sizeof(float));
    iterate<<<(n + 255) / 256, 256>>>(n, steps, v);
    cudaDeviceSynchronize();
    cudaFree(v);
    return 0;
}

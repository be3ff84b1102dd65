#include <cstdlib>
#include <cuda_runtime.h>

__global__ void blend(int n, float share, const float *a, const float *b, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = share * a[i] + (1.0f - share) * b[i];
    }
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *a, *b, *out;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(a, 0, n * sizeof(float));
    cudaMemset(b, 0, n * sizeof(float));
    blend<<<(n + 255) / 256, 256>>>(n, 0.25f, a, b, out);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
    return 0;
}

#include <cstdlib>

// Three streams of floats and nothing else: on every GPU it should be as fast as memory.
// roofline: expect BB on A100; expect BB on H100
// roofline: budget dram_bytes <= 12.1*n; budget time_us <= 200
__global__ void axpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    axpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    cudaDeviceSynchronize();
}

// Constants in double precision in a kernel that otherwise computes in single precision.

__global__ void halves(int n, const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        for (int k = 0; k < 64; ++k) {
            v = v * 0.5 + 1.0f;
        }
        y[i] = v;
    }
}

int main() {
    const int n = 1 << 22;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    halves<<<n / 256, 256>>>(n, x, y);
    return 0;
}

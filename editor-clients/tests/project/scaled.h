// A kernel in a header that nothing includes.
__global__ void scaled(float* y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * y[i];
    }
}

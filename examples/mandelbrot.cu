// Escape times of the Mandelbrot set in double precision, one thread a pixel.
//
// usage: mandelbrot [width [height [iterations]]]

#include <vector>

#include "check.cuh"

// How many steps of z = z^2 + c stay within |z| <= 2, at most `limit`.
__host__ __device__ int escape_time(double cx, double cy, int limit) {
    double x = 0.0;
    double y = 0.0;
    for (int i = 0; i < limit; ++i) {
        const double xx = x * x;
        const double yy = y * y;
        if (xx + yy > 4.0) {
            return i;
        }
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
    }
    return limit;
}

__global__ void mandelbrot(int width, int height, int limit, double left, double top, double step,
                           int* __restrict__ out) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px < width && py < height) {
        out[py * width + px] = escape_time(left + px * step, top - py * step, limit);
    }
}

int main(int argc, char** argv) {
    const int width = argc > 1 ? atoi(argv[1]) : 1920;
    const int height = argc > 2 ? atoi(argv[2]) : 1080;
    const int limit = argc > 3 ? atoi(argv[3]) : 1000;
    const double left = -2.2;
    const double step = 3.2 / width;
    const double top = step * height / 2.0;
    const size_t bytes = static_cast<size_t>(width) * height * sizeof(int);

    int* d_out;
    CUDA_CHECK(cudaMalloc(&d_out, bytes));

    const dim3 block(16, 16);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    mandelbrot<<<grid, block>>>(width, height, limit, left, top, step, d_out);
    CUDA_CHECK_LAUNCH();

    std::vector<int> out(static_cast<size_t>(width) * height);
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));

    // The host rounds otherwise (no fused multiply-add), so pixels near the border may differ.
    int sampled = 0;
    int differ = 0;
    for (int py = 0; py < height; py += 16) {
        for (int px = 0; px < width; px += 16) {
            ++sampled;
            differ += out[static_cast<size_t>(py) * width + px] !=
                      escape_time(left + px * step, top - py * step, limit);
        }
    }
    printf("mandelbrot: %d x %d, %d of %d sampled pixels differ from the host\n", width, height,
           differ, sampled);

    CUDA_CHECK(cudaFree(d_out));
    return differ * 50 <= sampled ? EXIT_SUCCESS : EXIT_FAILURE;
}

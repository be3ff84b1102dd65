// A square filter over an image that is surrounded by RADIUS pixels on each side.

#define RADIUS 8
#define WIDTH (2 * RADIUS + 1)

__kernel void convolution(int columns, int rows, __global const float* in,
                          __constant float* weights, __global float* out) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= columns || y >= rows) {
        return;
    }
    const int stride = columns + 2 * RADIUS;
    float sum = 0.0f;
    for (int j = 0; j < WIDTH; ++j) {
        for (int i = 0; i < WIDTH; ++i) {
            sum = fma(weights[j * WIDTH + i], in[(y + j) * stride + x + i], sum);
        }
    }
    out[y * columns + x] = sum;
}

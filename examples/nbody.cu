// Gravitational accelerations of n bodies by all pairs, bodies staged through shared memory a tile
// at a time.
//
// usage: nbody [bodies]          a multiple of 256

#include <cmath>
#include <vector>

#include "check.cuh"

constexpr int TILE = 256;  // bodies staged at a time; one per thread of the block
constexpr float SOFTENING = 1e-3f;

// Adds to `acc` what `other` (x, y, z, mass) does to a body at `self`.
__device__ float3 add_pull(float3 acc, float4 self, float4 other) {
    const float dx = other.x - self.x;
    const float dy = other.y - self.y;
    const float dz = other.z - self.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
    const float scale = other.w * inverse * inverse * inverse;
    acc.x += dx * scale;
    acc.y += dy * scale;
    acc.z += dz * scale;
    return acc;
}

__global__ void accelerations(int n, const float4* __restrict__ bodies, float4* __restrict__ out) {
    __shared__ float4 tile[TILE];

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 self = bodies[i];
    float3 acc = make_float3(0.0f, 0.0f, 0.0f);
    for (int first = 0; first < n; first += TILE) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; ++j) {
            acc = add_pull(acc, self, tile[j]);
        }
        __syncthreads();
    }
    out[i] = make_float4(acc.x, acc.y, acc.z, 0.0f);
}

// Compares the accelerations of a sample of bodies with sums in double precision.
static int count_wrong(const std::vector<float4>& bodies, const std::vector<float4>& result) {
    const int n = static_cast<int>(bodies.size());
    int wrong = 0;
    for (int s = 0; s < 32; ++s) {
        const int i = (s * 977) % n;
        double acc[3] = {};
        for (const float4& other : bodies) {
            const double d[3] = {other.x - bodies[i].x, other.y - bodies[i].y,
                                 other.z - bodies[i].z};
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTENING;
            const double scale = other.w / (r2 * std::sqrt(r2));
            for (int axis = 0; axis < 3; ++axis) {
                acc[axis] += d[axis] * scale;
            }
        }
        const double size = std::sqrt(acc[0] * acc[0] + acc[1] * acc[1] + acc[2] * acc[2]);
        const double error = std::fabs(result[i].x - acc[0]) + std::fabs(result[i].y - acc[1]) +
                             std::fabs(result[i].z - acc[2]);
        wrong += error > 1e-3 * size;
    }
    return wrong;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 32768;
    if (n <= 0 || n % TILE != 0) {
        fprintf(stderr, "nbody: the number of bodies must be a positive multiple of %d\n", TILE);
        return EXIT_FAILURE;
    }
    const size_t bytes = n * sizeof(float4);

    std::vector<float4> bodies(n), result(n);
    unsigned int state = 1u;
    const auto next = [&state] {
        state = state * 1664525u + 1013904223u;
        return static_cast<float>(state >> 8) / 16777216.0f;
    };
    for (float4& body : bodies) {
        body.x = next();
        body.y = next();
        body.z = next() * next();  // denser towards one side, so that the pulls do not cancel
        body.w = 1.0f / n;
    }

    float4 *d_bodies, *d_out;
    CUDA_CHECK(cudaMalloc(&d_bodies, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_bodies, bodies.data(), bytes, cudaMemcpyHostToDevice));

    accelerations<<<n / TILE, TILE>>>(n, d_bodies, d_out);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(result.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    const int wrong = count_wrong(bodies, result);
    printf("nbody: %d bodies, %d of the sampled accelerations wrong\n", n, wrong);

    CUDA_CHECK(cudaFree(d_bodies));
    CUDA_CHECK(cudaFree(d_out));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Prices of European call and put options by the Black-Scholes formula, one thread an option.
//
// usage: black_scholes [options]

#include <cmath>
#include <vector>

#include "check.cuh"

constexpr float RATE = 0.02f;
constexpr float VOLATILITY = 0.30f;

// The cumulative distribution function of the standard normal distribution.
__device__ float normal_cdf(float d) { return 0.5f * erfcf(-0.70710678f * d); }

__global__ void black_scholes(int n, const float* __restrict__ spot,
                              const float* __restrict__ strike, const float* __restrict__ years,
                              float* __restrict__ call, float* __restrict__ put) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float s = spot[i];
    const float k = strike[i];
    const float t = years[i];

    const float spread = VOLATILITY * sqrtf(t);
    const float d1 = (logf(s / k) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * t) / spread;
    const float d2 = d1 - spread;
    const float discounted = k * expf(-RATE * t);

    const float price = s * normal_cdf(d1) - discounted * normal_cdf(d2);
    call[i] = price;
    put[i] = price - s + discounted;  // put-call parity
}

static double call_on_host(double s, double k, double t) {
    const double spread = VOLATILITY * std::sqrt(t);
    const double d1 = (std::log(s / k) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / spread;
    const double root_half = std::sqrt(0.5);
    return s * 0.5 * std::erfc(-root_half * d1) -
           k * std::exp(-RATE * t) * 0.5 * std::erfc(-root_half * (d1 - spread));
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 22;
    const size_t bytes = n * sizeof(float);

    std::vector<float> spot(n), strike(n), years(n), call(n), put(n);
    for (int i = 0; i < n; ++i) {
        spot[i] = 5.0f + static_cast<float>(i % 251) * 0.1f;
        strike[i] = 1.0f + static_cast<float>(i % 997) * 0.1f;
        years[i] = 0.25f + static_cast<float>(i % 101) * 0.1f;
    }

    float *d_spot, *d_strike, *d_years, *d_call, *d_put;
    CUDA_CHECK(cudaMalloc(&d_spot, bytes));
    CUDA_CHECK(cudaMalloc(&d_strike, bytes));
    CUDA_CHECK(cudaMalloc(&d_years, bytes));
    CUDA_CHECK(cudaMalloc(&d_call, bytes));
    CUDA_CHECK(cudaMalloc(&d_put, bytes));
    CUDA_CHECK(cudaMemcpy(d_spot, spot.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_strike, strike.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_years, years.data(), bytes, cudaMemcpyHostToDevice));

    const int block = 256;
    const int grid = (n + block - 1) / block;
    black_scholes<<<grid, block>>>(n, d_spot, d_strike, d_years, d_call, d_put);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(call.data(), d_call, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(put.data(), d_put, bytes, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        const double expected = call_on_host(spot[i], strike[i], years[i]);
        const double parity = expected - spot[i] + strike[i] * std::exp(-RATE * years[i]);
        wrong += std::fabs(call[i] - expected) > 1e-3 || std::fabs(put[i] - parity) > 1e-3;
    }
    printf("black_scholes: %d options, %d wrong\n", n, wrong);

    CUDA_CHECK(cudaFree(d_spot));
    CUDA_CHECK(cudaFree(d_strike));
    CUDA_CHECK(cudaFree(d_years));
    CUDA_CHECK(cudaFree(d_call));
    CUDA_CHECK(cudaFree(d_put));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

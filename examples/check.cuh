// What every example shares: checks of CUDA calls and launches.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

// Ends the program, naming the place and the reason, if a CUDA call fails.
#define CUDA_CHECK(call)                                                       \
    do {                                                                       \
        const cudaError_t status_ = (call);                                    \
        if (status_ != cudaSuccess) {                                          \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                         cudaGetErrorString(status_));                         \
            std::exit(EXIT_FAILURE);                                           \
        }                                                                      \
    } while (0)

// After a launch: reports a bad configuration at once, and a fault in the kernel when it has run.
#define CUDA_CHECK_LAUNCH()                  \
    do {                                     \
        CUDA_CHECK(cudaGetLastError());      \
        CUDA_CHECK(cudaDeviceSynchronize()); \
    } while (0)

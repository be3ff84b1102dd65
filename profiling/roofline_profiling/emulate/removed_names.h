// Names that CUDA 13 no longer has, for programs that were written for an earlier release.
//
// Included before a source of which nvcc said that it uses one of them.

#pragma once

#if defined(__CUDACC__)
#define ROOFLINE_REMOVED_NAMES
#include <cuda_runtime.h>

static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
static inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
static inline cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
static inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
static inline cudaError_t cudaThreadGetCacheConfig(cudaFuncCache *config) {
  return cudaDeviceGetCacheConfig(config);
}

// The warp's functions without a mask, which ran in all lanes. Votes are still declared.

template <typename T> static __device__ __forceinline__ T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(0xffffffffu, value, lane, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_up(T value, unsigned by, int width = 32) {
  return __shfl_up_sync(0xffffffffu, value, by, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_down(T value, unsigned by, int width = 32) {
  return __shfl_down_sync(0xffffffffu, value, by, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_xor(T value, int mask, int width = 32) {
  return __shfl_xor_sync(0xffffffffu, value, mask, width);
}
// CCCL has a class of the name __any, which the macro below must not see.
#if __has_include(<cuda/std/__functional/invoke.h>)
#include <cuda/std/__functional/invoke.h>
#endif
#define __any(test) __any_sync(0xffffffffu, test)
#define __all(test) __all_sync(0xffffffffu, test)
#define __ballot(test) __ballot_sync(0xffffffffu, test)

// Members of cudaDeviceProp that are attributes alone now.

struct roofline_device_prop : cudaDeviceProp {
  int clockRate;
  int memoryClockRate;
  int deviceOverlap;
  int computeMode;
  int kernelExecTimeoutEnabled;
  int singleToDoublePrecisionPerfRatio;
  int cooperativeMultiDeviceLaunch;
  int maxTexture1DLinear;
};

static inline cudaError_t cudaGetDeviceProperties(roofline_device_prop *properties, int device) {
  cudaDeviceProp *known = properties;
  cudaError_t error = cudaGetDeviceProperties(known, device);
  cudaDeviceGetAttribute(&properties->clockRate, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&properties->memoryClockRate, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&properties->deviceOverlap, cudaDevAttrGpuOverlap, device);
  cudaDeviceGetAttribute(&properties->computeMode, cudaDevAttrComputeMode, device);
  cudaDeviceGetAttribute(
      &properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout, device);
  cudaDeviceGetAttribute(&properties->singleToDoublePrecisionPerfRatio,
                         cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  cudaDeviceGetAttribute(
      &properties->maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth, device);
  properties->cooperativeMultiDeviceLaunch = 0;
  return error;
}

#define cudaDeviceProp roofline_device_prop

#endif

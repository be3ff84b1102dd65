// The one device: its properties come from the configuration. Also limits, versions and the profiler's switches.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "runtime.h"

namespace emu {
namespace {

constexpr int MAX_INT = 0x7fffffff;

int clip(u64 value) { return int(std::min<u64>(value, MAX_INT)); }

std::map<int, int> shape_attributes() {
  return {
      {cudaDevAttrMaxThreadsPerBlock, 1024},
      {cudaDevAttrMaxBlockDimX, 1024},
      {cudaDevAttrMaxBlockDimY, 1024},
      {cudaDevAttrMaxBlockDimZ, 64},
      {cudaDevAttrMaxGridDimX, MAX_INT},
      {cudaDevAttrMaxGridDimY, 65535},
      {cudaDevAttrMaxGridDimZ, 65535},
      {cudaDevAttrWarpSize, int(LANES)},
      {cudaDevAttrTotalConstantMemory, 65536},
      {cudaDevAttrMaxPitch, MAX_INT},
      {cudaDevAttrTextureAlignment, 512},
      {cudaDevAttrTexturePitchAlignment, 32},
      {cudaDevAttrSurfaceAlignment, 512},
      {cudaDevAttrMaxTexture1DWidth, 131072},
      {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
      {cudaDevAttrMaxTexture2DWidth, 131072},
      {cudaDevAttrMaxTexture2DHeight, 65536},
      {cudaDevAttrMaxTexture2DLinearWidth, 131072},
      {cudaDevAttrMaxTexture2DLinearHeight, 65000},
      {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
      {cudaDevAttrMaxTexture3DWidth, 16384},
      {cudaDevAttrMaxTexture3DHeight, 16384},
      {cudaDevAttrMaxTexture3DDepth, 16384},
      {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
      {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
      {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
      {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
      {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
      {cudaDevAttrMaxSurface1DWidth, 32768},
      {cudaDevAttrMaxSurface2DWidth, 131072},
      {cudaDevAttrMaxSurface2DHeight, 65536},
      {cudaDevAttrMaxSurface3DWidth, 16384},
      {cudaDevAttrMaxSurface3DHeight, 16384},
      {cudaDevAttrMaxSurface3DDepth, 16384},
  };
}

std::map<int, int> ability_attributes() {
  return {
      {cudaDevAttrGpuOverlap, 1},
      {cudaDevAttrCanMapHostMemory, 1},
      {cudaDevAttrComputeMode, cudaComputeModeDefault},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrPciBusId, 1},
      {cudaDevAttrAsyncEngineCount, 2},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrGlobalL1CacheSupported, 1},
      {cudaDevAttrLocalL1CacheSupported, 1},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrConcurrentManagedAccess, 1},
      {cudaDevAttrComputePreemptionSupported, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrCooperativeLaunch, 1},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrDirectManagedMemAccessFromHost, 1},
      {cudaDevAttrMemoryPoolsSupported, 1},
      {cudaDevAttrMemSyncDomainCount, 1},
  };
}

std::map<int, int> attribute_table() {
  const Configuration &device = configuration();
  std::map<int, int> result = shape_attributes();
  result.merge(ability_attributes());
  result[cudaDevAttrMaxSharedMemoryPerBlock] = 48 << 10;
  result[cudaDevAttrMaxSharedMemoryPerBlockOptin] = clip(device.shared_per_block);
  result[cudaDevAttrMaxSharedMemoryPerMultiprocessor] = clip(device.shared_per_multiprocessor);
  result[cudaDevAttrReservedSharedMemoryPerBlock] = device.major >= 8 ? 1024 : 0;
  result[cudaDevAttrMaxRegistersPerBlock] = clip(device.registers_per_multiprocessor);
  result[cudaDevAttrMaxRegistersPerMultiprocessor] = clip(device.registers_per_multiprocessor);
  result[cudaDevAttrClockRate] = clip(device.clock_khz);
  result[cudaDevAttrMemoryClockRate] = clip(device.memory_clock_khz);
  result[cudaDevAttrGlobalMemoryBusWidth] = clip(device.memory_bus_bits);
  result[cudaDevAttrMultiProcessorCount] = clip(device.multiprocessors);
  result[cudaDevAttrL2CacheSize] = clip(device.l2_bytes);
  result[cudaDevAttrMaxThreadsPerMultiProcessor] = clip(device.threads_per_multiprocessor);
  result[cudaDevAttrMaxBlocksPerMultiprocessor] = clip(device.blocks_per_multiprocessor);
  result[cudaDevAttrComputeCapabilityMajor] = int(device.major);
  result[cudaDevAttrComputeCapabilityMinor] = int(device.minor);
  const bool fast_doubles = device.minor == 0 && device.major < 12;
  result[cudaDevAttrSingleToDoublePrecisionPerfRatio] = fast_doubles ? 2 : device.major == 8 || device.major > 9 ? 64 : 32;
  return result;
}

int attribute(int number) {
  static const std::map<int, int> table = attribute_table();
  const auto entry = table.find(number);
  return entry == table.end() ? 0 : entry->second;
}

void fill_limits(cudaDeviceProp *p) {
  p->totalGlobalMem = configuration().memory_bytes;
  p->sharedMemPerBlock = attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  p->sharedMemPerBlockOptin = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  p->sharedMemPerMultiprocessor = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  p->reservedSharedMemPerBlock = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
  p->regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock);
  p->regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  p->warpSize = attribute(cudaDevAttrWarpSize);
  p->memPitch = attribute(cudaDevAttrMaxPitch);
  p->maxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock);
  for (int i = 0; i < 3; i++) {
    p->maxThreadsDim[i] = attribute(cudaDevAttrMaxBlockDimX + i);
    p->maxGridSize[i] = attribute(cudaDevAttrMaxGridDimX + i);
    p->maxTexture3D[i] = attribute(cudaDevAttrMaxTexture3DWidth + i);
    p->maxSurface3D[i] = attribute(cudaDevAttrMaxSurface3DWidth + i);
    p->maxTexture2DLinear[i] = attribute(cudaDevAttrMaxTexture2DLinearWidth + i);
    p->maxTexture2DLayered[i] = attribute(cudaDevAttrMaxTexture2DLayeredWidth + i);
  }
  for (int i = 0; i < 2; i++) {
    p->maxTexture2D[i] = attribute(cudaDevAttrMaxTexture2DWidth + i);
    p->maxSurface2D[i] = attribute(cudaDevAttrMaxSurface2DWidth + i);
    p->maxTexture1DLayered[i] = attribute(cudaDevAttrMaxTexture1DLayeredWidth + i);
  }
  p->maxTexture1D = attribute(cudaDevAttrMaxTexture1DWidth);
  p->maxSurface1D = attribute(cudaDevAttrMaxSurface1DWidth);
  p->totalConstMem = attribute(cudaDevAttrTotalConstantMemory);
  p->textureAlignment = attribute(cudaDevAttrTextureAlignment);
  p->texturePitchAlignment = attribute(cudaDevAttrTexturePitchAlignment);
  p->surfaceAlignment = attribute(cudaDevAttrSurfaceAlignment);
}

void fill_machine(cudaDeviceProp *p) {
  std::snprintf(p->name, sizeof p->name, "%s", configuration().device_name.c_str());
  p->major = attribute(cudaDevAttrComputeCapabilityMajor);
  p->minor = attribute(cudaDevAttrComputeCapabilityMinor);
  p->multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
  p->memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
  p->l2CacheSize = attribute(cudaDevAttrL2CacheSize);
  p->maxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  p->maxBlocksPerMultiProcessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->streamPrioritiesSupported = 1;
  p->globalL1CacheSupported = p->localL1CacheSupported = p->managedMemory = p->concurrentManagedAccess = 1;
  p->computePreemptionSupported = p->canUseHostPointerForRegisteredMem = p->cooperativeLaunch = 1;
  p->hostRegisterSupported = p->memoryPoolsSupported = p->directManagedMemAccessFromHost = 1;
  p->asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);
  p->pciBusID = attribute(cudaDevAttrPciBusId);
#if CUDART_VERSION < 13000
  p->clockRate = attribute(cudaDevAttrClockRate);
  p->memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  p->deviceOverlap = attribute(cudaDevAttrGpuOverlap);
  p->computeMode = attribute(cudaDevAttrComputeMode);
  p->maxTexture1DLinear = attribute(cudaDevAttrMaxTexture1DLinearWidth);
  p->singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
#endif
}

std::map<int, std::size_t> &limits() {
  static std::map<int, std::size_t> result = {
      {cudaLimitStackSize, 1024},
      {cudaLimitPrintfFifoSize, 1 << 20},
      {cudaLimitMallocHeapSize, 8 << 20},
      {cudaLimitDevRuntimeSyncDepth, 2},
      {cudaLimitDevRuntimePendingLaunchCount, 2048},
      {cudaLimitMaxL2FetchGranularity, 64},
      {cudaLimitPersistingL2CacheSize, 0},
  };
  return result;
}

cudaError_t only_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

unsigned device_flags = 0;

}  // namespace
}  // namespace emu

cudaError_t cudaGetDeviceCount(int *count) {
  return emu::call([&] {
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  return emu::call([&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    std::memset(properties, 0, sizeof *properties);
    emu::fill_limits(properties);
    emu::fill_machine(properties);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  return emu::call([&] {
    if (device != 0) return cudaErrorInvalidDevice;
    if (value == nullptr) return cudaErrorInvalidValue;
    *value = emu::attribute(attribute);
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { return cudaGetDevice(device); }

cudaError_t cudaSetDevice(int device) {
  return emu::call([&] { return emu::only_device(device); });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }

cudaError_t cudaGetDevice(int *device) {
  return emu::call([&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetValidDevices(int *devices, int count) {
  return emu::call([&] { return count > 0 && devices[0] != 0 ? cudaErrorInvalidDevice : cudaSuccess; });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return emu::call([&] {
    emu::device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  return emu::call([&] {
    *flags = emu::device_flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return emu::call([] { return cudaSuccess; });
}

// Ends what a failed kernel left. Memory stays: programs that go on after a reset have freed or forgotten it.
cudaError_t cudaDeviceReset() {
  emu::mend_context();
  return emu::call([] { return cudaSuccess; });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return emu::call([&] {
    if (emu::limits().count(limit) == 0) return cudaErrorUnsupportedLimit;
    emu::limits()[limit] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t *value, cudaLimit limit) {
  return emu::call([&] {
    if (emu::limits().count(limit) == 0) return cudaErrorUnsupportedLimit;
    *value = emu::limits()[limit];
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return emu::call([] { return cudaSuccess; });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return emu::call([&] {
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return emu::call([] { return cudaSuccess; });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return emu::call([&] {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return emu::call([&] {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  return emu::call([&] {
    if (device != 0 || peer != 0) return cudaErrorInvalidDevice;
    *can = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return emu::call([] { return cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  return emu::call([] { return cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device) {
  return emu::call([&] {
    if (device != 0) return cudaErrorInvalidDevice;
    std::snprintf(text, std::size_t(bytes), "0000:01:00.0");
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *) { return cudaGetDevice(device); }

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

extern "C" cudaError_t cudaProfilerStart() { return cudaSuccess; }
extern "C" cudaError_t cudaProfilerStop() { return cudaSuccess; }

// Of older toolkits: cudaThreadSynchronize and its like, which headers of CUDA 13 no longer declare.
extern "C" cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
extern "C" cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
extern "C" cudaError_t cudaThreadSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

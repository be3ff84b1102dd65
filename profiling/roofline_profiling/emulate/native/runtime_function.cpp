// What programs ask about kernels: attributes, limits and occupancy.
#include <algorithm>
#include <cstring>

#include "runtime.h"

namespace emu {
namespace {

cudaError_t attributes_of(const void *handle, Function **function, const Attributes **result) {
  *function = function_of(handle);
  if (*function == nullptr) return cudaErrorInvalidDeviceFunction;
  Kernel *kernel = nullptr;
  const cudaError_t error = load(*function, &kernel);
  if (error == cudaSuccess) *result = &attributes(kernel);
  return error;
}

u64 largest_dynamic(const Attributes &attributes) {
  const u64 most = std::max<u64>(configuration().shared_per_block, 48 << 10);
  return most - std::min<u64>(most, static_shared(attributes));
}

cudaError_t set_attribute(const void *handle, cudaFuncAttribute attribute, int value) {
  Function *function = nullptr;
  const Attributes *known = nullptr;
  if (const cudaError_t error = attributes_of(handle, &function, &known); error != cudaSuccess) return error;
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || u64(value) > largest_dynamic(*known)) return cudaErrorInvalidValue;
    function->dynamic_shared_limit = std::max(value, 1);
  } else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
    if (value < -1 || value > 100) return cudaErrorInvalidValue;
    function->carveout = value;
  } else if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    return cudaSuccess;
  } else {
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t active_blocks(int *blocks, const void *handle, int threads, std::size_t shared_bytes) {
  if (blocks == nullptr || threads <= 0) return cudaErrorInvalidValue;
  Function *function = nullptr;
  const Attributes *known = nullptr;
  if (const cudaError_t error = attributes_of(handle, &function, &known); error != cudaSuccess) return error;
  const bool fits = u32(threads) <= known->max_threads && shared_bytes <= largest_dynamic(*known);
  *blocks = fits ? int(resident_blocks(*known, u32(threads), shared_bytes)) : 0;
  return cudaSuccess;
}

}  // namespace
}  // namespace emu

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *result, const void *handle) {
  return emu::call([&] {
    emu::Function *function = nullptr;
    const emu::Attributes *known = nullptr;
    if (const cudaError_t error = emu::attributes_of(handle, &function, &known); error != cudaSuccess) return error;
    std::memset(result, 0, sizeof *result);
    result->sharedSizeBytes = emu::static_shared(*known);
    result->constSizeBytes = known->constant_bytes;
    result->localSizeBytes = known->local_bytes;
    const emu::u32 registers = std::max(known->registers, 1u);
    const emu::u32 by_registers = emu::configuration().registers_per_multiprocessor / ((registers + 7) / 8 * 8);
    result->maxThreadsPerBlock = int(std::min(known->max_threads, by_registers / emu::LANES * emu::LANES));
    result->numRegs = int(known->registers);
    result->ptxVersion = result->binaryVersion = int(function->binary->architecture);
    const emu::u64 standard = (48 << 10) - std::min<emu::u64>(48 << 10, emu::static_shared(*known));
    result->maxDynamicSharedSizeBytes = int(function->dynamic_shared_limit != 0 ? function->dynamic_shared_limit : standard);
    result->preferredShmemCarveout = function->carveout;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *handle, cudaFuncAttribute attribute, int value) {
  return emu::call([&] { return emu::set_attribute(handle, attribute, value); });
}

cudaError_t cudaFuncSetCacheConfig(const void *handle, cudaFuncCache) {
  return emu::call([&] { return emu::function_of(handle) == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *handle, cudaSharedMemConfig) {
  return emu::call([&] { return emu::function_of(handle) == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess; });
}

extern "C" cudaError_t cudaFuncGetName(const char **name, const void *handle) {
  return emu::call([&] {
    emu::Function *function = emu::function_of(handle);
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    *name = function->name.c_str();
    return cudaSuccess;
  });
}

extern "C" cudaError_t cudaFuncGetParamInfo(const void *handle, std::size_t index, std::size_t *offset, std::size_t *size) {
  return emu::call([&]() -> cudaError_t {
    emu::Function *function = nullptr;
    const emu::Attributes *known = nullptr;
    if (const cudaError_t error = emu::attributes_of(handle, &function, &known); error != cudaSuccess) return error;
    if (index >= known->parameter_sizes.size()) return cudaErrorInvalidValue;
    if (offset != nullptr) *offset = known->parameter_offsets[index];
    if (size != nullptr) *size = known->parameter_sizes[index];
    return cudaSuccess;
  });
}

extern "C" cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int) {
  return emu::call([&] { return emu::set_attribute(kernel, attribute, value); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *handle, int threads,
                                                          std::size_t shared_bytes) {
  return emu::call([&] { return emu::active_blocks(blocks, handle, threads, shared_bytes); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *handle, int threads,
                                                                   std::size_t shared_bytes, unsigned) {
  return emu::call([&] { return emu::active_blocks(blocks, handle, threads, shared_bytes); });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t *result, const void *handle, int blocks, int threads) {
  return emu::call([&]() -> cudaError_t {
    emu::Function *function = nullptr;
    const emu::Attributes *known = nullptr;
    if (const cudaError_t error = emu::attributes_of(handle, &function, &known); error != cudaSuccess) return error;
    if (blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    constexpr emu::u64 STEP = 128;
    *result = 0;
    for (emu::u64 bytes = emu::largest_dynamic(*known) / STEP * STEP; bytes > 0; bytes -= STEP) {
      if (emu::resident_blocks(*known, emu::u32(threads), bytes) < emu::u32(blocks)) continue;
      *result = bytes;
      break;
    }
    return cudaSuccess;
  });
}

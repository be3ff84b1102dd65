// The driver's interface to modules: images that programs load, their kernels and variables, and launches.
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime_driver.h"

namespace emu {
namespace {

Binary *binary_of(CUmodule module) { return reinterpret_cast<Binary *>(module); }

CUresult load_into(CUmodule *module, const void *image) {
  return driver_call([&]() -> cudaError_t {
    if (module == nullptr || image == nullptr) return cudaErrorInvalidValue;
    Binary *binary = nullptr;
    const cudaError_t error = add_image(image, &binary);
    *module = reinterpret_cast<CUmodule>(binary);
    return error;
  });
}

CUresult launch(CUfunction function, const LaunchShape &shape, CUstream stream, void **arguments, void **extra) {
  return driver_call([&]() -> cudaError_t {
    Task task;
    const cudaError_t error = prepare_launch(function, shape, arguments, extra, &task);
    return error == cudaSuccess ? submit(stream, cudaGraphNodeTypeKernel, task) : error;
  });
}

cudaError_t attribute_of(int *value, CUfunction_attribute attribute, CUfunction function) {
  cudaFuncAttributes all;
  if (const cudaError_t error = cudaFuncGetAttributes(&all, function); error != cudaSuccess) return error;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = all.maxThreadsPerBlock; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = int(all.sharedSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = int(all.constSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = int(all.localSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = all.numRegs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = all.ptxVersion; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = all.binaryVersion; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = all.maxDynamicSharedSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = all.preferredShmemCarveout; break;
    default: return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace emu

CUresult cuModuleLoadData(CUmodule *module, const void *image) { return emu::load_into(module, image); }

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned, CUjit_option *, void **) {
  return emu::load_into(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) { return emu::load_into(module, image); }

CUresult cuModuleLoad(CUmodule *module, const char *name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  std::string image{std::istreambuf_iterator<char>(file), {}};
  return emu::load_into(module, image.c_str());  // code is loaded, and so copied, at once
}

CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }  // at the program's end, as a rule; its kernels' records stay

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return emu::driver_call([&]() -> cudaError_t {
    emu::Function *found = nullptr;
    const cudaError_t error = emu::function_in(emu::binary_of(module), name, &found);
    *function = reinterpret_cast<CUfunction>(found);
    return error;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, std::size_t *bytes, CUmodule module, const char *name) {
  return emu::driver_call([&]() -> cudaError_t {
    emu::Symbol symbol;
    if (!emu::find_symbol(emu::binary_of(module)->module, name, &symbol)) return cudaErrorInvalidSymbol;
    if (address != nullptr) *address = symbol.address;
    if (bytes != nullptr) *bytes = symbol.bytes;
    return cudaSuccess;
  });
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  return emu::driver_call([&] { return emu::attribute_of(value, attribute, function); });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return emu::driver_result(cudaFuncSetAttribute(function, cudaFuncAttribute(int(attribute)), value));
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return emu::driver_result(cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone));
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments,
                        void **extra) {
  const emu::LaunchShape shape = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, false};
  return emu::launch(function, shape, stream, arguments, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void **arguments) {
  const emu::LaunchShape shape = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, true};
  return emu::launch(function, shape, stream, arguments, nullptr);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     std::size_t shared_bytes) {
  return emu::driver_result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes));
}

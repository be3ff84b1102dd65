// The driver's interface: errors, the one device and its one context. OpenMP's runtime library uses it, and programs
// that load modules themselves.
#include "runtime_driver.h"

#include <cstdio>

struct CUctx_st {};

namespace emu {
namespace {

struct DriverName {
  CUresult error;
  const char *name;
};

const DriverName NAMES[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {CUDA_ERROR_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
};

const char *driver_name(CUresult error) {
  for (const auto &entry : NAMES) {
    if (entry.error == error) return entry.name;
  }
  return cudaGetErrorName(cudaError_t(int(error)));
}

CUctx_st context;
unsigned context_flags = 0;

// The contexts that the thread has pushed: as there is one only, how many. No object with a destructor: runtime
// libraries call from their own, after those of the thread.
thread_local int pushed = 0;

CUcontext current() { return pushed == 0 ? nullptr : &context; }

}  // namespace

CUresult driver_result(cudaError_t error) {
  if (error == cudaErrorInvalidConfiguration) return CUDA_ERROR_INVALID_VALUE;
  if (error == cudaErrorInvalidDeviceFunction || error == cudaErrorInvalidSymbol) return CUDA_ERROR_NOT_FOUND;
  return CUresult(int(error));
}

}  // namespace emu

CUresult cuInit(unsigned) { return emu::driver_call([] { return cudaSuccess; }); }

CUresult cuDriverGetVersion(int *version) { return emu::driver_result(cudaDriverGetVersion(version)); }

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = cudaGetErrorString(cudaError_t(int(error)));
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  *text = emu::driver_name(error);
  return CUDA_SUCCESS;
}

// --- the device
CUresult cuDeviceGetCount(int *count) { return emu::driver_result(cudaGetDeviceCount(count)); }

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return emu::driver_call([&] {
    *device = 0;
    return ordinal == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice) {
  return emu::driver_call([&] {
    std::snprintf(name, std::size_t(bytes), "%s", emu::configuration().device_name.c_str());
    return cudaSuccess;
  });
}

CUresult cuDeviceTotalMem(std::size_t *bytes, CUdevice) {
  return emu::driver_call([&] {
    *bytes = emu::configuration().memory_bytes;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return emu::driver_result(cudaDeviceGetAttribute(value, cudaDeviceAttr(int(attribute)), device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice) {
  return emu::driver_call([&] {
    *major = int(emu::configuration().major);
    *minor = int(emu::configuration().minor);
    return cudaSuccess;
  });
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice, CUdevice) {
  *can = 0;
  return CUDA_SUCCESS;
}

// --- contexts
CUresult cuDevicePrimaryCtxRetain(CUcontext *result, CUdevice) {
  return emu::driver_call([&] {
    *result = &emu::context;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }

CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned flags) {
  emu::context_flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned *flags, int *active) {
  *flags = emu::context_flags;
  *active = 1;
  return CUDA_SUCCESS;
}

// The header of CUDA 13 declares a newer one under the name without a number.
extern "C" CUresult cuCtxCreate_v2(CUcontext *result, unsigned, CUdevice device) {
  return emu::driver_call([&] {
    if (device != 0) return cudaErrorInvalidDevice;
    *result = &emu::context;
    emu::pushed++;
    return cudaSuccess;
  });
}

// Headers before CUDA 12.5 do not know its parameters.
#if CUDA_VERSION >= 12050
extern "C" CUresult cuCtxCreate_v4(CUcontext *result, CUctxCreateParams *, unsigned flags, CUdevice device) {
  return cuCtxCreate_v2(result, flags, device);
}
#endif

CUresult cuCtxDestroy(CUcontext handle) {
  if (emu::current() == handle) emu::pushed--;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext handle) {
  if (handle == nullptr) {
    emu::pushed = 0;
  } else if (emu::pushed == 0) {
    emu::pushed = 1;
  }
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *result) {
  *result = emu::current();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext) {
  emu::pushed++;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *result) {
  if (emu::pushed == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (result != nullptr) *result = emu::current();
  emu::pushed--;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return emu::driver_result(cudaDeviceSynchronize()); }

CUresult cuCtxGetLimit(std::size_t *value, CUlimit limit) {
  return emu::driver_result(cudaDeviceGetLimit(value, cudaLimit(int(limit))));
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return emu::driver_result(cudaDeviceSetLimit(cudaLimit(int(limit)), value));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache) { return CUDA_SUCCESS; }

CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; }

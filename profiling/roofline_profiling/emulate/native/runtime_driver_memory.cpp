// The driver's interface to memory, copies, streams and events.
#include "runtime_driver.h"

namespace emu {
namespace {

CUresult allocate_for(CUdeviceptr *at, std::size_t bytes, bool managed) {
  void *made = nullptr;
  if (at == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = managed ? cudaMallocManaged(&made, bytes, cudaMemAttachGlobal) : cudaMalloc(&made, bytes);
  *at = reinterpret_cast<CUdeviceptr>(made);
  return driver_result(error);
}

CUresult copy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, CUstream stream) {
  return driver_result(cudaMemcpyAsync(to, from, bytes, kind, stream));
}

CUresult set(CUdeviceptr at, u32 value, u32 element_bytes, std::size_t count, CUstream stream) {
  return driver_call([&]() -> cudaError_t {
    Task task;
    const cudaError_t error = set_task(host_of(at), 0, value, element_bytes, count, 1, &task);
    return error == cudaSuccess ? submit(stream, cudaGraphNodeTypeMemset, task) : error;
  });
}

}  // namespace
}  // namespace emu

// --- memory
CUresult cuMemAlloc(CUdeviceptr *at, std::size_t bytes) { return emu::allocate_for(at, bytes, false); }

CUresult cuMemAllocAsync(CUdeviceptr *at, std::size_t bytes, CUstream) { return emu::allocate_for(at, bytes, false); }

CUresult cuMemAllocManaged(CUdeviceptr *at, std::size_t bytes, unsigned) { return emu::allocate_for(at, bytes, true); }

CUresult cuMemFree(CUdeviceptr at) { return emu::driver_result(cudaFree(emu::host_of(at))); }

CUresult cuMemFreeAsync(CUdeviceptr at, CUstream stream) {
  return emu::driver_result(cudaFreeAsync(emu::host_of(at), stream));
}

CUresult cuMemAllocHost(void **at, std::size_t bytes) { return emu::driver_result(cudaMallocHost(at, bytes)); }

CUresult cuMemHostAlloc(void **at, std::size_t bytes, unsigned flags) {
  return emu::driver_result(cudaHostAlloc(at, bytes, flags));
}

CUresult cuMemFreeHost(void *at) { return emu::driver_result(cudaFreeHost(at)); }

CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *at, unsigned flags) {
  void *found = nullptr;
  const cudaError_t error = cudaHostGetDevicePointer(&found, at, flags);
  *device = reinterpret_cast<CUdeviceptr>(found);
  return emu::driver_result(error);
}

CUresult cuMemGetInfo(std::size_t *free, std::size_t *total) { return emu::driver_result(cudaMemGetInfo(free, total)); }

// --- copies
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, std::size_t bytes) {
  return emu::copy(emu::host_of(to), from, bytes, cudaMemcpyHostToDevice, nullptr);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, std::size_t bytes, CUstream stream) {
  return emu::copy(emu::host_of(to), from, bytes, cudaMemcpyHostToDevice, stream);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, std::size_t bytes) {
  return emu::copy(to, emu::host_of(from), bytes, cudaMemcpyDeviceToHost, nullptr);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return emu::copy(to, emu::host_of(from), bytes, cudaMemcpyDeviceToHost, stream);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return emu::copy(emu::host_of(to), emu::host_of(from), bytes, cudaMemcpyDeviceToDevice, nullptr);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return emu::copy(emu::host_of(to), emu::host_of(from), bytes, cudaMemcpyDeviceToDevice, stream);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return emu::copy(emu::host_of(to), emu::host_of(from), bytes, cudaMemcpyDefault, nullptr);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes, CUstream stream) {
  return emu::copy(emu::host_of(to), emu::host_of(from), bytes, cudaMemcpyDefault, stream);
}

CUresult cuMemsetD8(CUdeviceptr at, unsigned char value, std::size_t count) { return emu::set(at, value, 1, count, nullptr); }

CUresult cuMemsetD16(CUdeviceptr at, unsigned short value, std::size_t count) { return emu::set(at, value, 2, count, nullptr); }

CUresult cuMemsetD32(CUdeviceptr at, unsigned value, std::size_t count) { return emu::set(at, value, 4, count, nullptr); }

CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, std::size_t count, CUstream stream) {
  return emu::set(at, value, 1, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr at, unsigned value, std::size_t count, CUstream stream) {
  return emu::set(at, value, 4, count, stream);
}

// --- streams and events
CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return emu::driver_result(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamDestroy(CUstream stream) { return emu::driver_result(cudaStreamDestroy(stream)); }

CUresult cuStreamSynchronize(CUstream stream) { return emu::driver_result(cudaStreamSynchronize(stream)); }

CUresult cuStreamQuery(CUstream stream) { return emu::driver_result(cudaStreamQuery(stream)); }

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return emu::driver_result(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuEventCreate(CUevent *event, unsigned flags) { return emu::driver_result(cudaEventCreateWithFlags(event, flags)); }

CUresult cuEventDestroy(CUevent event) { return emu::driver_result(cudaEventDestroy(event)); }

CUresult cuEventRecord(CUevent event, CUstream stream) { return emu::driver_result(cudaEventRecord(event, stream)); }

CUresult cuEventSynchronize(CUevent event) { return emu::driver_result(cudaEventSynchronize(event)); }

CUresult cuEventQuery(CUevent event) { return emu::driver_result(cudaEventQuery(event)); }

CUresult cuEventElapsedTime(float *time_ms, CUevent start, CUevent end) {
  return emu::driver_result(cudaEventElapsedTime(time_ms, start, end));
}

// Of the functions that are older under the name without a number, those that OpenMP's runtime library still calls.
#undef cuStreamDestroy
#undef cuEventDestroy
extern "C" CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }
extern "C" CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

// Allocation of device, managed and pinned memory, and what programs ask about addresses.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "runtime.h"

namespace emu {
namespace {

constexpr u64 PITCH_UNIT = 512;  // bytes; rows of cudaMallocPitch

struct Block {
  u64 bytes = 0;
  MemoryKind kind = MemoryKind::none;
  unsigned flags = 0;
};

struct Blocks {
  std::mutex mutex;
  std::map<u64, Block> all;  // by start
  u64 used = 0;              // bytes of device and managed memory
};

Blocks &blocks() {
  static Blocks *result = new Blocks;
  return *result;
}

void note(void *at, u64 bytes, MemoryKind kind, unsigned flags) {
  auto &known = blocks();
  const std::lock_guard lock(known.mutex);
  known.all[reinterpret_cast<u64>(at)] = {bytes, kind, flags};
  if (kind == MemoryKind::device || kind == MemoryKind::managed) known.used += bytes;
}

// Forgets a block of one of the kinds. False: there is none at this address.
bool forget(void *at, MemoryKind kind, MemoryKind other) {
  auto &known = blocks();
  const std::lock_guard lock(known.mutex);
  const auto block = known.all.find(reinterpret_cast<u64>(at));
  if (block == known.all.end() || (block->second.kind != kind && block->second.kind != other)) return false;
  if (kind == MemoryKind::device) known.used -= block->second.bytes;
  known.all.erase(block);
  return true;
}

cudaError_t allocate_device(void **at, u64 bytes, MemoryKind kind) {
  if (at == nullptr) return cudaErrorInvalidValue;
  *at = nullptr;
  if (bytes == 0) return kind == MemoryKind::managed ? cudaErrorInvalidValue : cudaSuccess;
  u8 *memory = allocate(bytes);
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  note(memory, bytes, kind, 0);
  *at = memory;
  return cudaSuccess;
}

cudaError_t free_device(void *at) {
  if (at == nullptr) return cudaSuccess;
  if (!forget(at, MemoryKind::device, MemoryKind::managed)) return cudaErrorInvalidValue;
  return release(static_cast<u8 *>(at)) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t allocate_host(void **at, u64 bytes, unsigned flags) {
  if (at == nullptr) return cudaErrorInvalidValue;
  *at = nullptr;
  if (bytes == 0) return cudaSuccess;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return cudaErrorMemoryAllocation;
  map_host(static_cast<u8 *>(memory), bytes);
  note(memory, bytes, MemoryKind::host, flags);
  *at = memory;
  return cudaSuccess;
}

cudaError_t free_host(void *at) {
  if (at == nullptr) return cudaSuccess;
  void *start = nullptr;
  u64 bytes = 0;
  if (memory_kind(at, &start, &bytes) != MemoryKind::host || start != at) return cudaErrorInvalidValue;
  forget(at, MemoryKind::host, MemoryKind::host);
  unmap_host(static_cast<u8 *>(at));
  munmap(at, bytes);
  return cudaSuccess;
}

cudaError_t register_host(void *at, u64 bytes, unsigned flags) {
  if (at == nullptr || bytes == 0) return cudaErrorInvalidValue;
  if (memory_kind(at, nullptr, nullptr) != MemoryKind::none) return cudaErrorHostMemoryAlreadyRegistered;
  map_host(static_cast<u8 *>(at), bytes);
  note(at, bytes, MemoryKind::registered, flags);
  return cudaSuccess;
}

cudaError_t hint(const void *at) {
  return call([&] {
    u64 start = 0, bytes = 0;
    return allocation_of(reinterpret_cast<u64>(at), &start, &bytes) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // namespace

void note_managed_variable(void *at, u64 bytes) { note(at, bytes, MemoryKind::managed, 0); }

MemoryKind memory_kind(const void *at, void **start, u64 *bytes) {
  auto &known = blocks();
  const std::lock_guard lock(known.mutex);
  const u64 address = reinterpret_cast<u64>(at);
  auto block = known.all.upper_bound(address);
  if (block == known.all.begin()) return MemoryKind::none;
  --block;
  if (address - block->first >= block->second.bytes) return MemoryKind::none;
  if (start != nullptr) *start = reinterpret_cast<void *>(block->first);
  if (bytes != nullptr) *bytes = block->second.bytes;
  return block->second.kind;
}

}  // namespace emu

using emu::MemoryKind;

cudaError_t cudaMalloc(void **at, std::size_t bytes) {
  return emu::call([&] { return emu::allocate_device(at, bytes, MemoryKind::device); });
}

cudaError_t cudaMallocManaged(void **at, std::size_t bytes, unsigned) {
  return emu::call([&] { return emu::allocate_device(at, bytes, MemoryKind::managed); });
}

cudaError_t cudaMallocPitch(void **at, std::size_t *pitch, std::size_t width, std::size_t height) {
  return emu::call([&] {
    *pitch = (width + emu::PITCH_UNIT - 1) / emu::PITCH_UNIT * emu::PITCH_UNIT;
    return emu::allocate_device(at, *pitch * height, MemoryKind::device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *result, cudaExtent extent) {
  return emu::call([&] {
    const std::size_t pitch = (extent.width + emu::PITCH_UNIT - 1) / emu::PITCH_UNIT * emu::PITCH_UNIT;
    *result = {nullptr, pitch, extent.width, extent.height};
    return emu::allocate_device(&result->ptr, pitch * extent.height * extent.depth, MemoryKind::device);
  });
}

cudaError_t cudaFree(void *at) {
  return emu::call([&] { return emu::free_device(at); });
}

cudaError_t cudaMallocHost(void **at, std::size_t bytes) {
  return emu::call([&] { return emu::allocate_host(at, bytes, 0); });
}

cudaError_t cudaHostAlloc(void **at, std::size_t bytes, unsigned flags) {
  return emu::call([&] { return emu::allocate_host(at, bytes, flags); });
}

cudaError_t cudaFreeHost(void *at) {
  return emu::call([&] { return emu::free_host(at); });
}

cudaError_t cudaHostRegister(void *at, std::size_t bytes, unsigned flags) {
  return emu::call([&] { return emu::register_host(at, bytes, flags); });
}

cudaError_t cudaHostUnregister(void *at) {
  return emu::call([&] {
    if (!emu::forget(at, MemoryKind::registered, MemoryKind::registered)) return cudaErrorHostMemoryNotRegistered;
    emu::unmap_host(static_cast<emu::u8 *>(at));
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned) {
  return emu::call([&] {
    const MemoryKind kind = emu::memory_kind(host, nullptr, nullptr);
    if (kind != MemoryKind::host && kind != MemoryKind::registered) return cudaErrorInvalidValue;
    *device = host;  // one address space
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  return emu::call([&] {
    void *start = nullptr;
    const MemoryKind kind = emu::memory_kind(host, &start, nullptr);
    if (kind != MemoryKind::host && kind != MemoryKind::registered) return cudaErrorInvalidValue;
    const std::lock_guard lock(emu::blocks().mutex);
    *flags = emu::blocks().all[reinterpret_cast<emu::u64>(start)].flags;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t *free, std::size_t *total) {
  return emu::call([&] {
    const std::lock_guard lock(emu::blocks().mutex);
    const emu::u64 memory = emu::configuration().memory_bytes;
    if (total != nullptr) *total = memory;
    if (free != nullptr) *free = memory - std::min(memory, emu::blocks().used);
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *result, const void *at) {
  return emu::call([&] {
    std::memset(result, 0, sizeof *result);
    result->type = cudaMemoryTypeUnregistered;
    result->device = -2;  // what CUDA gives for memory that it does not know
    MemoryKind kind = emu::memory_kind(at, nullptr, nullptr);
    emu::u64 start = 0, bytes = 0;
    if (kind == MemoryKind::none && emu::allocation_of(reinterpret_cast<emu::u64>(at), &start, &bytes)) {
      kind = MemoryKind::device;  // a module's variable
    }
    if (kind == MemoryKind::none) return cudaSuccess;
    result->device = 0;
    result->devicePointer = const_cast<void *>(at);
    if (kind == MemoryKind::device) {
      result->type = cudaMemoryTypeDevice;
      return cudaSuccess;
    }
    result->hostPointer = const_cast<void *>(at);
    result->type = kind == MemoryKind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
    return cudaSuccess;
  });
}

// Stream-ordered allocation: done at once.
cudaError_t cudaMallocAsync(void **at, std::size_t bytes, cudaStream_t) {
  return emu::call([&] { return emu::allocate_device(at, bytes, MemoryKind::device); });
}

cudaError_t cudaMallocFromPoolAsync(void **at, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  return emu::call([&] { return emu::allocate_device(at, bytes, MemoryKind::device); });
}

cudaError_t cudaFreeAsync(void *at, cudaStream_t stream) {
  return emu::call([&] {
    const CUstream_st *known = emu::stream_of(stream);
    if (known == nullptr) return cudaErrorInvalidResourceHandle;
    // Captured memory stays: the graph may be launched again.
    if (known->capture != nullptr) return emu::submit(stream, cudaGraphNodeTypeMemFree, nullptr);
    return emu::free_device(at);
  });
}

// Hints: memory is one, so there is nothing to move.
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void *at, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return emu::hint(at);
}

cudaError_t cudaMemAdvise(const void *at, std::size_t, cudaMemoryAdvise, cudaMemLocation) { return emu::hint(at); }
#else
cudaError_t cudaMemPrefetchAsync(const void *at, std::size_t, int, cudaStream_t) { return emu::hint(at); }

extern "C" cudaError_t cudaMemPrefetchAsync_v2(const void *at, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return emu::hint(at);
}

cudaError_t cudaMemAdvise(const void *at, std::size_t, cudaMemoryAdvise, int) { return emu::hint(at); }

extern "C" cudaError_t cudaMemAdvise_v2(const void *at, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  return emu::hint(at);
}
#endif

cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, std::size_t, unsigned) {
  return emu::call([] { return cudaSuccess; });
}

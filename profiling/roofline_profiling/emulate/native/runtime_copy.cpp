// Copies and fills. Each is checked first and then a task, so that it can be captured in a graph.
#include <algorithm>
#include <cstring>

#include "runtime.h"

namespace emu {
namespace {

// A region of rows and layers.
struct Region {
  u8 *at = nullptr;
  u64 pitch = 0, slice = 0;  // bytes from row to row, from layer to layer
};

bool is_device(const void *at) {
  u64 start = 0, bytes = 0;
  return allocation_of(reinterpret_cast<u64>(at), &start, &bytes);
}

// False: part of it lies beyond the allocation in which it starts. Unknown memory is the program's own.
bool fits(const void *at, u64 bytes) {
  u64 start = 0, size = 0;
  const u64 address = reinterpret_cast<u64>(at);
  return !allocation_of(address, &start, &size) || bytes <= start + size - address;
}

cudaError_t check_sides(const void *to, const void *from, u64 to_bytes, u64 from_bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if ((to_device && !is_device(to)) || (from_device && !is_device(from))) return cudaErrorInvalidValue;
  return fits(to, to_bytes) && fits(from, from_bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t region_task(const Region &to, const Region &from, const cudaExtent &bytes, cudaMemcpyKind kind, Task *task) {
  if (bytes.width == 0 || bytes.height == 0 || bytes.depth == 0) {
    *task = nullptr;
    return cudaSuccess;
  }
  if (bytes.height > 1 && (to.pitch < bytes.width || from.pitch < bytes.width)) return cudaErrorInvalidPitchValue;
  const u64 to_end = to.slice * (bytes.depth - 1) + to.pitch * (bytes.height - 1) + bytes.width;
  const u64 from_end = from.slice * (bytes.depth - 1) + from.pitch * (bytes.height - 1) + bytes.width;
  if (const cudaError_t error = check_sides(to.at, from.at, to_end, from_end, kind); error != cudaSuccess) return error;
  *task = [=] {
    for (u64 z = 0; z < bytes.depth; z++) {
      for (u64 y = 0; y < bytes.height; y++) {
        std::memmove(to.at + z * to.slice + y * to.pitch, from.at + z * from.slice + y * from.pitch, bytes.width);
      }
    }
    return cudaSuccess;
  };
  return cudaSuccess;
}

Region array_region(const cudaArray &array, const cudaPos &position) {
  u8 *at = array.data + position.x * array.element_bytes + position.y * array.pitch + position.z * array.slice;
  return {at, array.pitch, array.slice};
}

Region pointer_region(const cudaPitchedPtr &pointer, const cudaPos &position) {
  const u64 slice = pointer.pitch * pointer.ysize;
  return {static_cast<u8 *>(pointer.ptr) + position.x + position.y * pointer.pitch + position.z * slice, pointer.pitch, slice};
}

template <typename Make>
cudaError_t copy(cudaStream_t stream, Make &&make) {
  return call([&]() -> cudaError_t {
    Task task;
    const cudaError_t error = make(&task);
    return error == cudaSuccess ? submit(stream, cudaGraphNodeTypeMemcpy, task) : error;
  });
}

cudaError_t symbol_copy(const void *shadow, u64 count, u64 offset, cudaStream_t stream,
                        const std::function<cudaError_t(u8 *, Task *)> &make) {
  return copy(stream, [&](Task *task) -> cudaError_t {
    Symbol symbol;
    if (const cudaError_t error = variable_of(shadow, &symbol); error != cudaSuccess) return error;
    if (offset > symbol.bytes || count > symbol.bytes - offset) return cudaErrorInvalidValue;
    return make(reinterpret_cast<u8 *>(symbol.address) + offset, task);
  });
}

cudaError_t copy_rows(void *to, u64 to_pitch, const void *from, u64 from_pitch, u64 width, u64 height, cudaMemcpyKind kind,
                      Task *task) {
  const Region target = {static_cast<u8 *>(to), to_pitch, 0};
  const Region source = {static_cast<u8 *>(const_cast<void *>(from)), from_pitch, 0};
  if (to_pitch < width || from_pitch < width) return cudaErrorInvalidPitchValue;
  return region_task(target, source, {width, height, 1}, kind, task);
}

cudaError_t fill(cudaStream_t stream, void *at, u64 pitch, int value, u64 width, u64 height) {
  return call([&]() -> cudaError_t {
    Task task;
    const cudaError_t error = set_task(at, pitch, u32(value), 1, width, height, &task);
    return error == cudaSuccess ? submit(stream, cudaGraphNodeTypeMemset, task) : error;
  });
}

}  // namespace

cudaError_t copy_task(void *to, const void *from, u64 bytes, cudaMemcpyKind kind, Task *task) {
  const Region target = {static_cast<u8 *>(to), bytes, 0};
  const Region source = {static_cast<u8 *>(const_cast<void *>(from)), bytes, 0};
  return region_task(target, source, {bytes, 1, 1}, kind, task);
}

cudaError_t copy_3d_task(const cudaMemcpy3DParms &p, Task *task) {
  if ((p.srcArray == nullptr) == (p.srcPtr.ptr == nullptr)) return cudaErrorInvalidValue;
  if ((p.dstArray == nullptr) == (p.dstPtr.ptr == nullptr)) return cudaErrorInvalidValue;
  const Region from = p.srcArray != nullptr ? array_region(*p.srcArray, p.srcPos) : pointer_region(p.srcPtr, p.srcPos);
  const Region to = p.dstArray != nullptr ? array_region(*p.dstArray, p.dstPos) : pointer_region(p.dstPtr, p.dstPos);
  cudaExtent bytes = p.extent;  // its width counts an array's elements, where one takes part
  if (p.srcArray != nullptr) {
    bytes.width *= p.srcArray->element_bytes;
  } else if (p.dstArray != nullptr) {
    bytes.width *= p.dstArray->element_bytes;
  }
  return region_task(to, from, bytes, p.kind, task);
}

cudaError_t set_task(void *at, u64 pitch, u32 value, u32 element_bytes, u64 width, u64 height, Task *task) {
  *task = nullptr;
  if (width == 0 || height == 0) return cudaSuccess;
  const u64 row = width * element_bytes;
  if (height > 1 && pitch < row) return cudaErrorInvalidPitchValue;
  if (!is_device(at) || !fits(at, pitch * (height - 1) + row)) return cudaErrorInvalidValue;
  u8 *start = static_cast<u8 *>(at);
  *task = [=] {
    for (u64 y = 0; y < height; y++) {
      if (element_bytes == 1) {
        std::memset(start + y * pitch, int(value), row);
        continue;
      }
      for (u64 x = 0; x < width; x++) std::memcpy(start + y * pitch + x * element_bytes, &value, element_bytes);
    }
    return cudaSuccess;
  };
  return cudaSuccess;
}

}  // namespace emu

using emu::Task;

cudaError_t cudaMemcpy(void *to, const void *from, std::size_t count, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, count, kind, nullptr);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return emu::copy(stream, [&](Task *task) { return emu::copy_task(to, from, count, kind, task); });
}

cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, std::size_t count) {
  return cudaMemcpyAsync(to, from, count, cudaMemcpyDeviceToDevice, nullptr);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, std::size_t count, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}

cudaError_t cudaMemcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                              std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return emu::copy(stream, [&](Task *task) {
    return emu::copy_rows(to, to_pitch, from, from_pitch, width, height, kind, task);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters) { return cudaMemcpy3DAsync(parameters, nullptr); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  return emu::copy(stream, [&](Task *task) { return emu::copy_3d_task(*parameters, task); });
}

cudaError_t cudaMemcpyToSymbol(const void *shadow, const void *from, std::size_t count, std::size_t offset,
                               cudaMemcpyKind kind) {
  return cudaMemcpyToSymbolAsync(shadow, from, count, offset, kind, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *shadow, const void *from, std::size_t count, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return emu::symbol_copy(shadow, count, offset, stream, [&](emu::u8 *at, Task *task) {
    return emu::copy_task(at, from, count, kind, task);
  });
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *shadow, std::size_t count, std::size_t offset, cudaMemcpyKind kind) {
  return cudaMemcpyFromSymbolAsync(to, shadow, count, offset, kind, nullptr);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *shadow, std::size_t count, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return emu::symbol_copy(shadow, count, offset, stream, [&](emu::u8 *at, Task *task) {
    return emu::copy_task(to, at, count, kind, task);
  });
}

cudaError_t cudaMemset(void *at, int value, std::size_t count) { return emu::fill(nullptr, at, count, value, count, 1); }

cudaError_t cudaMemsetAsync(void *at, int value, std::size_t count, cudaStream_t stream) {
  return emu::fill(stream, at, count, value, count, 1);
}

cudaError_t cudaMemset2D(void *at, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return emu::fill(nullptr, at, pitch, value, width, height);
}

cudaError_t cudaMemset2DAsync(void *at, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return emu::fill(stream, at, pitch, value, width, height);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return cudaMemset3DAsync(pointer, value, extent, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
  for (std::size_t z = 0; z < extent.depth; z++) {
    emu::u8 *layer = static_cast<emu::u8 *>(pointer.ptr) + z * pointer.pitch * pointer.ysize;
    const cudaError_t error = emu::fill(stream, layer, pointer.pitch, value, extent.width, extent.height);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

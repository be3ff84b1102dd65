// Arrays, their copies, and texture and surface objects.
#include <map>
#include <mutex>

#include "runtime.h"

namespace emu {
namespace {

struct Resource {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
};

std::mutex resource_mutex;
std::map<u64, Resource> &resources() {
  static auto *result = new std::map<u64, Resource>;
  return *result;
}

u32 channels(const cudaChannelFormatDesc &format) {
  return u32(format.x > 0) + u32(format.y > 0) + u32(format.z > 0) + u32(format.w > 0);
}

cudaError_t allocate_array(cudaArray_t *result, const cudaChannelFormatDesc *format, const cudaExtent &extent, unsigned flags) {
  if (result == nullptr || format == nullptr || extent.width == 0) return cudaErrorInvalidValue;
  constexpr unsigned KNOWN = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather;
  if ((flags & ~KNOWN) != 0) return unsupported("cube map, sparse and deferred arrays");
  const int bits = format->x + format->y + format->z + format->w;
  if (bits <= 0 || bits % 8 != 0 || bits > 128) return cudaErrorInvalidChannelDescriptor;
  auto *array = new cudaArray;
  array->format = *format;
  array->width = extent.width;
  array->height = extent.height;
  array->depth = extent.depth;
  array->flags = flags;
  array->element_bytes = u64(bits) / 8;
  array->pitch = array->element_bytes * extent.width;
  array->slice = array->pitch * array->rows();
  array->data = allocate(array->slice * array->layers());
  if (array->data == nullptr) {
    delete array;
    return cudaErrorMemoryAllocation;
  }
  *result = array;
  return cudaSuccess;
}

void set_format(Texture *texture, const cudaChannelFormatDesc &format) {
  texture->channels = channels(format);
  texture->channel_bits = u32(format.x);
  texture->channel_kind = format.f == cudaChannelFormatKindSigned ? 0 : format.f == cudaChannelFormatKindUnsigned ? 1 : 2;
}

cudaError_t set_resource(Texture *texture, const cudaResourceDesc &resource) {
  if (resource.resType == cudaResourceTypeArray) {
    const cudaArray *array = resource.res.array.array;
    if (array == nullptr) return cudaErrorInvalidValue;
    texture->address = reinterpret_cast<u64>(array->data);
    texture->width = u32(array->width);
    texture->height = u32(array->height);
    const bool layered = (array->flags & cudaArrayLayered) != 0;
    texture->depth = layered ? 0 : u32(array->depth);
    texture->layers = layered ? u32(array->depth) : 0;
    texture->pitch = array->pitch;
    set_format(texture, array->format);
  } else if (resource.resType == cudaResourceTypeLinear) {
    const auto &linear = resource.res.linear;
    set_format(texture, linear.desc);
    const u64 element = u64(linear.desc.x + linear.desc.y + linear.desc.z + linear.desc.w) / 8;
    if (linear.devPtr == nullptr || element == 0) return cudaErrorInvalidValue;
    texture->address = reinterpret_cast<u64>(linear.devPtr);
    texture->width = u32(linear.sizeInBytes / element);
    texture->pitch = linear.sizeInBytes;
  } else if (resource.resType == cudaResourceTypePitch2D) {
    const auto &rows = resource.res.pitch2D;
    if (rows.devPtr == nullptr) return cudaErrorInvalidValue;
    texture->address = reinterpret_cast<u64>(rows.devPtr);
    texture->width = u32(rows.width);
    texture->height = u32(rows.height);
    texture->pitch = rows.pitchInBytes;
    set_format(texture, rows.desc);
  } else {
    return unsupported("textures of mipmapped arrays");
  }
  return cudaSuccess;
}

cudaError_t create_texture(cudaTextureObject_t *result, const cudaResourceDesc &resource, const cudaTextureDesc &how) {
  Texture texture;
  if (const cudaError_t error = set_resource(&texture, resource); error != cudaSuccess) return error;
  for (int i = 0; i < 3; i++) texture.address_mode[i] = u8(how.addressMode[i]);
  texture.linear_filter = how.filterMode == cudaFilterModeLinear;
  texture.normalized = how.normalizedCoords != 0;
  texture.read_normalized = how.readMode == cudaReadModeNormalizedFloat;
  *result = add_texture(texture);
  const std::lock_guard lock(resource_mutex);
  resources()[*result] = {resource, how};
  return cudaSuccess;
}

cudaError_t destroy_texture(u64 handle) {
  const std::lock_guard lock(resource_mutex);
  if (resources().erase(handle) == 0) return cudaErrorInvalidValue;
  set_texture(handle, Texture());
  return cudaSuccess;
}

cudaError_t copy_array(cudaMemcpy3DParms p, cudaStream_t stream) { return cudaMemcpy3DAsync(&p, stream); }

// Rows to an array; x in bytes as these functions have it.
cudaError_t to_array(cudaArray_t to, u64 x, u64 y, const void *from, u64 pitch, u64 width, u64 height, cudaMemcpyKind kind,
                     cudaStream_t stream) {
  if (to == nullptr) return keep(cudaErrorInvalidValue);
  cudaMemcpy3DParms p = {};
  p.srcPtr = {const_cast<void *>(from), pitch, width, height};
  p.dstArray = to;
  p.dstPos = {x / to->element_bytes, y, 0};
  p.extent = {width / to->element_bytes, height, 1};
  p.kind = kind;
  return copy_array(p, stream);
}

cudaError_t from_array(void *to, u64 pitch, cudaArray_const_t from, u64 x, u64 y, u64 width, u64 height, cudaMemcpyKind kind,
                       cudaStream_t stream) {
  if (from == nullptr) return keep(cudaErrorInvalidValue);
  cudaMemcpy3DParms p = {};
  p.srcArray = const_cast<cudaArray_t>(from);
  p.srcPos = {x / from->element_bytes, y, 0};
  p.dstPtr = {to, pitch, width, height};
  p.extent = {width / from->element_bytes, height, 1};
  p.kind = kind;
  return copy_array(p, stream);
}

// Whole rows, and what is left of the last one.
template <typename Rows>
cudaError_t in_rows(cudaArray_const_t array, u64 x, u64 count, Rows &&rows) {
  if (array == nullptr) return keep(cudaErrorInvalidValue);
  if (x == 0 && count % array->pitch == 0) return rows(0, array->pitch, count / array->pitch);
  if (x + count <= array->pitch) return rows(0, count, 1);
  if (x != 0) return keep(unsupported("array copies of part of a row and further rows"));
  const cudaError_t error = rows(0, array->pitch, count / array->pitch);
  return error != cudaSuccess ? error : rows(count / array->pitch, count % array->pitch, 1);
}

}  // namespace
}  // namespace emu

using emu::u64;

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, std::size_t width, std::size_t height,
                            unsigned flags) {
  return emu::call([&] { return emu::allocate_array(array, format, {width, height, 0}, flags); });
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags) {
  return emu::call([&] { return emu::allocate_array(array, format, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return emu::call([&] {
    if (array == nullptr) return cudaSuccess;
    emu::release(array->data);
    delete array;
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags, cudaArray_t array) {
  return emu::call([&] {
    if (array == nullptr) return cudaErrorInvalidValue;
    if (format != nullptr) *format = array->format;
    if (extent != nullptr) *extent = {array->width, array->height, array->depth};
    if (flags != nullptr) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t array) {
  return cudaArrayGetInfo(format, nullptr, nullptr, const_cast<cudaArray_t>(array));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return emu::to_array(to, x, y, from, pitch, width, height, kind, nullptr);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return emu::to_array(to, x, y, from, pitch, width, height, kind, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                  std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return emu::from_array(to, pitch, from, x, y, width, height, kind, nullptr);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                       std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return emu::from_array(to, pitch, from, x, y, width, height, kind, stream);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void *from, std::size_t count,
                              cudaMemcpyKind kind) {
  return emu::in_rows(to, x, count, [&](u64 row, u64 width, u64 height) {
    const auto *start = static_cast<const emu::u8 *>(from) + row * to->pitch;
    return emu::to_array(to, x, y + row, start, width, width, height, kind, nullptr);
  });
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t count,
                                cudaMemcpyKind kind) {
  return emu::in_rows(from, x, count, [&](u64 row, u64 width, u64 height) {
    auto *start = static_cast<emu::u8 *>(to) + row * from->pitch;
    return emu::from_array(start, width, from, x, y + row, width, height, kind, nullptr);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                                     std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind) {
  if (to == nullptr || from == nullptr) return emu::keep(cudaErrorInvalidValue);
  cudaMemcpy3DParms p = {};
  p.srcArray = const_cast<cudaArray_t>(from);
  p.srcPos = {from_x / from->element_bytes, from_y, 0};
  p.dstArray = to;
  p.dstPos = {to_x / to->element_bytes, to_y, 0};
  p.extent = {width / from->element_bytes, height, 1};
  p.kind = kind;
  return emu::copy_array(p, nullptr);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *result, const cudaResourceDesc *resource, const cudaTextureDesc *how,
                                    const cudaResourceViewDesc *view) {
  return emu::call([&] {
    if (result == nullptr || resource == nullptr || how == nullptr) return cudaErrorInvalidValue;
    if (view != nullptr) return emu::unsupported("texture objects with a resource view");
    return emu::create_texture(result, *resource, *how);
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
  return emu::call([&] { return emu::destroy_texture(handle); });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t handle) {
  return emu::call([&] {
    const std::lock_guard lock(emu::resource_mutex);
    const auto found = emu::resources().find(handle);
    if (found == emu::resources().end()) return cudaErrorInvalidValue;
    *resource = found->second.resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *how, cudaTextureObject_t handle) {
  return emu::call([&] {
    const std::lock_guard lock(emu::resource_mutex);
    const auto found = emu::resources().find(handle);
    if (found == emu::resources().end()) return cudaErrorInvalidValue;
    *how = found->second.texture;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *result, const cudaResourceDesc *resource) {
  return emu::call([&] {
    if (result == nullptr || resource == nullptr) return cudaErrorInvalidValue;
    if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
    cudaTextureDesc how = {};
    return emu::create_texture(result, *resource, how);
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
  return emu::call([&] { return emu::destroy_texture(handle); });
}

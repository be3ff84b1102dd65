// Buffers: device memory whose addresses are the host's own, so that copies and maps are those of the host.
#include <algorithm>

#include "opencl.h"

namespace emu {
namespace {

constexpr cl_mem_flags ACCESS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
constexpr cl_mem_flags FROM_HOST = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

bool fits(cl_mem memory, std::size_t offset, std::size_t bytes) {
  return bytes <= memory->bytes && offset <= memory->bytes - bytes;
}

cl_mem made_buffer(cl_context context, cl_mem_flags flags, std::size_t bytes, void *host, cl_int *error) {
  const auto fail = [&](cl_int code) { return with_error<_cl_mem>(error, code); };
  if (!is_live(context, Kind::context)) return fail(CL_INVALID_CONTEXT);
  const cl_mem_flags access = flags & ACCESS;
  if ((access & (access - 1)) != 0) return fail(CL_INVALID_VALUE);
  if (bytes == 0) return fail(CL_INVALID_BUFFER_SIZE);
  if ((host != nullptr) != ((flags & FROM_HOST) != 0)) return fail(CL_INVALID_HOST_PTR);
  u8 *data = allocate(bytes);
  if (data == nullptr) return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE);
  auto *memory = new _cl_mem;
  memory->context = hold(context);
  memory->flags = access == 0 ? flags | CL_MEM_READ_WRITE : flags;
  memory->bytes = bytes;
  memory->data = data;
  if (host != nullptr) std::memcpy(data, host, bytes);
  if (flags & CL_MEM_USE_HOST_PTR) memory->host = static_cast<u8 *>(host);
  return with_error(error, CL_SUCCESS, memory);
}

cl_int copy(cl_command_queue queue, cl_command_type type, const Waits &waits, cl_event *event, cl_mem memory,
            std::size_t offset, std::size_t bytes, const std::function<void()> &body) {
  if (!is_live(memory, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  if (bytes == 0 || !fits(memory, offset, bytes)) return CL_INVALID_VALUE;
  return command(queue, type, waits, event, [&] {
    body();
    pass_time(bytes / 10);  // 10 GB/s
    return CL_SUCCESS;
  });
}

// A box of a buffer or of the host's memory: where it begins, and the bytes from row to row and slice to slice.
struct Box {
  u8 *at;
  std::size_t row, slice;
};

Box box(u8 *start, const std::size_t *origin, const std::size_t *region, std::size_t row, std::size_t slice) {
  if (row == 0) row = region[0];
  if (slice == 0) slice = region[1] * row;
  return {start + origin[0] + origin[1] * row + origin[2] * slice, row, slice};
}

bool holds(cl_mem memory, const Box &part, const std::size_t *region) {
  const std::size_t first = std::size_t(part.at - memory->data);
  return first + (region[2] - 1) * part.slice + (region[1] - 1) * part.row + region[0] <= memory->bytes;
}

void copy_box(const Box &to, const Box &from, const std::size_t *region) {
  for (std::size_t z = 0; z < region[2]; z++) {
    for (std::size_t y = 0; y < region[1]; y++) {
      std::memmove(to.at + z * to.slice + y * to.row, from.at + z * from.slice + y * from.row, region[0]);
    }
  }
}

bool is_region(const std::size_t *region) {
  return region != nullptr && region[0] > 0 && region[1] > 0 && region[2] > 0;
}

cl_int fill(u8 *to, std::size_t bytes, const void *pattern, std::size_t pattern_bytes) {
  for (std::size_t at = 0; at < bytes; at += pattern_bytes) std::memcpy(to + at, pattern, pattern_bytes);
  return CL_SUCCESS;
}

}  // namespace
}  // namespace emu

using emu::Kind;

_cl_mem::~_cl_mem() {
  for (auto call = last_calls.rbegin(); call != last_calls.rend(); ++call) (*call)();
  if (parent == nullptr && data != nullptr) emu::release(data);
  emu::drop(parent);
  emu::drop(context);
}

OPENCL cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, std::size_t bytes, void *host, cl_int *error) {
  return emu::made_buffer(context, flags, bytes, host, error);
}

OPENCL cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *, cl_mem_flags flags,
                                           std::size_t bytes, void *host, cl_int *error) {
  return emu::made_buffer(context, flags, bytes, host, error);
}

OPENCL cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *about,
                                cl_int *error) {
  const auto fail = [&](cl_int code) { return emu::with_error<_cl_mem>(error, code); };
  if (!emu::is_live(parent, Kind::memory) || parent->parent != nullptr || parent->is_image()) {
    return fail(CL_INVALID_MEM_OBJECT);
  }
  if (type != CL_BUFFER_CREATE_TYPE_REGION || about == nullptr) return fail(CL_INVALID_VALUE);
  const auto *region = static_cast<const cl_buffer_region *>(about);
  if (region->size == 0) return fail(CL_INVALID_BUFFER_SIZE);
  if (!emu::fits(parent, region->origin, region->size)) return fail(CL_INVALID_VALUE);
  if (region->origin % 512 != 0) return fail(CL_MISALIGNED_SUB_BUFFER_OFFSET);
  auto *memory = new _cl_mem;
  memory->context = emu::hold(parent->context);
  memory->parent = emu::hold(parent);
  memory->flags = flags != 0 ? flags : parent->flags;
  memory->origin = region->origin;
  memory->bytes = region->size;
  memory->data = parent->data + region->origin;
  if (parent->host != nullptr) memory->host = parent->host + region->origin;
  return emu::with_error(error, CL_SUCCESS, memory);
}

OPENCL cl_int clRetainMemObject(cl_mem memory) { return emu::retain(memory, Kind::memory, CL_INVALID_MEM_OBJECT); }
OPENCL cl_int clReleaseMemObject(cl_mem memory) { return emu::release(memory, Kind::memory, CL_INVALID_MEM_OBJECT); }

OPENCL cl_int clSetMemObjectDestructorCallback(cl_mem memory, void(CL_CALLBACK *call)(cl_mem, void *), void *data) {
  if (!emu::is_live(memory, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  if (call == nullptr) return CL_INVALID_VALUE;
  memory->last_calls.push_back([=] { call(memory, data); });
  return CL_SUCCESS;
}

OPENCL cl_int clGetMemObjectInfo(cl_mem memory, cl_mem_info name, std::size_t room, void *to, std::size_t *size) {
  if (!emu::is_live(memory, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  switch (name) {
    case CL_MEM_TYPE: return emu::answer_value(memory->type, room, to, size);
    case CL_MEM_FLAGS: return emu::answer_value(memory->flags, room, to, size);
    case CL_MEM_SIZE: return emu::answer_value(memory->bytes, room, to, size);
    case CL_MEM_HOST_PTR: return emu::answer_value(static_cast<void *>(memory->host), room, to, size);
    case CL_MEM_MAP_COUNT: return emu::answer_value(cl_uint(memory->mapped.size()), room, to, size);
    case CL_MEM_REFERENCE_COUNT: return emu::answer_value(memory->references.load(), room, to, size);
    case CL_MEM_CONTEXT: return emu::answer_value(memory->context, room, to, size);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return emu::answer_value(memory->parent, room, to, size);
    case CL_MEM_OFFSET: return emu::answer_value(memory->origin, room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool, std::size_t offset, std::size_t bytes,
                                  void *to, cl_uint count, const cl_event *waits, cl_event *event) {
  if (to == nullptr) return CL_INVALID_VALUE;
  return emu::copy(queue, CL_COMMAND_READ_BUFFER, {count, waits}, event, memory, offset, bytes,
                   [&] { std::memcpy(to, memory->data + offset, bytes); });
}

OPENCL cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool, std::size_t offset, std::size_t bytes,
                                   const void *from, cl_uint count, const cl_event *waits, cl_event *event) {
  if (from == nullptr) return CL_INVALID_VALUE;
  return emu::copy(queue, CL_COMMAND_WRITE_BUFFER, {count, waits}, event, memory, offset, bytes,
                   [&] { std::memcpy(memory->data + offset, from, bytes); });
}

OPENCL cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, std::size_t from_offset,
                                  std::size_t to_offset, std::size_t bytes, cl_uint count, const cl_event *waits,
                                  cl_event *event) {
  if (!emu::is_live(to, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  if (!emu::fits(to, to_offset, bytes)) return CL_INVALID_VALUE;
  return emu::copy(queue, CL_COMMAND_COPY_BUFFER, {count, waits}, event, from, from_offset, bytes,
                   [&] { std::memmove(to->data + to_offset, from->data + from_offset, bytes); });
}

OPENCL cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern, std::size_t pattern_bytes,
                                  std::size_t offset, std::size_t bytes, cl_uint count, const cl_event *waits,
                                  cl_event *event) {
  if (pattern == nullptr || pattern_bytes == 0 || offset % pattern_bytes != 0 || bytes % pattern_bytes != 0) {
    return CL_INVALID_VALUE;
  }
  return emu::copy(queue, CL_COMMAND_FILL_BUFFER, {count, waits}, event, memory, offset, bytes,
                   [&] { emu::fill(memory->data + offset, bytes, pattern, pattern_bytes); });
}

OPENCL cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem memory, cl_bool, const std::size_t *origin,
                                      const std::size_t *host_origin, const std::size_t *region, std::size_t row,
                                      std::size_t slice, std::size_t host_row, std::size_t host_slice, void *to,
                                      cl_uint count, const cl_event *waits, cl_event *event) {
  if (!emu::is_live(memory, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  if (to == nullptr || !emu::is_region(region)) return CL_INVALID_VALUE;
  const emu::Box from = emu::box(memory->data, origin, region, row, slice);
  if (!emu::holds(memory, from, region)) return CL_INVALID_VALUE;
  return emu::command(queue, CL_COMMAND_READ_BUFFER_RECT, {count, waits}, event, [&] {
    emu::copy_box(emu::box(static_cast<emu::u8 *>(to), host_origin, region, host_row, host_slice), from, region);
    return CL_SUCCESS;
  });
}

OPENCL cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem memory, cl_bool, const std::size_t *origin,
                                       const std::size_t *host_origin, const std::size_t *region, std::size_t row,
                                       std::size_t slice, std::size_t host_row, std::size_t host_slice, const void *from,
                                       cl_uint count, const cl_event *waits, cl_event *event) {
  if (!emu::is_live(memory, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  if (from == nullptr || !emu::is_region(region)) return CL_INVALID_VALUE;
  const emu::Box to = emu::box(memory->data, origin, region, row, slice);
  if (!emu::holds(memory, to, region)) return CL_INVALID_VALUE;
  return emu::command(queue, CL_COMMAND_WRITE_BUFFER_RECT, {count, waits}, event, [&] {
    auto *start = static_cast<emu::u8 *>(const_cast<void *>(from));
    emu::copy_box(to, emu::box(start, host_origin, region, host_row, host_slice), region);
    return CL_SUCCESS;
  });
}

OPENCL cl_int clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const std::size_t *from_origin,
                                      const std::size_t *to_origin, const std::size_t *region, std::size_t from_row,
                                      std::size_t from_slice, std::size_t to_row, std::size_t to_slice, cl_uint count,
                                      const cl_event *waits, cl_event *event) {
  if (!emu::is_live(from, Kind::memory) || !emu::is_live(to, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  if (!emu::is_region(region)) return CL_INVALID_VALUE;
  const emu::Box source = emu::box(from->data, from_origin, region, from_row, from_slice);
  const emu::Box target = emu::box(to->data, to_origin, region, to_row, to_slice);
  if (!emu::holds(from, source, region) || !emu::holds(to, target, region)) return CL_INVALID_VALUE;
  return emu::command(queue, CL_COMMAND_COPY_BUFFER_RECT, {count, waits}, event, [&] {
    emu::copy_box(target, source, region);
    return CL_SUCCESS;
  });
}

// The mapped memory is the device's own, but for the host's memory that a buffer was made to use.
OPENCL void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool, cl_map_flags flags, std::size_t offset,
                                std::size_t bytes, cl_uint count, const cl_event *waits, cl_event *event, cl_int *error) {
  void *mapped = nullptr;
  const cl_int code = emu::copy(queue, CL_COMMAND_MAP_BUFFER, {count, waits}, event, memory, offset, bytes, [&] {
    mapped = (memory->host != nullptr ? memory->host : memory->data) + offset;
    if (memory->host != nullptr && !(flags & CL_MAP_WRITE_INVALIDATE_REGION)) {
      std::memcpy(memory->host + offset, memory->data + offset, bytes);
    }
    const bool written = (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
    memory->mapped.push_back({static_cast<emu::u8 *>(mapped), offset, bytes, written});
  });
  if (error != nullptr) *error = code;
  return mapped;
}

OPENCL cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *mapped, cl_uint count,
                                      const cl_event *waits, cl_event *event) {
  if (!emu::is_live(memory, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  const auto part = std::find_if(memory->mapped.begin(), memory->mapped.end(),
                                 [&](const _cl_mem::Mapped &each) { return each.at == mapped; });
  if (part == memory->mapped.end()) return CL_INVALID_VALUE;
  return emu::command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, {count, waits}, event, [&] {
    if (memory->host != nullptr && part->written) std::memcpy(memory->data + part->offset, part->at, part->bytes);
    memory->mapped.erase(part);
    return CL_SUCCESS;
  });
}

OPENCL cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint number, const cl_mem *objects,
                                         cl_mem_migration_flags, cl_uint count, const cl_event *waits, cl_event *event) {
  if (number == 0 || objects == nullptr) return CL_INVALID_VALUE;
  return emu::command(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, {count, waits}, event, [] { return CL_SUCCESS; });
}

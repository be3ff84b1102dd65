// Images and samplers. Rows lie one behind another, without gaps, as the textures of the executor read them.
#include <algorithm>
#include <mutex>

#include "opencl.h"

namespace emu {
namespace {

constexpr u32 SAMPLERS = 64;  // a handle for each combination of bits, as OpenCL C has them
constexpr cl_uint NORMALIZED = 1, LINEAR = 0x20, ADDRESSING = 0xe;

struct Channels {
  u32 count;
  bool known;
};

Channels channels_of(cl_channel_order order) {
  switch (order) {
    case CL_R:
    case CL_A:
    case CL_INTENSITY:
    case CL_LUMINANCE: return {1, order == CL_R};
    case CL_RG:
    case CL_RA: return {2, order == CL_RG};
    case CL_RGBA:
    case CL_BGRA:
    case CL_ARGB: return {4, order == CL_RGBA};
    default: return {0, false};
  }
}

struct ChannelType {
  u32 bits;
  u8 kind;          // 0 signed, 1 unsigned, 2 float
  bool normalized;
};

ChannelType type_of(cl_channel_type type) {
  switch (type) {
    case CL_SNORM_INT8: return {8, 0, true};
    case CL_SNORM_INT16: return {16, 0, true};
    case CL_UNORM_INT8: return {8, 1, true};
    case CL_UNORM_INT16: return {16, 1, true};
    case CL_SIGNED_INT8: return {8, 0, false};
    case CL_SIGNED_INT16: return {16, 0, false};
    case CL_SIGNED_INT32: return {32, 0, false};
    case CL_UNSIGNED_INT8: return {8, 1, false};
    case CL_UNSIGNED_INT16: return {16, 1, false};
    case CL_UNSIGNED_INT32: return {32, 1, false};
    case CL_HALF_FLOAT: return {16, 2, false};
    case CL_FLOAT: return {32, 2, false};
    default: return {0, 0, false};
  }
}

u8 address_mode(cl_uint bits) {
  switch (bits & ADDRESSING) {
    case 6: return 0;   // repeat
    case 8: return 2;   // mirrored
    case 4: return 3;   // clamp: the border's zeros outside
    default: return 1;  // to the edge
  }
}

Texture texture_with(cl_mem image, cl_uint sampler) {
  const ChannelType type = type_of(image->format.image_channel_data_type);
  Texture texture;
  texture.address = reinterpret_cast<u64>(image->data);
  texture.width = u32(image->width);
  texture.height = u32(image->height);
  texture.depth = u32(image->depth);
  texture.pitch = image->row;
  texture.channels = channels_of(image->format.image_channel_order).count;
  texture.channel_bits = type.bits;
  texture.channel_kind = type.kind;
  for (u8 &mode : texture.address_mode) mode = address_mode(sampler);
  texture.linear_filter = (sampler & LINEAR) != 0;
  texture.normalized = (sampler & NORMALIZED) != 0;
  texture.read_normalized = type.normalized;
  return texture;
}

void add_textures(cl_mem image) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  image->texture = add_texture(texture_with(image, 0));
  for (cl_uint bits = 1; bits < SAMPLERS; bits++) add_texture(texture_with(image, bits));
}

bool shaped(cl_mem image, const cl_image_desc &about) {
  image->type = about.image_type;
  image->width = about.image_width;
  switch (about.image_type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER: break;
    case CL_MEM_OBJECT_IMAGE2D: image->height = about.image_height; break;
    case CL_MEM_OBJECT_IMAGE3D:
      image->height = about.image_height;
      image->depth = about.image_depth;
      break;
    default: return false;
  }
  const bool flat = about.image_type == CL_MEM_OBJECT_IMAGE1D || about.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  return image->width > 0 && (flat || image->height > 0) &&
         (about.image_type != CL_MEM_OBJECT_IMAGE3D || image->depth > 0);
}

std::size_t rows(cl_mem image) { return std::max<std::size_t>(image->height, 1); }
std::size_t slices(cl_mem image) { return std::max<std::size_t>(image->depth, 1); }

void take_rows(cl_mem image, const u8 *from, std::size_t row, std::size_t slice) {
  if (row == 0) row = image->row;
  if (slice == 0) slice = row * rows(image);
  for (std::size_t z = 0; z < slices(image); z++) {
    for (std::size_t y = 0; y < rows(image); y++) {
      std::memcpy(image->data + z * image->slice + y * image->row, from + z * slice + y * row, image->row);
    }
  }
}

cl_mem made_image(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc &about,
                  void *host, cl_int *error) {
  const auto fail = [&](cl_int code) { return with_error<_cl_mem>(error, code); };
  if (!is_live(context, Kind::context)) return fail(CL_INVALID_CONTEXT);
  if (format == nullptr) return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  if (element_bytes(*format) == 0) {
    not_emulated("an image of this order or type of channels");
    return fail(CL_IMAGE_FORMAT_NOT_SUPPORTED);
  }
  auto *image = new _cl_mem;
  image->context = hold(context);
  image->flags = flags;
  image->format = *format;
  image->element = element_bytes(*format);
  if (!shaped(image, about)) {
    if (about.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || about.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY) {
      not_emulated("an array of images");
    }
    delete image;
    return fail(CL_INVALID_IMAGE_SIZE);
  }
  image->row = image->width * image->element;
  image->slice = image->row * rows(image);
  image->bytes = image->slice * slices(image);
  cl_mem of = about.mem_object;
  if (of != nullptr && is_live(of, Kind::memory)) {
    image->parent = hold(of);
    image->data = of->data;
  } else {
    image->data = allocate(image->bytes);
  }
  if (image->data == nullptr || (of != nullptr && of->bytes < image->bytes)) {
    delete image;
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE);
  }
  if (host != nullptr) take_rows(image, static_cast<const u8 *>(host), about.image_row_pitch, about.image_slice_pitch);
  add_textures(image);
  return with_error(error, CL_SUCCESS, image);
}

// The bytes of an image's region, row by row: a callback is given them, and the place of the row in the region.
bool each_row(cl_mem image, const std::size_t *origin, const std::size_t *region,
              const std::function<void(u8 *, std::size_t, std::size_t, std::size_t)> &visit) {
  if (origin == nullptr || region == nullptr) return false;
  if (origin[0] + region[0] > image->width || origin[1] + region[1] > rows(image) ||
      origin[2] + region[2] > slices(image) || region[0] * region[1] * region[2] == 0) {
    return false;
  }
  for (std::size_t z = 0; z < region[2]; z++) {
    for (std::size_t y = 0; y < region[1]; y++) {
      u8 *at = image->data + (origin[2] + z) * image->slice + (origin[1] + y) * image->row + origin[0] * image->element;
      visit(at, region[0] * image->element, y, z);
    }
  }
  return true;
}

bool is_image(cl_mem image) { return is_live(image, Kind::memory) && image->is_image(); }

}  // namespace

std::size_t element_bytes(const cl_image_format &format) {
  const Channels channels = channels_of(format.image_channel_order);
  return channels.known ? std::size_t(channels.count) * type_of(format.image_channel_data_type).bits / 8 : 0;
}

u64 texture_of(cl_mem image, cl_uint sampler) { return image->texture + (sampler & (SAMPLERS - 1)); }

cl_uint sampler_bits(cl_sampler sampler) {
  cl_uint bits = sampler->normalized ? NORMALIZED : 0;
  bits |= sampler->filter == CL_FILTER_LINEAR ? LINEAR : 0x10;
  switch (sampler->addressing) {
    case CL_ADDRESS_CLAMP_TO_EDGE: return bits | 2;
    case CL_ADDRESS_CLAMP: return bits | 4;
    case CL_ADDRESS_REPEAT: return bits | 6;
    case CL_ADDRESS_MIRRORED_REPEAT: return bits | 8;
    default: return bits;
  }
}

}  // namespace emu

using emu::Kind;

OPENCL cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                            const cl_image_desc *about, void *host, cl_int *error) {
  if (about == nullptr) return emu::with_error<_cl_mem>(error, CL_INVALID_IMAGE_DESCRIPTOR);
  return emu::made_image(context, flags, format, *about, host, error);
}

OPENCL cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, std::size_t width,
                              std::size_t height, std::size_t row, void *host, cl_int *error) {
  cl_image_desc about = {};
  about.image_type = CL_MEM_OBJECT_IMAGE2D;
  about.image_width = width;
  about.image_height = height;
  about.image_row_pitch = row;
  return emu::made_image(context, flags, format, about, host, error);
}

OPENCL cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, std::size_t width,
                              std::size_t height, std::size_t depth, std::size_t row, std::size_t slice, void *host,
                              cl_int *error) {
  cl_image_desc about = {};
  about.image_type = CL_MEM_OBJECT_IMAGE3D;
  about.image_width = width;
  about.image_height = height;
  about.image_depth = depth;
  about.image_row_pitch = row;
  about.image_slice_pitch = slice;
  return emu::made_image(context, flags, format, about, host, error);
}

OPENCL cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags, cl_mem_object_type, cl_uint room,
                                         cl_image_format *formats, cl_uint *count) {
  if (!emu::is_live(context, Kind::context)) return CL_INVALID_CONTEXT;
  constexpr cl_channel_order ORDERS[] = {CL_R, CL_RG, CL_RGBA};
  constexpr cl_channel_type TYPES[] = {CL_FLOAT,          CL_HALF_FLOAT,    CL_SIGNED_INT8,   CL_SIGNED_INT16,
                                       CL_SIGNED_INT32,   CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32,
                                       CL_UNORM_INT8,     CL_UNORM_INT16,   CL_SNORM_INT8,    CL_SNORM_INT16};
  cl_uint found = 0;
  for (const auto order : ORDERS) {
    for (const auto type : TYPES) {
      if (formats != nullptr && found < room) formats[found] = {order, type};
      found++;
    }
  }
  if (count != nullptr) *count = found;
  return CL_SUCCESS;
}

OPENCL cl_int clGetImageInfo(cl_mem image, cl_image_info name, std::size_t room, void *to, std::size_t *size) {
  if (!emu::is_image(image)) return CL_INVALID_MEM_OBJECT;
  switch (name) {
    case CL_IMAGE_FORMAT: return emu::answer_value(image->format, room, to, size);
    case CL_IMAGE_ELEMENT_SIZE: return emu::answer_value(image->element, room, to, size);
    case CL_IMAGE_ROW_PITCH: return emu::answer_value(image->row, room, to, size);
    case CL_IMAGE_SLICE_PITCH: return emu::answer_value(image->depth == 0 ? 0 : image->slice, room, to, size);
    case CL_IMAGE_WIDTH: return emu::answer_value(image->width, room, to, size);
    case CL_IMAGE_HEIGHT: return emu::answer_value(image->height, room, to, size);
    case CL_IMAGE_DEPTH: return emu::answer_value(image->depth, room, to, size);
    case CL_IMAGE_ARRAY_SIZE: return emu::answer_value(image->layers, room, to, size);
    case CL_IMAGE_BUFFER: return emu::answer_value(image->parent, room, to, size);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES: return emu::answer_value(cl_uint(0), room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool, const std::size_t *origin,
                                 const std::size_t *region, std::size_t row, std::size_t slice, void *to, cl_uint count,
                                 const cl_event *waits, cl_event *event) {
  if (!emu::is_image(image)) return CL_INVALID_MEM_OBJECT;
  return emu::command(queue, CL_COMMAND_READ_IMAGE, {count, waits}, event, [&]() -> cl_int {
    if (row == 0 && region != nullptr) row = region[0] * image->element;
    if (slice == 0 && region != nullptr) slice = row * region[1];
    const bool done = emu::each_row(image, origin, region, [&](emu::u8 *at, std::size_t bytes, std::size_t y, std::size_t z) {
      std::memcpy(static_cast<emu::u8 *>(to) + z * slice + y * row, at, bytes);
    });
    return done ? CL_SUCCESS : CL_INVALID_VALUE;
  });
}

OPENCL cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool, const std::size_t *origin,
                                  const std::size_t *region, std::size_t row, std::size_t slice, const void *from,
                                  cl_uint count, const cl_event *waits, cl_event *event) {
  if (!emu::is_image(image)) return CL_INVALID_MEM_OBJECT;
  return emu::command(queue, CL_COMMAND_WRITE_IMAGE, {count, waits}, event, [&]() -> cl_int {
    if (row == 0 && region != nullptr) row = region[0] * image->element;
    if (slice == 0 && region != nullptr) slice = row * region[1];
    const bool done = emu::each_row(image, origin, region, [&](emu::u8 *at, std::size_t bytes, std::size_t y, std::size_t z) {
      std::memcpy(at, static_cast<const emu::u8 *>(from) + z * slice + y * row, bytes);
    });
    return done ? CL_SUCCESS : CL_INVALID_VALUE;
  });
}

OPENCL cl_int clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem image, std::size_t offset,
                                         const std::size_t *origin, const std::size_t *region, cl_uint count,
                                         const cl_event *waits, cl_event *event) {
  if (!emu::is_image(image) || !emu::is_live(from, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  return emu::command(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, {count, waits}, event, [&]() -> cl_int {
    std::size_t at = offset;
    const bool done = emu::each_row(image, origin, region, [&](emu::u8 *row, std::size_t bytes, std::size_t, std::size_t) {
      if (at + bytes <= from->bytes) std::memcpy(row, from->data + at, bytes);
      at += bytes;
    });
    return done && at <= from->bytes ? CL_SUCCESS : CL_INVALID_VALUE;
  });
}

OPENCL cl_int clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem to, const std::size_t *origin,
                                         const std::size_t *region, std::size_t offset, cl_uint count,
                                         const cl_event *waits, cl_event *event) {
  if (!emu::is_image(image) || !emu::is_live(to, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  return emu::command(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, {count, waits}, event, [&]() -> cl_int {
    std::size_t at = offset;
    const bool done = emu::each_row(image, origin, region, [&](emu::u8 *row, std::size_t bytes, std::size_t, std::size_t) {
      if (at + bytes <= to->bytes) std::memcpy(to->data + at, row, bytes);
      at += bytes;
    });
    return done && at <= to->bytes ? CL_SUCCESS : CL_INVALID_VALUE;
  });
}

OPENCL cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                                  cl_filter_mode filter, cl_int *error) {
  if (!emu::is_live(context, Kind::context)) return emu::with_error<_cl_sampler>(error, CL_INVALID_CONTEXT);
  auto *sampler = new _cl_sampler;
  sampler->context = emu::hold(context);
  sampler->normalized = normalized;
  sampler->addressing = addressing;
  sampler->filter = filter;
  return emu::with_error(error, CL_SUCCESS, sampler);
}

OPENCL cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                                                cl_int *error) {
  cl_bool normalized = CL_TRUE;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  for (; properties != nullptr && *properties != 0; properties += 2) {
    if (properties[0] == CL_SAMPLER_NORMALIZED_COORDS) normalized = cl_bool(properties[1]);
    if (properties[0] == CL_SAMPLER_ADDRESSING_MODE) addressing = cl_addressing_mode(properties[1]);
    if (properties[0] == CL_SAMPLER_FILTER_MODE) filter = cl_filter_mode(properties[1]);
  }
  return clCreateSampler(context, normalized, addressing, filter, error);
}

OPENCL cl_int clRetainSampler(cl_sampler sampler) { return emu::retain(sampler, Kind::sampler, CL_INVALID_SAMPLER); }
OPENCL cl_int clReleaseSampler(cl_sampler sampler) { return emu::release(sampler, Kind::sampler, CL_INVALID_SAMPLER); }

OPENCL cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, std::size_t room, void *to, std::size_t *size) {
  if (!emu::is_live(sampler, Kind::sampler)) return CL_INVALID_SAMPLER;
  switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT: return emu::answer_value(sampler->references.load(), room, to, size);
    case CL_SAMPLER_CONTEXT: return emu::answer_value(sampler->context, room, to, size);
    case CL_SAMPLER_NORMALIZED_COORDS: return emu::answer_value(sampler->normalized, room, to, size);
    case CL_SAMPLER_ADDRESSING_MODE: return emu::answer_value(sampler->addressing, room, to, size);
    case CL_SAMPLER_FILTER_MODE: return emu::answer_value(sampler->filter, room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

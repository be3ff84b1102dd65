// The platform and its one device: the GPU that is emulated, as NVIDIA's OpenCL describes its own.
#include <algorithm>

#include "opencl.h"

namespace emu {
namespace {

const char EXTENSIONS[] =
    "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics "
    "cl_khr_local_int32_extended_atomics cl_khr_fp64 cl_khr_byte_addressable_store cl_nv_compiler_options "
    "cl_nv_device_attribute_query cl_nv_pragma_unroll cl_khr_int64_base_atomics cl_khr_int64_extended_atomics";
const char VERSION[] = "OpenCL 3.0 CUDA";

// Of extensions, mostly cl_nv_device_attribute_query: not in the headers of all releases.
enum FurtherInfo : cl_device_info {
  CAPABILITY_MAJOR = 0x4000,
  CAPABILITY_MINOR = 0x4001,
  REGISTERS_PER_BLOCK = 0x4002,
  WARP_SIZE = 0x4003,
  GPU_OVERLAP = 0x4004,
  KERNEL_TIMEOUT = 0x4005,
  INTEGRATED = 0x4006,
  HALF_FP_CONFIG = 0x1033,  // of cl_khr_fp16
};

struct Question {
  std::size_t room;
  void *to;
  std::size_t *size;
  cl_int yes(cl_bool value) const { return answer_value(value, room, to, size); }
  cl_int number(cl_uint value) const { return answer_value(value, room, to, size); }
  cl_int large(cl_ulong value) const { return answer_value(value, room, to, size); }
  cl_int bytes(std::size_t value) const { return answer_value(value, room, to, size); }
  cl_int text(const std::string &value) const { return answer_text(value, room, to, size); }
};

cl_int about_numbers(cl_device_info name, const Question &asked) {
  const Configuration &gpu = configuration();
  switch (name) {
    case CL_DEVICE_VENDOR_ID: return asked.number(0x10de);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return asked.number(gpu.multiprocessors);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: return asked.number(3);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: return asked.number(1);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: return asked.number(0);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: return asked.number(gpu.clock_khz / 1000);
    case CL_DEVICE_ADDRESS_BITS: return asked.number(64);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS: return asked.number(256);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS: return asked.number(32);
    case CL_DEVICE_MAX_SAMPLERS: return asked.number(32);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: return asked.number(4096);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: return asked.number(128);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: return asked.number(128);
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: return asked.number(CL_READ_WRITE_CACHE);
    case CL_DEVICE_LOCAL_MEM_TYPE: return asked.number(CL_LOCAL);
    case CL_DEVICE_MAX_CONSTANT_ARGS: return asked.number(9);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return asked.number(1);
    case CL_DEVICE_REFERENCE_COUNT: return asked.number(1);
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT: return asked.number(32);
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: return asked.number(512);
    case CAPABILITY_MAJOR: return asked.number(gpu.major);
    case CAPABILITY_MINOR: return asked.number(gpu.minor);
    case REGISTERS_PER_BLOCK: return asked.number(gpu.registers_per_multiprocessor);
    case WARP_SIZE: return asked.number(LANES);
    default: return CL_INVALID_VALUE;
  }
}

cl_int about_sizes(cl_device_info name, const Question &asked) {
  const Configuration &gpu = configuration();
  switch (name) {
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return asked.bytes(largest_group());
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT: return asked.bytes(32768);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH: return asked.bytes(16384);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: return asked.bytes(268435456);
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: return asked.bytes(2048);
    case CL_DEVICE_MAX_PARAMETER_SIZE: return asked.bytes(4352);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION: return asked.bytes(1000);
    case CL_DEVICE_PRINTF_BUFFER_SIZE: return asked.bytes(1 << 20);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return asked.bytes(LANES);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return asked.large(gpu.memory_bytes);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return asked.large(gpu.memory_bytes / 4);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return asked.large(u64(gpu.multiprocessors) * gpu.l1_bytes);
    case CL_DEVICE_LOCAL_MEM_SIZE: return asked.large(48 << 10);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: return asked.large(constant_bytes());
    case CL_DEVICE_TYPE: return asked.large(CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return asked.large(CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |
                         CL_FP_ROUND_TO_INF | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      return asked.large(CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |
                         CL_FP_ROUND_TO_INF | CL_FP_FMA);
    case HALF_FP_CONFIG: return asked.large(0);
    case CL_DEVICE_EXECUTION_CAPABILITIES: return asked.large(CL_EXEC_KERNEL);
    case CL_DEVICE_QUEUE_PROPERTIES:
      return asked.large(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
    case CL_DEVICE_SVM_CAPABILITIES: return asked.large(0);
    default: return about_numbers(name, asked);
  }
}

cl_int about_device(cl_device_info name, const Question &asked) {
  const Configuration &gpu = configuration();
  switch (name) {
    case CL_DEVICE_NAME: return asked.text(gpu.device_name);
    case CL_DEVICE_VENDOR: return asked.text("NVIDIA Corporation");
    case CL_DRIVER_VERSION: return asked.text("580.00");
    case CL_DEVICE_PROFILE: return asked.text("FULL_PROFILE");
    case CL_DEVICE_VERSION: return asked.text(VERSION);
    case CL_DEVICE_OPENCL_C_VERSION: return asked.text("OpenCL C 1.2 ");
    case CL_DEVICE_EXTENSIONS: return asked.text(EXTENSIONS);
    case CL_DEVICE_BUILT_IN_KERNELS: return asked.text("");
    case CL_DEVICE_IMAGE_SUPPORT:
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
    case GPU_OVERLAP: return asked.yes(CL_TRUE);
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case KERNEL_TIMEOUT:
    case INTEGRATED: return asked.yes(CL_FALSE);
    case CL_DEVICE_PLATFORM: return answer_value(the_platform(), asked.room, asked.to, asked.size);
    case CL_DEVICE_PARENT_DEVICE: return answer_value(cl_device_id(), asked.room, asked.to, asked.size);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      return answer_list(std::vector<std::size_t>{1024, 1024, 64}, asked.room, asked.to, asked.size);
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE: return asked.large(0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: return asked.large(0);
    default: return about_sizes(name, asked);
  }
}

}  // namespace

cl_platform_id the_platform() {
  static auto *result = new _cl_platform_id;
  return result;
}

cl_device_id the_device() {
  static auto *result = new _cl_device_id;
  return result;
}

}  // namespace emu

OPENCL cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
  if ((platforms == nullptr && count == nullptr) || (platforms != nullptr && room == 0)) return CL_INVALID_VALUE;
  if (platforms != nullptr) platforms[0] = emu::the_platform();
  if (count != nullptr) *count = 1;
  return CL_SUCCESS;
}

OPENCL cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, std::size_t room, void *to,
                                std::size_t *size) {
  if (platform != nullptr && platform != emu::the_platform()) return CL_INVALID_PLATFORM;
  switch (name) {
    case CL_PLATFORM_PROFILE: return emu::answer_text("FULL_PROFILE", room, to, size);
    case CL_PLATFORM_VERSION: return emu::answer_text(emu::VERSION, room, to, size);
    case CL_PLATFORM_NAME: return emu::answer_text("NVIDIA CUDA", room, to, size);
    case CL_PLATFORM_VENDOR: return emu::answer_text("NVIDIA Corporation", room, to, size);
    case CL_PLATFORM_EXTENSIONS: return emu::answer_text(emu::EXTENSIONS, room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices,
                             cl_uint *count) {
  if (platform != nullptr && platform != emu::the_platform()) return CL_INVALID_PLATFORM;
  if ((devices == nullptr && count == nullptr) || (devices != nullptr && room == 0)) return CL_INVALID_VALUE;
  if ((type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) == 0) {
    if (count != nullptr) *count = 0;
    return CL_DEVICE_NOT_FOUND;
  }
  if (devices != nullptr) devices[0] = emu::the_device();
  if (count != nullptr) *count = 1;
  return CL_SUCCESS;
}

OPENCL cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, std::size_t room, void *to, std::size_t *size) {
  if (device != emu::the_device()) return CL_INVALID_DEVICE;
  return emu::about_device(name, {room, to, size});
}

OPENCL cl_int clRetainDevice(cl_device_id device) { return device == emu::the_device() ? CL_SUCCESS : CL_INVALID_DEVICE; }
OPENCL cl_int clReleaseDevice(cl_device_id device) { return device == emu::the_device() ? CL_SUCCESS : CL_INVALID_DEVICE; }

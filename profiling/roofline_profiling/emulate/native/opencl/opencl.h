// What the files of OpenCL's library share: its objects, their lives, and commands. It stands on the executor: a
// command is done when it is enqueued, so that queues and events only tell of it.
#pragma once
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../executor.h"

#define OPENCL extern "C" __attribute__((visibility("default")))

namespace emu {

enum class Kind : u8 { platform, device, context, queue, memory, sampler, program, kernel, event };

struct Object {
  explicit Object(Kind kind);
  virtual ~Object();
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;
  const Kind kind;
  std::atomic<cl_uint> references{1};
};

// Whether a handle is a live object of a kind (opencl_object.cpp).
bool is_live(const void *handle, Kind kind);
cl_int retain(void *handle, Kind kind, cl_int invalid);
cl_int release(void *handle, Kind kind, cl_int invalid);  // destroys it after the last reference

// Says on stderr, with the tool's name.
void tell(const std::string &text);
// Says once that something is not emulated, by its name. Returns CL_INVALID_OPERATION.
cl_int not_emulated(const std::string &what);

template <typename T>
T *with_error(cl_int *error, cl_int code, T *made = nullptr) {
  if (error != nullptr) *error = code;
  return made;
}

// The answer to a question: bytes, of which the caller's buffer must hold all.
cl_int answer(const void *value, std::size_t bytes, std::size_t room, void *to, std::size_t *size);
inline cl_int answer_text(const std::string &text, std::size_t room, void *to, std::size_t *size) {
  return answer(text.c_str(), text.size() + 1, room, to, size);
}
template <typename T>
cl_int answer_value(const T &value, std::size_t room, void *to, std::size_t *size) {
  return answer(&value, sizeof value, room, to, size);
}
template <typename T>
cl_int answer_list(const std::vector<T> &values, std::size_t room, void *to, std::size_t *size) {
  return answer(values.data(), values.size() * sizeof(T), room, to, size);
}

// --- the platform and its one device (opencl_platform.cpp)
cl_platform_id the_platform();
cl_device_id the_device();
inline u64 largest_group() { return 1024; }
inline u64 constant_bytes() { return 64 << 10; }

// Releases what an object holds on to.
template <typename T>
void drop(T *handle) {
  if (handle != nullptr) release(handle, handle->kind, CL_SUCCESS);
}
template <typename T>
T *hold(T *handle) {
  if (handle != nullptr) handle->references++;
  return handle;
}

// A kernel's argument, as the compiler describes it.
struct ArgumentInfo {
  u32 space = 0;  // 0 value, 1 global, 2 constant, 3 local memory
  std::string access, type, qualifiers, name;
  bool is_image() const { return type.rfind("image", 0) == 0; }
  bool is_sampler() const { return type == "sampler_t"; }
};

struct KernelInfo {
  std::string name;
  u32 required[3] = {};
  std::vector<ArgumentInfo> arguments;
};

}  // namespace emu

// OpenCL's opaque types.
struct _cl_platform_id : emu::Object {
  _cl_platform_id() : Object(emu::Kind::platform) {}
};
struct _cl_device_id : emu::Object {
  _cl_device_id() : Object(emu::Kind::device) {}
};

struct _cl_context : emu::Object {
  _cl_context() : Object(emu::Kind::context) {}
  std::vector<cl_context_properties> properties;
};

struct _cl_command_queue : emu::Object {
  _cl_command_queue() : Object(emu::Kind::queue) {}
  ~_cl_command_queue() override { emu::drop(context); }
  cl_context context = nullptr;
  cl_command_queue_properties properties = 0;
};

struct _cl_mem : emu::Object {
  _cl_mem() : Object(emu::Kind::memory) {}
  ~_cl_mem() override;
  cl_context context = nullptr;
  cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
  cl_mem_flags flags = 0;
  std::size_t bytes = 0;
  emu::u8 *data = nullptr;       // device memory
  emu::u8 *host = nullptr;       // of CL_MEM_USE_HOST_PTR
  cl_mem parent = nullptr;       // of a sub-buffer, and of an image that is made of a buffer
  std::size_t origin = 0;
  struct Mapped {
    emu::u8 *at;
    std::size_t offset, bytes;
    bool written;
  };
  std::vector<Mapped> mapped;
  std::vector<std::function<void()>> last_calls;  // when it is destroyed
  // Of images:
  cl_image_format format = {};
  std::size_t width = 0, height = 0, depth = 0, layers = 0;
  std::size_t element = 0, row = 0, slice = 0;  // bytes
  emu::u64 texture = 0;          // the first of its handles, one for each sampler
  bool is_image() const { return type != CL_MEM_OBJECT_BUFFER; }
};

struct _cl_sampler : emu::Object {
  _cl_sampler() : Object(emu::Kind::sampler) {}
  ~_cl_sampler() override { emu::drop(context); }
  cl_context context = nullptr;
  cl_bool normalized = CL_FALSE;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
};

struct _cl_program : emu::Object {
  _cl_program() : Object(emu::Kind::program) {}
  ~_cl_program() override { emu::drop(context); }
  cl_context context = nullptr;
  std::string source, options, log, binary;
  cl_build_status status = CL_BUILD_NONE;
  emu::Module *module = nullptr;   // stays: its kernels' records name it
  std::vector<emu::KernelInfo> kernels;
};

struct _cl_kernel : emu::Object {
  _cl_kernel() : Object(emu::Kind::kernel) {}
  ~_cl_kernel() override;
  struct Argument {
    bool set = false;
    std::vector<emu::u8> value;   // as the kernel is given it
    cl_mem memory = nullptr;      // of global and constant arguments, and images
    std::size_t local_bytes = 0;
    cl_uint sampler = 0;
  };
  cl_program program = nullptr;
  emu::KernelInfo info;               // its own: the program may be built again
  emu::Kernel *code = nullptr;
  std::vector<Argument> arguments;
};

struct _cl_event : emu::Object {
  _cl_event() : Object(emu::Kind::event) {}
  ~_cl_event() override;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;   // null: a user event
  cl_command_type type = 0;
  std::atomic<cl_int> status{CL_COMPLETE};
  cl_ulong times[4] = {};             // queued, submitted, started, ended: nanoseconds
  std::vector<std::function<void(cl_int)>> callbacks;
};

namespace emu {

// --- commands (opencl_queue.cpp)
struct Waits {
  cl_uint count;
  const cl_event *events;
};
// Does a command, and makes its event where one is asked for. The body returns its error.
cl_int command(cl_command_queue queue, cl_command_type type, const Waits &waits, cl_event *event,
               const std::function<cl_int()> &body);
// The error that a failed kernel left for all later commands.
cl_int broken();
void break_device();
// Time that a command is said to take, as none is measured.
void pass_time(cl_ulong nanoseconds);

// --- memory (opencl_image.cpp)
// The handle of an image as a sampler reads it; samplers are numbers as kernels have them.
u64 texture_of(cl_mem image, cl_uint sampler);
cl_uint sampler_bits(cl_sampler sampler);
std::size_t element_bytes(const cl_image_format &format);  // 0: not known

}  // namespace emu

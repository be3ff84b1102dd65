// Kernels: their arguments, what programs ask of them, and launches.
#include <algorithm>
#include <mutex>

#include "opencl.h"

namespace emu {
namespace {

constexpr u64 MOST_LOCAL_BYTES = 48 << 10;
constexpr u64 LOCAL_ALIGNMENT = 16, CONSTANT_ALIGNMENT = 256;
constexpr std::size_t CHOSEN_GROUP = 256;  // work-items of a group where the program leaves the choice
constexpr std::size_t MOST_ITEMS[3] = {1024, 1024, 64};

u64 round_up(u64 value, u64 unit) { return (value + unit - 1) / unit * unit; }

cl_kernel made_kernel(cl_program program, const KernelInfo &info) {
  Kernel *code = find_kernel(program->module, info.name);
  if (code == nullptr) return nullptr;
  auto *kernel = new _cl_kernel;
  kernel->program = hold(program);
  kernel->info = info;
  kernel->code = code;
  kernel->arguments.resize(info.arguments.size());
  return kernel;
}

// The largest work-group that the kernel's registers allow.
std::size_t most_items(cl_kernel kernel) {
  const Attributes &has = attributes(kernel->code);
  const u64 registers = round_up(std::max(has.registers, 1u), 8);
  const u64 fit = configuration().registers_per_multiprocessor / registers / LANES * LANES;
  return std::size_t(std::min<u64>({fit, has.max_threads, largest_group()}));
}

cl_int set_memory(_cl_kernel::Argument &argument, std::size_t bytes, const void *value, bool image) {
  if (bytes != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
  cl_mem memory = nullptr;
  if (value != nullptr) std::memcpy(&memory, value, sizeof memory);
  if (memory != nullptr && !is_live(memory, Kind::memory)) return CL_INVALID_MEM_OBJECT;
  if (image && (memory == nullptr || !memory->is_image())) return CL_INVALID_MEM_OBJECT;
  argument.memory = memory;
  argument.set = true;
  return CL_SUCCESS;
}

cl_int set_argument(cl_kernel kernel, cl_uint index, std::size_t bytes, const void *value) {
  if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
  const ArgumentInfo &info = kernel->info.arguments[index];
  _cl_kernel::Argument &argument = kernel->arguments[index];
  if (info.is_sampler()) {
    if (bytes != sizeof(cl_sampler)) return CL_INVALID_ARG_SIZE;
    cl_sampler sampler = nullptr;
    if (value != nullptr) std::memcpy(&sampler, value, sizeof sampler);
    if (!is_live(sampler, Kind::sampler)) return CL_INVALID_SAMPLER;
    argument.sampler = sampler_bits(sampler);
    argument.set = true;
    return CL_SUCCESS;
  }
  if (info.space == 3) {
    if (value != nullptr) return CL_INVALID_ARG_VALUE;
    if (bytes == 0) return CL_INVALID_ARG_SIZE;
    argument.local_bytes = bytes;
    argument.set = true;
    return CL_SUCCESS;
  }
  if (info.space != 0) return set_memory(argument, bytes, value, info.is_image());
  const Attributes &has = attributes(kernel->code);
  if (index < has.parameter_sizes.size() && bytes != has.parameter_sizes[index]) return CL_INVALID_ARG_SIZE;
  if (value == nullptr) return CL_INVALID_ARG_VALUE;
  const auto *from = static_cast<const u8 *>(value);
  argument.value.assign(from, from + bytes);
  argument.set = true;
  return CL_SUCCESS;
}

// A launch, as it is put together from the kernel's arguments.
struct Prepared {
  std::vector<u8> parameters;
  std::vector<u8> constants;  // memory that __constant arguments point to, behind the program's own constants
  u64 local_bytes = 0;        // of local arguments
};

cl_int add_constant(cl_mem memory, Kernel *code, Prepared *launch, u64 *value) {
  const u64 own = round_up(attributes(code).constant_bytes, CONSTANT_ALIGNMENT);
  const u64 at = round_up(launch->constants.size(), CONSTANT_ALIGNMENT);
  const u64 room = constant_bytes() > own + at ? constant_bytes() - own - at : 0;
  if (memory->bytes > room) {
    tell("arguments in constant memory of more than 64 KB do not fit");
    return CL_OUT_OF_RESOURCES;
  }
  launch->constants.resize(at);
  launch->constants.insert(launch->constants.end(), memory->data, memory->data + memory->bytes);
  *value = own + at;
  return CL_SUCCESS;
}

cl_int add_argument(cl_kernel kernel, std::size_t index, Prepared *launch) {
  const Attributes &has = attributes(kernel->code);
  const auto &argument = kernel->arguments[index];
  const ArgumentInfo &info = kernel->info.arguments[index];
  if (!argument.set) return CL_INVALID_KERNEL_ARGS;
  if (index >= has.parameter_offsets.size()) return CL_INVALID_KERNEL;
  u8 *to = launch->parameters.data() + has.parameter_offsets[index];
  u64 value = 0;
  if (info.is_sampler()) {
    value = argument.sampler;
  } else if (info.space == 3) {
    value = round_up(has.shared_bytes + launch->local_bytes, LOCAL_ALIGNMENT);  // behind the kernel's own, and others
    launch->local_bytes = value + argument.local_bytes - has.shared_bytes;
  } else if (info.space == 0) {
    std::memcpy(to, argument.value.data(), argument.value.size());
    return CL_SUCCESS;
  } else if (argument.memory == nullptr) {
    value = 0;
  } else if (!is_live(argument.memory, Kind::memory)) {
    return CL_INVALID_KERNEL_ARGS;
  } else if (info.is_image()) {
    value = texture_of(argument.memory, 0);
  } else if (info.space == 2) {
    if (const cl_int error = add_constant(argument.memory, kernel->code, launch, &value); error != CL_SUCCESS) return error;
  } else {
    value = reinterpret_cast<u64>(argument.memory->data);
  }
  std::memcpy(to, &value, std::min<std::size_t>(sizeof value, has.parameter_sizes[index]));
  return CL_SUCCESS;
}

cl_int prepare(cl_kernel kernel, Prepared *launch) {
  const Attributes &has = attributes(kernel->code);
  launch->parameters.assign(std::max<u32>(has.parameter_bytes, 8), 0);
  for (std::size_t n = 0; n < kernel->arguments.size(); n++) {
    if (const cl_int error = add_argument(kernel, n, launch); error != CL_SUCCESS) return error;
  }
  return has.shared_bytes + launch->local_bytes > MOST_LOCAL_BYTES ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

// The work-group where the program leaves the choice: of each dimension, from the first, the largest divisor that
// keeps the group at no more than CHOSEN_GROUP items.
void choose_group(cl_kernel kernel, cl_uint dimensions, const std::size_t *global, std::size_t *group) {
  std::size_t left = std::min(CHOSEN_GROUP, most_items(kernel));
  for (cl_uint axis = 0; axis < dimensions; axis++) {
    std::size_t size = std::min({left, global[axis], MOST_ITEMS[axis]});
    while (global[axis] % size != 0) size--;
    group[axis] = size;
    left /= size;
  }
}

cl_int shape_of(cl_kernel kernel, cl_uint dimensions, const std::size_t *global, const std::size_t *local,
                LaunchRequest *request) {
  const u32 *required = kernel->info.required;
  std::size_t group[3] = {1, 1, 1}, groups[3] = {1, 1, 1};
  if (local == nullptr && required[0] == 0) {
    choose_group(kernel, dimensions, global, group);
  } else {
    for (cl_uint axis = 0; axis < dimensions; axis++) group[axis] = local != nullptr ? local[axis] : required[axis];
  }
  for (u32 axis = 0; axis < 3; axis++) {
    if (required[0] != 0 && group[axis] != required[axis]) return CL_INVALID_WORK_GROUP_SIZE;
    if (group[axis] == 0) return CL_INVALID_WORK_GROUP_SIZE;
    if (group[axis] > MOST_ITEMS[axis]) return CL_INVALID_WORK_ITEM_SIZE;
  }
  if (group[0] * group[1] * group[2] > most_items(kernel)) return CL_INVALID_WORK_GROUP_SIZE;
  for (cl_uint axis = 0; axis < dimensions; axis++) {
    if (global[axis] % group[axis] != 0) return CL_INVALID_WORK_GROUP_SIZE;
    groups[axis] = global[axis] / group[axis];
  }
  if (groups[0] > 0x7fffffffu || groups[1] > 65535 || groups[2] > 65535) return CL_INVALID_GLOBAL_WORK_SIZE;
  request->grid = {u32(groups[0]), u32(groups[1]), u32(groups[2])};
  request->block = {u32(group[0]), u32(group[1]), u32(group[2])};
  return CL_SUCCESS;
}

cl_int run(const LaunchRequest &request, const std::string &name) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const std::string wrong = run_launch(request);
  pass_time(2000 + request.grid.count() * request.block.count() / 16);
  if (wrong.empty()) return CL_SUCCESS;
  // As on a device, the command itself succeeds and every later one fails.
  tell(name + ": " + wrong);
  break_device();
  return CL_SUCCESS;
}

cl_int enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t *offset,
               const std::size_t *global, const std::size_t *local, const Waits &waits, cl_event *event,
               cl_command_type type) {
  if (!is_live(queue, Kind::queue)) return CL_INVALID_COMMAND_QUEUE;
  if (!is_live(kernel, Kind::kernel)) return CL_INVALID_KERNEL;
  if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
  if (global == nullptr) return CL_INVALID_GLOBAL_WORK_SIZE;
  for (cl_uint axis = 0; axis < dimensions; axis++) {
    if (global[axis] == 0) return CL_INVALID_GLOBAL_WORK_SIZE;
  }
  LaunchRequest request = {};
  request.kernel = kernel->code;
  if (const cl_int error = shape_of(kernel, dimensions, global, local, &request); error != CL_SUCCESS) return error;
  Prepared launch;
  if (const cl_int error = prepare(kernel, &launch); error != CL_SUCCESS) return error;
  request.parameters = launch.parameters.data();
  request.dynamic_shared_bytes = launch.local_bytes;
  request.constants = &launch.constants;
  request.constants_at = u32(round_up(attributes(kernel->code).constant_bytes, CONSTANT_ALIGNMENT));
  for (cl_uint axis = 0; axis < dimensions && offset != nullptr; axis++) request.environment[3 + axis] = u32(offset[axis]);
  const u32 groups[] = {request.grid.x, request.grid.y, request.grid.z};
  std::copy(groups, groups + 3, request.environment + 6);
  request.environment[9] = dimensions;
  return command(queue, type, waits, event, [&] { return run(request, kernel->info.name); });
}

cl_int about_argument(const ArgumentInfo &info, cl_kernel_arg_info name, std::size_t room, void *to, std::size_t *size) {
  constexpr cl_kernel_arg_address_qualifier SPACES[] = {
      CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
      CL_KERNEL_ARG_ADDRESS_LOCAL};
  const auto has = [&](const char *word) { return info.qualifiers.find(word) != std::string::npos; };
  switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return answer_value(SPACES[info.space & 3], room, to, size);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: {
      const cl_kernel_arg_access_qualifier access =
          info.access == "read_only"    ? CL_KERNEL_ARG_ACCESS_READ_ONLY
          : info.access == "write_only" ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
          : info.access == "read_write" ? CL_KERNEL_ARG_ACCESS_READ_WRITE
                                        : CL_KERNEL_ARG_ACCESS_NONE;
      return answer_value(access, room, to, size);
    }
    case CL_KERNEL_ARG_TYPE_NAME: return answer_text(info.type, room, to, size);
    case CL_KERNEL_ARG_NAME: return answer_text(info.name, room, to, size);
    case CL_KERNEL_ARG_TYPE_QUALIFIER: {
      cl_kernel_arg_type_qualifier all = CL_KERNEL_ARG_TYPE_NONE;
      if (has("const")) all |= CL_KERNEL_ARG_TYPE_CONST;
      if (has("restrict")) all |= CL_KERNEL_ARG_TYPE_RESTRICT;
      if (has("volatile")) all |= CL_KERNEL_ARG_TYPE_VOLATILE;
      return answer_value(all, room, to, size);
    }
    default: return CL_INVALID_VALUE;
  }
}

}  // namespace
}  // namespace emu

using emu::Kind;

_cl_kernel::~_cl_kernel() { emu::drop(program); }

OPENCL cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error) {
  const auto fail = [&](cl_int code) { return emu::with_error<_cl_kernel>(error, code); };
  if (!emu::is_live(program, Kind::program)) return fail(CL_INVALID_PROGRAM);
  if (program->status != CL_BUILD_SUCCESS) return fail(CL_INVALID_PROGRAM_EXECUTABLE);
  if (name == nullptr) return fail(CL_INVALID_VALUE);
  for (const auto &info : program->kernels) {
    if (info.name != name) continue;
    cl_kernel kernel = emu::made_kernel(program, info);
    if (kernel != nullptr) return emu::with_error(error, CL_SUCCESS, kernel);
  }
  return fail(CL_INVALID_KERNEL_NAME);
}

OPENCL cl_int clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *count) {
  if (!emu::is_live(program, Kind::program)) return CL_INVALID_PROGRAM;
  if (program->status != CL_BUILD_SUCCESS) return CL_INVALID_PROGRAM_EXECUTABLE;
  if (kernels != nullptr && room < program->kernels.size()) return CL_INVALID_VALUE;
  for (std::size_t n = 0; kernels != nullptr && n < program->kernels.size(); n++) {
    kernels[n] = emu::made_kernel(program, program->kernels[n]);
  }
  if (count != nullptr) *count = cl_uint(program->kernels.size());
  return CL_SUCCESS;
}

OPENCL cl_int clRetainKernel(cl_kernel kernel) { return emu::retain(kernel, Kind::kernel, CL_INVALID_KERNEL); }
OPENCL cl_int clReleaseKernel(cl_kernel kernel) { return emu::release(kernel, Kind::kernel, CL_INVALID_KERNEL); }

OPENCL cl_kernel clCloneKernel(cl_kernel kernel, cl_int *error) {
  if (!emu::is_live(kernel, Kind::kernel)) return emu::with_error<_cl_kernel>(error, CL_INVALID_KERNEL);
  cl_kernel made = emu::made_kernel(kernel->program, kernel->info);
  made->arguments = kernel->arguments;
  return emu::with_error(error, CL_SUCCESS, made);
}

OPENCL cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, std::size_t bytes, const void *value) {
  if (!emu::is_live(kernel, Kind::kernel)) return CL_INVALID_KERNEL;
  return emu::set_argument(kernel, index, bytes, value);
}

OPENCL cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, std::size_t room, void *to, std::size_t *size) {
  if (!emu::is_live(kernel, Kind::kernel)) return CL_INVALID_KERNEL;
  switch (name) {
    case CL_KERNEL_FUNCTION_NAME: return emu::answer_text(kernel->info.name, room, to, size);
    case CL_KERNEL_NUM_ARGS: return emu::answer_value(cl_uint(kernel->arguments.size()), room, to, size);
    case CL_KERNEL_REFERENCE_COUNT: return emu::answer_value(kernel->references.load(), room, to, size);
    case CL_KERNEL_CONTEXT: return emu::answer_value(kernel->program->context, room, to, size);
    case CL_KERNEL_PROGRAM: return emu::answer_value(kernel->program, room, to, size);
    case CL_KERNEL_ATTRIBUTES: return emu::answer_text("", room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, std::size_t room, void *to,
                                 std::size_t *size) {
  if (!emu::is_live(kernel, Kind::kernel)) return CL_INVALID_KERNEL;
  if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
  return emu::about_argument(kernel->info.arguments[index], name, room, to, size);
}

OPENCL cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id, cl_kernel_work_group_info name, std::size_t room,
                                       void *to, std::size_t *size) {
  if (!emu::is_live(kernel, Kind::kernel)) return CL_INVALID_KERNEL;
  const emu::Attributes &has = emu::attributes(kernel->code);
  const emu::u32 *required = kernel->info.required;
  switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE: return emu::answer_value(emu::most_items(kernel), room, to, size);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return emu::answer_value(std::size_t(emu::LANES), room, to, size);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
      return emu::answer_list(std::vector<std::size_t>(required, required + 3), room, to, size);
    case CL_KERNEL_PRIVATE_MEM_SIZE: return emu::answer_value(cl_ulong(has.local_bytes), room, to, size);
    case CL_KERNEL_LOCAL_MEM_SIZE: {
      cl_ulong bytes = has.shared_bytes;
      for (const auto &argument : kernel->arguments) bytes += argument.local_bytes;
      return emu::answer_value(bytes, room, to, size);
    }
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const std::size_t *offset, const std::size_t *global, const std::size_t *local,
                                     cl_uint count, const cl_event *waits, cl_event *event) {
  return emu::enqueue(queue, kernel, dimensions, offset, global, local, {count, waits}, event,
                      CL_COMMAND_NDRANGE_KERNEL);
}

OPENCL cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *waits,
                            cl_event *event) {
  const std::size_t one = 1;
  return emu::enqueue(queue, kernel, 1, nullptr, &one, &one, {count, waits}, event, CL_COMMAND_TASK);
}

// Kernel launches: their limits are checked as the driver does, arguments are packed, the executor runs them.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "runtime.h"

namespace emu {
namespace {

constexpr u32 MAX_THREADS = 1024;
constexpr u32 MAX_GRID_YZ = 65535;
constexpr u64 DEFAULT_SHARED = 48 << 10;
constexpr u32 SYSTEM_SHARED = 1024;  // of each block, from sm_80; from sm_90 a part of the kernel's own section

struct PendingCall {
  dim3 grid, block;
  std::size_t shared_bytes;
  void *stream;
};
thread_local std::vector<PendingCall> pending;  // of <<<...>>>, until the launch stub takes them

u64 count(const dim3 &shape) { return u64(shape.x) * shape.y * shape.z; }

bool shape_fits(const LaunchShape &shape) {
  if (count(shape.grid) == 0 || count(shape.block) == 0) return false;
  if (shape.block.x > MAX_THREADS || shape.block.y > MAX_THREADS || shape.block.z > 64) return false;
  if (count(shape.block) > MAX_THREADS) return false;
  return shape.grid.x <= 0x7fffffffu && shape.grid.y <= MAX_GRID_YZ && shape.grid.z <= MAX_GRID_YZ;
}

u32 round_up(u32 value, u32 unit) { return (value + unit - 1) / unit * unit; }

u32 registers_of_block(const Attributes &attributes, u32 threads) {
  constexpr u32 WARP_UNIT = 256;  // registers are given to warps in units
  const u32 warps = round_up(threads, LANES) / LANES;
  return round_up(std::max(attributes.registers, 1u) * LANES, WARP_UNIT) * warps;
}

cudaError_t check(const LaunchShape &shape, const Function &function, const Attributes &attributes) {
  const u32 threads = u32(count(shape.block));
  if (threads > attributes.max_threads) return cudaErrorInvalidValue;
  if (registers_of_block(attributes, threads) > configuration().registers_per_multiprocessor) {
    return cudaErrorLaunchOutOfResources;
  }
  const u64 total = static_shared(attributes) + shape.shared_bytes;
  if (function.dynamic_shared_limit == 0 && total > DEFAULT_SHARED) return cudaErrorInvalidValue;
  if (function.dynamic_shared_limit != 0 && shape.shared_bytes > std::max(function.dynamic_shared_limit, DEFAULT_SHARED)) {
    return cudaErrorInvalidValue;
  }
  if (total > std::max<u64>(configuration().shared_per_block, DEFAULT_SHARED)) return cudaErrorInvalidValue;
  if (shape.cooperative) {
    const u64 resident = u64(resident_blocks(attributes, threads, shape.shared_bytes)) * configuration().multiprocessors;
    if (count(shape.grid) > resident) return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

bool pack(const Attributes &attributes, void **arguments, std::vector<u8> *buffer) {
  buffer->assign(attributes.parameter_bytes, 0);
  if (attributes.parameter_sizes.empty()) return true;
  if (arguments == nullptr) return false;
  for (std::size_t i = 0; i < attributes.parameter_sizes.size(); i++) {
    const u64 offset = attributes.parameter_offsets[i], bytes = attributes.parameter_sizes[i];
    if (offset + bytes > buffer->size()) return false;
    std::memcpy(buffer->data() + offset, arguments[i], bytes);
  }
  return true;
}

// A buffer that the caller has packed: CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE.
bool take_buffer(void **extra, std::vector<u8> *buffer) {
  const u8 *from = nullptr;
  std::size_t bytes = 0;
  for (; *extra != nullptr; extra += 2) {
    if (reinterpret_cast<u64>(extra[0]) == 1) from = static_cast<const u8 *>(extra[1]);
    if (reinterpret_cast<u64>(extra[0]) == 2) bytes = *static_cast<const std::size_t *>(extra[1]);
  }
  if (from == nullptr) return false;
  std::memcpy(buffer->data(), from, std::min(bytes, buffer->size()));
  return true;
}

cudaError_t run(const Function *function, Kernel *kernel, const LaunchShape &shape, const std::vector<u8> &buffer) {
  LaunchRequest request = {};
  request.kernel = kernel;
  request.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  request.block = {shape.block.x, shape.block.y, shape.block.z};
  request.dynamic_shared_bytes = shape.shared_bytes;
  request.parameters = buffer.data();
  request.cooperative = shape.cooperative;
  static std::mutex one_at_a_time;
  std::string wrong;
  try {
    const std::lock_guard lock(one_at_a_time);
    wrong = run_launch(request);
  } catch (const std::exception &error) {
    wrong = error.what();
  }
  if (wrong.empty()) return cudaSuccess;
  report(function->name + ": " + wrong);
  // As on a device, the launch itself succeeds and every later call fails.
  const bool access = wrong.find("memory") != std::string::npos || wrong.find("address") != std::string::npos;
  break_context(access ? cudaErrorIllegalAddress : cudaErrorLaunchFailure);
  return cudaSuccess;
}

cudaError_t launch(const void *handle, const LaunchShape &shape, void **arguments, cudaStream_t stream) {
  return call([&]() -> cudaError_t {
    Task task;
    const cudaError_t error = prepare_launch(handle, shape, arguments, nullptr, &task);
    if (error != cudaSuccess) return error;
    CUgraphNode_st *node = nullptr;
    const cudaError_t result = submit(stream, cudaGraphNodeTypeKernel, task, &node);
    if (node != nullptr) {
      node->kernel.func = const_cast<void *>(handle);
      node->kernel.gridDim = shape.grid;
      node->kernel.blockDim = shape.block;
      node->kernel.sharedMemBytes = unsigned(shape.shared_bytes);
    }
    return result;
  });
}

}  // namespace

u32 static_shared(const Attributes &attributes) {
  const u32 reserved = configuration().major >= 9 ? SYSTEM_SHARED : 0;
  return attributes.shared_bytes - std::min(attributes.shared_bytes, reserved);
}

u32 resident_blocks(const Attributes &attributes, u32 threads, u64 shared_bytes) {
  const Configuration &device = configuration();
  constexpr u32 SHARED_UNIT = 128;
  const u64 own = static_shared(attributes) + (device.major >= 8 ? SYSTEM_SHARED : 0);
  const u32 warp_threads = round_up(threads, LANES);
  if (warp_threads == 0) return 0;
  u32 result = std::min(device.blocks_per_multiprocessor, device.threads_per_multiprocessor / warp_threads);
  // Registers belong to the four parts of a multiprocessor: each holds whole warps.
  const u32 warp_registers = round_up(std::max(attributes.registers, 1u) * LANES, 256);
  const u32 warps = device.registers_per_multiprocessor / 4 / warp_registers * 4;
  result = std::min(result, warps / (warp_threads / LANES));
  const u64 shared = (own + shared_bytes + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
  if (shared > 0) result = u32(std::min<u64>(result, device.shared_per_multiprocessor / shared));
  return result;
}

cudaError_t prepare_launch(const void *handle, const LaunchShape &shape, void **arguments, void **extra, Task *task) {
  Function *function = function_of(handle);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (!shape_fits(shape)) return cudaErrorInvalidConfiguration;
  Kernel *kernel = nullptr;
  if (const cudaError_t error = load(function, &kernel); error != cudaSuccess) return error;
  const Attributes &attributes = emu::attributes(kernel);
  if (const cudaError_t error = check(shape, *function, attributes); error != cudaSuccess) return error;
  std::vector<u8> buffer(attributes.parameter_bytes);
  const bool packed = arguments == nullptr && extra != nullptr ? take_buffer(extra, &buffer)
                                                               : pack(attributes, arguments, &buffer);
  if (!packed) return cudaErrorInvalidValue;
  *task = [function, kernel, shape, buffer] { return run(function, kernel, shape, buffer); };
  return cudaSuccess;
}

}  // namespace emu

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, void *stream) {
  emu::pending.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, std::size_t *shared_bytes, void *stream) {
  if (emu::pending.empty()) return emu::keep(cudaErrorMissingConfiguration);
  const auto top = emu::pending.back();
  emu::pending.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<void **>(stream) = top.stream;
  return cudaSuccess;
}

// Launch stubs of CUDA 13; those without configuration arrive from graphs of older ones.
cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, std::size_t shared_bytes,
                               cudaStream_t stream) {
  return emu::launch(kernel, {grid, block, shared_bytes, false}, arguments, stream);
}

}  // extern "C"

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, std::size_t shared_bytes,
                             cudaStream_t stream) {
  return emu::launch(function, {grid, block, shared_bytes, false}, arguments, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  return emu::launch(function, {grid, block, shared_bytes, true}, arguments, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  if (config == nullptr) return emu::keep(cudaErrorInvalidValue);
  emu::LaunchShape shape = {config->gridDim, config->blockDim, config->dynamicSmemBytes, false};
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) shape.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto &cluster = attribute.val.clusterDim;
      if (cluster.x * cluster.y * cluster.z > 1) return emu::keep(emu::unsupported("launches of block clusters"));
    }
  }
  return emu::launch(function, shape, arguments, config->stream);
}

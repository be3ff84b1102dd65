// What the files of the runtime library share: errors, registered programs, streams and captured work.
// All work is done when it is called for, so streams only matter while their work is captured in a graph.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

#include "executor.h"

namespace emu {

using Task = std::function<cudaError_t()>;

// --- errors (runtime_error.cpp)
cudaError_t keep(cudaError_t code);       // the thread's last error, unless success or not-ready; returns it
cudaError_t broken();                     // the error that a failed kernel left for all later calls
void break_context(cudaError_t code);
void mend_context();                      // by a device reset
void report(const std::string &text);     // on stderr, with the tool's name
cudaError_t unsupported(const char *what);  // names it on stderr, once each

// Runs the body of an interface function: its error is kept, and after a kernel has failed nothing runs.
template <typename Body>
cudaError_t call(Body &&body) {
  if (broken() != cudaSuccess) return keep(broken());
  try {
    return keep(body());
  } catch (const std::exception &error) {
    report(error.what());
    return keep(cudaErrorUnknown);
  }
}

// --- what programs register (runtime_register.cpp)
struct Binary {
  const void *wrapper = nullptr;
  Module *module = nullptr;    // loaded at first use
  u32 architecture = 0;        // of its machine code: 86 for sm_86
  std::string failure;         // why it cannot be loaded
};

struct Function {
  std::string name;            // mangled
  Binary *binary = nullptr;
  Kernel *kernel = nullptr;    // found at first use
  u64 dynamic_shared_limit = 0;  // cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set
  int carveout = -1;
};

// A module that the program itself loads: a cubin, or a fat binary.
cudaError_t add_image(const void *image, Binary **binary);
// A kernel of it, by its mangled name.
cudaError_t function_in(Binary *binary, const char *name, Function **function);
// By the host's function, or by a cudaKernel_t or cudaFunction_t. Null: not registered.
Function *function_of(const void *handle);
// Its kernel, loaded where it is not yet. cudaSuccess, or why there is none (printed once).
cudaError_t load(Function *function, Kernel **kernel);
// A device or constant variable by its host-side shadow.
cudaError_t variable_of(const void *shadow, Symbol *symbol);

// --- launches (runtime_launch.cpp)
struct LaunchShape {
  dim3 grid, block;
  u64 shared_bytes = 0;
  bool cooperative = false;
};
// Checks a launch and takes its arguments: a task that runs it.
cudaError_t prepare_launch(const void *handle, const LaunchShape &shape, void **arguments, void **extra, Task *task);
u32 static_shared(const Attributes &attributes);  // bytes that the program declares

// --- memory (runtime_memory.cpp, runtime_copy.cpp, runtime_array.cpp)
enum class MemoryKind : u8 { none, device, managed, host, registered };
MemoryKind memory_kind(const void *at, void **start, u64 *bytes);
void note_managed_variable(void *at, u64 bytes);  // memory_kind then knows it
cudaError_t copy_task(void *to, const void *from, u64 bytes, cudaMemcpyKind kind, Task *task);
cudaError_t copy_3d_task(const cudaMemcpy3DParms &parameters, Task *task);
// Sets rows of `width` elements; the bytes between rows are left.
cudaError_t set_task(void *at, u64 pitch, u32 value, u32 element_bytes, u64 width, u64 height, Task *task);

}  // namespace emu

// CUDA's opaque types.
struct cudaArray {
  emu::u8 *data = nullptr;
  cudaChannelFormatDesc format = {};
  std::size_t width = 0, height = 0, depth = 0;  // elements; 0 where the dimension is absent
  unsigned flags = 0;
  emu::u64 element_bytes = 0, pitch = 0, slice = 0;  // bytes of an element, a row, a layer
  emu::u64 rows() const { return height == 0 ? 1 : height; }
  emu::u64 layers() const { return depth == 0 ? 1 : depth; }
};

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  emu::Task task;                              // none: nothing to do
  std::vector<CUgraphNode_st *> dependencies;
  CUgraph_st *graph = nullptr;
  CUgraph_st *child = nullptr;                 // of child graph nodes; owned
  CUgraphNode_st *original = nullptr;          // of a clone
  cudaKernelNodeParams kernel = {};            // as given, where the type has them
  cudaMemsetParams memset = {};
  cudaHostNodeParams host = {};
};

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  CUgraph_st *capture = nullptr;      // the graph that its work goes into; null: work is done
  bool capture_origin = false;        // capture began on this stream
  CUgraphNode_st *last = nullptr;     // the node that its next one depends on
  std::vector<CUgraphNode_st *> waits;  // further ones, from events
};

namespace emu {

// --- streams (runtime_stream.cpp)
CUstream_st *stream_of(cudaStream_t stream);  // null: no such stream
// Does work, or puts it into the graph that the stream captures.
cudaError_t submit(cudaStream_t stream, cudaGraphNodeType type, const Task &task, CUgraphNode_st **node = nullptr);

}  // namespace emu

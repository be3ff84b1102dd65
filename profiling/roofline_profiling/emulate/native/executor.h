// Kernels of a module and their launches: what CUDA's interface (runtime_*.cpp) stands on.
#pragma once
#include <string>
#include <vector>
#include "types.h"

namespace emu {

// What the person asked for; read once from the file that ROOFLINE_EMULATE names (key=value lines).
struct Configuration {
  std::string output;      // JSON lines, one a launch
  std::string translator;  // command that makes a shared object of a kernel
  std::string opencl_compiler;  // command that compiles a program of OpenCL C
  std::string cache;       // folder of what was translated
  std::string device_name;
  u32 major = 8, minor = 6;
  u32 multiprocessors = 68;
  u64 memory_bytes = 10ull << 30;
  u64 l1_bytes = 128 << 10;        // L1 and shared memory of a multiprocessor
  u64 l2_bytes = 5 << 20;
  u32 threads_per_multiprocessor = 1536, blocks_per_multiprocessor = 16;
  u32 registers_per_multiprocessor = 65536;
  u64 shared_per_multiprocessor = 100 << 10, shared_per_block = 99 << 10;
  u32 clock_khz = 1710000, memory_clock_khz = 9501000, memory_bus_bits = 320;
  bool caches = false;             // simulate them
  u64 launches_per_kernel = 0;     // later ones are not counted; 0: all are
  u64 blocks_per_launch = 0;       // at most so many blocks run, spread over the grid; 0: all
  u64 skip_after = 0;              // later launches of a kernel with the same shape are not run; 0: all are
  double limit_s = 0;              // 0: none
  bool tolerate = false;           // accesses outside memory are told of, and kernels go on
  std::string kernel_filter;       // a part of the name; empty: all
};
const Configuration &configuration();

struct Symbol {  // a global variable of a module
  u64 address = 0;
  u64 bytes = 0;
};

struct Attributes {  // of a kernel, as ptxas made it
  u32 registers = 0;
  u32 shared_bytes = 0;  // static
  u32 local_bytes = 0;   // of a thread
  u32 constant_bytes = 0;
  u32 parameter_bytes = 0;
  u32 max_threads = 1024;
  std::vector<u32> parameter_offsets;  // in the parameter buffer, in order
  std::vector<u32> parameter_sizes;
};

struct Kernel;  // of the executor
struct Module;

// Reads a cubin (an ELF image, ended by what its headers say). Raises std::runtime_error.
Module *load_module(const u8 *image);
Kernel *find_kernel(Module *module, const std::string &mangled);  // null: not there
bool find_symbol(Module *module, const std::string &name, Symbol *symbol);  // device or constant variable
const Attributes &attributes(Kernel *kernel);

struct LaunchRequest {
  Kernel *kernel;
  Dim3 grid, block;
  u64 dynamic_shared_bytes = 0;
  const u8 *parameters = nullptr;  // the parameter buffer: attributes().parameter_bytes
  bool cooperative = false;
  // Of OpenCL: environment registers, and constants that arguments point to, from an offset of the constant bank.
  u32 environment[10] = {};
  const std::vector<u8> *constants = nullptr;
  u32 constants_at = 0;
};

// Runs a launch to its end and writes its record. Returns an empty text, or what went wrong: an access
// beyond memory, a deadlock, an instruction that is not there. The launch's record then says so, too.
std::string run_launch(const LaunchRequest &request);

// Blocks that a multiprocessor holds at once. `shared_bytes` are the dynamic ones; the static ones are added here.
u32 resident_blocks(const Attributes &attributes, u32 threads, u64 shared_bytes);

// Device memory. Addresses are the host's own, so that copies are memcpy. Null: none left.
u8 *allocate(u64 bytes);
bool release(u8 *at);  // false: not an allocation's start
// The allocation around an address; false where there is none.
bool allocation_of(u64 address, u64 *start, u64 *bytes);
// Whether an address is the device's own memory, and not the host's that kernels reach over the bus.
bool is_device_memory(u64 address);
void map_host(u8 *start, u64 bytes);    // host memory that kernels may use (pinned, mapped, managed)
void unmap_host(u8 *start);

// Texture objects: what a handle names. The runtime fills it, texture instructions read it.
struct Texture {
  u64 address = 0;         // linear memory or an array's first byte
  u32 width = 0, height = 0, depth = 0;  // elements; 0 where the dimension is absent
  u64 pitch = 0;           // bytes of a row
  u32 channels = 1, channel_bits = 32;
  u8 channel_kind = 0;     // 0 signed, 1 unsigned, 2 float
  u8 address_mode[3] = {1, 1, 1};  // cudaTextureAddressMode
  bool linear_filter = false, normalized = false, read_normalized = false;
  u32 layers = 0;
};
u64 add_texture(const Texture &texture);  // its handle
void set_texture(u64 handle, const Texture &texture);
const Texture *texture(u64 handle);       // null: no such handle

}  // namespace emu

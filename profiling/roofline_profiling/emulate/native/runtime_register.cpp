// Programs register their fat binaries, kernels and variables before main; modules are loaded at first use.
#include <dlfcn.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "fatbinary.h"
#include "runtime.h"

namespace emu {
namespace {

struct Variable {
  std::string name;
  Binary *binary = nullptr;
  void **managed = nullptr;  // where the host keeps the address of a managed variable
  bool placed = false;
};

struct Registry {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<Binary>> binaries;
  std::map<const void *, std::unique_ptr<Function>> functions;  // by the host's function
  std::map<const void *, Function *> handles;                   // by our own address
  std::map<const void *, Variable> variables;                   // by the host's shadow
};

Registry &registry() {
  static Registry *result = new Registry;  // never destroyed: programs call from their own destructors
  return *result;
}

bool starts_with(const void *image, const char *mark) { return std::memcmp(image, mark, std::strlen(mark)) == 0; }

// Loads a binary's module. False: it has failed, now or before.
bool load_binary(Binary *binary) {
  if (binary->module != nullptr) return true;
  if (!binary->failure.empty()) return false;
  try {
    const auto &device = configuration();
    if (starts_with(binary->wrapper, "\x7f" "ELF")) {
      binary->architecture = device.major * 10 + device.minor;
      binary->module = load_module(static_cast<const u8 *>(binary->wrapper));
    } else {
      const Cubin cubin = choose_cubin(binary->wrapper, device.major, device.minor);
      binary->architecture = cubin.architecture;
      binary->module = load_module(cubin.image.data());
    }
    if (binary->module == nullptr) throw std::runtime_error("the module could not be loaded");
    return true;
  } catch (const std::exception &error) {
    binary->failure = error.what();
    report(binary->failure);
    return false;
  }
}

void place_managed(Binary *binary) {
  for (auto &[shadow, variable] : registry().variables) {
    if (variable.binary != binary || variable.managed == nullptr || variable.placed) continue;
    Symbol symbol;
    if (!load_binary(binary) || !find_symbol(binary->module, variable.name, &symbol)) continue;
    *variable.managed = reinterpret_cast<void *>(symbol.address);
    note_managed_variable(*variable.managed, symbol.bytes);
    variable.placed = true;
  }
}

void register_variable(const void *shadow, const char *name, Binary *binary, void **managed) {
  const std::lock_guard lock(registry().mutex);
  registry().variables[shadow] = {name, binary, managed, false};
}

}  // namespace

cudaError_t add_image(const void *image, Binary **binary) {
  if (starts_with(image, "//") || starts_with(image, ".version")) {
    return unsupported("PTX that the program gives to the driver (build a cubin instead)");
  }
  auto &all = registry();
  const std::lock_guard lock(all.mutex);
  all.binaries.push_back(std::make_unique<Binary>());
  *binary = all.binaries.back().get();
  (*binary)->wrapper = image;
  return load_binary(*binary) ? cudaSuccess : cudaErrorNoKernelImageForDevice;
}

cudaError_t function_in(Binary *binary, const char *name, Function **function) {
  auto &all = registry();
  const std::lock_guard lock(all.mutex);
  for (const auto &[handle, known] : all.handles) {
    if (known->binary != binary || known->name != name) continue;
    *function = known;
    return cudaSuccess;
  }
  auto made = std::make_unique<Function>();
  made->name = name;
  made->binary = binary;
  Kernel *kernel = nullptr;
  if (const cudaError_t error = load(made.get(), &kernel); error != cudaSuccess) return error;
  *function = made.get();
  all.handles[made.get()] = made.get();
  all.functions[made.get()] = std::move(made);
  return cudaSuccess;
}

Function *function_of(const void *handle) {
  auto &all = registry();
  const std::lock_guard lock(all.mutex);
  const auto function = all.functions.find(handle);
  if (function != all.functions.end()) return function->second.get();
  const auto own = all.handles.find(handle);
  return own == all.handles.end() ? nullptr : own->second;
}

cudaError_t load(Function *function, Kernel **kernel) {
  const std::lock_guard lock(registry().mutex);
  if (function->kernel == nullptr) {
    if (!load_binary(function->binary)) return cudaErrorNoKernelImageForDevice;
    place_managed(function->binary);
    function->kernel = find_kernel(function->binary->module, function->name);
  }
  *kernel = function->kernel;
  return *kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

cudaError_t variable_of(const void *shadow, Symbol *symbol) {
  auto &all = registry();
  const std::lock_guard lock(all.mutex);
  auto variable = all.variables.find(shadow);
  if (variable == all.variables.end()) {
    // A managed variable is named by its shadow's address or by the address that the shadow holds.
    for (variable = all.variables.begin(); variable != all.variables.end(); ++variable) {
      if (variable->second.managed != nullptr && *variable->second.managed == shadow) break;
    }
    if (variable == all.variables.end()) return cudaErrorInvalidSymbol;
  }
  Binary *binary = variable->second.binary;
  if (!load_binary(binary)) return cudaErrorNoKernelImageForDevice;
  return find_symbol(binary->module, variable->second.name, symbol) ? cudaSuccess : cudaErrorInvalidSymbol;
}

}  // namespace emu

using emu::Binary;

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper) {
  auto &all = emu::registry();
  const std::lock_guard lock(all.mutex);
  all.binaries.push_back(std::make_unique<Binary>());
  all.binaries.back()->wrapper = wrapper;
  return reinterpret_cast<void **>(all.binaries.back().get());
}

void __cudaRegisterFatBinaryEnd(void **) {}

void __cudaUnregisterFatBinary(void **) {}  // at the program's end; destructors may still use the module

char __cudaInitModule(void **handle) {
  const std::lock_guard lock(emu::registry().mutex);
  emu::place_managed(reinterpret_cast<Binary *>(handle));
  return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *, const char *name, int, uint3 *, uint3 *, dim3 *,
                            dim3 *, int *) {
  auto &all = emu::registry();
  const std::lock_guard lock(all.mutex);
  auto &function = all.functions[host];
  if (function != nullptr) return;  // the same template in another file: the first one is taken
  function = std::make_unique<emu::Function>();
  function->name = name;
  function->binary = reinterpret_cast<Binary *>(handle);
  all.handles[function.get()] = function.get();
}

void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int, std::size_t, int, int) {
  emu::register_variable(host, name, reinterpret_cast<Binary *>(handle), nullptr);
}

void __cudaRegisterHostVar(void **, const char *, char *, std::size_t) { emu::unsupported("__cudaRegisterHostVar"); }

void __cudaRegisterManagedVar(void **handle, void **host, char *, const char *name, int, std::size_t, int, int) {
  emu::register_variable(host, name, reinterpret_cast<Binary *>(handle), host);
}

void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int) {
  emu::unsupported("texture references (use texture objects)");
}

void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int) {
  emu::unsupported("surface references (use surface objects)");
}

// Kernels of CUDA 13's launch stubs.
cudaError_t __cudaGetKernel(void **kernel, const void *host) {
  emu::Function *function = emu::function_of(host);
  if (function == nullptr) return emu::keep(cudaErrorInvalidDeviceFunction);
  *kernel = function;
  return cudaSuccess;
}

}  // extern "C"

cudaError_t cudaGetSymbolAddress(void **address, const void *shadow) {
  return emu::call([&] {
    emu::Symbol symbol;
    const cudaError_t error = emu::variable_of(shadow, &symbol);
    if (error == cudaSuccess) *address = reinterpret_cast<void *>(symbol.address);
    return error;
  });
}

cudaError_t cudaGetSymbolSize(std::size_t *size, const void *shadow) {
  return emu::call([&] {
    emu::Symbol symbol;
    const cudaError_t error = emu::variable_of(shadow, &symbol);
    if (error == cudaSuccess) *size = symbol.bytes;
    return error;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host) {
  return emu::call([&] {
    emu::Function *found = emu::function_of(host);
    if (found == nullptr) return cudaErrorInvalidDeviceFunction;
    *function = reinterpret_cast<cudaFunction_t>(found);
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  return emu::call([&] {
    emu::Function *found = emu::function_of(host);
    if (found == nullptr) return cudaErrorInvalidDeviceFunction;
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return cudaSuccess;
  });
}

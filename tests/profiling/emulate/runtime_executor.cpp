// An executor that runs nothing: it says what it is asked to launch. Grids of 666 blocks fail.
#include <cstdio>
#include <map>

#include "module.h"

namespace emu {

struct Kernel {
  const KernelImage *image;
};

struct Module {
  std::unique_ptr<LoadedModule> loaded;
  std::map<std::string, Kernel> kernels;
};

Module *load_module(const u8 *image) {
  auto *module = new Module;
  module->loaded = read_module(image, [](const std::string &) { return u64(0xc0de); });
  for (const auto &[name, kernel] : module->loaded->kernels) module->kernels[name] = {&kernel};
  return module;
}

Kernel *find_kernel(Module *module, const std::string &mangled) {
  const auto kernel = module->kernels.find(mangled);
  return kernel == module->kernels.end() ? nullptr : &kernel->second;
}

bool find_symbol(Module *module, const std::string &name, Symbol *result) {
  const auto symbol = module->loaded->symbols.find(name);
  if (symbol == module->loaded->symbols.end() || symbol->second.function) return false;
  *result = {symbol->second.address, symbol->second.bytes};
  return true;
}

const Attributes &attributes(Kernel *kernel) { return kernel->image->attributes; }

std::string run_launch(const LaunchRequest &request) {
  const Dim3 &grid = request.grid, &block = request.block;
  std::printf("launch %s %u,%u,%u %u,%u,%u %llu %d", request.kernel->image->name.c_str(), grid.x, grid.y, grid.z, block.x,
              block.y, block.z, static_cast<unsigned long long>(request.dynamic_shared_bytes), request.cooperative);
  const Attributes &known = request.kernel->image->attributes;
  for (std::size_t i = 0; i < known.parameter_sizes.size(); i++) {
    std::printf(" ");
    for (u32 byte = 0; byte < known.parameter_sizes[i]; byte++) {
      std::printf("%02x", request.parameters[known.parameter_offsets[i] + byte]);
    }
  }
  std::printf("\n");
  std::fflush(stdout);
  return grid.x == 666 ? "a store beyond memory" : "";
}

}  // namespace emu

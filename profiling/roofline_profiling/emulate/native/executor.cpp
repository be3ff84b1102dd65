// Kernels: translated when they are first launched, and kept.
#include "executor.h"
#include <dlfcn.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include "kernel.h"
#include "module.h"

namespace emu {

struct Module {
  std::unique_ptr<LoadedModule> image;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::map<std::string, u64> functions;  // code addresses of device functions
  std::string cubin;                     // where the image was written
};

namespace {

u64 hash_of(const std::vector<u8> &bytes) {
  u64 value = 1469598103934665603ull;
  for (u8 byte : bytes) value = (value ^ byte) * 1099511628211ull;
  return value;
}

std::string quoted(const std::string &text) {
  std::string out = "'";
  for (char mark : text) out += mark == '\'' ? std::string("'\\''") : std::string(1, mark);
  return out + "'";
}

// Runs the translator. Returns the shared object's path; raises with what it said.
std::string translated(const std::string &cubin, const std::string &kernel) {
  const std::string command = configuration().translator + " " + quoted(cubin) + " " + quoted(kernel) + " " +
                              quoted(configuration().cache) + " 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + configuration().translator);
  std::string said;
  char part[512];
  while (size_t count = std::fread(part, 1, sizeof part, pipe)) said.append(part, count);
  const int status = pclose(pipe);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (status) throw std::runtime_error("kernel " + kernel + " cannot be translated: " + said);
  const size_t line = said.rfind('\n');
  return line == std::string::npos ? said : said.substr(line + 1);
}

}  // namespace

Module *load_module(const u8 *image) {
  auto module = std::make_unique<Module>();
  Module *self = module.get();
  const auto address = [self](const std::string &name) -> u64 {
    auto found = self->functions.find(name);
    return found == self->functions.end() ? system_function(name) : found->second;
  };
  // The same numbers as the translator gives: kernels' code is at 0, functions follow by name.
  const auto known = [self](const LoadedModule &loaded) {
    u64 next = SECTION;
    for (auto &[name, section] : loaded.code)
      if (!loaded.kernels.count(name)) self->functions[name] = next, next += SECTION;
  };
  module->image = read_module(image, address, known);
  const LoadedModule &loaded = *module->image;
  char name[64];
  std::snprintf(name, sizeof name, "/%016llx.cubin", (unsigned long long)hash_of(loaded.image));
  module->cubin = configuration().cache + name;
  if (access(module->cubin.c_str(), R_OK)) {
    const std::string partial = module->cubin + "." + std::to_string(getpid());
    std::ofstream(partial, std::ios::binary).write((const char *)loaded.image.data(), i64(loaded.image.size()));
    std::rename(partial.c_str(), module->cubin.c_str());
  }
  return module.release();
}

Kernel *find_kernel(Module *module, const std::string &mangled) {
  auto known = module->kernels.find(mangled);
  if (known != module->kernels.end()) return known->second.get();
  auto found = module->image->kernels.find(mangled);
  if (found == module->image->kernels.end()) return nullptr;
  auto kernel = std::make_unique<Kernel>();
  kernel->module = module;
  kernel->loaded = module->image.get();
  kernel->image = &found->second;
  return (module->kernels[mangled] = std::move(kernel)).get();
}

bool find_symbol(Module *module, const std::string &name, Symbol *symbol) {
  auto found = module->image->symbols.find(name);
  if (found == module->image->symbols.end() || found->second.function) return false;
  *symbol = {found->second.address, found->second.bytes};
  return true;
}

const Attributes &attributes(Kernel *kernel) { return kernel->image->attributes; }

const KernelCode &code_of(Kernel &kernel) {
  if (kernel.code) return *kernel.code;
  if (!kernel.failure.empty()) throw std::runtime_error(kernel.failure);
  try {
    const std::string path = translated(kernel.module->cubin, kernel.image->name);
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(std::string("cannot load a translated kernel: ") + dlerror());
    kernel.code = (const KernelCode *)dlsym(library, "emu_kernel");
    if (!kernel.code) throw std::runtime_error("a translated kernel lacks its description: " + path);
    kernel.map = std::make_unique<CodeMap>(*kernel.code);
    for (u32 n = 0; n < kernel.code->symbol_count; n++)
      kernel.symbols.push_back(kernel.loaded->value_of(kernel.code->symbols[n]));
  } catch (const std::runtime_error &problem) {
    kernel.code = nullptr;
    kernel.failure = problem.what();
    throw;
  }
  return *kernel.code;
}

}  // namespace emu

// The settings of a run, from the file that ROOFLINE_EMULATE names.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>

#include "executor.h"

namespace emu {
namespace {

using Setter = std::function<void(const std::string &)>;

template <typename Number>
Setter number(Number *field) {
  return [field](const std::string &text) {
    std::size_t used = 0;
    if constexpr (std::is_floating_point_v<Number>) {
      *field = static_cast<Number>(std::stod(text, &used));
    } else {
      *field = static_cast<Number>(std::stoull(text, &used, 0));
    }
    if (used != text.size()) throw std::invalid_argument(text);
  };
}

Setter text(std::string *field) {
  return [field](const std::string &value) { *field = value; };
}

Setter flag(bool *field) {
  return [field](const std::string &value) {
    if (value != "0" && value != "1" && value != "true" && value != "false") throw std::invalid_argument(value);
    *field = value == "1" || value == "true";
  };
}

std::map<std::string, Setter> setters(Configuration *c) {
  return {
      {"output", text(&c->output)},
      {"translator", text(&c->translator)},
      {"opencl_compiler", text(&c->opencl_compiler)},
      {"cache", text(&c->cache)},
      {"device_name", text(&c->device_name)},
      {"major", number(&c->major)},
      {"minor", number(&c->minor)},
      {"multiprocessors", number(&c->multiprocessors)},
      {"memory_bytes", number(&c->memory_bytes)},
      {"l1_bytes", number(&c->l1_bytes)},
      {"l2_bytes", number(&c->l2_bytes)},
      {"threads_per_multiprocessor", number(&c->threads_per_multiprocessor)},
      {"blocks_per_multiprocessor", number(&c->blocks_per_multiprocessor)},
      {"registers_per_multiprocessor", number(&c->registers_per_multiprocessor)},
      {"shared_per_multiprocessor", number(&c->shared_per_multiprocessor)},
      {"shared_per_block", number(&c->shared_per_block)},
      {"clock_khz", number(&c->clock_khz)},
      {"memory_clock_khz", number(&c->memory_clock_khz)},
      {"memory_bus_bits", number(&c->memory_bus_bits)},
      {"caches", flag(&c->caches)},
      {"tolerate", flag(&c->tolerate)},
      {"launches_per_kernel", number(&c->launches_per_kernel)},
      {"blocks_per_launch", number(&c->blocks_per_launch)},
      {"skip_after", number(&c->skip_after)},
      {"limit_s", number(&c->limit_s)},
      {"kernel_filter", text(&c->kernel_filter)},
  };
}

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
  std::fprintf(stderr, "roofline-lsp: %s: %s\n", path.c_str(), why.c_str());
  std::exit(2);
}

void set_line(const std::map<std::string, Setter> &known, const std::string &path, const std::string &line) {
  if (line.empty() || line[0] == '#') return;
  const std::size_t equals = line.find('=');
  if (equals == std::string::npos) refuse(path, "a line without '=': " + line);
  const std::string key = line.substr(0, equals);
  const auto setter = known.find(key);
  if (setter == known.end()) refuse(path, "unknown setting: " + key);
  try {
    setter->second(line.substr(equals + 1));
  } catch (const std::exception &) {
    refuse(path, "not a value of its kind: " + line);
  }
}

Configuration read() {
  Configuration result;
  const char *path = std::getenv("ROOFLINE_EMULATE");
  if (path == nullptr || *path == 0) return result;
  std::ifstream file(path);
  if (!file) refuse(path, "cannot be read (named by ROOFLINE_EMULATE)");
  const auto known = setters(&result);
  std::string line;
  while (std::getline(file, line)) set_line(known, path, line);
  return result;
}

}  // namespace

const Configuration &configuration() {
  static const Configuration result = read();
  return result;
}

}  // namespace emu

// Errors: the last one of each thread, the one that a failed kernel leaves, names and descriptions.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

#include "runtime.h"

namespace emu {
namespace {

thread_local cudaError_t last = cudaSuccess;
std::atomic<cudaError_t> failed{cudaSuccess};

struct ErrorText {
  int code;
  const char *name;
  const char *text;
};

// Numbers, names and wording are CUDA's; numbers, so that errors that one toolkit lacks are still named.
const ErrorText TEXTS[] = {
#include "runtime_error_texts.inc"
};

const ErrorText *text_of(int code) {
  for (const auto &entry : TEXTS) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

}  // namespace

cudaError_t keep(cudaError_t code) {
  if (code != cudaSuccess && code != cudaErrorNotReady) last = code;
  return code;
}

cudaError_t broken() { return failed.load(); }

void break_context(cudaError_t code) {
  cudaError_t none = cudaSuccess;
  failed.compare_exchange_strong(none, code);
}

void mend_context() { failed.store(cudaSuccess); }

void report(const std::string &text) {
  std::fprintf(stderr, "roofline-lsp: %s\n", text.c_str());
  std::fflush(stderr);
}

cudaError_t unsupported(const char *what) {
  static std::mutex mutex;
  static std::set<std::string> named;
  const std::lock_guard lock(mutex);
  if (named.insert(what).second) report(std::string("not supported: ") + what);
  return cudaErrorNotSupported;
}

int name_unsupported(const char *name) { return keep(unsupported(name)); }  // of runtime_stubs.cpp

}  // namespace emu

cudaError_t cudaGetLastError() {
  const cudaError_t result = emu::broken() != cudaSuccess ? emu::broken() : emu::last;
  emu::last = cudaSuccess;
  return result;
}

cudaError_t cudaPeekAtLastError() { return emu::broken() != cudaSuccess ? emu::broken() : emu::last; }

const char *cudaGetErrorName(cudaError_t error) {
  const auto *entry = emu::text_of(error);
  return entry == nullptr ? "unrecognized error code" : entry->name;
}

const char *cudaGetErrorString(cudaError_t error) {
  const auto *entry = emu::text_of(error);
  return entry == nullptr ? "unrecognized error code" : entry->text;
}

// Lives of objects, answers to questions, and what is not there.
#include <cstdio>
#include <mutex>
#include <set>
#include <unordered_map>

#include "opencl.h"

namespace emu {
namespace {

struct Live {
  std::mutex mutex;
  std::unordered_map<const void *, Kind> objects;
};

Live &live() {
  static Live *result = new Live;  // never destroyed: programs release objects in their own destructors
  return *result;
}

}  // namespace

Object::Object(Kind kind) : kind(kind) {
  const std::lock_guard lock(live().mutex);
  live().objects[this] = kind;
}

Object::~Object() {
  const std::lock_guard lock(live().mutex);
  live().objects.erase(this);
}

bool is_live(const void *handle, Kind kind) {
  const std::lock_guard lock(live().mutex);
  const auto found = live().objects.find(handle);
  return found != live().objects.end() && found->second == kind;
}

cl_int retain(void *handle, Kind kind, cl_int invalid) {
  if (!is_live(handle, kind)) return invalid;
  static_cast<Object *>(handle)->references++;
  return CL_SUCCESS;
}

cl_int release(void *handle, Kind kind, cl_int invalid) {
  if (!is_live(handle, kind)) return invalid;
  auto *object = static_cast<Object *>(handle);
  if (--object->references == 0) delete object;
  return CL_SUCCESS;
}

void tell(const std::string &text) {
  std::fprintf(stderr, "roofline-lsp: %s\n", text.c_str());
  std::fflush(stderr);
}

cl_int not_emulated(const std::string &what) {
  static std::mutex mutex;
  static std::set<std::string> named;
  const std::lock_guard lock(mutex);
  if (named.insert(what).second) tell(what + " is not emulated");
  return CL_INVALID_OPERATION;
}

cl_int answer(const void *value, std::size_t bytes, std::size_t room, void *to, std::size_t *size) {
  if (to != nullptr && room < bytes) return CL_INVALID_VALUE;
  if (to != nullptr && bytes > 0) std::memcpy(to, value, bytes);
  if (size != nullptr) *size = bytes;
  return CL_SUCCESS;
}

}  // namespace emu

// Texture and surface objects, by their handles.
#include <deque>
#include <mutex>

#include "executor.h"

namespace emu {
namespace {

struct Table {
  std::mutex mutex;
  std::deque<Texture> textures;  // entries keep their place: kernels hold pointers to them
};

Table &table() {
  static Table *result = new Table;
  return *result;
}

}  // namespace

u64 add_texture(const Texture &texture) {
  const std::lock_guard lock(table().mutex);
  table().textures.push_back(texture);
  return table().textures.size();  // from 1: 0 is no object
}

void set_texture(u64 handle, const Texture &texture) {
  const std::lock_guard lock(table().mutex);
  if (handle >= 1 && handle <= table().textures.size()) table().textures[handle - 1] = texture;
}

const Texture *texture(u64 handle) {
  const std::lock_guard lock(table().mutex);
  if (handle < 1 || handle > table().textures.size()) return nullptr;
  const Texture &found = table().textures[handle - 1];
  return found.address == 0 ? nullptr : &found;  // destroyed
}

}  // namespace emu

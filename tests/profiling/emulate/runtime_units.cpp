// Checks of the runtime library's parts that need no CUDA. Ends with 0 and says how many checks passed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "device_printf.h"
#include "executor.h"
#include "fatbinary.h"
#include "module.h"

using namespace emu;

namespace {

int passed = 0, failed = 0;

void check(bool condition, const char *what, int line) {
  condition ? passed++ : failed++;
  if (!condition) std::printf("line %d: %s\n", line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

u64 address(const u8 *at) { return reinterpret_cast<u64>(at); }

bool known(u64 at) {
  u64 start = 0, bytes = 0;
  return allocation_of(at, &start, &bytes);
}

void sizes_are_exact() {
  u8 *first = allocate(100), *second = allocate(5000);
  CHECK(address(first) % 256 == 0 && address(second) % 256 == 0);
  std::memset(first, 1, 100);
  std::memset(second, 2, 5000);
  u64 start = 0, bytes = 0;
  CHECK(allocation_of(address(first) + 99, &start, &bytes) && start == address(first) && bytes == 100);
  CHECK(!known(address(first) + 100) && !known(address(first) - 1));
  CHECK(known(address(second) + 4999) && !known(address(second) + 5000));
  const u64 low = std::min(address(first), address(second)), high = std::max(address(first), address(second));
  CHECK(high - low >= (low == address(first) ? 100 : 5000) + 4096u);
  CHECK(!release(first + 1) && release(first) && !release(first));
  CHECK(!known(address(first)));
  u8 *third = allocate(100);
  CHECK(third != first);  // what was released stays unreadable
  CHECK(release(second) && release(third));
}

void memory_is_limited() {
  const u64 all = configuration().memory_bytes;
  CHECK(allocate(all + 1) == nullptr);
  u8 *most = allocate(all - 10);
  CHECK(most != nullptr && allocate(11) == nullptr);
  most[all - 11] = 7;  // only what is touched takes real memory
  CHECK(release(most));
  u8 *again = allocate(all);
  CHECK(again != nullptr && again[all - 1] == 0);
  CHECK(release(again));
}

void address_space_is_used_again() {
  const u64 large = configuration().memory_bytes - (1 << 20);  // 8 TiB in all: more than half of the arena
  for (int i = 0; i < 6; i++) {
    u8 *at = allocate(large);
    CHECK(at != nullptr);
    if (at == nullptr) return;
    CHECK(at[large - 1] == 0);
    at[large - 1] = 1;
    release(at);
  }
}

void many_allocations() {
  std::vector<u8 *> all;
  for (int i = 0; i < 60000; i++) {
    u8 *at = allocate(64);
    if (at == nullptr) break;
    at[0] = 1;
    all.push_back(at);
  }
  CHECK(all.size() == 60000);
  bool bounds = true;
  for (u8 *at : all) bounds = bounds && known(address(at) + 63) && !known(address(at) + 64);
  CHECK(bounds);
  for (u8 *at : all) release(at);
  CHECK(!known(address(all[0])) && !known(address(all.back())));
}

void host_memory() {
  static u8 held[64];
  map_host(held, 64);
  CHECK(known(address(held) + 63) && !known(address(held) + 64));
  CHECK(!release(held));
  unmap_host(held);
  CHECK(!known(address(held)));
}

template <typename Value>
void put(std::vector<u8> *buffer, Value value) {
  buffer->resize((buffer->size() + sizeof value - 1) / sizeof value * sizeof value);
  const u8 *from = reinterpret_cast<const u8 *>(&value);
  buffer->insert(buffer->end(), from, from + sizeof value);
}

void printing() {
  std::vector<u8> packed;
  put(&packed, i32(-7));
  put(&packed, 2.5);
  put(&packed, i32(65));
  put(&packed, i64(-5000000000));
  put(&packed, "text");
  put(&packed, i32(6));
  put(&packed, i32(2));
  put(&packed, 3.14159);
  put(&packed, i32(0x1ff));
  put(&packed, u64(0x1234));
  CHECK(format_device("%d|%5.1f|%c|%lld|%s|%*.*f|%hhx|%%|%p\n", packed.data()) ==
        "-7|  2.5|A|-5000000000|text|  3.14|ff|%|0x1234\n");
  packed.clear();
  put(&packed, u32(4000000000u));
  put(&packed, i64(-1));
  put(&packed, i32(-1));
  put(&packed, i32(40000));
  put(&packed, static_cast<const char *>(nullptr));
  CHECK(format_device("%u %lx %04o %hd %s", packed.data()) == "4000000000 ffffffffffffffff 37777777777 -25536 (null)");
  CHECK(format_device("no arguments", nullptr) == "no arguments");
  CHECK(format_device("100%", nullptr) == "100%");
}

void compression() {
  const auto text = [](const std::vector<u8> &bytes) { return std::string(bytes.begin(), bytes.end()); };
  const u8 overlapping[] = {0x35, 'a', 'b', 'c', 3, 0, 0x20, 'x', 'y'};  // "abc", 9 bytes from 3 before, "xy"
  CHECK(text(unpack_lz4(overlapping, sizeof overlapping, 14)) == "abcabcabcabcxy");
  std::vector<u8> lengthy = {0xff, 5};  // 20 literals; then 4 + 15 + 255 + 1 bytes
  for (int i = 0; i < 20; i++) lengthy.push_back(u8('a' + i));
  for (int byte : {20, 0, 255, 1, 0x10, int('z')}) lengthy.push_back(u8(byte));
  const std::string unpacked = text(unpack_lz4(lengthy.data(), lengthy.size(), 20 + 275 + 1));
  CHECK(unpacked.size() == 296 && unpacked.substr(280, 15) == unpacked.substr(0, 15) && unpacked.back() == 'z');
  const u8 far[] = {0x10, 'a', 2, 0, 0x10, 'b'};  // from before the start
  for (const u64 size : {3u, 6u, 100u}) {
    bool refused = false;
    try {
      unpack_lz4(far, sizeof far, size);
    } catch (const std::runtime_error &) {
      refused = true;
    }
    CHECK(refused);
  }
}

void malformed_images() {
  std::vector<u8> image(64);
  std::memcpy(image.data(), "\x7f" "ELF\x02\x01\x01", 7);
  for (const u64 sections : {0ull, 64ull}) {
    std::memcpy(image.data() + 0x28, &sections, 8);
    bool refused = false;
    try {
      read_module(image.data(), [](const std::string &) { return u64(0); });
    } catch (const std::runtime_error &) {
      refused = true;
    }
    CHECK(refused);
  }
  u32 wrapper[6] = {1, 1};
  bool refused = false;
  try {
    choose_cubin(wrapper, 8, 6);
  } catch (const std::runtime_error &) {
    refused = true;
  }
  CHECK(refused);
}

void textures() {
  Texture texture_of_memory;
  texture_of_memory.address = 0x1000;
  texture_of_memory.width = 5;
  const u64 handle = add_texture(texture_of_memory);
  CHECK(handle != 0 && texture(handle) != nullptr && texture(handle)->width == 5);
  set_texture(handle, Texture());
  CHECK(texture(handle) == nullptr && texture(0) == nullptr && texture(handle + 1) == nullptr);
}

}  // namespace

int main(int count, char **arguments) {
  if (count > 1 && std::string(arguments[1]) == "large") {
    address_space_is_used_again();
  } else {
    CHECK(configuration().memory_bytes == 1 << 30 && configuration().device_name == "a device");
    sizes_are_exact();
    memory_is_limited();
    many_allocations();
    host_memory();
    printing();
    compression();
    malformed_images();
    textures();
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

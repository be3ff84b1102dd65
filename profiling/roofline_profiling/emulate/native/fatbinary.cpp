#include "fatbinary.h"

#include <dlfcn.h>

#include <cstring>
#include <stdexcept>

#include "module.h"

namespace emu {
namespace {

constexpr u32 WRAPPER_MAGIC = 0x466243b1, CONTAINER_MAGIC = 0xba55ed50;
constexpr u16 KIND_PTX = 1, KIND_ELF = 2;
constexpr u64 FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000;

struct Wrapper {
  u32 magic, version;
  const u8 *data;
  const void *more;
};

struct ContainerHeader {
  u32 magic;
  u16 version, header_bytes;
  u64 bytes;
};

struct EntryHeader {
  u16 kind, version;
  u32 header_bytes;
  u64 bytes;           // with padding
  u32 packed_bytes;    // 0: not compressed
  u32 unknown[2];
  u32 architecture;
  u32 name_offset, name_bytes;
  u64 flags;
  u64 zero;
  u64 unpacked_bytes;  // only in compressed entries
};

template <typename Header>
Header read(const u8 *at, u64 bytes = sizeof(Header)) {
  Header result = {};
  std::memcpy(&result, at, bytes < sizeof result ? bytes : sizeof result);
  return result;
}

std::vector<u8> unpack_zstd(const u8 *data, u64 bytes, u64 unpacked_bytes) {
  using Decompress = std::size_t (*)(void *, std::size_t, const void *, std::size_t);
  void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  void *function = library == nullptr ? nullptr : dlsym(library, "ZSTD_decompress");
  if (function == nullptr) {
    throw std::runtime_error("the program's machine code is compressed with zstd, and libzstd.so.1 is not on this "
                             "machine: install it, or build the program with -Xfatbin -no-compress");
  }
  std::vector<u8> result(unpacked_bytes);
  const std::size_t got = reinterpret_cast<Decompress>(function)(result.data(), unpacked_bytes, data, bytes);
  if (got != unpacked_bytes) throw std::runtime_error("fat binary: compressed machine code is damaged");
  return result;
}

std::vector<u8> unpack(const FatEntry &entry) {
  if ((entry.flags & FLAG_LZ4) != 0) return unpack_lz4(entry.data, entry.bytes, entry.unpacked_bytes);
  if ((entry.flags & FLAG_ZSTD) != 0) return unpack_zstd(entry.data, entry.bytes, entry.unpacked_bytes);
  return std::vector<u8>(entry.data, entry.data + image_size(entry.data));
}

std::string names(const std::vector<FatEntry> &entries) {
  std::string result;
  for (const auto &entry : entries) {
    if (!result.empty()) result += ", ";
    result += (entry.machine_code ? "sm_" : "PTX of compute_") + std::to_string(entry.architecture);
  }
  return result.empty() ? "nothing" : result;
}

// A length of LZ4: four bits, and further bytes while they are 255.
u64 lz4_length(const u8 *data, u64 bytes, u64 *at, u64 length) {
  if (length != 15) return length;
  u8 more = 255;
  while (more == 255) {
    if (*at >= bytes) throw std::runtime_error("fat binary: LZ4 data is cut short");
    more = data[(*at)++];
    length += more;
  }
  return length;
}

}  // namespace

std::vector<u8> unpack_lz4(const u8 *data, u64 bytes, u64 unpacked_bytes) {
  const std::runtime_error damaged("fat binary: LZ4 data is damaged");
  std::vector<u8> result;
  result.reserve(unpacked_bytes);
  for (u64 at = 0; at < bytes && result.size() < unpacked_bytes;) {
    const u8 token = data[at++];
    const u64 literals = lz4_length(data, bytes, &at, token >> 4);
    if (literals > bytes - at || literals > unpacked_bytes - result.size()) throw damaged;
    result.insert(result.end(), data + at, data + at + literals);
    at += literals;
    if (result.size() == unpacked_bytes) break;
    if (bytes - at < 2) throw damaged;
    const u64 distance = data[at] | u64(data[at + 1]) << 8;
    at += 2;
    const u64 matched = lz4_length(data, bytes, &at, token & 15) + 4;
    if (distance == 0 || distance > result.size() || matched > unpacked_bytes - result.size()) throw damaged;
    for (u64 i = 0; i < matched; i++) result.push_back(result[result.size() - distance]);
  }
  if (result.size() != unpacked_bytes) throw damaged;
  return result;
}

std::vector<FatEntry> fat_entries(const void *wrapper) {
  const u8 *start = static_cast<const u8 *>(wrapper);
  const auto outer = read<Wrapper>(start);
  if (outer.magic == WRAPPER_MAGIC) start = outer.data;
  const auto container = read<ContainerHeader>(start);
  if (container.magic != CONTAINER_MAGIC) throw std::runtime_error("fat binary: not a container that is known");
  std::vector<FatEntry> result;
  const u8 *at = start + container.header_bytes;
  const u8 *end = at + container.bytes;
  while (at + 64 <= end) {
    const u32 header_bytes = read<EntryHeader>(at, 8).header_bytes;
    const auto header = read<EntryHeader>(at, header_bytes);
    if (header_bytes < 64 || header.bytes > u64(end - at) - header_bytes) throw std::runtime_error("fat binary: cut short");
    FatEntry entry;
    entry.machine_code = header.kind == KIND_ELF;
    entry.architecture = header.architecture;
    entry.flags = header.flags;
    entry.data = at + header_bytes;
    entry.bytes = header.packed_bytes != 0 ? header.packed_bytes : header.bytes;
    entry.unpacked_bytes = header.unpacked_bytes;
    if (header.kind == KIND_ELF || header.kind == KIND_PTX) result.push_back(entry);
    at += header_bytes + header.bytes;
  }
  return result;
}

Cubin choose_cubin(const void *wrapper, u32 major, u32 minor) {
  const auto entries = fat_entries(wrapper);
  const FatEntry *best = nullptr;
  for (const auto &entry : entries) {
    if (!entry.machine_code || entry.architecture / 10 != major || entry.architecture % 10 > minor) continue;
    if (best == nullptr || entry.architecture > best->architecture) best = &entry;
  }
  if (best != nullptr) return {best->architecture, unpack(*best)};
  const std::string wanted = std::to_string(major * 10 + minor);
  throw std::runtime_error("the program has no machine code for sm_" + wanted + "; it has " + names(entries) +
                           ". Build it with -gencode arch=compute_" + wanted + ",code=sm_" + wanted +
                           " (clang: --cuda-gpu-arch=sm_" + wanted + ")");
}

}  // namespace emu

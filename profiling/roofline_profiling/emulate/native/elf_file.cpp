#include "elf_file.h"

#include <cstring>
#include <stdexcept>

namespace emu {
namespace {

constexpr u32 TYPE_MASK = 0xff;  // R_CUDA_* numbers are below; newer files keep flags above

template <typename Entry>
Entry read(const u8 *at) {
  Entry result;
  std::memcpy(&result, at, sizeof result);
  return result;
}

}  // namespace

bool has_bytes(u32 type) {
  constexpr u32 CUDA_GLOBAL = 0x70000007, CUDA_LOCAL = 0x70000009, CUDA_SHARED = 0x7000000a;
  return type != SHT_NOBITS && type != CUDA_GLOBAL && type != CUDA_LOCAL && type != CUDA_SHARED;
}

ElfFile::ElfFile(const u8 *image, u64 bytes) : image_(image), bytes_(bytes) {
  header_ = read<Elf64_Ehdr>(at(0, sizeof header_));
  if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("cubin: not an ELF file");
  if (header_.e_ident[EI_CLASS] != ELFCLASS64) throw std::runtime_error("cubin: a 32-bit ELF file");
  read_sections();
  read_symbols();
}

const u8 *ElfFile::at(u64 offset, u64 bytes) const {
  if (offset > bytes_ || bytes > bytes_ - offset) throw std::runtime_error("cubin: cut short");
  return image_ + offset;
}

std::string ElfFile::text(const ElfSection &table, u64 offset) const {
  if (table.data == nullptr || offset >= table.header.sh_size) throw std::runtime_error("cubin: a name out of its table");
  const char *start = reinterpret_cast<const char *>(table.data) + offset;
  return std::string(start, strnlen(start, table.header.sh_size - offset));
}

void ElfFile::read_sections() {
  for (u32 i = 0; i < header_.e_shnum; i++) {
    ElfSection section;
    section.header = read<Elf64_Shdr>(at(header_.e_shoff + u64(i) * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr)));
    const auto &header = section.header;
    if (i > 0 && has_bytes(header.sh_type)) section.data = at(header.sh_offset, header.sh_size);
    sections_.push_back(section);
  }
  if (header_.e_shstrndx >= sections_.size()) throw std::runtime_error("cubin: no section names");
  for (auto &section : sections_) section.name = text(sections_[header_.e_shstrndx], section.header.sh_name);
}

void ElfFile::read_symbols() {
  for (const auto &section : sections_) {
    if (section.header.sh_type != SHT_SYMTAB) continue;
    if (section.header.sh_link >= sections_.size()) throw std::runtime_error("cubin: no symbol names");
    for (u64 offset = 0; offset + sizeof(Elf64_Sym) <= section.header.sh_size; offset += sizeof(Elf64_Sym)) {
      ElfSymbol entry;
      entry.symbol = read<Elf64_Sym>(section.data + offset);
      entry.name = text(sections_[section.header.sh_link], entry.symbol.st_name);
      symbols_.push_back(entry);
    }
  }
}

const ElfSection *ElfFile::find(const std::string &name) const {
  for (const auto &section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

std::vector<ElfRelocation> ElfFile::relocations(u32 target) const {
  std::vector<ElfRelocation> result;
  for (const auto &section : sections_) {
    const bool with_addend = section.header.sh_type == SHT_RELA;
    if ((!with_addend && section.header.sh_type != SHT_REL) || section.header.sh_info != target) continue;
    const u64 size = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (u64 offset = 0; offset + size <= section.header.sh_size; offset += size) {
      Elf64_Rela entry = {};
      std::memcpy(&entry, section.data + offset, size);
      const u32 symbol = ELF64_R_SYM(entry.r_info);
      if (symbol >= symbols_.size()) throw std::runtime_error("cubin: a relocation without symbol");
      result.push_back({entry.r_offset, u32(ELF64_R_TYPE(entry.r_info)) & TYPE_MASK, symbol, entry.r_addend, with_addend});
    }
  }
  return result;
}

}  // namespace emu

// Sections, symbols and relocations of a cubin's ELF file, with every offset checked.
#pragma once
#include <elf.h>

#include <string>
#include <vector>

#include "types.h"

namespace emu {

bool has_bytes(u32 section_type);  // in the file

struct ElfSection {
  std::string name;
  Elf64_Shdr header = {};
  const u8 *data = nullptr;  // null for sections without bytes in the file
};

struct ElfSymbol {
  std::string name;
  Elf64_Sym symbol = {};
};

struct ElfRelocation {
  u64 offset;
  u32 type;
  u32 symbol;   // index in symbols
  i64 addend;   // 0 of REL sections: the addend is what the place holds
  bool explicit_addend;
};

class ElfFile {
 public:
  // The image must outlive this. Raises std::runtime_error where it is malformed.
  ElfFile(const u8 *image, u64 bytes);
  const Elf64_Ehdr &header() const { return header_; }
  const std::vector<ElfSection> &sections() const { return sections_; }
  const std::vector<ElfSymbol> &symbols() const { return symbols_; }
  const ElfSection *find(const std::string &name) const;  // null: none
  // Those that apply to a section, from all its relocation sections.
  std::vector<ElfRelocation> relocations(u32 section) const;

 private:
  const u8 *at(u64 offset, u64 bytes) const;
  std::string text(const ElfSection &table, u64 offset) const;
  void read_sections();
  void read_symbols();

  const u8 *image_;
  u64 bytes_;
  Elf64_Ehdr header_ = {};
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

}  // namespace emu

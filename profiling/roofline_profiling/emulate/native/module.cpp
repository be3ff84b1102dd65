#include "module.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "elf_file.h"

namespace emu {
namespace {

// Relocations of data, by their numbers in cubins (R_CUDA_*).
constexpr u32 R_32 = 0x01, R_64 = 0x02, R_G32 = 0x03, R_G64 = 0x04, R_FUNC_DESC_32 = 0x22, R_FUNC_DESC_64 = 0x23,
              R_32_LO = 0x46, R_32_HI = 0x47, R_UNUSED_CLEAR32 = 0x48, R_UNUSED_CLEAR64 = 0x49, R_8_0 = 0x4c,
              R_FUNC_DESC_8_56 = 0x63, R_UNIFIED = 0x66, R_UNIFIED_32 = 0x67, R_UNIFIED_8_0 = 0x68,
              R_UNIFIED_8_56 = 0x6f;
constexpr u8 STO_MANAGED = 4;   // bits of a symbol's `other`
constexpr u8 STO_ENTRY = 0x10;

bool starts_with(const std::string &text, const std::string &start) { return text.rfind(start, 0) == 0; }

bool holds_globals(const std::string &name) {
  return name == ".nv.global" || name == ".nv.global.init" || starts_with(name, ".nv.global.") ||
         starts_with(name, ".nv.uft");
}

class Reader {
 public:
  explicit Reader(LoadedModule *module) : module_(*module), elf_(module->image.data(), module->image.size()) {}

  void read(const std::function<void(const LoadedModule &)> &known) {
    read_architecture();
    places_.resize(elf_.sections().size());
    for (u32 i = 0; i < places_.size(); i++) place_section(i);
    for (const auto &entry : elf_.symbols()) read_symbol(entry);
    read_kernels();
    if (known) known(module_);
    for (u32 i = 0; i < places_.size(); i++) {
      if (places_[i] != nullptr) relocate(i);
    }
  }

 private:
  void read_architecture() {
    // Older files hold the architecture in the flags' low byte, newer ones (ABI 8, CUDA 13) in the byte above.
    const u32 flags = elf_.header().e_flags;
    const u32 low = flags & 0xff, above = flags >> 8 & 0xff;
    const u32 architecture = elf_.header().e_ident[EI_ABIVERSION] >= 8 ? above : low;
    module_.major = architecture / 10;
    module_.minor = architecture % 10;
  }

  u8 *copy_to_device(const ElfSection &section) {
    u8 *at = allocate(std::max<u64>(section.header.sh_size, 1));
    if (at == nullptr) throw std::runtime_error("no device memory left for " + section.name);
    module_.owned.push_back(at);
    if (section.data != nullptr) std::memcpy(at, section.data, section.header.sh_size);
    return at;
  }

  void place_section(u32 index) {
    const ElfSection &section = elf_.sections()[index];
    const std::string &name = section.name;
    const u32 bytes = u32(section.header.sh_size);
    if (holds_globals(name) || starts_with(name, ".nv.constant2") || starts_with(name, ".nv.constant1.")) {
      places_[index] = copy_to_device(section);
    } else if (name == ".nv.constant3") {
      places_[index] = module_.constant3 = copy_to_device(section);
      module_.constant3_bytes = bytes;
    } else if (name == ".nv.constant4") {
      places_[index] = module_.constant4 = copy_to_device(section);
      module_.constant4_bytes = bytes;
    } else if (starts_with(name, ".text.")) {
      read_code(index);
    }
  }

  void read_code(u32 index) {
    const ElfSection &section = elf_.sections()[index];
    auto code = std::make_unique<CodeSection>();
    code->function = section.name.substr(std::strlen(".text."));
    code->code = section.data;
    code->bytes = section.header.sh_size;
    code->registers = section.header.sh_info >> 24;
    for (const auto &entry : elf_.relocations(index)) {
      const std::string &symbol = elf_.symbols()[entry.symbol].name;
      code->relocations.push_back({entry.offset, entry.type, symbol, entry.addend});
    }
    module_.code[code->function] = std::move(code);
  }

  void read_symbol(const ElfSymbol &entry) {
    const u32 index = entry.symbol.st_shndx;
    const u32 type = ELF64_ST_TYPE(entry.symbol.st_info);
    if (entry.name.empty() || index == SHN_UNDEF || index >= places_.size() || type == STT_SECTION) return;
    ModuleSymbol symbol;
    symbol.bytes = entry.symbol.st_size;
    if (type == STT_FUNC) {
      symbol.function = true;
      symbol.address = entry.symbol.st_value;
      symbol.section = code_section(index);
    } else if (places_[index] != nullptr) {
      symbol.address = reinterpret_cast<u64>(places_[index]) + entry.symbol.st_value;
      symbol.constant = elf_.sections()[index].name == ".nv.constant3";
      symbol.managed = (entry.symbol.st_other & STO_MANAGED) != 0;
    } else {
      return;
    }
    module_.symbols[entry.name] = symbol;
  }

  u64 symbol_value(u32 index) const {
    const ElfSymbol &entry = elf_.symbols()[index];
    const u32 section = entry.symbol.st_shndx;
    if (section != SHN_UNDEF && section < places_.size() && places_[section] != nullptr) {
      return reinterpret_cast<u64>(places_[section]) + entry.symbol.st_value;
    }
    if (section == SHN_UNDEF || section >= places_.size()) return module_.code_address(entry.name);
    const std::string code = code_section(section);
    if (code.empty()) throw std::runtime_error("cubin: a pointer to " + entry.name + ", which is neither code nor data");
    return module_.code_address(code) + entry.symbol.st_value;
  }

  std::string code_section(u32 index) const {
    const std::string &name = elf_.sections()[index].name;
    return starts_with(name, ".text.") ? name.substr(std::strlen(".text.")) : "";
  }

  void relocate(u32 index) {
    const ElfSection &section = elf_.sections()[index];
    for (const auto &entry : elf_.relocations(index)) {
      const u32 bytes = relocated_bytes(entry.type);
      if (entry.offset > section.header.sh_size || bytes > section.header.sh_size - entry.offset) {
        throw std::runtime_error("cubin: a relocation beyond " + section.name);
      }
      if (bytes == 0) {
        throw std::runtime_error("cubin: relocation type " + std::to_string(entry.type) + " of " + section.name +
                                 " is not supported");
      }
      u8 *at = places_[index] + entry.offset;
      u64 held = 0;
      std::memcpy(&held, at, bytes);
      u64 value = symbol_value(entry.symbol) + (entry.explicit_addend ? u64(entry.addend) : bytes == 1 ? 0 : held);
      value >>= shift_of(entry.type);
      std::memcpy(at, &value, bytes);
    }
  }

  // Bytes that a relocation of data writes; 0: not supported.
  static u32 relocated_bytes(u32 type) {
    if (type == R_64 || type == R_G64 || type == R_FUNC_DESC_64 || type == R_UNIFIED || type == R_UNUSED_CLEAR64) return 8;
    if (type == R_32 || type == R_G32 || type == R_FUNC_DESC_32 || type == R_UNIFIED_32) return 4;
    if (type == R_32_LO || type == R_32_HI || type == R_UNUSED_CLEAR32) return 4;
    if (type >= R_8_0 && type <= R_FUNC_DESC_8_56) return 1;
    if (type >= R_UNIFIED_8_0 && type <= R_UNIFIED_8_56) return 1;
    return 0;
  }

  static u32 shift_of(u32 type) {
    if (type == R_32_HI) return 32;
    if (type >= R_8_0 && type <= R_FUNC_DESC_8_56) return (type - R_8_0) % 8 * 8;
    if (type >= R_UNIFIED_8_0 && type <= R_UNIFIED_8_56) return (type - R_UNIFIED_8_0) * 8;
    return 0;
  }

  void read_kernels() {
    for (const auto &entry : elf_.symbols()) {
      if (ELF64_ST_TYPE(entry.symbol.st_info) != STT_FUNC || (entry.symbol.st_other & STO_ENTRY) == 0) continue;
      if (entry.symbol.st_shndx == SHN_UNDEF) continue;
      const auto code = module_.code.find(entry.name);
      if (code == module_.code.end()) continue;
      KernelImage kernel;
      kernel.name = entry.name;
      kernel.code = code->second.get();
      kernel.attributes.registers = kernel.code->registers;
      read_kernel_sections(&kernel);
      module_.kernels[kernel.name] = kernel;
    }
    if (const ElfSection *info = elf_.find(".nv.info")) read_info(*info, nullptr);
  }

  void read_kernel_sections(KernelImage *kernel) {
    if (const ElfSection *info = elf_.find(".nv.info." + kernel->name)) read_info(*info, kernel);
    kernel->bank0_bytes = kernel->parameter_base + kernel->attributes.parameter_bytes;
    if (const ElfSection *shared = elf_.find(".nv.shared." + kernel->name)) {
      kernel->attributes.shared_bytes = u32(shared->header.sh_size);
    }
    kernel->attributes.constant_bytes = module_.constant3_bytes;
    const ElfSection *bank2 = elf_.find(".nv.constant2." + kernel->name);
    if (bank2 == nullptr) bank2 = elf_.find(".nv.constant2");
    if (bank2 == nullptr) return;
    kernel->bank2 = places_[bank2 - elf_.sections().data()];
    kernel->bank2_bytes = u32(bank2->header.sh_size);
  }

  // Attributes are: format, number, and a 16-bit value or the size of what follows.
  void read_info(const ElfSection &section, KernelImage *kernel) {
    constexpr u8 SIZED = 4;
    const u8 *data = section.data;
    u64 offset = 0;
    while (offset + 4 <= section.header.sh_size) {
      const u8 format = data[offset], attribute = data[offset + 1];
      u16 value;
      std::memcpy(&value, data + offset + 2, 2);
      offset += 4;
      const u32 bytes = format == SIZED ? value : 0;
      if (offset + bytes > section.header.sh_size) throw std::runtime_error("cubin: " + section.name + " is cut short");
      std::vector<u32> words(bytes / 4);
      std::memcpy(words.data(), data + offset, words.size() * 4);
      if (kernel != nullptr) {
        read_attribute(kernel, attribute, value, words);
      } else {
        read_module_attribute(attribute, words);
      }
      offset += bytes;
    }
  }

  static void read_attribute(KernelImage *kernel, u8 attribute, u16 value, const std::vector<u32> &words) {
    constexpr u8 MAX_THREADS = 0x05, PARAM_CBANK = 0x0a, REQNTID = 0x10, KPARAM_INFO = 0x17, CBANK_PARAM_SIZE = 0x19,
                 KPARAM_INFO_V2 = 0x45, NUM_BARRIERS = 0x4c;
    Attributes &result = kernel->attributes;
    if (attribute == PARAM_CBANK && words.size() >= 2) {
      kernel->parameter_base = words[1] & 0xffff;
      result.parameter_bytes = words[1] >> 16;
    } else if (attribute == CBANK_PARAM_SIZE) {
      result.parameter_bytes = value;
    } else if ((attribute == KPARAM_INFO || attribute == KPARAM_INFO_V2) && words.size() >= 3) {
      const u32 ordinal = words[1] & 0xffff;
      if (result.parameter_offsets.size() <= ordinal) {
        result.parameter_offsets.resize(ordinal + 1);
        result.parameter_sizes.resize(ordinal + 1);
      }
      result.parameter_offsets[ordinal] = words[1] >> 16;
      result.parameter_sizes[ordinal] = words[2] >> 18;
    } else if (attribute == MAX_THREADS && words.size() >= 3) {
      result.max_threads = words[0] * words[1] * words[2];
    } else if (attribute == REQNTID && words.size() >= 3) {
      for (u32 i = 0; i < 3; i++) kernel->required_threads[i] = words[i];
      result.max_threads = words[0] * words[1] * words[2];
    } else if (attribute == NUM_BARRIERS) {
      kernel->barriers = value & 0xff;
    }
  }

  void read_module_attribute(u8 attribute, const std::vector<u32> &words) {
    constexpr u8 FRAME_SIZE = 0x11, MIN_STACK_SIZE = 0x12, REGCOUNT = 0x2f;
    if (words.size() < 2 || words[0] >= elf_.symbols().size()) return;
    const std::string &name = elf_.symbols()[words[0]].name;
    const auto kernel = module_.kernels.find(name);
    const auto code = module_.code.find(name);
    if (attribute == MIN_STACK_SIZE && kernel != module_.kernels.end()) {
      kernel->second.attributes.local_bytes = std::max(kernel->second.attributes.local_bytes, words[1]);
    } else if (attribute == REGCOUNT) {
      if (kernel != module_.kernels.end()) kernel->second.attributes.registers = words[1];
      if (code != module_.code.end()) code->second->registers = words[1];
    } else if (attribute == FRAME_SIZE && code != module_.code.end()) {
      code->second->frame_bytes = words[1];
    }
  }

  LoadedModule &module_;
  ElfFile elf_;
  std::vector<u8 *> places_;  // of sections in device memory; null: not there
};

}  // namespace

LoadedModule::~LoadedModule() {
  for (u8 *at : owned) release(at);
}

u64 LoadedModule::value_of(const std::string &name) const {
  const auto symbol = symbols.find(name);
  if (symbol == symbols.end()) return code_address(name);
  if (symbol->second.function) return code_address(symbol->second.section) + symbol->second.address;
  return symbol->second.address;
}

u64 image_size(const u8 *image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  u64 size = std::max(header.e_shoff + u64(header.e_shnum) * header.e_shentsize,
                      header.e_phoff + u64(header.e_phnum) * header.e_phentsize);
  for (u32 i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr section;
    std::memcpy(&section, image + header.e_shoff + u64(i) * header.e_shentsize, sizeof section);
    if (section.sh_type == SHT_NULL || !has_bytes(section.sh_type)) continue;
    size = std::max(size, section.sh_offset + section.sh_size);
  }
  return size;
}

std::unique_ptr<LoadedModule> read_module(const u8 *image, CodeAddress code_address,
                                          const std::function<void(const LoadedModule &)> &known) {
  auto module = std::make_unique<LoadedModule>();
  module->image.assign(image, image + image_size(image));
  module->code_address = std::move(code_address);
  Reader(module.get()).read(known);
  return module;
}

}  // namespace emu

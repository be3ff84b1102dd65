// A cubin in memory: its variables, constant banks and kernels, with data relocations applied.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "executor.h"

namespace emu {

// The address that code uses for a function: pointers to it (tables, vtables) hold this number.
using CodeAddress = std::function<u64(const std::string &function)>;

struct Relocation {    // of a .text section; the translator resolves these by name
  u64 offset = 0;      // in the section
  u32 type = 0;        // R_CUDA_*
  std::string symbol;
  i64 addend = 0;
};

struct CodeSection {   // .text.<function>: a kernel, or a device function of separate compilation
  std::string function;
  const u8 *code = nullptr;  // in the module's image
  u64 bytes = 0;
  u32 registers = 0;
  u32 frame_bytes = 0;       // of the stack; callees not included
  std::vector<Relocation> relocations;
};

struct KernelImage {
  std::string name;          // mangled
  Attributes attributes;     // shared_bytes includes what the system reserves at offset 0 (sm_90 and up: 1 KiB)
  const CodeSection *code = nullptr;
  u32 parameter_base = 0;    // of the parameter buffer in bank 0: 0x160, 0x210, 0x380
  u32 bank0_bytes = 0;       // parameter_base + parameter_bytes
  u32 required_threads[3] = {};  // __launch_bounds__ of exact size (REQNTID); 0: none
  u32 barriers = 0;          // named barriers that the header reserves
  const u8 *bank2 = nullptr; // compiler constants; null: none
  u32 bank2_bytes = 0;
};

struct ModuleSymbol {
  u64 address = 0;   // of variables: where the host finds them; of functions: offset in their section
  u64 bytes = 0;
  bool function = false;
  std::string section;    // of functions: which CodeSection they lie in
  bool constant = false;  // in bank 3
  bool managed = false;
};

struct LoadedModule {
  u32 major = 0, minor = 0;   // architecture of the code
  std::vector<u8> image;      // the whole ELF file, for the disassembler
  std::map<std::string, std::unique_ptr<CodeSection>> code;  // by function
  std::map<std::string, KernelImage> kernels;                // by mangled name
  std::map<std::string, ModuleSymbol> symbols;               // variables and functions
  u8 *constant3 = nullptr;    // user constants, in device memory
  u32 constant3_bytes = 0;
  u8 *constant4 = nullptr;    // addresses
  u32 constant4_bytes = 0;
  std::vector<u8 *> owned;    // device memory of all of these

  LoadedModule() = default;
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;
  ~LoadedModule();            // releases the device memory
  // A variable's address or a function's code address. Raises std::runtime_error where there is none.
  u64 value_of(const std::string &name) const;
  CodeAddress code_address;   // as given
};

u64 image_size(const u8 *image);  // bytes of an ELF file, by its headers
// Reads a cubin; its image is copied. `known` is called once code and kernels are there, before `code_address` is
// asked for the functions that data points to. Raises std::runtime_error, naming what is malformed.
std::unique_ptr<LoadedModule> read_module(const u8 *image, CodeAddress code_address,
                                          const std::function<void(const LoadedModule &)> &known = nullptr);

}  // namespace emu

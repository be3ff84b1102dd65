// Every name of CUDA's runtime and driver interfaces, so that programs link: those that no other file defines say their name on
// stderr and return cudaErrorNotSupported. Also the variants for programs whose default stream is each thread's own.
// No header of CUDA is included: the functions' types are of no account here.
namespace emu {
int name_unsupported(const char *name);  // runtime_error.cpp; cudaError_t is an int to the caller
}

// Weak: the definition of another file, where there is one, takes its place.
#define FUNCTION(name) \
  extern "C" __attribute__((weak)) int name() { return emu::name_unsupported(#name); }
#define THREAD(name, suffix)
#include "runtime_names.inc"
#include "runtime_driver_names.inc"
#undef FUNCTION
#undef THREAD

#if defined(__x86_64__)
#define JUMP "jmp "
#define THROUGH "@PLT"
#elif defined(__aarch64__)
#define JUMP "b "
#define THROUGH ""
#else
#error "the variants of the runtime interface need a jump instruction of this machine"
#endif

#define FUNCTION(name)
#define THREAD(name, suffix)                       \
  asm(".text\n.globl " #name #suffix "\n.type " #name #suffix ", %function\n" #name #suffix ":\n" JUMP #name THROUGH "\n");
#include "runtime_names.inc"

// Memory pools. Allocation is at once and from one memory, so a pool is a name with attributes.
#include <map>

#include "runtime.h"

struct CUmemPoolHandle_st {
  std::map<int, unsigned long long> attributes;
};

namespace emu {
namespace {

CUmemPoolHandle_st standard;
cudaMemPool_t current = &standard;

bool is_int(cudaMemPoolAttr attribute) { return attribute <= cudaMemPoolReuseAllowInternalDependencies; }

}  // namespace
}  // namespace emu

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return emu::call([&] {
    if (device != 0) return cudaErrorInvalidDevice;
    *pool = &emu::standard;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return emu::call([&] {
    if (device != 0) return cudaErrorInvalidDevice;
    *pool = emu::current;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return emu::call([&] {
    if (device != 0) return cudaErrorInvalidDevice;
    emu::current = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *) {
  return emu::call([&] {
    *pool = new CUmemPoolHandle_st;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return emu::call([&] {
    if (pool == &emu::standard) return cudaErrorInvalidValue;
    if (pool == emu::current) emu::current = &emu::standard;
    delete pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  return emu::call([] { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  return emu::call([&] {
    pool->attributes[attribute] = emu::is_int(attribute) ? *static_cast<unsigned *>(value)
                                                         : *static_cast<unsigned long long *>(value);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  return emu::call([&] {
    const auto held = pool->attributes[attribute];
    if (emu::is_int(attribute)) {
      *static_cast<int *>(value) = int(held);
    } else {
      *static_cast<unsigned long long *>(value) = held;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, std::size_t) {
  return emu::call([] { return cudaSuccess; });
}

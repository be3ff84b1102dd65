// What the files of the driver's interface share. It stands on the runtime's: handles are the same, errors have the
// same numbers but for the few that are put right here.
#pragma once
#include <cuda.h>

#include "runtime.h"

namespace emu {

CUresult driver_result(cudaError_t error);

// Runs the body of an interface function.
template <typename Body>
CUresult driver_call(Body &&body) {
  return driver_result(call(body));
}

inline void *host_of(CUdeviceptr at) { return reinterpret_cast<void *>(at); }

}  // namespace emu

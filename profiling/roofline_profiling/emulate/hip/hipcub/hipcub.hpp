// hipCUB's names for CUB, of which it has the interface.
#pragma once
#include <cub/cub.cuh>
#include <hip/hip_runtime.h>
namespace hipcub {
using namespace cub;
}

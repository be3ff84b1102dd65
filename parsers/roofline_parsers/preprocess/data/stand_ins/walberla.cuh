// Fields of waLBerla as its kernels see them: a thread has a cell, blockIdx.x and .y its row and plane.
// Values of one kind lie together, cells side by side, as fields are allocated for GPUs.
#pragma once
namespace walberla {
namespace gpu {
template <typename T>
class FieldAccessor {
public:
    T *values_;
    __device__ void set(uint3 block, uint3 thread) {
        values_ += ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    }
    __device__ bool isValidPosition() { return true; }
    __device__ T &get() { return values_[0]; }
    __device__ T &get(unsigned int f) { return values_[f * gridDim.y * gridDim.x * blockDim.x]; }
    __device__ T &getNeighbor(int x, int y, int z) {
        return values_[x + y * (int)blockDim.x + z * (int)(gridDim.x * blockDim.x)];
    }
    __device__ T &getNeighbor(int x, int y, int z, unsigned int f) {
        return values_[x + y * (int)blockDim.x + z * (int)(gridDim.x * blockDim.x)
                       + (int)(f * gridDim.y * gridDim.x * blockDim.x)];
    }
};
}  // namespace gpu
}  // namespace walberla

// Iterators of CUB that kernels are given: a pointer whose loads have a cache hint.
#pragma once
namespace cub {
template <int M, class T, class O = long> struct CacheModifiedInputIterator {
    T *ptr;
    __host__ __device__ CacheModifiedInputIterator(T *ptr_) : ptr(ptr_) {}
    __host__ __device__ T operator*() const { return *ptr; }
    __host__ __device__ T operator[](long i) const { return ptr[i]; }
    __host__ __device__ CacheModifiedInputIterator operator+(long i) const { return CacheModifiedInputIterator(ptr + i); }
};
template <int M, class T, class O = long> struct CacheModifiedOutputIterator {
    T *ptr;
    __host__ __device__ CacheModifiedOutputIterator(T *ptr_) : ptr(ptr_) {}
    __host__ __device__ T &operator*() const { return *ptr; }
    __host__ __device__ T &operator[](long i) const { return ptr[i]; }
};
}  // namespace cub

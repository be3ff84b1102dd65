// A pointer and the number of elements behind it.
#pragma once
namespace cuda {
namespace std {
template <class T> struct span {
    T *_data;
    size_t _size;
    __host__ __device__ span() : _data(0), _size(0) {}
    __host__ __device__ span(T *data, size_t size) : _data(data), _size(size) {}
    __host__ __device__ T *data() const { return _data; }
    __host__ __device__ T *begin() const { return _data; }
    __host__ __device__ T *end() const { return _data + _size; }
    __host__ __device__ size_t size() const { return _size; }
    __host__ __device__ size_t size_bytes() const { return _size * sizeof(T); }
    __host__ __device__ bool empty() const { return _size == 0; }
    __host__ __device__ T &front() const { return _data[0]; }
    __host__ __device__ T &operator[](size_t i) const { return _data[i]; }
    __host__ __device__ span<T> subspan(size_t from, size_t count) const { return span<T>(_data + from, count); }
    __host__ __device__ span<T> first(size_t count) const { return span<T>(_data, count); }
};
}  // namespace std
}  // namespace cuda

// What kernels use of libcu++ besides its containers.
#pragma once
namespace cuda {
namespace std {
template <class T> __host__ __device__ const T &clamp(const T &v, const T &low, const T &high) { return v < low ? low : high < v ? high : v; }

struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
template <class T> struct optional {
    T value_;
    bool has_;
    __host__ __device__ optional() : has_(false) {}
    __host__ __device__ optional(T v) : value_(v), has_(true) {}
    __host__ __device__ optional &operator=(T v) { value_ = v; has_ = true; return *this; }
    __host__ __device__ bool has_value() const { return has_; }
    __host__ __device__ explicit operator bool() const { return has_; }
    __host__ __device__ T &operator*() { return value_; }
    __host__ __device__ const T &operator*() const { return value_; }
    __host__ __device__ T &value() { return value_; }
    __host__ __device__ const T &value() const { return value_; }
    __host__ __device__ T value_or(T other) const { return has_ ? value_ : other; }
};
}  // namespace std
}  // namespace cuda
namespace std {
using cuda::std::clamp;
}  // namespace std

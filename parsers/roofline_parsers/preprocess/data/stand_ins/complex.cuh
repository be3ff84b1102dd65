// Complex numbers of thrust and libcu++: two numbers, and the formulas of their arithmetic.
#pragma once
namespace thrust {
template <class T> struct alignas(2 * sizeof(T)) complex {
    T x;
    T y;
    __host__ __device__ complex() {}
    __host__ __device__ complex(T re) : x(re), y(0) {}
    __host__ __device__ complex(T re, T im) : x(re), y(im) {}
    __host__ __device__ T real() const { return x; }
    __host__ __device__ T imag() const { return y; }
    __host__ __device__ void real(T re) { x = re; }
    __host__ __device__ void imag(T im) { y = im; }
    __host__ __device__ complex &operator+=(complex b) { x += b.x; y += b.y; return *this; }
    __host__ __device__ complex &operator-=(complex b) { x -= b.x; y -= b.y; return *this; }
    __host__ __device__ complex &operator*=(complex b) {
        T re = x * b.x - y * b.y;
        y = x * b.y + y * b.x;
        x = re;
        return *this;
    }
};
template <class T> __host__ __device__ complex<T> operator+(complex<T> a, complex<T> b) { return complex<T>(a.x + b.x, a.y + b.y); }
template <class T> __host__ __device__ complex<T> operator-(complex<T> a, complex<T> b) { return complex<T>(a.x - b.x, a.y - b.y); }
template <class T> __host__ __device__ complex<T> operator-(complex<T> a) { return complex<T>(-a.x, -a.y); }
template <class T> __host__ __device__ complex<T> operator*(complex<T> a, complex<T> b) { return complex<T>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
template <class T> __host__ __device__ complex<T> operator*(complex<T> a, T b) { return complex<T>(a.x * b, a.y * b); }
template <class T> __host__ __device__ complex<T> operator*(T a, complex<T> b) { return complex<T>(a * b.x, a * b.y); }
template <class T> __host__ __device__ complex<T> operator/(complex<T> a, T b) { return complex<T>(a.x / b, a.y / b); }
// Scaled, so that the squares neither overflow nor vanish.
template <class T> __host__ __device__ complex<T> operator/(complex<T> a, complex<T> b) {
    T s = fabs(b.x) + fabs(b.y);
    T one = T(1) / s;
    T ax = a.x * one, ay = a.y * one, bx = b.x * one, by = b.y * one;
    T inverse = T(1) / (bx * bx + by * by);
    return complex<T>((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);
}
template <class T> __host__ __device__ complex<T> conj(complex<T> a) { return complex<T>(a.x, -a.y); }
template <class T> __host__ __device__ T norm(complex<T> a) { return a.x * a.x + a.y * a.y; }
template <class T> __host__ __device__ T abs(complex<T> a) { return hypot(a.x, a.y); }
template <class T> __host__ __device__ T arg(complex<T> a) { return atan2(a.y, a.x); }
template <class T> __host__ __device__ complex<T> polar(T r, T phi) { return complex<T>(r * cos(phi), r * sin(phi)); }
template <class T> __host__ __device__ complex<T> exp(complex<T> a) { return polar(::exp(a.x), a.y); }
}  // namespace thrust

namespace cuda {
namespace std {
template <class T> using complex = thrust::complex<T>;
template <class T> __host__ __device__ thrust::complex<T> conj(thrust::complex<T> a) { return thrust::conj(a); }
template <class T> __host__ __device__ T norm(thrust::complex<T> a) { return thrust::norm(a); }
template <class T> __host__ __device__ T abs(thrust::complex<T> a) { return thrust::abs(a); }
template <class T> __host__ __device__ T arg(thrust::complex<T> a) { return thrust::arg(a); }
template <class T> __host__ __device__ thrust::complex<T> exp(thrust::complex<T> a) { return thrust::exp(a); }
template <class T> __host__ __device__ thrust::complex<T> polar(T r, T phi) { return thrust::polar(r, phi); }
}  // namespace std
}  // namespace cuda
namespace c10 {
template <class T> using complex = thrust::complex<T>;
}  // namespace c10

// Vectors and matrices of GLM, and those of tiny-cuda-nn alike, as kernels use them.
#pragma once
namespace glm {
template <class T> struct tvec2 {
    typedef T value_type;
    T x, y;
    __host__ __device__ tvec2() {}
    __host__ __device__ explicit tvec2(T s) : x(s), y(s) {}
    __host__ __device__ tvec2(T x_, T y_) : x(x_), y(y_) {}
    template <class U> __host__ __device__ tvec2(const tvec2<U> &v) : x(v.x), y(v.y) {}
    __host__ __device__ T &operator[](int i) { return (&x)[i]; }
    __host__ __device__ const T &operator[](int i) const { return (&x)[i]; }
    __host__ __device__ tvec2 operator-() const { return tvec2(-x, -y); }
    __host__ __device__ tvec2 &operator+=(const tvec2 &b) { x += b.x; y += b.y; return *this; }
    __host__ __device__ tvec2 &operator+=(T b) { x += b; y += b; return *this; }
    __host__ __device__ tvec2 &operator-=(const tvec2 &b) { x -= b.x; y -= b.y; return *this; }
    __host__ __device__ tvec2 &operator-=(T b) { x -= b; y -= b; return *this; }
    __host__ __device__ tvec2 &operator*=(const tvec2 &b) { x *= b.x; y *= b.y; return *this; }
    __host__ __device__ tvec2 &operator*=(T b) { x *= b; y *= b; return *this; }
    __host__ __device__ tvec2 &operator/=(const tvec2 &b) { x /= b.x; y /= b.y; return *this; }
    __host__ __device__ tvec2 &operator/=(T b) { x /= b; y /= b; return *this; }
};
template <class T> struct tvec3 {
    typedef T value_type;
    T x, y, z;
    __host__ __device__ tvec3() {}
    __host__ __device__ explicit tvec3(T s) : x(s), y(s), z(s) {}
    __host__ __device__ tvec3(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
    __host__ __device__ tvec3(const tvec2<T> &v, T s) : x(v.x), y(v.y), z(s) {}
    template <class U> __host__ __device__ tvec3(const tvec3<U> &v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ T &operator[](int i) { return (&x)[i]; }
    __host__ __device__ const T &operator[](int i) const { return (&x)[i]; }
    __host__ __device__ tvec3 operator-() const { return tvec3(-x, -y, -z); }
    __host__ __device__ tvec2<T> xy() const { return tvec2<T>(x, y); }
    __host__ __device__ tvec3 &operator+=(const tvec3 &b) { x += b.x; y += b.y; z += b.z; return *this; }
    __host__ __device__ tvec3 &operator+=(T b) { x += b; y += b; z += b; return *this; }
    __host__ __device__ tvec3 &operator-=(const tvec3 &b) { x -= b.x; y -= b.y; z -= b.z; return *this; }
    __host__ __device__ tvec3 &operator-=(T b) { x -= b; y -= b; z -= b; return *this; }
    __host__ __device__ tvec3 &operator*=(const tvec3 &b) { x *= b.x; y *= b.y; z *= b.z; return *this; }
    __host__ __device__ tvec3 &operator*=(T b) { x *= b; y *= b; z *= b; return *this; }
    __host__ __device__ tvec3 &operator/=(const tvec3 &b) { x /= b.x; y /= b.y; z /= b.z; return *this; }
    __host__ __device__ tvec3 &operator/=(T b) { x /= b; y /= b; z /= b; return *this; }
};
template <class T> struct tvec4 {
    typedef T value_type;
    T x, y, z, w;
    __host__ __device__ tvec4() {}
    __host__ __device__ explicit tvec4(T s) : x(s), y(s), z(s), w(s) {}
    __host__ __device__ tvec4(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
    __host__ __device__ tvec4(const tvec3<T> &v, T s) : x(v.x), y(v.y), z(v.z), w(s) {}
    template <class U> __host__ __device__ tvec4(const tvec4<U> &v) : x(v.x), y(v.y), z(v.z), w(v.w) {}
    __host__ __device__ T &operator[](int i) { return (&x)[i]; }
    __host__ __device__ const T &operator[](int i) const { return (&x)[i]; }
    __host__ __device__ tvec4 operator-() const { return tvec4(-x, -y, -z, -w); }
    __host__ __device__ tvec2<T> xy() const { return tvec2<T>(x, y); }
    __host__ __device__ tvec3<T> xyz() const { return tvec3<T>(x, y, z); }
    __host__ __device__ tvec3<T> rgb() const { return tvec3<T>(x, y, z); }
    __host__ __device__ tvec4 &operator+=(const tvec4 &b) { x += b.x; y += b.y; z += b.z; w += b.w; return *this; }
    __host__ __device__ tvec4 &operator+=(T b) { x += b; y += b; z += b; w += b; return *this; }
    __host__ __device__ tvec4 &operator-=(const tvec4 &b) { x -= b.x; y -= b.y; z -= b.z; w -= b.w; return *this; }
    __host__ __device__ tvec4 &operator-=(T b) { x -= b; y -= b; z -= b; w -= b; return *this; }
    __host__ __device__ tvec4 &operator*=(const tvec4 &b) { x *= b.x; y *= b.y; z *= b.z; w *= b.w; return *this; }
    __host__ __device__ tvec4 &operator*=(T b) { x *= b; y *= b; z *= b; w *= b; return *this; }
    __host__ __device__ tvec4 &operator/=(const tvec4 &b) { x /= b.x; y /= b.y; z /= b.z; w /= b.w; return *this; }
    __host__ __device__ tvec4 &operator/=(T b) { x /= b; y /= b; z /= b; w /= b; return *this; }
};
template <class T> __host__ __device__ tvec2<T> operator+(const tvec2<T> &a, const tvec2<T> &b) { return tvec2<T>(a.x + b.x, a.y + b.y); }
template <class T> __host__ __device__ tvec2<T> operator+(const tvec2<T> &a, T b) { return tvec2<T>(a.x + b, a.y + b); }
template <class T> __host__ __device__ tvec2<T> operator+(T a, const tvec2<T> &b) { return tvec2<T>(a + b.x, a + b.y); }
template <class T> __host__ __device__ tvec2<T> operator-(const tvec2<T> &a, const tvec2<T> &b) { return tvec2<T>(a.x - b.x, a.y - b.y); }
template <class T> __host__ __device__ tvec2<T> operator-(const tvec2<T> &a, T b) { return tvec2<T>(a.x - b, a.y - b); }
template <class T> __host__ __device__ tvec2<T> operator-(T a, const tvec2<T> &b) { return tvec2<T>(a - b.x, a - b.y); }
template <class T> __host__ __device__ tvec2<T> operator*(const tvec2<T> &a, const tvec2<T> &b) { return tvec2<T>(a.x * b.x, a.y * b.y); }
template <class T> __host__ __device__ tvec2<T> operator*(const tvec2<T> &a, T b) { return tvec2<T>(a.x * b, a.y * b); }
template <class T> __host__ __device__ tvec2<T> operator*(T a, const tvec2<T> &b) { return tvec2<T>(a * b.x, a * b.y); }
template <class T> __host__ __device__ tvec2<T> operator/(const tvec2<T> &a, const tvec2<T> &b) { return tvec2<T>(a.x / b.x, a.y / b.y); }
template <class T> __host__ __device__ tvec2<T> operator/(const tvec2<T> &a, T b) { return tvec2<T>(a.x / b, a.y / b); }
template <class T> __host__ __device__ tvec2<T> operator/(T a, const tvec2<T> &b) { return tvec2<T>(a / b.x, a / b.y); }
template <class T> __host__ __device__ bool operator==(const tvec2<T> &a, const tvec2<T> &b) { return a.x == b.x && a.y == b.y; }
template <class T> __host__ __device__ T dot(const tvec2<T> &a, const tvec2<T> &b) { return a.x * b.x + a.y * b.y; }
template <class T> __host__ __device__ T length2(const tvec2<T> &a) { return dot(a, a); }
template <class T> __host__ __device__ T length(const tvec2<T> &a) { return sqrt(dot(a, a)); }
template <class T> __host__ __device__ T distance(const tvec2<T> &a, const tvec2<T> &b) { return length(a - b); }
template <class T> __host__ __device__ tvec2<T> normalize(const tvec2<T> &a) { return a * rsqrt(dot(a, a)); }
template <class T> __host__ __device__ tvec2<T> min(const tvec2<T> &a, const tvec2<T> &b) { return tvec2<T>(::min(a.x, b.x), ::min(a.y, b.y)); }
template <class T> __host__ __device__ tvec2<T> min(const tvec2<T> &a, T b) { return tvec2<T>(::min(a.x, b), ::min(a.y, b)); }
template <class T> __host__ __device__ tvec2<T> max(const tvec2<T> &a, const tvec2<T> &b) { return tvec2<T>(::max(a.x, b.x), ::max(a.y, b.y)); }
template <class T> __host__ __device__ tvec2<T> max(const tvec2<T> &a, T b) { return tvec2<T>(::max(a.x, b), ::max(a.y, b)); }
template <class T> __host__ __device__ tvec2<T> clamp(const tvec2<T> &a, T low, T high) { return min(max(a, low), high); }
template <class T> __host__ __device__ tvec2<T> abs(const tvec2<T> &a) { return tvec2<T>(::fabs(a.x), ::fabs(a.y)); }
template <class T> __host__ __device__ tvec2<T> floor(const tvec2<T> &a) { return tvec2<T>(::floor(a.x), ::floor(a.y)); }
template <class T> __host__ __device__ tvec2<T> ceil(const tvec2<T> &a) { return tvec2<T>(::ceil(a.x), ::ceil(a.y)); }
template <class T> __host__ __device__ tvec2<T> sqrt(const tvec2<T> &a) { return tvec2<T>(::sqrt(a.x), ::sqrt(a.y)); }
template <class T> __host__ __device__ tvec2<T> exp(const tvec2<T> &a) { return tvec2<T>(::exp(a.x), ::exp(a.y)); }
template <class T> __host__ __device__ tvec2<T> log(const tvec2<T> &a) { return tvec2<T>(::log(a.x), ::log(a.y)); }
template <class T> __host__ __device__ tvec2<T> sin(const tvec2<T> &a) { return tvec2<T>(::sin(a.x), ::sin(a.y)); }
template <class T> __host__ __device__ tvec2<T> cos(const tvec2<T> &a) { return tvec2<T>(::cos(a.x), ::cos(a.y)); }
template <class T> __host__ __device__ tvec2<T> pow(const tvec2<T> &a, T b) { return tvec2<T>(::pow(a.x, b), ::pow(a.y, b)); }
template <class T> __host__ __device__ tvec2<T> mix(const tvec2<T> &a, const tvec2<T> &b, T t) { return a * (T(1) - t) + b * t; }
template <class T> __host__ __device__ tvec3<T> operator+(const tvec3<T> &a, const tvec3<T> &b) { return tvec3<T>(a.x + b.x, a.y + b.y, a.z + b.z); }
template <class T> __host__ __device__ tvec3<T> operator+(const tvec3<T> &a, T b) { return tvec3<T>(a.x + b, a.y + b, a.z + b); }
template <class T> __host__ __device__ tvec3<T> operator+(T a, const tvec3<T> &b) { return tvec3<T>(a + b.x, a + b.y, a + b.z); }
template <class T> __host__ __device__ tvec3<T> operator-(const tvec3<T> &a, const tvec3<T> &b) { return tvec3<T>(a.x - b.x, a.y - b.y, a.z - b.z); }
template <class T> __host__ __device__ tvec3<T> operator-(const tvec3<T> &a, T b) { return tvec3<T>(a.x - b, a.y - b, a.z - b); }
template <class T> __host__ __device__ tvec3<T> operator-(T a, const tvec3<T> &b) { return tvec3<T>(a - b.x, a - b.y, a - b.z); }
template <class T> __host__ __device__ tvec3<T> operator*(const tvec3<T> &a, const tvec3<T> &b) { return tvec3<T>(a.x * b.x, a.y * b.y, a.z * b.z); }
template <class T> __host__ __device__ tvec3<T> operator*(const tvec3<T> &a, T b) { return tvec3<T>(a.x * b, a.y * b, a.z * b); }
template <class T> __host__ __device__ tvec3<T> operator*(T a, const tvec3<T> &b) { return tvec3<T>(a * b.x, a * b.y, a * b.z); }
template <class T> __host__ __device__ tvec3<T> operator/(const tvec3<T> &a, const tvec3<T> &b) { return tvec3<T>(a.x / b.x, a.y / b.y, a.z / b.z); }
template <class T> __host__ __device__ tvec3<T> operator/(const tvec3<T> &a, T b) { return tvec3<T>(a.x / b, a.y / b, a.z / b); }
template <class T> __host__ __device__ tvec3<T> operator/(T a, const tvec3<T> &b) { return tvec3<T>(a / b.x, a / b.y, a / b.z); }
template <class T> __host__ __device__ bool operator==(const tvec3<T> &a, const tvec3<T> &b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
template <class T> __host__ __device__ T dot(const tvec3<T> &a, const tvec3<T> &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T> __host__ __device__ T length2(const tvec3<T> &a) { return dot(a, a); }
template <class T> __host__ __device__ T length(const tvec3<T> &a) { return sqrt(dot(a, a)); }
template <class T> __host__ __device__ T distance(const tvec3<T> &a, const tvec3<T> &b) { return length(a - b); }
template <class T> __host__ __device__ tvec3<T> normalize(const tvec3<T> &a) { return a * rsqrt(dot(a, a)); }
template <class T> __host__ __device__ tvec3<T> min(const tvec3<T> &a, const tvec3<T> &b) { return tvec3<T>(::min(a.x, b.x), ::min(a.y, b.y), ::min(a.z, b.z)); }
template <class T> __host__ __device__ tvec3<T> min(const tvec3<T> &a, T b) { return tvec3<T>(::min(a.x, b), ::min(a.y, b), ::min(a.z, b)); }
template <class T> __host__ __device__ tvec3<T> max(const tvec3<T> &a, const tvec3<T> &b) { return tvec3<T>(::max(a.x, b.x), ::max(a.y, b.y), ::max(a.z, b.z)); }
template <class T> __host__ __device__ tvec3<T> max(const tvec3<T> &a, T b) { return tvec3<T>(::max(a.x, b), ::max(a.y, b), ::max(a.z, b)); }
template <class T> __host__ __device__ tvec3<T> clamp(const tvec3<T> &a, T low, T high) { return min(max(a, low), high); }
template <class T> __host__ __device__ tvec3<T> abs(const tvec3<T> &a) { return tvec3<T>(::fabs(a.x), ::fabs(a.y), ::fabs(a.z)); }
template <class T> __host__ __device__ tvec3<T> floor(const tvec3<T> &a) { return tvec3<T>(::floor(a.x), ::floor(a.y), ::floor(a.z)); }
template <class T> __host__ __device__ tvec3<T> ceil(const tvec3<T> &a) { return tvec3<T>(::ceil(a.x), ::ceil(a.y), ::ceil(a.z)); }
template <class T> __host__ __device__ tvec3<T> sqrt(const tvec3<T> &a) { return tvec3<T>(::sqrt(a.x), ::sqrt(a.y), ::sqrt(a.z)); }
template <class T> __host__ __device__ tvec3<T> exp(const tvec3<T> &a) { return tvec3<T>(::exp(a.x), ::exp(a.y), ::exp(a.z)); }
template <class T> __host__ __device__ tvec3<T> log(const tvec3<T> &a) { return tvec3<T>(::log(a.x), ::log(a.y), ::log(a.z)); }
template <class T> __host__ __device__ tvec3<T> sin(const tvec3<T> &a) { return tvec3<T>(::sin(a.x), ::sin(a.y), ::sin(a.z)); }
template <class T> __host__ __device__ tvec3<T> cos(const tvec3<T> &a) { return tvec3<T>(::cos(a.x), ::cos(a.y), ::cos(a.z)); }
template <class T> __host__ __device__ tvec3<T> pow(const tvec3<T> &a, T b) { return tvec3<T>(::pow(a.x, b), ::pow(a.y, b), ::pow(a.z, b)); }
template <class T> __host__ __device__ tvec3<T> mix(const tvec3<T> &a, const tvec3<T> &b, T t) { return a * (T(1) - t) + b * t; }
template <class T> __host__ __device__ tvec4<T> operator+(const tvec4<T> &a, const tvec4<T> &b) { return tvec4<T>(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
template <class T> __host__ __device__ tvec4<T> operator+(const tvec4<T> &a, T b) { return tvec4<T>(a.x + b, a.y + b, a.z + b, a.w + b); }
template <class T> __host__ __device__ tvec4<T> operator+(T a, const tvec4<T> &b) { return tvec4<T>(a + b.x, a + b.y, a + b.z, a + b.w); }
template <class T> __host__ __device__ tvec4<T> operator-(const tvec4<T> &a, const tvec4<T> &b) { return tvec4<T>(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
template <class T> __host__ __device__ tvec4<T> operator-(const tvec4<T> &a, T b) { return tvec4<T>(a.x - b, a.y - b, a.z - b, a.w - b); }
template <class T> __host__ __device__ tvec4<T> operator-(T a, const tvec4<T> &b) { return tvec4<T>(a - b.x, a - b.y, a - b.z, a - b.w); }
template <class T> __host__ __device__ tvec4<T> operator*(const tvec4<T> &a, const tvec4<T> &b) { return tvec4<T>(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
template <class T> __host__ __device__ tvec4<T> operator*(const tvec4<T> &a, T b) { return tvec4<T>(a.x * b, a.y * b, a.z * b, a.w * b); }
template <class T> __host__ __device__ tvec4<T> operator*(T a, const tvec4<T> &b) { return tvec4<T>(a * b.x, a * b.y, a * b.z, a * b.w); }
template <class T> __host__ __device__ tvec4<T> operator/(const tvec4<T> &a, const tvec4<T> &b) { return tvec4<T>(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w); }
template <class T> __host__ __device__ tvec4<T> operator/(const tvec4<T> &a, T b) { return tvec4<T>(a.x / b, a.y / b, a.z / b, a.w / b); }
template <class T> __host__ __device__ tvec4<T> operator/(T a, const tvec4<T> &b) { return tvec4<T>(a / b.x, a / b.y, a / b.z, a / b.w); }
template <class T> __host__ __device__ bool operator==(const tvec4<T> &a, const tvec4<T> &b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
template <class T> __host__ __device__ T dot(const tvec4<T> &a, const tvec4<T> &b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
template <class T> __host__ __device__ T length2(const tvec4<T> &a) { return dot(a, a); }
template <class T> __host__ __device__ T length(const tvec4<T> &a) { return sqrt(dot(a, a)); }
template <class T> __host__ __device__ T distance(const tvec4<T> &a, const tvec4<T> &b) { return length(a - b); }
template <class T> __host__ __device__ tvec4<T> normalize(const tvec4<T> &a) { return a * rsqrt(dot(a, a)); }
template <class T> __host__ __device__ tvec4<T> min(const tvec4<T> &a, const tvec4<T> &b) { return tvec4<T>(::min(a.x, b.x), ::min(a.y, b.y), ::min(a.z, b.z), ::min(a.w, b.w)); }
template <class T> __host__ __device__ tvec4<T> min(const tvec4<T> &a, T b) { return tvec4<T>(::min(a.x, b), ::min(a.y, b), ::min(a.z, b), ::min(a.w, b)); }
template <class T> __host__ __device__ tvec4<T> max(const tvec4<T> &a, const tvec4<T> &b) { return tvec4<T>(::max(a.x, b.x), ::max(a.y, b.y), ::max(a.z, b.z), ::max(a.w, b.w)); }
template <class T> __host__ __device__ tvec4<T> max(const tvec4<T> &a, T b) { return tvec4<T>(::max(a.x, b), ::max(a.y, b), ::max(a.z, b), ::max(a.w, b)); }
template <class T> __host__ __device__ tvec4<T> clamp(const tvec4<T> &a, T low, T high) { return min(max(a, low), high); }
template <class T> __host__ __device__ tvec4<T> abs(const tvec4<T> &a) { return tvec4<T>(::fabs(a.x), ::fabs(a.y), ::fabs(a.z), ::fabs(a.w)); }
template <class T> __host__ __device__ tvec4<T> floor(const tvec4<T> &a) { return tvec4<T>(::floor(a.x), ::floor(a.y), ::floor(a.z), ::floor(a.w)); }
template <class T> __host__ __device__ tvec4<T> ceil(const tvec4<T> &a) { return tvec4<T>(::ceil(a.x), ::ceil(a.y), ::ceil(a.z), ::ceil(a.w)); }
template <class T> __host__ __device__ tvec4<T> sqrt(const tvec4<T> &a) { return tvec4<T>(::sqrt(a.x), ::sqrt(a.y), ::sqrt(a.z), ::sqrt(a.w)); }
template <class T> __host__ __device__ tvec4<T> exp(const tvec4<T> &a) { return tvec4<T>(::exp(a.x), ::exp(a.y), ::exp(a.z), ::exp(a.w)); }
template <class T> __host__ __device__ tvec4<T> log(const tvec4<T> &a) { return tvec4<T>(::log(a.x), ::log(a.y), ::log(a.z), ::log(a.w)); }
template <class T> __host__ __device__ tvec4<T> sin(const tvec4<T> &a) { return tvec4<T>(::sin(a.x), ::sin(a.y), ::sin(a.z), ::sin(a.w)); }
template <class T> __host__ __device__ tvec4<T> cos(const tvec4<T> &a) { return tvec4<T>(::cos(a.x), ::cos(a.y), ::cos(a.z), ::cos(a.w)); }
template <class T> __host__ __device__ tvec4<T> pow(const tvec4<T> &a, T b) { return tvec4<T>(::pow(a.x, b), ::pow(a.y, b), ::pow(a.z, b), ::pow(a.w, b)); }
template <class T> __host__ __device__ tvec4<T> mix(const tvec4<T> &a, const tvec4<T> &b, T t) { return a * (T(1) - t) + b * t; }
template <class T> __host__ __device__ tvec3<T> cross(const tvec3<T> &a, const tvec3<T> &b) { return tvec3<T>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
template <class T> __host__ __device__ tvec3<T> reflect(const tvec3<T> &a, const tvec3<T> &n) { return a - n * (T(2) * dot(n, a)); }
template <class T> struct tmat2x2 {
    tvec2<T> c0, c1;
    __host__ __device__ tmat2x2() {}
    __host__ __device__ explicit tmat2x2(T s) : c0(s, T(0)), c1(T(0), s) {}
    __host__ __device__ tmat2x2(const tvec2<T> &a0, const tvec2<T> &a1) : c0(a0), c1(a1) {}
    __host__ __device__ tmat2x2(T m00, T m01, T m10, T m11) : c0(m00, m01), c1(m10, m11) {}
    __host__ __device__ tvec2<T> &operator[](int i) { return (&c0)[i]; }
    __host__ __device__ const tvec2<T> &operator[](int i) const { return (&c0)[i]; }
};
template <class T> __host__ __device__ tvec2<T> operator*(const tmat2x2<T> &m, const tvec2<T> &v) { return m.c0 * v.x + m.c1 * v.y; }
template <class T> __host__ __device__ tvec2<T> operator*(const tvec2<T> &v, const tmat2x2<T> &m) { return tvec2<T>(dot(v, m.c0), dot(v, m.c1)); }
template <class T> __host__ __device__ tmat2x2<T> operator*(const tmat2x2<T> &a, const tmat2x2<T> &b) { return tmat2x2<T>(a * b.c0, a * b.c1); }
template <class T> __host__ __device__ tmat2x2<T> operator+(const tmat2x2<T> &a, const tmat2x2<T> &b) { return tmat2x2<T>(a.c0 + b.c0, a.c1 + b.c1); }
template <class T> __host__ __device__ tmat2x2<T> operator-(const tmat2x2<T> &a, const tmat2x2<T> &b) { return tmat2x2<T>(a.c0 - b.c0, a.c1 - b.c1); }
template <class T> __host__ __device__ tmat2x2<T> operator*(T s, const tmat2x2<T> &a) { return tmat2x2<T>(a.c0 * s, a.c1 * s); }
template <class T> __host__ __device__ tmat2x2<T> operator*(const tmat2x2<T> &a, T s) { return s * a; }
template <class T> __host__ __device__ tmat2x2<T> transpose(const tmat2x2<T> &m) { return tmat2x2<T>(tvec2<T>(m.c0.x, m.c1.x), tvec2<T>(m.c0.y, m.c1.y)); }
template <class T> __host__ __device__ tmat2x2<T> outerProduct(const tvec2<T> &a, const tvec2<T> &b) { return tmat2x2<T>(a * b.x, a * b.y); }
template <class T> struct tmat3x3 {
    tvec3<T> c0, c1, c2;
    __host__ __device__ tmat3x3() {}
    __host__ __device__ explicit tmat3x3(T s) : c0(s, T(0), T(0)), c1(T(0), s, T(0)), c2(T(0), T(0), s) {}
    __host__ __device__ tmat3x3(const tvec3<T> &a0, const tvec3<T> &a1, const tvec3<T> &a2) : c0(a0), c1(a1), c2(a2) {}
    __host__ __device__ tmat3x3(T m00, T m01, T m02, T m10, T m11, T m12, T m20, T m21, T m22) : c0(m00, m01, m02), c1(m10, m11, m12), c2(m20, m21, m22) {}
    __host__ __device__ tvec3<T> &operator[](int i) { return (&c0)[i]; }
    __host__ __device__ const tvec3<T> &operator[](int i) const { return (&c0)[i]; }
};
template <class T> __host__ __device__ tvec3<T> operator*(const tmat3x3<T> &m, const tvec3<T> &v) { return m.c0 * v.x + m.c1 * v.y + m.c2 * v.z; }
template <class T> __host__ __device__ tvec3<T> operator*(const tvec3<T> &v, const tmat3x3<T> &m) { return tvec3<T>(dot(v, m.c0), dot(v, m.c1), dot(v, m.c2)); }
template <class T> __host__ __device__ tmat3x3<T> operator*(const tmat3x3<T> &a, const tmat3x3<T> &b) { return tmat3x3<T>(a * b.c0, a * b.c1, a * b.c2); }
template <class T> __host__ __device__ tmat3x3<T> operator+(const tmat3x3<T> &a, const tmat3x3<T> &b) { return tmat3x3<T>(a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2); }
template <class T> __host__ __device__ tmat3x3<T> operator-(const tmat3x3<T> &a, const tmat3x3<T> &b) { return tmat3x3<T>(a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2); }
template <class T> __host__ __device__ tmat3x3<T> operator*(T s, const tmat3x3<T> &a) { return tmat3x3<T>(a.c0 * s, a.c1 * s, a.c2 * s); }
template <class T> __host__ __device__ tmat3x3<T> operator*(const tmat3x3<T> &a, T s) { return s * a; }
template <class T> __host__ __device__ tmat3x3<T> transpose(const tmat3x3<T> &m) { return tmat3x3<T>(tvec3<T>(m.c0.x, m.c1.x, m.c2.x), tvec3<T>(m.c0.y, m.c1.y, m.c2.y), tvec3<T>(m.c0.z, m.c1.z, m.c2.z)); }
template <class T> __host__ __device__ tmat3x3<T> outerProduct(const tvec3<T> &a, const tvec3<T> &b) { return tmat3x3<T>(a * b.x, a * b.y, a * b.z); }
template <class T> struct tmat4x4 {
    tvec4<T> c0, c1, c2, c3;
    __host__ __device__ tmat4x4() {}
    __host__ __device__ explicit tmat4x4(T s) : c0(s, T(0), T(0), T(0)), c1(T(0), s, T(0), T(0)), c2(T(0), T(0), s, T(0)), c3(T(0), T(0), T(0), s) {}
    __host__ __device__ tmat4x4(const tvec4<T> &a0, const tvec4<T> &a1, const tvec4<T> &a2, const tvec4<T> &a3) : c0(a0), c1(a1), c2(a2), c3(a3) {}
    __host__ __device__ tmat4x4(T m00, T m01, T m02, T m03, T m10, T m11, T m12, T m13, T m20, T m21, T m22, T m23, T m30, T m31, T m32, T m33) : c0(m00, m01, m02, m03), c1(m10, m11, m12, m13), c2(m20, m21, m22, m23), c3(m30, m31, m32, m33) {}
    __host__ __device__ tvec4<T> &operator[](int i) { return (&c0)[i]; }
    __host__ __device__ const tvec4<T> &operator[](int i) const { return (&c0)[i]; }
};
template <class T> __host__ __device__ tvec4<T> operator*(const tmat4x4<T> &m, const tvec4<T> &v) { return m.c0 * v.x + m.c1 * v.y + m.c2 * v.z + m.c3 * v.w; }
template <class T> __host__ __device__ tvec4<T> operator*(const tvec4<T> &v, const tmat4x4<T> &m) { return tvec4<T>(dot(v, m.c0), dot(v, m.c1), dot(v, m.c2), dot(v, m.c3)); }
template <class T> __host__ __device__ tmat4x4<T> operator*(const tmat4x4<T> &a, const tmat4x4<T> &b) { return tmat4x4<T>(a * b.c0, a * b.c1, a * b.c2, a * b.c3); }
template <class T> __host__ __device__ tmat4x4<T> operator+(const tmat4x4<T> &a, const tmat4x4<T> &b) { return tmat4x4<T>(a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2, a.c3 + b.c3); }
template <class T> __host__ __device__ tmat4x4<T> operator-(const tmat4x4<T> &a, const tmat4x4<T> &b) { return tmat4x4<T>(a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2, a.c3 - b.c3); }
template <class T> __host__ __device__ tmat4x4<T> operator*(T s, const tmat4x4<T> &a) { return tmat4x4<T>(a.c0 * s, a.c1 * s, a.c2 * s, a.c3 * s); }
template <class T> __host__ __device__ tmat4x4<T> operator*(const tmat4x4<T> &a, T s) { return s * a; }
template <class T> __host__ __device__ tmat4x4<T> transpose(const tmat4x4<T> &m) { return tmat4x4<T>(tvec4<T>(m.c0.x, m.c1.x, m.c2.x, m.c3.x), tvec4<T>(m.c0.y, m.c1.y, m.c2.y, m.c3.y), tvec4<T>(m.c0.z, m.c1.z, m.c2.z, m.c3.z), tvec4<T>(m.c0.w, m.c1.w, m.c2.w, m.c3.w)); }
template <class T> __host__ __device__ tmat4x4<T> outerProduct(const tvec4<T> &a, const tvec4<T> &b) { return tmat4x4<T>(a * b.x, a * b.y, a * b.z, a * b.w); }
template <class T> __host__ __device__ T determinant(const tmat3x3<T> &m) { return dot(m.c0, cross(m.c1, m.c2)); }
template <class T> __host__ __device__ T determinant(const tmat2x2<T> &m) { return m.c0.x * m.c1.y - m.c1.x * m.c0.y; }
typedef tvec2<float> vec2;
typedef tvec3<float> vec3;
typedef tvec4<float> vec4;
typedef tvec2<double> dvec2;
typedef tvec3<double> dvec3;
typedef tvec4<double> dvec4;
typedef tvec2<int> ivec2;
typedef tvec3<int> ivec3;
typedef tvec4<int> ivec4;
typedef tvec2<unsigned int> uvec2;
typedef tvec3<unsigned int> uvec3;
typedef tvec4<unsigned int> uvec4;
typedef tmat2x2<float> mat2;
typedef tmat2x2<float> mat2x2;
typedef tmat3x3<float> mat3;
typedef tmat3x3<float> mat3x3;
typedef tmat4x4<float> mat4;
typedef tmat4x4<float> mat4x4;
template <class T> __host__ __device__ tvec3<T> make_vec3(const T *p) { return tvec3<T>(p[0], p[1], p[2]); }
template <class T> __host__ __device__ tvec2<T> make_vec2(const T *p) { return tvec2<T>(p[0], p[1]); }
template <class T> __host__ __device__ tvec4<T> make_vec4(const T *p) { return tvec4<T>(p[0], p[1], p[2], p[3]); }
}  // namespace glm
namespace tcnn { using namespace glm; }

// What the sequential algorithms of thrust do in a kernel, `thrust::upper_bound(thrust::seq, ...)`.
// They stand in a namespace of their own: host code that calls thrust never means them.
#pragma once
namespace roofline_sequential {
template <class I, class T> __device__ I lower_bound(I first, I last, const T &value) {
    long low = 0, n = last - first;
    while (n > 0) {
        long half = n / 2;
        if (first[low + half] < value) { low += half + 1; n -= half + 1; } else { n = half; }
    }
    return first + low;
}
template <class I, class T> __device__ I upper_bound(I first, I last, const T &value) {
    long low = 0, n = last - first;
    while (n > 0) {
        long half = n / 2;
        if (value < first[low + half]) { n = half; } else { low += half + 1; n -= half + 1; }
    }
    return first + low;
}
template <class I, class T> __device__ bool binary_search(I first, I last, const T &value) {
    long low = 0, n = last - first;
    while (n > 0) {
        long half = n / 2;
        if (first[low + half] < value) { low += half + 1; n -= half + 1; } else { n = half; }
    }
    return low < last - first && !(value < first[low]);
}
template <class I, class F> __device__ I for_each(I first, I last, F f) {
    long n = last - first;
    for (long i = 0; i < n; ++i) f(first[i]);
    return last;
}
template <class I, class N, class F> __device__ I for_each_n(I first, N n, F f) {
    for (long i = 0; i < n; ++i) f(first[i]);
    return first + n;
}
template <class I, class F, class T, class O> __device__ T transform_reduce(I first, I last, F f, T value, O combine) {
    long n = last - first;
    for (long i = 0; i < n; ++i) value = combine(value, f(first[i]));
    return value;
}
template <class I, class T, class O> __device__ T reduce(I first, I last, T value, O combine) {
    long n = last - first;
    for (long i = 0; i < n; ++i) value = combine(value, first[i]);
    return value;
}
template <class I, class T> __device__ T reduce(I first, I last, T value) {
    long n = last - first;
    for (long i = 0; i < n; ++i) value = value + first[i];
    return value;
}
template <class I, class J, class F> __device__ J transform(I first, I last, J out, F f) {
    long n = last - first;
    for (long i = 0; i < n; ++i) out[i] = f(first[i]);
    return out + n;
}
template <class I, class J> __device__ J copy(I first, I last, J out) {
    long n = last - first;
    for (long i = 0; i < n; ++i) out[i] = first[i];
    return out + n;
}
template <class I, class T> __device__ void fill(I first, I last, const T &value) {
    long n = last - first;
    for (long i = 0; i < n; ++i) first[i] = value;
}
template <class I, class F> __device__ long count_if(I first, I last, F f) {
    long n = last - first, found = 0;
    for (long i = 0; i < n; ++i) found += f(first[i]) ? 1 : 0;
    return found;
}
template <class I, class T> __device__ long count(I first, I last, const T &value) {
    long n = last - first, found = 0;
    for (long i = 0; i < n; ++i) found += first[i] == value ? 1 : 0;
    return found;
}
template <class I, class F> __device__ I find_if(I first, I last, F f) {
    long n = last - first, i = 0;
    while (i < n && !f(first[i])) ++i;
    return first + i;
}
template <class I, class T> __device__ I find(I first, I last, const T &value) {
    long n = last - first, i = 0;
    while (i < n && !(first[i] == value)) ++i;
    return first + i;
}
template <class I, class F> __device__ bool any_of(I first, I last, F f) {
    long n = last - first, i = 0;
    while (i < n && !f(first[i])) ++i;
    return i < n;
}
template <class I, class F> __device__ bool none_of(I first, I last, F f) {
    long n = last - first, i = 0;
    while (i < n && !f(first[i])) ++i;
    return i == n;
}
template <class I, class F> __device__ bool all_of(I first, I last, F f) {
    long n = last - first, i = 0;
    while (i < n && f(first[i])) ++i;
    return i == n;
}
template <class I> __device__ long distance(I first, I last) { return last - first; }
template <class I, class N> __device__ I next(I at, N by) { return at + by; }
template <class I, class N> __device__ I prev(I at, N by) { return at - by; }
}  // namespace roofline_sequential

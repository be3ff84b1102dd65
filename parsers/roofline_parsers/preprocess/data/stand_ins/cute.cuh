// Tensors of CuTe with up to three dimensions: a pointer, sizes and strides.
#pragma once
namespace cute {
template <int N> struct Int { __host__ __device__ constexpr operator int() const { return N; } };
struct GenRowMajor {};
struct GenColMajor {};
using LayoutRight = GenRowMajor;
using LayoutLeft = GenColMajor;

template <int R> struct extents_of { long n[3]; };
template <class A> __host__ __device__ extents_of<1> make_shape(A a) { extents_of<1> s; s.n[0] = a; return s; }
template <class A, class B> __host__ __device__ extents_of<2> make_shape(A a, B b) { extents_of<2> s; s.n[0] = a; s.n[1] = b; return s; }
template <class A, class B, class C> __host__ __device__ extents_of<3> make_shape(A a, B b, C c) { extents_of<3> s; s.n[0] = a; s.n[1] = b; s.n[2] = c; return s; }
template <class A> __host__ __device__ extents_of<1> make_stride(A a) { return make_shape(a); }
template <class A, class B> __host__ __device__ extents_of<2> make_stride(A a, B b) { return make_shape(a, b); }
template <class A, class B, class C> __host__ __device__ extents_of<3> make_stride(A a, B b, C c) { return make_shape(a, b, c); }

template <int R> struct layout_of {
    extents_of<R> shape_;
    extents_of<R> stride_;
    __host__ __device__ long operator()(long i) const { return i * stride_.n[0]; }
    __host__ __device__ long operator()(long i, long j) const { return i * stride_.n[0] + j * stride_.n[1]; }
    __host__ __device__ long operator()(long i, long j, long k) const { return i * stride_.n[0] + j * stride_.n[1] + k * stride_.n[2]; }
};
template <int R> __host__ __device__ layout_of<R> make_layout(extents_of<R> shape, extents_of<R> stride) {
    layout_of<R> l;
    l.shape_ = shape;
    l.stride_ = stride;
    return l;
}
template <int R> __host__ __device__ layout_of<R> make_layout(extents_of<R> shape, GenColMajor) {
    layout_of<R> l;
    l.shape_ = shape;
    l.stride_.n[0] = 1;
    if (R > 1) l.stride_.n[1] = shape.n[0];
    if (R > 2) l.stride_.n[2] = shape.n[0] * shape.n[1];
    return l;
}
template <int R> __host__ __device__ layout_of<R> make_layout(extents_of<R> shape) { return make_layout(shape, GenColMajor()); }
template <int R> __host__ __device__ layout_of<R> make_layout(extents_of<R> shape, GenRowMajor) {
    layout_of<R> l;
    l.shape_ = shape;
    l.stride_.n[R - 1] = 1;
    if (R == 2) l.stride_.n[0] = shape.n[1];
    if (R == 3) { l.stride_.n[1] = shape.n[2]; l.stride_.n[0] = shape.n[1] * shape.n[2]; }
    return l;
}

template <class T> __host__ __device__ T *make_gmem_ptr(T *p) { return p; }
template <class T> __host__ __device__ T *make_smem_ptr(T *p) { return p; }
template <class T, int R> struct tensor_of {
    T *data_;
    layout_of<R> layout_;
    __host__ __device__ T *data() const { return data_; }
    __host__ __device__ T &operator()(long i) const { return data_[layout_(i)]; }
    __host__ __device__ T &operator()(long i, long j) const { return data_[layout_(i, j)]; }
    __host__ __device__ T &operator()(long i, long j, long k) const { return data_[layout_(i, j, k)]; }
    __host__ __device__ T &operator[](long i) const { return data_[layout_(i)]; }
};
template <class T, int R> __host__ __device__ tensor_of<T, R> make_tensor(T *p, layout_of<R> layout) {
    tensor_of<T, R> t;
    t.data_ = p;
    t.layout_ = layout;
    return t;
}
template <class T, int R> __host__ __device__ tensor_of<T, R> make_tensor(T *p, extents_of<R> shape, extents_of<R> stride) { return make_tensor(p, make_layout(shape, stride)); }
template <class T, int R> __host__ __device__ tensor_of<T, R> make_tensor(T *p, extents_of<R> shape) { return make_tensor(p, make_layout(shape)); }
template <int D, class T, int R> __host__ __device__ long size(tensor_of<T, R> t) { return t.layout_.shape_.n[D]; }
}  // namespace cute

// Iterators of thrust and CUB that kernels are given: numbers that are computed where they are read.
#pragma once
namespace thrust {
template <class T, class A = void, class B = void, class C = void> struct counting_iterator {
    T first_;
    __host__ __device__ counting_iterator(T first) : first_(first) {}
    __host__ __device__ T operator*() const { return first_; }
    __host__ __device__ T operator[](long i) const { return first_ + i; }
    __host__ __device__ counting_iterator operator+(long i) const { return counting_iterator<T>(first_ + i); }
    __host__ __device__ long operator-(counting_iterator other) const { return first_ - other.first_; }
};
template <class T, class A = void, class B = void> struct constant_iterator {
    T value_;
    __host__ __device__ constant_iterator(T value) : value_(value) {}
    __host__ __device__ T operator*() const { return value_; }
    __host__ __device__ T operator[](long i) const { return value_; }
    __host__ __device__ constant_iterator operator+(long i) const { return constant_iterator<T>(value_); }
};
template <class F, class I, class A = void, class B = void> struct transform_iterator {
    I at_;
    F f_;
    __host__ __device__ transform_iterator(I at, F f) : at_(at), f_(f) {}
    __host__ __device__ auto operator*() const { return f_(*at_); }
    __host__ __device__ auto operator[](long i) const { return f_(at_[i]); }
    __host__ __device__ transform_iterator operator+(long i) const { return transform_iterator<F, I>(at_ + i, f_); }
    __host__ __device__ long operator-(transform_iterator other) const { return at_ - other.at_; }
};
template <class E, class I> struct permutation_iterator {
    E at_;
    I index_;
    __host__ __device__ permutation_iterator(E at, I index) : at_(at), index_(index) {}
    __host__ __device__ auto &operator*() const { return at_[*index_]; }
    __host__ __device__ auto &operator[](long i) const { return at_[index_[i]]; }
    __host__ __device__ permutation_iterator operator+(long i) const { return permutation_iterator<E, I>(at_, index_ + i); }
    __host__ __device__ long operator-(permutation_iterator other) const { return index_ - other.index_; }
};
template <class T> struct zip_iterator;
template <class I, class J> struct zip_iterator<thrust::tuple<I, J>> {
    I i_;
    J j_;
    __host__ __device__ zip_iterator(I i, J j) : i_(i), j_(j) {}
    __host__ __device__ auto operator*() const { return thrust::make_tuple(*i_, *j_); }
    __host__ __device__ auto operator[](long n) const { return thrust::make_tuple(i_[n], j_[n]); }
    __host__ __device__ zip_iterator operator+(long n) const { return zip_iterator<thrust::tuple<I, J>>(i_ + n, j_ + n); }
};
template <class I, class J, class K> struct zip_iterator<thrust::tuple<I, J, K>> {
    I i_;
    J j_;
    K k_;
    __host__ __device__ zip_iterator(I i, J j, K k) : i_(i), j_(j), k_(k) {}
    __host__ __device__ auto operator*() const { return thrust::make_tuple(*i_, *j_, *k_); }
    __host__ __device__ auto operator[](long n) const { return thrust::make_tuple(i_[n], j_[n], k_[n]); }
    __host__ __device__ zip_iterator operator+(long n) const { return zip_iterator<thrust::tuple<I, J, K>>(i_ + n, j_ + n, k_ + n); }
};
template <class T> __host__ __device__ counting_iterator<T> make_counting_iterator(T first) { return counting_iterator<T>(first); }
template <class T> __host__ __device__ constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }
template <class I, class F> __host__ __device__ transform_iterator<F, I> make_transform_iterator(I at, F f) { return transform_iterator<F, I>(at, f); }
template <class E, class I> __host__ __device__ permutation_iterator<E, I> make_permutation_iterator(E at, I index) { return permutation_iterator<E, I>(at, index); }
}  // namespace thrust

namespace cub {
template <class T, class O = long> struct CountingInputIterator {
    T val;
    __host__ __device__ CountingInputIterator(T val_) : val(val_) {}
    __host__ __device__ T operator*() const { return val; }
    __host__ __device__ T operator[](long i) const { return val + i; }
    __host__ __device__ CountingInputIterator operator+(long i) const { return CountingInputIterator<T>(val + i); }
};
template <class T, class O = long> struct ConstantInputIterator {
    T val;
    __host__ __device__ ConstantInputIterator(T val_) : val(val_) {}
    __host__ __device__ T operator*() const { return val; }
    __host__ __device__ T operator[](long i) const { return val; }
    __host__ __device__ ConstantInputIterator operator+(long i) const { return ConstantInputIterator<T>(val); }
};
template <class T, class F, class I, class O = long> struct TransformInputIterator {
    I input_itr;
    F conversion_op;
    __host__ __device__ TransformInputIterator(I at, F f) : input_itr(at), conversion_op(f) {}
    __host__ __device__ T operator*() const { return conversion_op(*input_itr); }
    __host__ __device__ T operator[](long i) const { return conversion_op(input_itr[i]); }
    __host__ __device__ TransformInputIterator operator+(long i) const { return TransformInputIterator<T, F, I>(input_itr + i, conversion_op); }
};
}  // namespace cub

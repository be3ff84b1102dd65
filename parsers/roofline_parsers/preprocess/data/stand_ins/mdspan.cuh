// Views of arrays in several dimensions, as C++23 and libcu++ have them: a pointer and the sizes.
#pragma once
namespace cuda {
namespace std {
inline constexpr size_t dynamic_extent = -1;
struct layout_right {};
struct layout_left {};

template <class I, size_t R> struct dextents {
    I n_[R];
    __host__ __device__ dextents() {}
    __host__ __device__ dextents(I a) { n_[0] = a; }
    __host__ __device__ dextents(I a, I b) { n_[0] = a; n_[1] = b; }
    __host__ __device__ dextents(I a, I b, I c) { n_[0] = a; n_[1] = b; n_[2] = c; }
    __host__ __device__ dextents(I a, I b, I c, I d) { n_[0] = a; n_[1] = b; n_[2] = c; n_[3] = d; }
    __host__ __device__ I extent(size_t r) const { return n_[r]; }
};

// Sizes that the type gives; those that it leaves open follow as the dimensions do.
template <class I, size_t A = 1, size_t B = 1, size_t C = 1, size_t D = 1> struct extents {
    I n_[4];
    __host__ __device__ extents() { n_[0] = A; n_[1] = B; n_[2] = C; n_[3] = D; }
    __host__ __device__ extents(I a) { n_[0] = a; n_[1] = B; n_[2] = C; n_[3] = D; }
    __host__ __device__ extents(I a, I b) { n_[0] = a; n_[1] = b; n_[2] = C; n_[3] = D; }
    __host__ __device__ extents(I a, I b, I c) { n_[0] = a; n_[1] = b; n_[2] = c; n_[3] = D; }
    __host__ __device__ extents(I a, I b, I c, I d) { n_[0] = a; n_[1] = b; n_[2] = c; n_[3] = d; }
    __host__ __device__ I extent(size_t r) const {
        return r == 0 ? (A == dynamic_extent ? n_[0] : A)
             : r == 1 ? (B == dynamic_extent ? n_[1] : B)
             : r == 2 ? (C == dynamic_extent ? n_[2] : C) : (D == dynamic_extent ? n_[3] : D);
    }
};

template <class T, class E, class L = layout_right, class P = void> struct mdspan {
    T *data_;
    E sizes_;
    __host__ __device__ mdspan() {}
    __host__ __device__ mdspan(T *data) : data_(data) {}
    template <class I> __host__ __device__ mdspan(T *data, I a) : data_(data), sizes_(a) {}
    template <class I, class J> __host__ __device__ mdspan(T *data, I a, J b) : data_(data), sizes_(a, b) {}
    template <class I, class J, class K> __host__ __device__ mdspan(T *data, I a, J b, K c) : data_(data), sizes_(a, b, c) {}
    template <class I, class J, class K, class M> __host__ __device__ mdspan(T *data, I a, J b, K c, M d) : data_(data), sizes_(a, b, c, d) {}
    __host__ __device__ auto extent(size_t r) const { return sizes_.extent(r); }
    __host__ __device__ E extents() const { return sizes_; }
    __host__ __device__ T *data_handle() const { return data_; }
    __host__ __device__ T *data() const { return data_; }
    template <class I> __host__ __device__ T &operator()(I i) const { return data_[i]; }
    template <class I, class J> __host__ __device__ T &operator()(I i, J j) const { return data_[i * sizes_.extent(1) + j]; }
    template <class I, class J, class K> __host__ __device__ T &operator()(I i, J j, K k) const {
        return data_[(i * sizes_.extent(1) + j) * sizes_.extent(2) + k];
    }
    template <class I, class J, class K, class M> __host__ __device__ T &operator()(I i, J j, K k, M m) const {
        return data_[((i * sizes_.extent(1) + j) * sizes_.extent(2) + k) * sizes_.extent(3) + m];
    }
    template <class I> __host__ __device__ T &operator[](I i) const { return data_[i]; }
    template <class I, class J> __host__ __device__ T &operator[](I i, J j) const { return data_[i * sizes_.extent(1) + j]; }
    template <class I, class J, class K> __host__ __device__ T &operator[](I i, J j, K k) const {
        return data_[(i * sizes_.extent(1) + j) * sizes_.extent(2) + k];
    }
    template <class I, class J, class K, class M> __host__ __device__ T &operator[](I i, J j, K k, M m) const {
        return data_[((i * sizes_.extent(1) + j) * sizes_.extent(2) + k) * sizes_.extent(3) + m];
    }
};

template <class T, class E, class P> struct mdspan<T, E, layout_left, P> {
    T *data_;
    E sizes_;
    __host__ __device__ mdspan() {}
    __host__ __device__ mdspan(T *data) : data_(data) {}
    template <class I> __host__ __device__ mdspan(T *data, I a) : data_(data), sizes_(a) {}
    template <class I, class J> __host__ __device__ mdspan(T *data, I a, J b) : data_(data), sizes_(a, b) {}
    template <class I, class J, class K> __host__ __device__ mdspan(T *data, I a, J b, K c) : data_(data), sizes_(a, b, c) {}
    __host__ __device__ auto extent(size_t r) const { return sizes_.extent(r); }
    __host__ __device__ E extents() const { return sizes_; }
    __host__ __device__ T *data_handle() const { return data_; }
    template <class I> __host__ __device__ T &operator()(I i) const { return data_[i]; }
    template <class I, class J> __host__ __device__ T &operator()(I i, J j) const { return data_[i + sizes_.extent(0) * j]; }
    template <class I, class J, class K> __host__ __device__ T &operator()(I i, J j, K k) const {
        return data_[i + sizes_.extent(0) * (j + sizes_.extent(1) * k)];
    }
    template <class I> __host__ __device__ T &operator[](I i) const { return data_[i]; }
    template <class I, class J> __host__ __device__ T &operator[](I i, J j) const { return data_[i + sizes_.extent(0) * j]; }
    template <class I, class J, class K> __host__ __device__ T &operator[](I i, J j, K k) const {
        return data_[i + sizes_.extent(0) * (j + sizes_.extent(1) * k)];
    }
};
}  // namespace std
}  // namespace cuda

namespace std {
namespace experimental {
template <class I, size_t R> using dextents = cuda::std::dextents<I, R>;
template <class T, class E, class L = cuda::std::layout_right> using mdspan = cuda::std::mdspan<T, E, L>;
}  // namespace experimental
}  // namespace std

// Views of device memory of RAFT, a pointer and its sizes, its arrays, and what it says of warps.
#pragma once
namespace raft {
__host__ __device__ constexpr int warp_size() { return 32; }
__host__ __device__ constexpr unsigned warp_full_mask() { return 0xffffffff; }
__device__ inline int laneId() { return threadIdx.x % 32; }
template <class T> __host__ __device__ constexpr T ceildiv(T a, T b) { return (a + b - 1) / b; }
template <class T> __device__ T shfl(T v, int lane, int width = 32, unsigned mask = 0xffffffff) { return __shfl_sync(mask, v, lane, width); }
template <class T> __device__ T warpReduce(T v) {
    for (int i = 16; i > 0; i >>= 1) v += __shfl_xor_sync(0xffffffff, v, i);
    return v;
}
template <class T> __device__ T warpReduce(T v, T other) { return warpReduce(v); }
template <class T> __device__ T blockReduce(T v, char *memory) {
    T *parts = reinterpret_cast<T *>(memory);
    v = warpReduce(v);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < (blockDim.x + 31) / 32 ? parts[threadIdx.x] : T(0);
    return warpReduce(v);
}
struct row_major {};
struct col_major {};
template <class T> struct device_span {
    T *data_;
    size_t size_;
    __host__ __device__ device_span(T *p, size_t n) : data_(p), size_(n) {}
    __host__ __device__ T *data() const { return data_; }
    __host__ __device__ T *begin() const { return data_; }
    __host__ __device__ T *end() const { return data_ + size_; }
    __host__ __device__ size_t size() const { return size_; }
    __host__ __device__ T &operator[](size_t i) const { return data_[i]; }
};
template <class T, class I = unsigned> struct device_vector_view {
    T *data_;
    I n_;
    __host__ __device__ device_vector_view(T *p, I n) : data_(p), n_(n) {}
    __host__ __device__ T *data_handle() const { return data_; }
    __host__ __device__ I extent(int r) const { return n_; }
    __host__ __device__ I size() const { return n_; }
    __host__ __device__ T &operator()(I i) const { return data_[i]; }
    __host__ __device__ T &operator[](I i) const { return data_[i]; }
};
template <class T, class I = unsigned, class L = row_major> struct device_matrix_view {
    T *data_;
    I n_[2];
    __host__ __device__ device_matrix_view(T *p, I rows, I cols) : data_(p) { n_[0] = rows; n_[1] = cols; }
    __host__ __device__ T *data_handle() const { return data_; }
    __host__ __device__ I extent(int r) const { return n_[r]; }
    __host__ __device__ I size() const { return n_[0] * n_[1]; }
    __host__ __device__ T &operator()(I i, I j) const { return data_[i * n_[1] + j]; }
};
template <class T, class I> struct device_matrix_view<T, I, col_major> {
    T *data_;
    I n_[2];
    __host__ __device__ device_matrix_view(T *p, I rows, I cols) : data_(p) { n_[0] = rows; n_[1] = cols; }
    __host__ __device__ T *data_handle() const { return data_; }
    __host__ __device__ I extent(int r) const { return n_[r]; }
    __host__ __device__ I size() const { return n_[0] * n_[1]; }
    __host__ __device__ T &operator()(I i, I j) const { return data_[i + n_[0] * j]; }
};
template <class T, class I = unsigned> struct device_scalar_view {
    T *data_;
    __host__ __device__ T *data_handle() const { return data_; }
    __host__ __device__ T &operator()() const { return *data_; }
};
template <class I> struct vector_extent {};
template <class I> struct matrix_extent {};
template <class T, class E, class L = row_major, class A = void> struct device_mdspan {};
template <class T, class I, class L, class A> struct device_mdspan<T, vector_extent<I>, L, A> : device_vector_view<T, I> {};
template <class T, class I, class L, class A> struct device_mdspan<T, matrix_extent<I>, L, A> : device_matrix_view<T, I, L> {};
template <class T, class I = unsigned> struct device_vector {
    T *data_;
    I n_;
    T *data_handle() const { return data_; }
    I extent(int r) const { return n_; }
    I size() const { return n_; }
    device_vector_view<T, I> view() { return device_vector_view<T, I>(data_, n_); }
};
template <class T, class I = unsigned, class L = row_major> struct device_matrix {
    T *data_;
    I n_[2];
    T *data_handle() const { return data_; }
    I extent(int r) const { return n_[r]; }
    I size() const { return n_[0] * n_[1]; }
    device_matrix_view<T, I, L> view() { return device_matrix_view<T, I, L>(data_, n_[0], n_[1]); }
};
template <class T, class I = unsigned, class R> device_vector<T, I> make_device_vector(const R &resources, I n) {
    device_vector<T, I> made;
    cudaMalloc(&made.data_, n * sizeof(T));
    made.n_ = n;
    return made;
}
template <class T, class I = unsigned, class L = row_major, class R> device_matrix<T, I, L> make_device_matrix(const R &resources, I rows, I cols) {
    device_matrix<T, I, L> made;
    cudaMalloc(&made.data_, rows * cols * sizeof(T));
    made.n_[0] = rows;
    made.n_[1] = cols;
    return made;
}
template <class T, class I = unsigned> device_vector_view<T, I> make_device_vector_view(T *p, I n) { return device_vector_view<T, I>(p, n); }
template <class T, class I = unsigned, class L = row_major> device_matrix_view<T, I, L> make_device_matrix_view(T *p, I rows, I cols) { return device_matrix_view<T, I, L>(p, rows, cols); }
}  // namespace raft

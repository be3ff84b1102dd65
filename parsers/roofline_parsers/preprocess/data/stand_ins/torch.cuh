// Tensors of ATen as extensions pass them to kernels, and the macros that choose a launch by their type.
#pragma once
namespace c10 {
typedef __half Half;
typedef __nv_bfloat16 BFloat16;
}  // namespace c10

namespace at {
typedef c10::Half Half;
typedef c10::BFloat16 BFloat16;

template <typename T> struct DefaultPtrTraits { typedef T *PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class TensorAccessor {
public:
    T *data_;
    const index_t *sizes_;
    const index_t *strides_;
    __host__ __device__ TensorAccessor(T *data, const index_t *sizes, const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
    __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
    __host__ __device__ T *data() { return data_; }
    __host__ __device__ const T *data() const { return data_; }
    __host__ __device__ TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) {
        return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
    __host__ __device__ const TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
        return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
};

template <typename T, template <typename U> class PtrTraits, typename index_t>
class TensorAccessor<T, 1, PtrTraits, index_t> {
public:
    T *data_;
    const index_t *sizes_;
    const index_t *strides_;
    __host__ __device__ TensorAccessor(T *data, const index_t *sizes, const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
    __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
    __host__ __device__ T *data() { return data_; }
    __host__ __device__ const T *data() const { return data_; }
    __host__ __device__ T &operator[](index_t i) { return data_[strides_[0] * i]; }
    __host__ __device__ const T &operator[](index_t i) const { return data_[strides_[0] * i]; }
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class GenericPackedTensorAccessor {
public:
    T *data_;
    index_t sizes_[N];
    index_t strides_[N];
    __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
    __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
    __host__ __device__ T *data() { return data_; }
    __host__ __device__ const T *data() const { return data_; }
    __device__ TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) {
        return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
    __device__ const TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
        return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
};

template <typename T, template <typename U> class PtrTraits, typename index_t>
class GenericPackedTensorAccessor<T, 1, PtrTraits, index_t> {
public:
    T *data_;
    index_t sizes_[1];
    index_t strides_[1];
    __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
    __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
    __host__ __device__ T *data() { return data_; }
    __host__ __device__ const T *data() const { return data_; }
    __device__ T &operator[](index_t i) { return data_[strides_[0] * i]; }
    __device__ const T &operator[](index_t i) const { return data_[strides_[0] * i]; }
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;
}  // namespace at

namespace at {
// What sums of a type are kept in.
template <typename T, bool on_gpu = true> struct AccumulateType { typedef T type; };
template <bool on_gpu> struct AccumulateType<c10::Half, on_gpu> { typedef float type; };
template <bool on_gpu> struct AccumulateType<c10::BFloat16, on_gpu> { typedef float type; };
template <typename T, bool on_gpu> using acc_type = typename AccumulateType<T, on_gpu>::type;
template <typename T> struct OpMathType { typedef T type; };
template <> struct OpMathType<c10::Half> { typedef float type; };
template <> struct OpMathType<c10::BFloat16> { typedef float type; };
template <typename T> using opmath_type = typename OpMathType<T>::type;
namespace cuda {
inline cudaDeviceProp *getCurrentDeviceProperties() {
    static cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return &properties;
}
template <typename T> __host__ __device__ T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
}  // namespace cuda

// What a kernel's random numbers start from: values, or memory of a graph that is captured.
struct PhiloxCudaState {
    union Payload { uint64_t val; int64_t *ptr; };
    Payload seed_;
    Payload offset_;
    uint32_t offset_intragraph_;
    bool captured_;
};
namespace cuda {
namespace philox {
struct SeedAndOffset { uint64_t seed; uint64_t offset; };
__device__ inline SeedAndOffset unpack(PhiloxCudaState state) {
    SeedAndOffset found;
    found.seed = state.seed_.val;
    found.offset = state.offset_.val;
    return found;
}
}  // namespace philox
}  // namespace cuda
template <typename T> __host__ __device__ T ceil_div(T a, T b) { return (a + b - 1) / b; }
}  // namespace at
namespace std {
template <size_t N> __device__ uint64_t get(at::cuda::philox::SeedAndOffset &found) {
    if (N == 0) return found.seed;
    return found.offset;
}
}  // namespace std
template <typename T> __device__ T WARP_SHFL(T value, int lane, int width = 32, unsigned mask = 0xffffffff) {
    return __shfl_sync(mask, value, lane, width);
}
template <typename T> __device__ T WARP_SHFL_XOR(T value, int lane, int width = 32, unsigned mask = 0xffffffff) {
    return __shfl_xor_sync(mask, value, lane, width);
}
template <typename T> __device__ T WARP_SHFL_UP(T value, unsigned by, int width = 32, unsigned mask = 0xffffffff) {
    return __shfl_up_sync(mask, value, by, width);
}
template <typename T> __device__ T WARP_SHFL_DOWN(T value, unsigned by, int width = 32, unsigned mask = 0xffffffff) {
    return __shfl_down_sync(mask, value, by, width);
}
__device__ inline void gpuAtomicAdd(c10::Half *at, c10::Half value) { atomicAdd(at, value); }
template <typename T> __device__ T gpuAtomicAdd(T *at, T value) { return atomicAdd(at, value); }
template <typename T> __device__ T gpuAtomicAddNoReturn(T *at, T value) { return atomicAdd(at, value); }
template <typename T> __device__ T gpuAtomicMax(T *at, T value) { return atomicMax(at, value); }
template <typename T> __device__ T gpuAtomicMin(T *at, T value) { return atomicMin(at, value); }
#define C10_WARP_SIZE 32
#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_HOST_DEVICE __host__ __device__
#define C10_ALWAYS_INLINE inline
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type) \
    for (index_type i = blockIdx.x * (index_type)blockDim.x + threadIdx.x; i < (n); i += (index_type)blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

namespace torch {
template <typename T> using DefaultPtrTraits = at::DefaultPtrTraits<T>;
template <typename T> using RestrictPtrTraits = at::RestrictPtrTraits<T>;
template <typename T, size_t N, template <typename U> class PtrTraits = at::DefaultPtrTraits>
using PackedTensorAccessor32 = at::GenericPackedTensorAccessor<T, N, PtrTraits, int>;
template <typename T, size_t N, template <typename U> class PtrTraits = at::DefaultPtrTraits>
using PackedTensorAccessor64 = at::GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = at::DefaultPtrTraits, typename index_t = int64_t>
using PackedTensorAccessor = at::GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;
}  // namespace torch

// A dispatch runs its last argument, a lambda, for the type that the tensor has when the program runs:
// a launch for each type that most programs are run with. Single precision comes first.
#define ROOFLINE_AS(NAME, T, ...) { using NAME = T; (__VA_ARGS__)(); }
#define ROOFLINE_ONE_OF(NAME, TYPE, A, B, ...) \
    { if ((TYPE) == at::toScalarType<A>()) ROOFLINE_AS(NAME, A, __VA_ARGS__) else ROOFLINE_AS(NAME, B, __VA_ARGS__) }
#define ROOFLINE_FLOATING(TYPE, ...) ROOFLINE_ONE_OF(scalar_t, TYPE, float, double, __VA_ARGS__)
#define ROOFLINE_FLOATING_OR_HALF(TYPE, ...) \
    { if ((TYPE) == at::toScalarType<float>()) ROOFLINE_AS(scalar_t, float, __VA_ARGS__) \
      else ROOFLINE_ONE_OF(scalar_t, TYPE, c10::Half, double, __VA_ARGS__) }
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) ROOFLINE_FLOATING(TYPE, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) ROOFLINE_FLOATING(TYPE, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) ROOFLINE_FLOATING(TYPE, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...) ROOFLINE_FLOATING(TYPE, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) ROOFLINE_FLOATING_OR_HALF(TYPE, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(S1, TYPE, NAME, ...) ROOFLINE_FLOATING_OR_HALF(TYPE, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(S1, S2, TYPE, NAME, ...) ROOFLINE_FLOATING_OR_HALF(TYPE, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND(S1, TYPE, NAME, ...) ROOFLINE_FLOATING_OR_HALF(TYPE, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(S1, TYPE, NAME, ...) ROOFLINE_FLOATING_OR_HALF(TYPE, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(S1, S2, TYPE, NAME, ...) ROOFLINE_FLOATING_OR_HALF(TYPE, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(S1, S2, S3, TYPE, NAME, ...) ROOFLINE_FLOATING_OR_HALF(TYPE, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) ROOFLINE_ONE_OF(scalar_t, TYPE, c10::Half, c10::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) ROOFLINE_ONE_OF(scalar_t, TYPE, int, int64_t, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND(S1, TYPE, NAME, ...) ROOFLINE_ONE_OF(scalar_t, TYPE, int, int64_t, __VA_ARGS__)
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...) ROOFLINE_ONE_OF(index_t, TYPE, int64_t, int, __VA_ARGS__)

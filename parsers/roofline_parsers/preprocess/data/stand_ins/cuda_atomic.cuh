// Atomics of libcu++: the hardware's, whatever order is asked for.
#pragma once
namespace cuda {
namespace std {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
}
using std::memory_order;
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

template <class T, int S = 0> struct atomic_ref {
    T *at_;
    __host__ __device__ explicit atomic_ref(T &at) : at_(&at) {}
    __device__ T load(int order = 5) const { return *at_; }
    __device__ operator T() const { return *at_; }
    __device__ void store(T v, int order = 5) const { *at_ = v; }
    __device__ T exchange(T v, int order = 5) const { return atomicExch(at_, v); }
    __device__ T fetch_add(T v, int order = 5) const { return atomicAdd(at_, v); }
    __device__ T fetch_sub(T v, int order = 5) const { return atomicSub(at_, v); }
    __device__ T fetch_max(T v, int order = 5) const { return atomicMax(at_, v); }
    __device__ T fetch_min(T v, int order = 5) const { return atomicMin(at_, v); }
    __device__ T fetch_or(T v, int order = 5) const { return atomicOr(at_, v); }
    __device__ T fetch_and(T v, int order = 5) const { return atomicAnd(at_, v); }
    __device__ bool compare_exchange_strong(T &was, T v, int order = 5, int other = 5) const {
        T old = atomicCAS(at_, was, v);
        bool same = old == was;
        was = old;
        return same;
    }
    __device__ bool compare_exchange_weak(T &was, T v, int order = 5, int other = 5) const { return compare_exchange_strong(was, v); }
};

template <class T, int S = 0> struct atomic {
    T value_;
    __host__ __device__ atomic(T v) : value_(v) {}
    __device__ T load(int order = 5) const { return value_; }
    __device__ operator T() const { return value_; }
    __device__ void store(T v, int order = 5) { value_ = v; }
    __device__ T exchange(T v, int order = 5) { return atomicExch(&value_, v); }
    __device__ T fetch_add(T v, int order = 5) { return atomicAdd(&value_, v); }
    __device__ T fetch_sub(T v, int order = 5) { return atomicSub(&value_, v); }
    __device__ T fetch_max(T v, int order = 5) { return atomicMax(&value_, v); }
    __device__ T fetch_min(T v, int order = 5) { return atomicMin(&value_, v); }
    __device__ T operator++(int) { return atomicAdd(&value_, 1); }
    __device__ bool compare_exchange_strong(T &was, T v, int order = 5, int other = 5) {
        T old = atomicCAS(&value_, was, v);
        bool same = old == was;
        was = old;
        return same;
    }
};
namespace std {
template <class T> using atomic_ref = cuda::atomic_ref<T, 0>;
template <class T> using atomic = cuda::atomic<T, 0>;
}  // namespace std
}  // namespace cuda

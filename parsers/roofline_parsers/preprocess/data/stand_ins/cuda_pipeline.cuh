// Copies to shared memory that libcu++ and the compiler's own headers let run beside other work:
// each thread's bytes are read and written once, and what waits for them is a barrier.
#pragma once
namespace cuda {
template <unsigned long A> struct aligned_size_t {
    unsigned long value;
    __host__ __device__ constexpr explicit aligned_size_t(unsigned long v) : value(v) {}
    __host__ __device__ constexpr operator unsigned long() const { return value; }
};

template <int S, unsigned char N> struct pipeline_shared_state {
    char state_[32];
};

template <int S> struct pipeline {
    char state_;
    __device__ void producer_acquire() {}
    __device__ void producer_commit() {}
    __device__ void consumer_wait() { __syncthreads(); }
    __device__ void consumer_release() {}
    __device__ bool quit() { return true; }
};

template <int S> struct barrier {
    unsigned long state_;
    typedef int arrival_token;
    __device__ int arrive(long by = 1) { return 0; }
    __device__ void wait(int token) { __syncthreads(); }
    __device__ void arrive_and_wait() { __syncthreads(); }
    __device__ void arrive_and_drop() {}
};

template <int S> __device__ void init(barrier<S> *at, long threads) {}
static __device__ pipeline<3> make_pipeline() { return pipeline<3>(); }
template <class G, int S, unsigned char N> __device__ pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state) { return pipeline<S>(); }
template <class G, int S, unsigned char N, class R> __device__ pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state, R role) { return pipeline<S>(); }
template <int N, int S> __device__ void pipeline_consumer_wait_prior(pipeline<S> &pipe) { __syncthreads(); }

template <class T, class Z, class Y> __device__ void memcpy_async(T *to, const T *from, Z bytes, Y &by) {
    unsigned long size = bytes;
    if (size % 16 == 0) {
        for (unsigned long i = 0; i < size / 16; ++i) ((int4 *)to)[i] = ((const int4 *)from)[i];
    } else if (size % 8 == 0) {
        for (unsigned long i = 0; i < size / 8; ++i) ((int2 *)to)[i] = ((const int2 *)from)[i];
    } else {
        for (unsigned long i = 0; i < size / 4; ++i) ((int *)to)[i] = ((const int *)from)[i];
    }
}
}  // namespace cuda

static __device__ void __pipeline_memcpy_async(void *to, const void *from, unsigned long size, unsigned long zeros = 0) {
    if (size == 16) *(int4 *)to = *(const int4 *)from;
    else if (size == 8) *(int2 *)to = *(const int2 *)from;
    else *(int *)to = *(const int *)from;
}
static __device__ void __pipeline_commit() {}
static __device__ void __pipeline_wait_prior(unsigned long stages) {}

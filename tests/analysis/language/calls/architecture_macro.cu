// Code that the preprocessor chooses by side: the one topic where host and device differ by design.
#define BOTH __host__ __device__ inline
#ifdef __CUDA_ARCH__
#define SIDE 2
#else
#define SIDE 1
#endif
BOTH int side() {
#if defined(__CUDA_ARCH__)
    return 20;
#else
    return 10;
#endif
}
#if defined(__CUDACC__)
#define BY_NVCC 1
#else
#define BY_NVCC 0
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define RECENT 1
#else
#define RECENT 0
#endif
constexpr int tile = SIDE * 16;

BOTH int answer_side() { return side(); }
BOTH int answer_constant() { return tile; }
BOTH int answer_recent() { return RECENT; }
BOTH int answer_compiler() { return BY_NVCC; }
BOTH int answer_plus_plus() { return __cplusplus >= 202002L; }

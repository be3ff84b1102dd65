// Images as OpenCV's CUDA modules pass them to kernels: a pointer and the bytes from row to row.
#pragma once
namespace cv {
namespace cuda {

template <typename T> struct DevPtr {
    typedef T elem_type;
    T *data;
    __device__ __host__ DevPtr() : data(0) {}
    __device__ __host__ DevPtr(T *data_) : data(data_) {}
    __device__ __host__ operator T *() { return data; }
    __device__ __host__ operator const T *() const { return data; }
};

template <typename T> struct PtrSz : public DevPtr<T> {
    size_t size;
    __device__ __host__ PtrSz() : size(0) {}
    __device__ __host__ PtrSz(T *data_, size_t size_) : DevPtr<T>(data_), size(size_) {}
};

template <typename T> struct PtrStep : public DevPtr<T> {
    size_t step;
    __device__ __host__ PtrStep() : step(0) {}
    __device__ __host__ PtrStep(T *data_, size_t step_) : DevPtr<T>(data_), step(step_) {}
    __device__ __host__ T *ptr(int y = 0) { return (T *)((char *)this->data + y * step); }
    __device__ __host__ const T *ptr(int y = 0) const { return (const T *)((const char *)this->data + y * step); }
    __device__ __host__ T &operator()(int y, int x) { return ptr(y)[x]; }
    __device__ __host__ const T &operator()(int y, int x) const { return ptr(y)[x]; }
};

template <typename T> struct PtrStepSz : public PtrStep<T> {
    int cols;
    int rows;
    __device__ __host__ PtrStepSz() : cols(0), rows(0) {}
    __device__ __host__ PtrStepSz(int rows_, int cols_, T *data_, size_t step_)
        : PtrStep<T>(data_, step_), cols(cols_), rows(rows_) {}
};

typedef PtrStep<unsigned char> PtrStepb;
typedef PtrStep<unsigned short> PtrStepus;
typedef PtrStep<float> PtrStepf;
typedef PtrStep<int> PtrStepi;
typedef PtrStepSz<unsigned char> PtrStepSzb;
typedef PtrStepSz<unsigned short> PtrStepSzus;
typedef PtrStepSz<float> PtrStepSzf;
typedef PtrStepSz<int> PtrStepSzi;
}  // namespace cuda

// The names that these had before OpenCV 3.
namespace gpu {
template <typename T> using DevMem2D_ = cv::cuda::PtrStepSz<T>;
template <typename T> using PtrStep_ = cv::cuda::PtrStep<T>;
template <typename T> using PtrStep = cv::cuda::PtrStep<T>;
template <typename T> using PtrStepSz = cv::cuda::PtrStepSz<T>;
typedef cv::cuda::PtrStepSz<unsigned char> DevMem2D;
typedef cv::cuda::PtrStepSz<float> DevMem2Df;
typedef cv::cuda::PtrStepSz<int> DevMem2Di;
}  // namespace gpu
}  // namespace cv

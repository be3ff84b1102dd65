// Matrices, vectors and views of Eigen as kernels are given them.
#pragma once
namespace Eigen {
typedef long Index;
enum { ColMajor = 0, RowMajor = 1, DontAlign = 2 };
enum { Dynamic = -1 };

template <class T, int R, int C, int O = ColMajor> struct Matrix {
    typedef T Scalar;
    enum { Rows = R, Cols = C, Options = O };
    T v_[R * C];
    __host__ __device__ Matrix() {}
    __host__ __device__ Matrix(T a, T b) { v_[0] = a; v_[1] = b; }
    __host__ __device__ Matrix(T a, T b, T c) { v_[0] = a; v_[1] = b; v_[2] = c; }
    __host__ __device__ Matrix(T a, T b, T c, T d) { v_[0] = a; v_[1] = b; v_[2] = c; v_[3] = d; }
    __host__ __device__ T &operator()(Index i, Index j) { return v_[O == RowMajor ? i * C + j : i + R * j]; }
    __host__ __device__ const T &operator()(Index i, Index j) const { return v_[O == RowMajor ? i * C + j : i + R * j]; }
    __host__ __device__ T &operator()(Index i) { return v_[i]; }
    __host__ __device__ const T &operator()(Index i) const { return v_[i]; }
    __host__ __device__ T &operator[](Index i) { return v_[i]; }
    __host__ __device__ const T &operator[](Index i) const { return v_[i]; }
    __host__ __device__ T &x() { return v_[0]; }
    __host__ __device__ const T &x() const { return v_[0]; }
    __host__ __device__ T &y() { return v_[1]; }
    __host__ __device__ const T &y() const { return v_[1]; }
    __host__ __device__ T &z() { return v_[2]; }
    __host__ __device__ const T &z() const { return v_[2]; }
    __host__ __device__ T &w() { return v_[3]; }
    __host__ __device__ const T &w() const { return v_[3]; }
    __host__ __device__ T *data() { return v_; }
    __host__ __device__ const T *data() const { return v_; }
    __host__ __device__ Index rows() const { return R; }
    __host__ __device__ Index cols() const { return C; }
    __host__ __device__ Index size() const { return R * C; }
    __host__ __device__ T dot(const Matrix &b) const { T s = v_[0] * b.v_[0]; for (int i = 1; i < R * C; ++i) s += v_[i] * b.v_[i]; return s; }
    __host__ __device__ T squaredNorm() const { return dot(*this); }
    __host__ __device__ T norm() const { return sqrt(dot(*this)); }
    __host__ __device__ T sum() const { T s = v_[0]; for (int i = 1; i < R * C; ++i) s += v_[i]; return s; }
    __host__ __device__ void setZero() { for (int i = 0; i < R * C; ++i) v_[i] = 0; }
    __host__ __device__ static Matrix Zero() { Matrix m; m.setZero(); return m; }
    __host__ __device__ Matrix &operator+=(const Matrix &b) { for (int i = 0; i < R * C; ++i) v_[i] += b.v_[i]; return *this; }
    __host__ __device__ Matrix &operator-=(const Matrix &b) { for (int i = 0; i < R * C; ++i) v_[i] -= b.v_[i]; return *this; }
    __host__ __device__ Matrix &operator*=(T b) { for (int i = 0; i < R * C; ++i) v_[i] *= b; return *this; }
};
template <class T, int R, int C, int O> __host__ __device__ Matrix<T, R, C, O> operator+(Matrix<T, R, C, O> a, const Matrix<T, R, C, O> &b) { a += b; return a; }
template <class T, int R, int C, int O> __host__ __device__ Matrix<T, R, C, O> operator-(Matrix<T, R, C, O> a, const Matrix<T, R, C, O> &b) { a -= b; return a; }
template <class T, int R, int C, int O> __host__ __device__ Matrix<T, R, C, O> operator*(Matrix<T, R, C, O> a, T b) { a *= b; return a; }
template <class T, int R, int C, int O> __host__ __device__ Matrix<T, R, C, O> operator*(T b, Matrix<T, R, C, O> a) { a *= b; return a; }

typedef Matrix<float, 2, 1> Vector2f;
typedef Matrix<float, 3, 1> Vector3f;
typedef Matrix<float, 4, 1> Vector4f;
typedef Matrix<double, 2, 1> Vector2d;
typedef Matrix<double, 3, 1> Vector3d;
typedef Matrix<double, 4, 1> Vector4d;
typedef Matrix<int, 2, 1> Vector2i;
typedef Matrix<int, 3, 1> Vector3i;
typedef Matrix<float, 2, 2> Matrix2f;
typedef Matrix<float, 3, 3> Matrix3f;
typedef Matrix<float, 4, 4> Matrix4f;
typedef Matrix<double, 3, 3> Matrix3d;
typedef Matrix<double, 4, 4> Matrix4d;
typedef Matrix<float, Dynamic, Dynamic> MatrixXf;
typedef Matrix<double, Dynamic, Dynamic> MatrixXd;
typedef Matrix<float, Dynamic, 1> VectorXf;
typedef Matrix<double, Dynamic, 1> VectorXd;

// A view of memory as a matrix, packed.
template <class M, int A = 0, class S = void> struct Map {
    typedef typename M::Scalar T;
    T *data_;
    Index rows_;
    Index cols_;
    __host__ __device__ Map(const T *p) : data_((T *)p), rows_(M::Rows), cols_(M::Cols) {}
    __host__ __device__ Map(const T *p, Index n) : data_((T *)p), rows_(n), cols_(1) {}
    __host__ __device__ Map(const T *p, Index rows, Index cols) : data_((T *)p), rows_(rows), cols_(cols) {}
    __host__ __device__ Index rows() const { return M::Rows > 0 ? M::Rows : rows_; }
    __host__ __device__ Index cols() const { return M::Cols > 0 ? M::Cols : cols_; }
    __host__ __device__ Index size() const { return rows() * cols(); }
    __host__ __device__ T *data() const { return data_; }
    __host__ __device__ T &operator()(Index i, Index j) const { return data_[M::Options == RowMajor ? i * cols() + j : i + rows() * j]; }
    __host__ __device__ T &operator()(Index i) const { return data_[i]; }
    __host__ __device__ T &operator[](Index i) const { return data_[i]; }
};

template <class T, int D, int O = ColMajor, class I = Index> struct Tensor {
    typedef T Scalar;
    enum { Dims = D, Options = O };
};

// A view of memory as a tensor, packed.
template <class N, int A = 0> struct TensorMap {
    typedef typename N::Scalar T;
    T *data_;
    Index n_[N::Dims];
    __host__ __device__ TensorMap(const T *p, Index a) : data_((T *)p) { n_[0] = a; }
    __host__ __device__ TensorMap(const T *p, Index a, Index b) : data_((T *)p) { n_[0] = a; n_[1] = b; }
    __host__ __device__ TensorMap(const T *p, Index a, Index b, Index c) : data_((T *)p) { n_[0] = a; n_[1] = b; n_[2] = c; }
    __host__ __device__ TensorMap(const T *p, Index a, Index b, Index c, Index d) : data_((T *)p) { n_[0] = a; n_[1] = b; n_[2] = c; n_[3] = d; }
    __host__ __device__ Index dimension(int i) const { return n_[i]; }
    __host__ __device__ Index size() const { Index s = 1; for (int i = 0; i < N::Dims; ++i) s *= n_[i]; return s; }
    __host__ __device__ T *data() const { return data_; }
    __host__ __device__ T &operator()(Index i) const { return data_[i]; }
    __host__ __device__ T &operator()(Index i, Index j) const { return data_[N::Options == RowMajor ? i * n_[1] + j : i + n_[0] * j]; }
    __host__ __device__ T &operator()(Index i, Index j, Index k) const {
        return data_[N::Options == RowMajor ? (i * n_[1] + j) * n_[2] + k : i + n_[0] * (j + n_[1] * k)];
    }
    __host__ __device__ T &operator()(Index i, Index j, Index k, Index l) const {
        return data_[N::Options == RowMajor ? ((i * n_[1] + j) * n_[2] + k) * n_[3] + l : i + n_[0] * (j + n_[1] * (k + n_[2] * l))];
    }
};
}  // namespace Eigen

// Function objects as template arguments, as kernels of libraries use them.
template <class T>
struct Sum { constexpr T operator()(const T& a, const T& b) const { return a + b; } };
template <class T>
struct Maximum { constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
struct AnySum {
    template <class A, class B>
    constexpr auto operator()(A a, B b) const { return a + b; }
};
struct Overloaded {
    constexpr int operator()(int) const { return 1; }
    constexpr int operator()(double) const { return 2; }
    constexpr int operator()(int, int) const { return 3; }
};
template <class T, int N>
struct Saxpy {
    T a;
    T x[N];
    constexpr void operator()(T* y, int i) const { y[i] = a * x[i] + y[i]; }
};
template <class Op, class T>
constexpr T reduce(const T* x, int n, T start, Op op) { for (int i = 0; i < n; ++i) start = op(start, x[i]); return start; }
template <template <class> class Op, class T, int N>
constexpr T reduce_all(const T (&x)[N]) { T r = x[0]; for (int i = 1; i < N; ++i) r = Op<T>()(r, x[i]); return r; }
template <class F>
constexpr void for_each(int n, F f) { for (int i = 0; i < n; ++i) f(i); }
template <class Body>
struct Runner {
    Body body;
    int times;
    constexpr int run() const { int s = 0; for (int i = 0; i < times; ++i) s += body(i); return s; }
};
template <class Body>
Runner(Body, int) -> Runner<Body>;
template <class... Fs>
struct Joined : Fs... { using Fs::operator()...; };
template <class... Fs>
Joined(Fs...) -> Joined<Fs...>;

constexpr int answer_sum() { int x[4] = {1, 2, 3, 4}; return reduce(x, 4, 0, Sum<int>()); }
constexpr int answer_maximum() { int x[4] = {1, 9, 3, 4}; return reduce_all<Maximum>(x); }
constexpr int answer_type_of_start() { int x[2] = {3, 4}; return reduce(x, 2, 100, AnySum()); }
constexpr int answer_any() { return static_cast<int>(2 * AnySum()(1, 0.5)); }
constexpr int answer_overloaded() { Overloaded f; return f(1) * 100 + f(1.0) * 10 + f(1, 1); }
constexpr int answer_with_state() { Saxpy<int, 3> s{2, {1, 2, 3}}; int y[3] = {10, 10, 10}; for_each(3, [&](int i) { s(y, i); }); return y[2]; }
constexpr int answer_runner() { Runner r{[](int i) { return i * i; }, 4}; return r.run(); }
constexpr int answer_joined() { Joined j{[](int) { return 1; }, [](double) { return 2; }}; return j(1.0) * 10 + j(1); }
constexpr int answer_temporary() { return Maximum<float>()(1.5f, 2.5f) > 2; }

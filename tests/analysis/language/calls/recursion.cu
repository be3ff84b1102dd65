// Recursion over template arguments that ends in a specialisation, and plain constexpr recursion.
template <int N>
struct Fact { static constexpr int value = N * Fact<N - 1>::value; };
template <>
struct Fact<0> { static constexpr int value = 1; };

template <int N>
struct Log2 { enum { value = 1 + Log2<N / 2>::value }; };
template <>
struct Log2<1> { enum { value = 0 }; };

template <int A, int B>
struct Gcd { static constexpr int value = Gcd<B, A % B>::value; };
template <int A>
struct Gcd<A, 0> { static constexpr int value = A; };

template <int N>
struct Loop {
    template <class F>
    static constexpr void run(F f) { Loop<N - 1>::run(f); f(N - 1); }
};
template <>
struct Loop<0> {
    template <class F>
    static constexpr void run(F) {}
};

template <int I, int N>
struct Sum {
    static constexpr int of(const int* x) { return x[I] + Sum<I + 1, N>::of(x); }
};
template <int N>
struct Sum<N, N> {
    static constexpr int of(const int*) { return 0; }
};

template <unsigned N>
constexpr unsigned pow3() { return 3 * pow3<N - 1>(); }
template <>
constexpr unsigned pow3<0>() { return 1; }

constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
constexpr bool even(int n);
constexpr bool odd(int n) { return n != 0 && even(n - 1); }
constexpr bool even(int n) { return n == 0 || odd(n - 1); }

template <int... Is>
struct Seq { static constexpr int count = sizeof...(Is); };
template <int N, int... Is>
struct MakeSeq : MakeSeq<N - 1, N - 1, Is...> {};
template <int... Is>
struct MakeSeq<0, Is...> { using type = Seq<Is...>; };

struct Add {
    int* total;
    constexpr void operator()(int i) const { *total = 10 * *total + i; }
};

constexpr int answer_factorial() { return Fact<6>::value; }
constexpr int answer_log2() { return Log2<1000>::value; }
constexpr int answer_gcd() { return Gcd<48, 36>::value; }
constexpr int answer_loop() { int total = 9; Loop<4>::run(Add{&total}); return total; }
constexpr int answer_sum() { int x[5] = {1, 2, 4, 8, 16}; return Sum<1, 4>::of(x); }
constexpr int answer_power() { return static_cast<int>(pow3<5>()); }
constexpr int answer_fibonacci() { return fib(12); }
constexpr int answer_function_gcd() { return gcd(84, 30); }
constexpr int answer_mutual() { return odd(7) ? 1 : 2; }
constexpr int answer_sequence() { return MakeSeq<6>::type::count; }

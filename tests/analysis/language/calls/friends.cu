// Friend functions defined in a class, found by their argument, and hidden templates.
template <class T>
struct Complex {
    T re, im;
    friend constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend constexpr Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    friend constexpr Complex operator*(T s, Complex a) { return {s * a.re + 100, s * a.im}; }
    constexpr bool operator==(const Complex&) const = default;
    constexpr Complex& operator+=(const Complex& o) { re += o.re; im += o.im; return *this; }
    template <class U>
    constexpr operator Complex<U>() const { return {static_cast<U>(re), static_cast<U>(im)}; }
};
template <class T>
constexpr T norm(const Complex<T>& c) { return c.re * c.re + c.im * c.im; }
class Counter {
    int n = 0;
    friend constexpr int read(const Counter& c);
    friend struct Opener;

public:
    constexpr Counter& operator++() { ++n; return *this; }
    constexpr Counter operator++(int) { Counter old = *this; n += 10; return old; }
};
constexpr int read(const Counter& c) { return c.n; }
struct Opener {
    static constexpr void set(Counter& c) { c.n = 42; }
};
struct Ordered {
    int a, b;
    constexpr auto operator<=>(const Ordered&) const = default;
};

constexpr int answer_product() { auto z = Complex<int>{1, 2} * Complex<int>{3, 4}; return z.re * 100 + z.im; }
constexpr int answer_scaled() { return (2.0 * Complex<double>{1, 2}).re; }
constexpr int answer_converted_operand() { return static_cast<int>((2 * Complex<float>{1, 2}).re); }
constexpr int answer_sum() { Complex<int> z{1, 1}; z += z + Complex<int>{3, 0}; return z.re * 10 + z.im; }
constexpr int answer_norm() { return static_cast<int>(norm(Complex<float>{3, 4})); }
constexpr int answer_equal() { return (Complex<int>{1, 2} == Complex<int>{1, 2}) + 2 * (Complex<int>{1, 2} != Complex<int>{1, 2}); }
constexpr int answer_converted() { Complex<int> z = Complex<double>{2.75, -2.75}; return z.re * 10 + z.im; }
constexpr int answer_friend_function() { Counter c; ++c; c++; int now = read(c); int before = read(++c); return now * 100 + before * 10 + read(c++); }
constexpr int answer_friend_class() { Counter c; Opener::set(c); return read(c); }
constexpr int answer_ordered() { return (Ordered{1, 5} < Ordered{2, 0}) + 2 * (Ordered{1, 5} > Ordered{1, 4}) + 4 * (Ordered{3, 3} <= Ordered{3, 2}); }

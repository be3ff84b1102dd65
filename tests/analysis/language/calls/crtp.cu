// The curiously recurring template pattern, mixins and policies.
template <class Self>
struct Shape {
    constexpr int area() const { return static_cast<const Self*>(this)->area_of() * 10; }
    constexpr int sides() const { return 4; }
    constexpr int described() const { return static_cast<const Self&>(*this).sides() + area(); }
};
struct Square : Shape<Square> {
    int side;
    constexpr explicit Square(int s) : side(s) {}
    constexpr int area_of() const { return side * side; }
};
struct Triangle : Shape<Triangle> {
    constexpr int area_of() const { return 6; }
    constexpr int sides() const { return 3; }
};
template <class T>
constexpr int measure(const Shape<T>& s) { return s.area() + 1; }

struct Sum {
    static constexpr int start = 0;
    constexpr int operator()(int a, int b) const { return a + b; }
};
struct Max {
    static constexpr int start = -100;
    constexpr int operator()(int a, int b) const { return a > b ? a : b; }
};
template <class Operation, int N>
struct Reduce : Operation {
    constexpr int of(const int (&x)[N]) const {
        int r = Operation::start;
        for (int i = 0; i < N; ++i) r = (*this)(r, x[i]);
        return r;
    }
};
template <class Policy>
constexpr int run(int n) { return Policy::template apply<2>(n) + Policy::offset; }
struct Shift {
    enum { offset = 1 };
    template <int BY>
    static constexpr int apply(int n) { return n << BY; }
};
struct Scale {
    static constexpr int offset = 5;
    template <int BY>
    static constexpr int apply(int n) { return n * BY; }
};

constexpr int answer_square() { return Square(3).area(); }
constexpr int answer_own_sides() { return Triangle().described(); }
constexpr int answer_default_sides() { return Square(1).described(); }
constexpr int answer_deduced_base() { return measure(Triangle()); }
constexpr int answer_reduce_sum() { return Reduce<Sum, 4>().of({1, 5, 3, 4}); }
constexpr int answer_reduce_max() { int x[3] = {-5, -2, -9}; return Reduce<Max, 3>().of(x); }
constexpr int answer_policy_shift() { return run<Shift>(10); }
constexpr int answer_policy_scale() { return run<Scale>(10); }

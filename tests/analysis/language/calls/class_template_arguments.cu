// Class template arguments deduced from constructor arguments, and guides.
template <class T>
struct Box {
    T value;
    constexpr Box(T v) : value(v) {}
    static constexpr int bytes = sizeof(T);
};
template <class A, class B = A>
struct Two {
    A a;
    B b;
    constexpr Two(A x, B y) : a(x), b(y) {}
    constexpr int bytes() const { return 10 * sizeof(A) + sizeof(B); }
};
template <class T, int N>
struct Array {
    T v[N];
    constexpr int size() const { return N; }
};
template <class T, class... U>
Array(T, U...) -> Array<T, 1 + sizeof...(U)>;
template <class T>
struct View {
    int bytes;
    template <class P>
    constexpr View(P*) : bytes(sizeof(T)) {}
};
template <class P>
View(P*) -> View<P>;

constexpr int answer_from_double() { Box b(1.5); return b.bytes; }
constexpr int answer_from_char() { return Box('c').bytes; }
constexpr int answer_braces() { Box b{1}; return b.bytes; }
constexpr int answer_copy() { Box b(1.5); Box c(b); return c.bytes; }
constexpr int answer_two() { return Two('c', 2.0).bytes(); }
constexpr int answer_guide() { Array a{1, 2, 3, 4}; return a.size() + a.v[3]; }
constexpr int answer_pointer_guide() { short s[3] = {}; return View(s).bytes; }
constexpr int answer_given() { return Box<long>(1).bytes; }

// How objects get their first values: constructors, defaults of members, aggregates, designators, delegation.
struct Aggregate { int a; int b = 7; int c[3]; };
struct Point {
    int x = 1, y = 2;
    constexpr Point() {}
    constexpr Point(int v) : x(v) {}
    constexpr Point(int a, int b) : Point(a) { y = b * 10; }
    constexpr Point(const Point& o) : x(o.x + 100), y(o.y) {}
    constexpr Point& operator=(const Point& o) { x = o.x; y = o.y + 1000; return *this; }
};
struct Order {
    int first;
    int second;
    constexpr Order(int v) : first(v), second(first * 2) {}
};
struct Base {
    int b;
    constexpr Base(int v = 4) : b(v) {}
};
struct Derived : Base {
    int d;
    constexpr Derived() : d(b + 1) {}
    constexpr Derived(int v) : Base(v), d(v * 2) {}
};
struct Inherits : Derived { using Derived::Derived; };
template <class T>
struct Wrapper {
    T value;
    constexpr Wrapper(T v) : value(v) {}
    template <class U>
    constexpr Wrapper(const Wrapper<U>& o) : value(static_cast<T>(o.value) + 1) {}
};
struct Nested { Aggregate inner; int last; };
constexpr int by_value(Point p) { return p.x; }
constexpr Point make(int v) { return Point(v); }

constexpr int answer_aggregate() { Aggregate g{3}; return g.a * 100 + g.b * 10 + g.c[2]; }
constexpr int answer_aggregate_full() { Aggregate g = {3, 4, {5, 6}}; return g.b * 100 + g.c[1] * 10 + g.c[2]; }
constexpr int answer_designated() { Aggregate g{.a = 1, .c = {8, 9, 10}}; return g.b + g.c[2]; }
constexpr int answer_default() { Point p; return p.x * 10 + p.y; }
constexpr int answer_one() { Point p(5); return p.x * 10 + p.y; }
constexpr int answer_delegated() { Point p(5, 6); return p.x * 100 + p.y; }
constexpr int answer_converted() { Point p = 8; return p.x; }
constexpr int answer_copied() { Point p; Point q = p; return q.x; }
constexpr int answer_assigned() { Point p(5), q; q = p; return q.x + q.y; }
constexpr int answer_argument_is_copied() { Point p(3); return by_value(p); }
constexpr int answer_temporary_is_not_copied() { return by_value(make(3)); }
constexpr int answer_order() { Order o(4); return o.first * 10 + o.second; }
constexpr int answer_base_default() { return Derived().d; }
constexpr int answer_base_given() { Derived d(6); return d.b * 100 + d.d; }
constexpr int answer_inherited_constructor() { return Inherits(7).d; }
constexpr int answer_converting_template() { Wrapper<double> a(2.75); Wrapper<int> b(a); return b.value; }
constexpr int answer_deduced_class() { Wrapper w(short(3)); return static_cast<int>(sizeof(w)); }
constexpr int answer_nested_braces() { Nested n{{1, 2, {3, 4, 5}}, 6}; return n.inner.c[1] * 10 + n.last; }
constexpr int answer_brace_elision() { Nested n = {1, 2, 3, 4, 5, 6}; return n.inner.c[2] * 10 + n.last; }
constexpr int answer_zeroed() { int x[4] = {1, 2}; return x[0] * 1000 + x[1] * 100 + x[2] * 10 + x[3]; }
constexpr int answer_array_of_class() { Point p[3] = {4, 5}; return p[0].x * 100 + p[1].x * 10 + p[2].x; }

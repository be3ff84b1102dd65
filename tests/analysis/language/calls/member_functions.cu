// Member functions: const and not, overloaded, templated, static, of class templates, in and out of class.
struct Box {
    int value;
    constexpr Box(int v) : value(v) {}
    constexpr int get() { return value + 1; }
    constexpr int get() const { return value + 2; }
    constexpr int add(int x) const { return value + x; }
    constexpr int add(double) const { return -1; }
    template <class T>
    constexpr int size_with(T) const { return value + static_cast<int>(sizeof(T)); }
    template <int N>
    constexpr int times() const { return N * value; }
    static constexpr int twice(int x) { return 2 * x; }
    constexpr int outside(int x) const;
    constexpr Box& set(int v) { value = v; return *this; }
    constexpr int chain() const { return this->add(twice(value)); }
};
constexpr int Box::outside(int x) const { return value * x; }

template <class T, int N>
struct Stack {
    T items[N] = {};
    int size = 0;
    constexpr void push(T x) { items[size++] = x; }
    constexpr T pop() { return items[--size]; }
    constexpr int capacity() const { return N; }
    constexpr int bytes() const;
    template <class U>
    constexpr int convert(U u) const { return static_cast<int>(T(u)); }
};
template <class T, int N>
constexpr int Stack<T, N>::bytes() const { return N * static_cast<int>(sizeof(T)); }

template <class T>
struct Special { constexpr int call() const { return 1; } };
template <>
constexpr int Special<double>::call() const { return 2; }

constexpr int answer_not_const() { Box b(10); return b.get(); }
constexpr int answer_const() { const Box b(10); return b.get(); }
constexpr int answer_through_const_reference() { Box b(10); const Box& c = b; return c.get(); }
constexpr int answer_overload_int() { return Box(1).add(5); }
constexpr int answer_overload_double() { return Box(1).add(5.0); }
constexpr int answer_template() { return Box(1).size_with('c') + Box(1).size_with(1.0); }
constexpr int answer_template_given() { return Box(7).times<3>(); }
constexpr int answer_static() { return Box::twice(8); }
constexpr int answer_outside() { return Box(6).outside(7); }
constexpr int answer_chained() { Box b(1); return b.set(4).set(b.value + 5).get(); }
constexpr int answer_this() { return Box(3).chain(); }
constexpr int answer_pointer() { Box b(4); Box* p = &b; return p->add(1); }
constexpr int answer_stack() { Stack<int, 4> s; s.push(3); s.push(8); return s.pop() * 10 + s.size; }
constexpr int answer_stack_bytes() { return Stack<short, 6>().bytes() + Stack<short, 6>().capacity(); }
constexpr int answer_convert() { return Stack<unsigned char, 1>().convert(260); }
constexpr int answer_specialised_member() { return Special<int>().call() * 10 + Special<double>().call(); }

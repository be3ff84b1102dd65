// Functions as values: pointers, tables, arguments, pointers to members, functors.
constexpr int one(int x) { return x + 1; }
constexpr int two(int x) { return x * 2; }
constexpr int over(int x) { return x; }
constexpr int over(double) { return -1; }
struct Functor {
    int k;
    constexpr int operator()(int x) const { return x * k; }
};
struct Box {
    int a, b;
    constexpr int sum() const { return a + b; }
    constexpr int times(int x) const { return a * x; }
};
using Function = int (*)(int);
constexpr int call(Function f, int x) { return f(x); }
template <class F>
constexpr int call_any(F f, int x) { return f(x); }
template <Function F>
constexpr int call_fixed(int x) { return F(x); }
template <int Box::* FIELD>
constexpr int read(const Box& b) { return b.*FIELD; }
constexpr Function choose(bool first) { return first ? one : two; }
template <class T>
constexpr int sized(T) { return static_cast<int>(sizeof(T)); }

constexpr int answer_pointer() { Function f = one; return f(5); }
constexpr int answer_address_of() { Function f = &two; return (*f)(5); }
constexpr int answer_argument() { return call(two, 6); }
constexpr int answer_table() { Function t[] = {one, two, one}; return t[1](10) * 100 + t[2](10); }
constexpr int answer_functor() { return call_any(Functor{3}, 4); }
constexpr int answer_template() { return call_fixed<two>(8); }
constexpr int answer_overload_by_target() { Function f = over; return f(4); }
constexpr int answer_returned() { return choose(false)(7) + choose(true)(7); }
constexpr int answer_member_function() { int (Box::*m)(int) const = &Box::times; Box b{3, 4}; return (b.*m)(5); }
constexpr int answer_member_through_pointer() { auto m = &Box::sum; Box b{3, 4}; const Box* p = &b; return (p->*m)(); }
constexpr int answer_data_member() { int Box::*f = &Box::b; Box b{3, 4}; return b.*f; }
constexpr int answer_data_member_argument() { return read<&Box::a>(Box{8, 9}); }
constexpr int answer_template_by_target() { int (*f)(short) = sized; return f(1); }

// Overloads by pointer, const pointer, reference, const reference and rvalue reference.
constexpr int p(int*) { return 1; }
constexpr int p(const int*) { return 2; }

constexpr int r(int&) { return 1; }
constexpr int r(const int&) { return 2; }
constexpr int r(int&&) { return 3; }

constexpr int v(int) { return 1; }
constexpr int v(int*) { return 2; }
constexpr int v(int**) { return 3; }
constexpr int v(double*) { return 4; }

constexpr int c(const double&) { return 1; }
constexpr int c(long&&) { return 2; }

struct Base {};
struct Derived : Base {};
struct Deeper : Derived {};
constexpr int b(const Base&) { return 1; }
constexpr int b(const Derived&) { return 2; }
constexpr int q(Base*) { return 1; }
constexpr int q(void*) { return 2; }

constexpr int answer_pointer() { int x = 0; return p(&x); }
constexpr int answer_const_pointer() { const int x = 0; return p(&x); }
constexpr int answer_array() { int x[3] = {}; return p(x); }
constexpr int answer_const_array() { const int x[3] = {}; return p(x + 1); }
constexpr int answer_lvalue() { int x = 0; return r(x); }
constexpr int answer_const_lvalue() { const int x = 0; return r(x); }
constexpr int answer_literal() { return r(5); }
constexpr int answer_sum() { int x = 0; return r(x + 1); }
constexpr int answer_pre_increment() { int x = 0; return r(++x); }
constexpr int answer_post_increment() { int x = 0; return r(x++); }
constexpr int answer_reference_variable() { int x = 0; int&& y = static_cast<int&&>(x); return r(y); }
constexpr int answer_element() { int x[2] = {}; return r(x[1]); }
constexpr int answer_dereferenced() { const int x = 0; const int* y = &x; return r(*y); }
constexpr int answer_value() { return v(0); }
constexpr int answer_address() { int x = 0; return v(&x); }
constexpr int answer_address_of_pointer() { int x = 0; int* y = &x; return v(&y); }
constexpr int answer_other_pointer() { double x = 0; return v(&x); }
constexpr int answer_null() { return p(static_cast<const int*>(nullptr)); }
constexpr int answer_nearest_base() { return b(Deeper()); }
constexpr int answer_base_before_void() { Deeper d; return q(&d); }

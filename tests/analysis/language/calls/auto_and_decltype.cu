// What auto and decltype stand for, told by overloads.
constexpr int f(int) { return 1; }
constexpr int f(unsigned) { return 2; }
constexpr int f(float) { return 3; }
constexpr int f(double) { return 4; }
constexpr int f(long) { return 5; }
constexpr int f(const int*) { return 6; }
constexpr int f(int*) { return 7; }
constexpr int f(unsigned char) { return 8; }
template <class A, class B>
constexpr auto sum(A a, B b) { return a + b; }
template <class A, class B>
constexpr auto product(A a, B b) -> decltype(a * b) { return a * b; }
constexpr decltype(auto) element(int* p) { return p[1]; }
struct Box { short s; double d; };

constexpr int answer_auto_int() { auto x = 1; return f(x); }
constexpr int answer_auto_float() { auto x = 1.0f; return f(x); }
constexpr int answer_auto_sum() { auto x = 1 + 2.0f; return f(x); }
constexpr int answer_auto_sizeof() { auto x = 1u * 2; return f(x); }
constexpr int answer_auto_pointer() { const int v = 0; auto p = &v; return f(p); }
constexpr int answer_auto_drops_const() { const int v = 0; auto x = v; auto* p = &x; return f(p); }
constexpr int answer_auto_of_array() { int x[3] = {}; auto p = x; return f(p); }
constexpr int answer_auto_reference() { int x = 1; auto& r = x; r = 9; return x; }
constexpr int answer_auto_copy() { int x = 1; int& r = x; auto y = r; y = 9; return x; }
constexpr int answer_decltype_variable() { float v = 0; decltype(v) w = 1; return f(w); }
constexpr int answer_decltype_expression() { decltype(1 + 2.0) w = 1; return f(w); }
constexpr int answer_decltype_member() { decltype(Box::d) w = 1; return f(w); }
constexpr int answer_decltype_parentheses() { int x = 1; decltype((x)) r = x; r = 5; return x; }
constexpr int answer_auto_result() { return f(sum(1, 2.0f)) * 10 + f(sum('a', 'b')); }
constexpr int answer_trailing_result() { return f(product(1u, 2)) * 10 + f(product(1l, 2)); }
constexpr int answer_decltype_auto() { int x[2] = {1, 2}; element(x) = 8; return x[1]; }
constexpr int answer_promoted_bits() { unsigned char c = 3; auto x = c << 1; return f(x) * 10 + f(c); }
constexpr int answer_abbreviated_template() { auto g = [](const auto& x) { return f(x); }; return g(1.0); }

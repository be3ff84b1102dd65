// Lambdas: captures by value and reference, generic, returned, passed to templates, called at once.
template <class F>
constexpr int apply(F f, int x) { return f(x); }
template <class F, class... Ts>
constexpr int apply_all(F f, Ts... ts) { return (0 + ... + f(ts)); }
template <class F>
constexpr int twice(F&& f) { f(); f(); return 0; }
constexpr auto adder(int by) { return [by](int x) { return x + by; }; }
template <class F, class G>
constexpr auto compose(F f, G g) { return [f, g](auto x) { return f(g(x)); }; }

constexpr int answer_plain() { return apply([](int x) { return 3 * x; }, 5); }
constexpr int answer_by_value() { int k = 4; auto f = [k](int x) { return x + k; }; k = 100; return apply(f, 1); }
constexpr int answer_by_reference() { int k = 4; auto f = [&k](int x) { return x + k; }; k = 100; return apply(f, 1); }
constexpr int answer_all_by_value() { int a = 1, b = 2; return [=] { return 10 * a + b; }(); }
constexpr int answer_writes() { int n = 0; twice([&] { n += 3; }); return n; }
constexpr int answer_mutable() { int n = 1; auto f = [n]() mutable { return ++n; }; f(); return 10 * f() + n; }
constexpr int answer_initialised_capture() { auto f = [k = 7](int x) { return k * x; }; return f(3); }
constexpr int answer_generic() { auto f = [](auto x) { return static_cast<int>(sizeof(x)); }; return f('c') * 100 + f(1.0); }
constexpr int answer_generic_two() { auto f = [](auto a, auto b) { return a < b ? 1 : 2; }; return f(1, 2.5) + 10 * f(3l, 2); }
constexpr int answer_template_lambda() { auto f = []<class T>(T, T*) { return static_cast<int>(sizeof(T)); }; short s = 0; return f(s, &s); }
constexpr int answer_returned() { auto f = adder(5); return f(10) + adder(1)(2); }
constexpr int answer_composed() { auto h = compose([](int x) { return x + 1; }, [](int x) { return x * 10; }); return h(4); }
constexpr int answer_at_once() { const int v = [](int a, int b) { return a * b; }(6, 7); return v; }
constexpr int answer_pack() { return apply_all([](auto x) { return static_cast<int>(2 * x); }, 1, 2.5, 'a'); }
constexpr int answer_result_type() { auto f = [](int x) -> double { return x / 2; }; return static_cast<int>(2 * f(5)); }
constexpr int answer_function_pointer() { int (*f)(int) = [](int x) { return x - 1; }; return f(9); }
constexpr int answer_nested() { int a = 1; auto f = [a](int b) { return [a, b](int c) { return 100 * a + 10 * b + c; }; }; return f(2)(3); }

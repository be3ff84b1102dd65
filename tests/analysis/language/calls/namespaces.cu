// Names by namespace: qualified, `using`, aliases, inline and nameless ones, and argument-dependent look-up.
constexpr int f(int) { return 1; }
namespace a {
constexpr int f(int) { return 2; }
struct Thing { int v; };
constexpr int look(Thing) { return 3; }
constexpr int operator%(Thing x, int m) { return x.v * 100 + m; }
namespace b {
constexpr int f(int) { return 4; }
constexpr int outer() { return f(0) * 10 + a::f(0); }
constexpr int global() { return ::f(0); }
constexpr int constant = 9;
}  // namespace b
constexpr int inside() { return f(0) + b::constant; }
inline namespace v2 {
constexpr int versioned() { return 22; }
}  // namespace v2
namespace v1 {
constexpr int versioned() { return 11; }
}  // namespace v1
}  // namespace a
namespace {
constexpr int hidden() { return 5; }
}  // namespace
namespace c::d::e {
constexpr int deep() { return 6; }
}  // namespace c::d::e
namespace short_name = a::b;
namespace a {
constexpr int added() { return f(0) * 7; }
}  // namespace a
constexpr int look(int) { return 8; }
constexpr int with_declaration() { using a::f; return f(0); }
constexpr int with_directive() { using namespace a::b; return constant; }
constexpr int local_function_name() { int f = 12; return f; }
template <class T>
constexpr int generic(T t) { return look(t); }

constexpr int answer_global() { return f(0); }
constexpr int answer_qualified() { return a::f(0) * 10 + a::b::f(0); }
constexpr int answer_inner_first() { return a::b::outer(); }
constexpr int answer_explicit_global() { return a::b::global(); }
constexpr int answer_inside() { return a::inside(); }
constexpr int answer_inline() { return a::versioned() + a::v1::versioned(); }
constexpr int answer_nameless() { return hidden(); }
constexpr int answer_deep() { return c::d::e::deep(); }
constexpr int answer_alias() { return short_name::f(0); }
constexpr int answer_reopened() { return a::added(); }
constexpr int answer_by_argument() { return look(a::Thing{1}) * 10 + look(1); }
constexpr int answer_operator_by_argument() { return a::Thing{3} % 4; }
constexpr int answer_in_template() { return generic(a::Thing{1}) * 10 + generic(2); }
constexpr int answer_using_declaration() { return with_declaration(); }
constexpr int answer_using_directive() { return with_directive(); }
constexpr int answer_variable_hides() { return local_function_name(); }

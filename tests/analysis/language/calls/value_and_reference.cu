// What a call changes: values, references, pointers, arrays, members, aliases.
struct Pair { int a, b; };
constexpr void by_value(int x) { x = 99; }
constexpr void by_reference(int& x) { x = 99; }
constexpr void by_pointer(int* x) { *x = 99; x = nullptr; }
constexpr void by_array(int x[3]) { x[1] = 99; }
constexpr void by_table(int (&x)[2][2]) { x[1][0] = 99; }
constexpr void struct_value(Pair p) { p.a = 99; }
constexpr void struct_reference(Pair& p) { p.a = 99; p = Pair{p.a + 1, 5}; }
constexpr void pointer_reference(const int*& p) { ++p; }
constexpr int& bigger(int& a, int& b) { return a > b ? a : b; }
constexpr Pair with_a(Pair p, int a) { p.a = a; return p; }
template <class T>
constexpr void set(T t) { t = 50; }

constexpr int answer_by_value() { int x = 1; by_value(x); return x; }
constexpr int answer_by_reference() { int x = 1; by_reference(x); return x; }
constexpr int answer_by_pointer() { int x = 1; by_pointer(&x); return x; }
constexpr int answer_array() { int x[3] = {1, 2, 3}; by_array(x); return x[1]; }
constexpr int answer_table() { int x[2][2] = {{1, 2}, {3, 4}}; by_table(x); return x[1][0] + x[1][1]; }
constexpr int answer_struct_value() { Pair p{1, 2}; struct_value(p); return p.a; }
constexpr int answer_struct_reference() { Pair p{1, 2}; struct_reference(p); return p.a * 10 + p.b; }
constexpr int answer_pointer_reference() { int x[2] = {3, 4}; const int* p = x; pointer_reference(p); return *p; }
constexpr int answer_assign_through_result() { int a = 3, b = 5; bigger(a, b) = 10; return a * 100 + b; }
constexpr int answer_result_is_copy() { Pair p{1, 2}; Pair q = with_a(p, 7); q.b = 9; return with_a(p, 7).a * 10 + p.a; }
constexpr int answer_template_by_value() { int x = 1; set(x); set<int&>(x); return x; }
constexpr int answer_alias() { int x[2] = {1, 2}; int& r = x[1]; int* p = &x[0]; r = 5; p[1] += 3; return x[1]; }
constexpr int answer_pointer_difference() { int x[9] = {}; int* a = x + 7; int* b = &x[2]; return static_cast<int>(a - b); }
constexpr int answer_pointer_walk() { int x[4] = {1, 2, 3, 4}; int* p = x; int s = *p++ * 10; s += *++p; return s + p[1] * 100; }
constexpr int answer_struct_array_copy() { struct Row { int v[3]; }; Row a{{1, 2, 3}}; Row b = a; b.v[0] = 9; return a.v[0] * 10 + b.v[0]; }
constexpr int answer_evaluation_once() { int i = 0; int x[3] = {5, 6, 7}; int s = x[i++]; return s + 10 * i; }
constexpr int answer_short_circuit() { int n = 0; bool b = false && ++n; bool c = true || ++n; return n * 10 + b + c; }
constexpr int answer_order_of_statements() { int a = 1; int b = a++ + 1; a += b--; return a * 10 + b; }

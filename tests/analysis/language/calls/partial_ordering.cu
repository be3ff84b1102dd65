// Of several function templates that fit, the most specialised is called.
template <class T, class U>
struct Pair { T t; U u; };

template <class T>
constexpr int f(T) { return 1; }
template <class T>
constexpr int f(T*) { return 2; }
template <class T>
constexpr int f(const T*) { return 3; }
template <class T>
constexpr int f(T**) { return 4; }
template <class T, class U>
constexpr int f(Pair<T, U>) { return 5; }
template <class T>
constexpr int f(Pair<T, T>) { return 6; }
template <class T>
constexpr int f(Pair<T, int>) { return 7; }

template <class T, class U>
constexpr int g(T, U) { return 1; }
template <class T>
constexpr int g(T, T) { return 2; }
template <class T>
constexpr int g(T, int) { return 3; }

template <class... Ts>
constexpr int h(Ts...) { return 1; }
template <class T, class... Ts>
constexpr int h(T, Ts...) { return 2; }
template <class T>
constexpr int h(T) { return 3; }

template <class T>
constexpr int r(T&) { return 1; }
template <class T>
constexpr int r(const T&) { return 2; }
template <class T, int N>
constexpr int r(T (&)[N]) { return 3; }

constexpr int answer_value() { return f(1); }
constexpr int answer_pointer() { int x = 0; return f(&x); }
constexpr int answer_const_pointer() { const int x = 0; return f(&x); }
constexpr int answer_pointer_to_pointer() { int x = 0; int* p = &x; return f(&p); }
constexpr int answer_pair() { return f(Pair<int, float>()); }
constexpr int answer_same_pair() { return f(Pair<float, float>()); }
constexpr int answer_pair_with_int() { return f(Pair<float, int>()); }
constexpr int answer_different() { return g(1, 2.0); }
constexpr int answer_same() { return g(1.0, 2.0); }
constexpr int answer_second_int() { return g(1.0, 2); }
constexpr int answer_no_arguments() { return h(); }
constexpr int answer_one_argument() { return h(1); }
constexpr int answer_two_arguments() { return h(1, 2); }
constexpr int answer_lvalue() { int x = 0; return r(x); }
constexpr int answer_const_lvalue() { const int x = 0; return r(x); }
constexpr int answer_temporary() { return r(1 + 1); }
constexpr int answer_array() { int x[3] = {}; return r(x); }

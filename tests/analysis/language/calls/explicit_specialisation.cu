// Explicit specialisations of function templates, chosen by type or by value.
template <class T>
constexpr int f(T) { return 1; }
template <>
constexpr int f<double>(double) { return 2; }
template <>
constexpr int f(float) { return 3; }

template <int N>
constexpr int at() { return N; }
template <>
constexpr int at<7>() { return -7; }

template <class T>
constexpr int bits() { return 8 * static_cast<int>(sizeof(T)); }
template <>
constexpr int bits<bool>() { return 1; }

template <bool FAST, int WIDTH>
constexpr int mode() { return WIDTH; }
template <>
constexpr int mode<true, 4>() { return 400; }

// Specialisations do not take part in overloading: the pointer template is chosen first.
template <class T>
constexpr int g(T) { return 1; }
template <>
constexpr int g(int*) { return 2; }
template <class T>
constexpr int g(T*) { return 3; }

enum class Op { Add, Mul };
template <Op OP>
constexpr int apply(int a, int b) { return a + b; }
template <>
constexpr int apply<Op::Mul>(int a, int b) { return a * b; }

constexpr int answer_general() { return f(1); }
constexpr int answer_double() { return f(1.0); }
constexpr int answer_float() { return f(1.0f); }
constexpr int answer_by_name() { return f<double>(1); }
constexpr int answer_value_general() { return at<6>(); }
constexpr int answer_value_special() { return at<7>(); }
constexpr int answer_value_computed() { return at<3 + 4>(); }
constexpr int answer_bits_of_short() { return bits<short>(); }
constexpr int answer_bits_of_bool() { return bits<bool>(); }
constexpr int answer_two_values() { return mode<true, 4>() + mode<false, 4>() + mode<true, 2>(); }
constexpr int answer_overload_first() { int x = 0; return g(&x); }
constexpr int answer_by_enumerator() { return apply<Op::Add>(3, 4) * 100 + apply<Op::Mul>(3, 4); }

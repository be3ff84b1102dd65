// Where no overload fits exactly: a promotion beats a conversion, both beat an ellipsis.
constexpr int f(int) { return 1; }
constexpr int f(double) { return 2; }

constexpr int g(long) { return 1; }
constexpr int g(double, int = 0) { return 2; }
constexpr int g(float) { return 3; }

constexpr int h(unsigned) { return 1; }
constexpr int h(double) { return 2; }

constexpr int m(double) { return 1; }
constexpr int m(...) { return 2; }

constexpr int two(int, double) { return 1; }
constexpr int two(double, double) { return 2; }

enum Colour { RED };
enum class Scoped { Red };
enum Small : unsigned char { TINY };

constexpr int e(int) { return 1; }
constexpr int e(Colour) { return 2; }
constexpr int e(Scoped) { return 3; }
constexpr int e(unsigned char) { return 4; }

constexpr int p(bool) { return 1; }
constexpr int p(const void*) { return 2; }

struct FromInt {
    int v;
    constexpr FromInt(int i) : v(i) {}
};
constexpr int c(FromInt) { return 1; }
constexpr int c(double) { return 2; }

struct ToInt {
    constexpr operator int() const { return 4; }
};
constexpr int k(long) { return 1; }
constexpr int k(const char*) { return 2; }

constexpr int answer_char_promotes() { return f('a'); }
constexpr int answer_bool_promotes() { return f(true); }
constexpr int answer_short_promotes() { short s = 1; return f(s); }
constexpr int answer_float_promotes() { return f(1.0f); }
constexpr int answer_float_exact() { return g(1.0f); }
constexpr int answer_double_exact() { return g(1.0); }
constexpr int answer_unsigned_exact() { return h(1u); }
constexpr int answer_float_to_double() { return h(1.0f); }
constexpr int answer_conversion_before_ellipsis() { return m(1); }
constexpr int answer_pointer_to_ellipsis() { return m(static_cast<int*>(nullptr)); }
constexpr int answer_first_argument_decides() { return two(1, 1); }
constexpr int answer_plain_enum() { return e(RED); }
constexpr int answer_scoped_enum() { return e(Scoped::Red); }
constexpr int answer_enum_promotes_to_underlying() { return e(TINY); }
constexpr int answer_enum_plus_int() { return e(RED + 1); }
constexpr int answer_pointer_to_void() { return p(static_cast<float*>(nullptr)); }
constexpr int answer_literal_string() { return p("text"); }
constexpr int answer_standard_before_user() { return c(1); }
constexpr int answer_through_conversion_operator() { return k(ToInt()); }

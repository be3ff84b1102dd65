// Overloads for exact types of the argument: literals, variables, casts, results of operators.
constexpr int f(int) { return 1; }
constexpr int f(unsigned) { return 2; }
constexpr int f(long) { return 3; }
constexpr int f(unsigned long) { return 4; }
constexpr int f(long long) { return 5; }
constexpr int f(unsigned long long) { return 6; }
constexpr int f(float) { return 7; }
constexpr int f(double) { return 8; }
constexpr int f(char) { return 9; }
constexpr int f(bool) { return 10; }
constexpr int f(short) { return 11; }
constexpr int f(signed char) { return 12; }
constexpr int f(unsigned char) { return 13; }

constexpr int answer_int() { return f(1); }
constexpr int answer_unsigned() { return f(1u); }
constexpr int answer_long() { return f(1l); }
constexpr int answer_unsigned_long() { return f(1ul); }
constexpr int answer_long_long() { return f(1ll); }
constexpr int answer_unsigned_long_long() { return f(1ull); }
constexpr int answer_large_literal() { return f(3000000000); }
constexpr int answer_hexadecimal_literal() { return f(0xFFFFFFFF); }
constexpr int answer_float() { return f(1.0f); }
constexpr int answer_double() { return f(1.0); }
constexpr int answer_exponent() { return f(1e3); }
constexpr int answer_char() { return f('a'); }
constexpr int answer_bool() { return f(true); }
constexpr int answer_comparison() { return f(1 < 2); }
constexpr int answer_sizeof() { return f(sizeof(int)); }
constexpr int answer_short() { short s = 1; return f(s); }
constexpr int answer_sum_of_shorts() { short s = 1; return f(s + s); }
constexpr int answer_sum_of_chars() { return f('a' + 'b'); }
constexpr int answer_int_and_unsigned() { return f(1 + 1u); }
constexpr int answer_int_and_float() { return f(1 + 1.0f); }
constexpr int answer_float_and_double() { return f(1.0f * 2.0); }
constexpr int answer_long_and_float() { return f(1l + 1.0f); }
constexpr int answer_long_and_unsigned() { return f(1l + 1u); }
constexpr int answer_unsigned_long_and_int() { return f(1ul - 2); }
constexpr int answer_conditional() { return f(true ? 1 : 2.0); }
constexpr int answer_shift() { short s = 1; return f(s << 2ll); }
constexpr int answer_not() { return f(!5); }
constexpr int answer_complement() { unsigned char c = 1; return f(~c); }
constexpr int answer_cast() { return f((unsigned char)300); }
constexpr int answer_functional_cast() { return f(float(1)); }
constexpr int answer_comma() { return f((1.0f, 2u)); }
constexpr int answer_assignment() { short s = 0; return f(s = 70000); }
constexpr int answer_increment() { short s = 0; return f(++s); }

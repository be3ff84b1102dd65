// Floats: truncation, rounding of float and double, comparisons, conversions of big and negative numbers.
constexpr int truncate(double x) { return static_cast<int>(x); }
constexpr float third = 1.0f / 3.0f;

constexpr int answer_truncated() { return truncate(2.9) * 10 + truncate(-2.9); }
constexpr int answer_float_literal() { return static_cast<int>(0.7f * 10); }
constexpr int answer_double_literal() { return static_cast<int>(0.7 * 10); }
constexpr int answer_float_is_not_double() { return 0.1f == 0.1; }
constexpr int answer_float_sum() { return 0.1f + 0.2f == 0.3f; }
constexpr int answer_double_sum() { return 0.1 + 0.2 == 0.3; }
constexpr int answer_integer_division_first() { return static_cast<int>(5 / 2 * 2.0f); }
constexpr int answer_float_division() { return static_cast<int>(5 / 2.0f * 2); }
constexpr int answer_third() { return static_cast<int>(third * 3.0f == 1.0f); }
constexpr int answer_big_int_to_float() { return static_cast<int>(static_cast<float>(16777217)); }
constexpr int answer_int_to_float_sum() { return static_cast<int>(16777216.0f + 1.0f); }
constexpr int answer_double_keeps() { return static_cast<int>(16777216.0 + 1.0); }
constexpr int answer_small_lost() { return 1.0f + 1e-8f == 1.0f; }
constexpr int answer_negative_zero() { return -0.0f == 0.0f; }
constexpr int answer_to_bool() { return static_cast<bool>(0.25f) + static_cast<bool>(0.0); }
constexpr int answer_float_to_unsigned_char() { return static_cast<unsigned char>(200.7f); }
constexpr int answer_float_to_long() { return static_cast<int>(static_cast<long long>(1e10f) >> 20); }
constexpr int answer_hexadecimal_float() { return static_cast<int>(0x1.8p4); }
constexpr int answer_exponents() { return static_cast<int>(1.5e3f + 25e-1); }
constexpr int answer_accumulated() { float s = 0; for (int i = 0; i < 10; ++i) s += 0.1f; return s == 1.0f; }
constexpr int answer_accumulated_double() { double s = 0; for (int i = 0; i < 10; ++i) s += 0.1; return s < 1.0; }
constexpr int answer_mixed_conditional() { return static_cast<int>((true ? 1 : 0.5f) * 4); }
constexpr int answer_bytes_of_results() { return sizeof(1.0f * 2) * 100 + sizeof(1.0f * 2.0) * 10 + sizeof(1 / 2); }
constexpr int answer_unsigned_to_float() { return static_cast<float>(4294967295u) == 4294967296.0f; }
constexpr int answer_rounded_by_hand() { return static_cast<int>(2.5 + 0.5) + static_cast<int>(-2.5 - 0.5); }

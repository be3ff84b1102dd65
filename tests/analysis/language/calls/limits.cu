// Constants of <climits>, <cfloat>, <cmath>, <cstdint> and <limits>, told by comparisons and as numbers.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>

constexpr int answer_int_max() { return INT_MAX; }
constexpr int answer_int_min() { return INT_MIN; }
constexpr int answer_limits_int() { return std::numeric_limits<int>::max() == INT_MAX; }
constexpr int answer_lowest_int() { return std::numeric_limits<int>::lowest() == std::numeric_limits<int>::min(); }
constexpr int answer_uint_max() { return UINT_MAX == 4294967295u; }
constexpr int answer_long_max() { return LONG_MAX == 9223372036854775807L; }
constexpr int answer_ulong_max_as_int() { return static_cast<int>(ULONG_MAX); }
constexpr int answer_short() { return SHRT_MAX * 2 + SHRT_MIN; }
constexpr int answer_char() { return CHAR_MAX + CHAR_MIN; }
constexpr int answer_uchar() { return UCHAR_MAX + CHAR_BIT; }
constexpr int answer_fixed() { return INT8_MIN + UINT16_MAX; }
constexpr int answer_size_max() { return SIZE_MAX == ~0ul; }
constexpr int answer_flt_max() { return FLT_MAX == std::numeric_limits<float>::max(); }
constexpr int answer_flt_max_as_number() { return FLT_MAX == 3.402823466e+38f; }
constexpr int answer_flt_min_is_positive() { return FLT_MIN > 0 && std::numeric_limits<float>::lowest() < 0; }
constexpr int answer_flt_epsilon() { return static_cast<int>(1.0f / FLT_EPSILON); }
constexpr int answer_dbl_epsilon() { return static_cast<int>(1e-9 / std::numeric_limits<double>::epsilon()); }
constexpr int answer_dbl_dig() { return DBL_DIG * 100 + FLT_DIG; }
constexpr int answer_mantissa() { return std::numeric_limits<float>::digits * 100 + std::numeric_limits<double>::digits; }
constexpr int answer_digits_int() { return std::numeric_limits<int>::digits + std::numeric_limits<unsigned>::digits; }
constexpr int answer_infinity() { return std::numeric_limits<float>::infinity() > FLT_MAX; }
constexpr int answer_huge() { return HUGE_VAL > DBL_MAX; }
constexpr int answer_not_a_number() { return std::numeric_limits<double>::quiet_NaN() == std::numeric_limits<double>::quiet_NaN(); }
constexpr int answer_is_signed() { return std::numeric_limits<char>::is_signed + 2 * std::numeric_limits<unsigned>::is_signed; }
constexpr int answer_pi() { return static_cast<int>(M_PI * 100000); }
constexpr int answer_e_and_root() { return static_cast<int>(M_E * 1000) + static_cast<int>(M_SQRT2 * 1000); }
constexpr int answer_half_pi() { return M_PI_2 * 2 == M_PI && M_PI_4 * 4 == M_PI; }
constexpr int answer_bool_max() { return std::numeric_limits<bool>::max(); }

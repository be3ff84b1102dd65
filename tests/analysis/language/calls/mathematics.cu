// Functions of <cmath> and <cstdlib> on constants whose results are exact.
#include <cmath>
#include <cstdlib>

#define BOTH __host__ __device__ inline

BOTH int answer_sqrt() { return static_cast<int>(sqrt(144.0)); }
BOTH int answer_sqrtf() { return static_cast<int>(sqrtf(2.25f) * 100); }
BOTH int answer_std_sqrt() { return static_cast<int>(std::sqrt(81.0f)); }
BOTH int answer_pow() { return static_cast<int>(pow(2.0, 10)); }
BOTH int answer_pow_half() { return static_cast<int>(pow(49.0, 0.5) + 0.5); }
BOTH int answer_ceil() { return static_cast<int>(ceil(2.1)) * 100 + static_cast<int>(ceil(-2.1)); }
BOTH int answer_floor() { return static_cast<int>(floor(2.9)) * 100 + static_cast<int>(floor(-2.1)); }
BOTH int answer_ceilf_of_quotient() { return static_cast<int>(ceilf(1000.0f / 256)); }
BOTH int answer_ceil_of_integer_quotient() { return static_cast<int>(ceil(1000 / 256)); }
BOTH int answer_round() { return static_cast<int>(round(2.5)) * 100 + static_cast<int>(round(-2.5)); }
BOTH int answer_rint() { return static_cast<int>(rint(2.5)) * 100 + static_cast<int>(rint(3.5)); }
BOTH int answer_trunc() { return static_cast<int>(trunc(-2.7) * 10); }
BOTH int answer_lround() { return static_cast<int>(lround(7.5)); }
BOTH int answer_log2() { return static_cast<int>(log2(1024.0)); }
BOTH int answer_log10() { return static_cast<int>(log10(1000.0) + 0.5); }
BOTH int answer_exp2() { return static_cast<int>(exp2(5.0)); }
BOTH int answer_exp_and_log() { return static_cast<int>(exp(0.0) * 10 + log(1.0)); }
BOTH int answer_fmin() { return static_cast<int>(fmin(2.0, 3.0) * 10 + fmax(2.0, 3.0)); }
BOTH int answer_fminf() { return static_cast<int>(fminf(2.0f, -3.0f)); }
BOTH int answer_fabs() { return static_cast<int>(fabs(-2.5) * 10 + fabsf(-1.5f)); }
BOTH int answer_abs() { return abs(-4) * 10 + static_cast<int>(labs(-5l)); }
BOTH int answer_std_abs() { return static_cast<int>(std::abs(-2.5f) * 2); }
BOTH int answer_fmod() { return static_cast<int>(fmod(7.5, 2.0) * 10) + static_cast<int>(fmod(-7.0, 4.0)); }
BOTH int answer_remainder() { return static_cast<int>(remainder(7.0, 4.0)); }
BOTH int answer_hypot() { return static_cast<int>(hypot(3.0, 4.0)); }
BOTH int answer_cbrt() { return static_cast<int>(cbrt(27.0) + 0.5); }
BOTH int answer_fma() { return static_cast<int>(fma(2.0, 3.0, 4.0)); }
BOTH int answer_ldexp() { return static_cast<int>(ldexp(3.0, 4)); }
BOTH int answer_copysign() { return static_cast<int>(copysign(3.0, -0.0)); }
BOTH int answer_sin_of_zero() { return static_cast<int>(sin(0.0) * 10 + cos(0.0) * 100); }
BOTH int answer_isnan() { return std::isnan(0.0) + 2 * std::isfinite(1.0) + 4 * std::isinf(1.0f); }
BOTH int answer_atan() { return static_cast<int>(atan2(1.0, 1.0) * 4000); }
BOTH int answer_grid() { return static_cast<int>(ceil(static_cast<double>(10000) / 256)); }

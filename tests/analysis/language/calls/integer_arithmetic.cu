// Division and remainder of negatives, wraparound, shifts, bit tricks, mixed signs.
constexpr int quotient(int a, int b) { return a / b; }
constexpr int rest(int a, int b) { return a % b; }
constexpr unsigned rotate(unsigned x, int n) { return (x << n) | (x >> (32 - n)); }
constexpr int popcount(unsigned x) { int c = 0; while (x) { x &= x - 1; ++c; } return c; }
constexpr unsigned reverse(unsigned x) {
    x = ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
    x = ((x & 0x33333333u) << 2) | ((x >> 2) & 0x33333333u);
    x = ((x & 0x0F0F0F0Fu) << 4) | ((x >> 4) & 0x0F0F0F0Fu);
    return (x << 24) | ((x & 0xFF00u) << 8) | ((x >> 8) & 0xFF00u) | (x >> 24);
}
constexpr unsigned next_power(unsigned x) { --x; x |= x >> 1; x |= x >> 2; x |= x >> 4; x |= x >> 8; x |= x >> 16; return x + 1; }
constexpr unsigned step(unsigned s) { return s * 1664525u + 1013904223u; }
constexpr unsigned long long mix(unsigned long long z) { z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL; return z ^ (z >> 31); }

constexpr int answer_negative_division() { return quotient(-7, 2); }
constexpr int answer_negative_remainder() { return rest(-7, 3) * 10 + rest(7, -3); }
constexpr int answer_both_negative() { return quotient(-7, -2) * 10 + rest(-7, -2); }
constexpr int answer_unsigned_wraps() { return 3u - 5u > 1000u; }
constexpr int answer_unsigned_as_int() { return static_cast<int>(3u - 5u); }
constexpr int answer_mixed_comparison() { return -1 < 1u; }
constexpr int answer_mixed_long_comparison() { return -1l < 1u; }
constexpr int answer_mixed_division() { return static_cast<int>((-8 / 2u) >> 28); }
constexpr int answer_unsigned_short_promotes() { unsigned short a = 1, b = 2; return a - b; }
constexpr int answer_char_wraps() { unsigned char c = 250; c += 10; return c; }
constexpr int answer_signed_char_wraps() { signed char c = 127; c = static_cast<signed char>(c + 1); return c; }
constexpr int answer_plain_char_is_signed() { char c = static_cast<char>(200); return c; }
constexpr int answer_char_product() { unsigned char a = 200, b = 200; return a * b; }
constexpr int answer_arithmetic_shift() { return -9 >> 1; }
constexpr int answer_logical_shift() { return static_cast<int>(0x80000000u >> 28); }
constexpr int answer_shift_of_long() { return static_cast<int>((1ll << 40) >> 35); }
constexpr int answer_shift_left_loses() { return static_cast<int>((0x12345678u << 12) >> 12); }
constexpr int answer_complement() { return ~5; }
constexpr int answer_complement_char() { unsigned char c = 0x0F; return ~c; }
constexpr int answer_mask() { return (0xABCD & ~0xFF) >> 8; }
constexpr int answer_xor() { int a = 5, b = 9; a ^= b; b ^= a; a ^= b; return a * 10 + b; }
constexpr int answer_rotate() { return static_cast<int>(rotate(0x80000001u, 4)); }
constexpr int answer_popcount() { return popcount(0xF0F01u); }
constexpr int answer_reverse() { return static_cast<int>(reverse(0x0000000Du) >> 24); }
constexpr int answer_next_power() { return static_cast<int>(next_power(1000)); }
constexpr int answer_align_up() { return (1000 + 63) & -64; }
constexpr int answer_lowest_bit() { return 88 & -88; }
constexpr int answer_random_step() { return static_cast<int>(step(step(1u))); }
constexpr int answer_long_mix() { return static_cast<int>(mix(12345ull)); }
constexpr int answer_truncated_long() { return static_cast<int>(0x1234567890ll); }
constexpr int answer_product_before_widening() { return static_cast<int>((65536u * 65536u) + 1ull); }
constexpr int answer_product_widened() { return static_cast<int>((65536ull * 65536u) >> 30); }
constexpr int answer_size_arithmetic() { return sizeof(int) - 5 > 0; }
constexpr int answer_octal_and_binary() { return 010 + 0b101 + 0x1F + 1'000; }
constexpr int answer_precedence() { return 1 + 2 << 3 & 28 | 1; }
constexpr int answer_bool_arithmetic() { return true + true + !true + !!7; }
constexpr int answer_ternary_chain() { int x = 5; return x < 3 ? 1 : x < 6 ? 2 : 3; }
constexpr int answer_compound_conversion() { int i = 7; i *= 1.5; i -= 0.9; return i; }
constexpr int answer_character_arithmetic() { return '7' - '0' + ('c' - 'a') * 10 + '\n'; }

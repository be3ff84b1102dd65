// Small functions of the standard library that are constant expressions.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

template <std::size_t... Is>
constexpr int weighted(std::index_sequence<Is...>) { return (0 + ... + static_cast<int>(Is * Is)); }
constexpr std::array<int, 4> squares() { std::array<int, 4> a{}; for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>(i * i); return a; }

constexpr int answer_min() { return std::min(3, 4) * 10 + std::max(3, 4); }
constexpr int answer_min_forced() { return static_cast<int>(std::min<long>(3, 4l)); }
constexpr int answer_min_of_list() { return std::min({5, 2, 8}) * 10 + std::max({5, 2, 8}); }
constexpr int answer_clamp() { return std::clamp(15, 0, 10) + std::clamp(-5, 0, 10); }
constexpr int answer_swap() { int a = 1, b = 2; std::swap(a, b); return a * 10 + b; }
constexpr int answer_pair() { std::pair<int, char> p{4, 'c'}; return p.first + p.second; }
constexpr int answer_make_pair() { auto p = std::make_pair(1.5, 2); return static_cast<int>(p.first * 10) + p.second; }
constexpr int answer_array() { return squares()[3] * 10 + static_cast<int>(squares().size()); }
constexpr int answer_index_sequence() { return weighted(std::make_index_sequence<5>{}); }
constexpr int answer_gcd() { return std::gcd(48, 36) * 100 + std::lcm(4, 6); }
constexpr int answer_move() { int a = 3; int b = std::move(a); return a * 10 + b; }
constexpr int answer_forward() { int a = 3; return std::forward<int&>(a); }
constexpr int answer_popcount() { return std::popcount(0xFFu) * 100 + std::countl_zero(1u); }
constexpr int answer_power_of_two() { return static_cast<int>(std::bit_ceil(100u)) + static_cast<int>(std::bit_width(100u)) + std::has_single_bit(64u); }
constexpr int answer_bit_cast() { return std::bit_cast<int>(1.0f) >> 23; }
constexpr int answer_get() { std::array<int, 3> a{7, 8, 9}; return std::get<2>(a) + a.back() + a.front(); }
constexpr int answer_declval() { return static_cast<int>(sizeof(decltype(std::declval<char>() + std::declval<double>()))); }

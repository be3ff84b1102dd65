// Traits of the standard library, and the same written out by hand.
#include <type_traits>

template <class A, class B>
struct Same { static const bool value = false; };
template <class A>
struct Same<A, A> { static const bool value = true; };
template <class T>
struct Bare { typedef T type; };
template <class T>
struct Bare<const T&> { typedef T type; };
template <bool B, class T = void>
struct EnableIf {};
template <class T>
struct EnableIf<true, T> { typedef T type; };

template <class T>
constexpr typename EnableIf<(sizeof(T) > 4), int>::type large() { return 1; }
template <class T>
constexpr typename EnableIf<(sizeof(T) <= 4), int>::type large() { return 2; }

template <class T>
constexpr std::enable_if_t<std::is_floating_point<T>::value, int> kind(T) { return 1; }
template <class T>
constexpr std::enable_if_t<std::is_integral<T>::value, int> kind(T) { return 2; }
template <class T, std::enable_if_t<std::is_pointer<T>::value, int> = 0>
constexpr int kind(T) { return 3; }

template <class T>
using Wide = std::conditional_t<(sizeof(T) < 4), int, double>;
template <class T>
constexpr int size() { return static_cast<int>(sizeof(T)); }
enum class Byte : unsigned char { Zero };
struct Base {};
struct Derived : Base {};
template <class T>
constexpr int tagged(std::true_type) { return 1; }
template <class T>
constexpr int tagged(std::false_type) { return 2; }

constexpr int answer_same() { return std::is_same<int, signed>::value; }
constexpr int answer_not_same() { return std::is_same<int, const int>::value; }
constexpr int answer_long_is_not_long_long() { return std::is_same_v<long, long long>; }
constexpr int answer_char_is_neither() { return std::is_same_v<char, signed char> + std::is_same_v<char, unsigned char>; }
constexpr int answer_own_same() { return Same<float, float>::value + 10 * Same<float, double>::value; }
constexpr int answer_own_bare() { return Same<Bare<const int&>::type, int>::value; }
constexpr int answer_enable_large() { return large<double>(); }
constexpr int answer_enable_small() { return large<short>(); }
constexpr int answer_kind_float() { return kind(1.0f); }
constexpr int answer_kind_char() { return kind('c'); }
constexpr int answer_kind_pointer() { int x = 0; return kind(&x); }
constexpr int answer_conditional() { return size<Wide<short>>() + 10 * size<Wide<float>>(); }
constexpr int answer_integral() { return std::is_integral<bool>::value + 2 * std::is_integral<float>::value; }
constexpr int answer_signed() { return std::is_signed<int>::value + 2 * std::is_unsigned<unsigned char>::value + 4 * std::is_signed<float>::value; }
constexpr int answer_arithmetic() { return std::is_arithmetic_v<char> + 2 * std::is_arithmetic_v<int*> + 4 * std::is_arithmetic_v<Byte>; }
constexpr int answer_removed() { return std::is_same_v<std::remove_reference_t<int&>, int> + 2 * std::is_same_v<std::remove_const_t<const int>, int> + 4 * std::is_same_v<std::remove_pointer_t<int**>, int*>; }
constexpr int answer_decay() { return std::is_same_v<std::decay_t<const float&>, float> + 2 * std::is_same_v<std::decay_t<int[3]>, int*>; }
constexpr int answer_base() { return std::is_base_of_v<Base, Derived> + 2 * std::is_base_of_v<Derived, Base>; }
constexpr int answer_underlying() { return size<std::underlying_type_t<Byte>>(); }
constexpr int answer_unsigned_of() { return size<std::make_unsigned_t<short>>() + 10 * std::is_same_v<std::make_unsigned_t<int>, unsigned>; }
constexpr int answer_common() { return size<std::common_type_t<char, float, double>>(); }
constexpr int answer_tag() { return tagged<int>(std::is_integral<int>{}) + 10 * tagged<int>(std::is_integral<float>{}); }
constexpr int answer_logic() { return std::conjunction_v<std::true_type, std::is_integral<int>> + 2 * std::disjunction_v<std::false_type, std::is_class<Base>> + 4 * std::negation_v<std::true_type>; }
constexpr int answer_rank() { return std::rank_v<int[3][4]> + 10 * std::extent_v<int[3][4], 1>; }

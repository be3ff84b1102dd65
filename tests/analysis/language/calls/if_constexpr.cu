// Branches chosen while compiling: by size, by type, by value, with code that is only valid in one.
#include <type_traits>

template <class T>
constexpr int by_size() {
    if constexpr (sizeof(T) == 8) return 8;
    else if constexpr (sizeof(T) == 4) return 4;
    else return -1;
}
template <class T>
constexpr int by_type(T x) {
    if constexpr (std::is_same<T, float>::value) return 1;
    else if constexpr (std::is_same_v<T, double>) return 2;
    else if constexpr (std::is_pointer_v<T>) return 10 + *x;
    else return x % 7;
}
template <int N>
constexpr int unrolled(int x) {
    if constexpr (N > 0) return x + unrolled<N - 1>(2 * x);
    else return x;
}
template <bool A, int M>
constexpr int nested() {
    int r = 0;
    if constexpr (A) {
        r += 1;
        if constexpr (M % 2 == 0) r += 10;
    } else {
        r += 100;
    }
    if constexpr (M > 3 && A) r += 1000;
    return r;
}
template <class T>
constexpr int members(const T& t) {
    if constexpr (std::is_integral<T>::value) return t;
    else return t.value;
}
struct Box { int value; };

constexpr int answer_double() { return by_size<double>(); }
constexpr int answer_int() { return by_size<int>(); }
constexpr int answer_short() { return by_size<short>(); }
constexpr int answer_float() { return by_type(1.0f); }
constexpr int answer_type_double() { return by_type(1.0); }
constexpr int answer_remainder() { return by_type(17); }
constexpr int answer_pointer() { int x = 4; return by_type(&x); }
constexpr int answer_recursion() { return unrolled<3>(1); }
constexpr int answer_nested_even() { return nested<true, 4>(); }
constexpr int answer_nested_odd() { return nested<true, 3>(); }
constexpr int answer_nested_false() { return nested<false, 4>(); }
constexpr int answer_member() { return members(Box{5}) + members(6); }

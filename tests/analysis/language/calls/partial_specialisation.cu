// Partial specialisations of class templates: pointer, reference, const, array, pair, function, value.
template <class A, class B>
struct Pair {};

template <class T>
struct Kind { static constexpr int value = 1; };
template <class T>
struct Kind<T*> { static constexpr int value = 2; };
template <class T>
struct Kind<T&> { static constexpr int value = 3; };
template <class T>
struct Kind<const T> { static constexpr int value = 4; };
template <class T>
struct Kind<T[]> { static constexpr int value = 5; };
template <class T, int N>
struct Kind<T[N]> { static constexpr int value = 100 + N; };
template <class A, class B>
struct Kind<Pair<A, B>> { static constexpr int value = 6; };
template <class A>
struct Kind<Pair<A, A>> { static constexpr int value = 7; };
template <class R, class A>
struct Kind<R (*)(A)> { static constexpr int value = 8; };
template <>
struct Kind<void> { static constexpr int value = 9; };

template <class T, bool B>
struct Switch { static constexpr int value = 1; };
template <class T>
struct Switch<T, true> { static constexpr int value = 2; };
template <bool B>
struct Switch<double, B> { static constexpr int value = 3; };
template <>
struct Switch<double, true> { static constexpr int value = 4; };

constexpr int answer_general() { return Kind<int>::value; }
constexpr int answer_pointer() { return Kind<int*>::value; }
constexpr int answer_reference() { return Kind<int&>::value; }
constexpr int answer_const() { return Kind<const int>::value; }
constexpr int answer_pointer_to_const() { return Kind<const int*>::value; }
constexpr int answer_const_pointer() { return Kind<int* const>::value; }
constexpr int answer_open_array() { return Kind<int[]>::value; }
constexpr int answer_array() { return Kind<int[12]>::value; }
constexpr int answer_pair() { return Kind<Pair<int, float>>::value; }
constexpr int answer_same_pair() { return Kind<Pair<int, int>>::value; }
constexpr int answer_function() { return Kind<int (*)(float)>::value; }
constexpr int answer_full() { return Kind<void>::value; }
constexpr int answer_bool_false() { return Switch<int, false>::value; }
constexpr int answer_bool_true() { return Switch<int, (3 > 2)>::value; }
constexpr int answer_type_given() { return Switch<double, false>::value; }
constexpr int answer_both_given() { return Switch<double, true>::value; }

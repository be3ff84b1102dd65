// Templates as arguments, and calls through them.
template <class T>
struct Plus { static constexpr T apply(T a, T b) { return a + b; } static constexpr T start = 0; };
template <class T>
struct Times { static constexpr T apply(T a, T b) { return a * b; } static constexpr T start = 1; };
template <template <class> class Op, class T>
constexpr T fold(T a, T b, T c) { return Op<T>::apply(Op<T>::apply(Op<T>::apply(Op<T>::start, a), b), c); }

template <class T, int N>
struct Fixed { static constexpr int bytes = N * sizeof(T); };
template <class T>
struct Single { static constexpr int bytes = sizeof(T); };
template <template <class, int> class Storage>
struct Table { static constexpr int bytes = Storage<double, 3>::bytes; };
template <template <class...> class C, class... Ts>
constexpr int bytes_of() { return C<Ts...>::bytes; }
template <class T>
struct Inside { static constexpr int value = 1; };
template <template <class> class C, class T>
struct Inside<C<T>> { static constexpr int value = 10 * sizeof(T); };
template <class T>
using FixedFour = Fixed<T, 4>;
template <template <class> class C>
struct Default { static constexpr int bytes = C<short>::bytes; };

constexpr int answer_plus() { return fold<Plus>(2, 3, 4); }
constexpr int answer_times() { return fold<Times>(2, 3, 4); }
constexpr int answer_table() { return Table<Fixed>::bytes; }
constexpr int answer_pack() { return bytes_of<Single, double>(); }
constexpr int answer_inside() { return Inside<Single<double>>::value; }
constexpr int answer_not_inside() { return Inside<int>::value; }
constexpr int answer_through_alias() { return Default<FixedFour>::bytes + Default<Single>::bytes; }

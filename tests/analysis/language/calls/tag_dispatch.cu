// Dispatch by tags, by priority, and by numbers turned into types.
struct Tag {};
struct Faster : Tag {};
struct Fastest : Faster {};
template <int N>
struct Rank : Rank<N - 1> {};
template <>
struct Rank<0> {};
template <int N>
struct Int {};
template <class T>
struct Of { using type = T; };
template <class T>
struct CategoryOf { using type = Tag; };
template <>
struct CategoryOf<float> { using type = Fastest; };
template <class T>
struct CategoryOf<T*> { using type = Faster; };

constexpr int run(Tag) { return 1; }
constexpr int run(Faster) { return 2; }
template <class T>
constexpr int dispatch(T) { return run(typename CategoryOf<T>::type()); }

template <class T>
constexpr int pick(T t, Rank<2>) requires(sizeof(T) == 8) { return 1; }
template <class T>
constexpr auto pick(T t, Rank<1>) -> decltype(t.value) { return t.value; }
template <class T>
constexpr int pick(T, Rank<0>) { return 3; }
struct HasValue { int value; };

constexpr int unroll(Int<0>) { return 0; }
template <int N>
constexpr int unroll(Int<N>) { return N + unroll(Int<N - 1>()); }
constexpr int of_type(Of<int>) { return 1; }
constexpr int of_type(Of<double>) { return 2; }
template <class T>
constexpr int by_type() { return of_type(Of<T>()); }
template <class T, int N>
constexpr int width(Int<N>) { return N * static_cast<int>(sizeof(T)); }

constexpr int answer_plain_tag() { return dispatch(1); }
constexpr int answer_nearest_base() { return dispatch(1.0f); }
constexpr int answer_pointer_tag() { int x = 0; return dispatch(&x); }
constexpr int answer_rank_first() { return pick(1.0, Rank<2>()); }
constexpr int answer_rank_second() { return pick(HasValue{7}, Rank<2>()); }
constexpr int answer_rank_last() { return pick('c', Rank<2>()); }
constexpr int answer_unrolled() { return unroll(Int<5>()); }
constexpr int answer_type_as_value() { return by_type<double>() * 10 + by_type<int>(); }
constexpr int answer_mixed() { return width<short>(Int<6>()); }

// Alias templates and typedefs as arguments of overloads and specialisations.
template <class T, int N>
struct Array {
    static constexpr int count = N;
    static constexpr int bytes = N * sizeof(T);
};
template <class T>
using Triple = Array<T, 3>;
template <int N>
using Words = Array<unsigned, N>;
template <class T>
using Element = typename T::type;
template <bool B, class T, class U>
struct If { using type = T; };
template <class T, class U>
struct If<false, T, U> { using type = U; };
template <bool B, class T, class U>
using IfT = typename If<B, T, U>::type;
struct HasType { typedef short type; };
typedef unsigned int Index;
typedef Index Count;
using Row = float[8];
using Binary = int (*)(int, int);

constexpr int f(unsigned) { return 1; }
constexpr int f(int) { return 2; }
template <class T>
constexpr int kind(Triple<T>) { return 3; }
template <class T, int N>
constexpr int kind(Array<T, N>) { return N * 100; }
constexpr int add(int a, int b) { return a + b; }
constexpr int use(Binary b) { return b(4, 5); }

constexpr int answer_triple() { return Triple<double>::bytes; }
constexpr int answer_words() { return Words<5>::bytes; }
constexpr int answer_member_type() { return static_cast<int>(sizeof(Element<HasType>)); }
constexpr int answer_if_true() { return static_cast<int>(sizeof(IfT<(2 > 1), char, double>)); }
constexpr int answer_if_false() { return static_cast<int>(sizeof(IfT<sizeof(int) == 8, char, double>)); }
constexpr int answer_typedef_overload() { return f(Count(1)); }
constexpr int answer_alias_in_overload() { return kind(Array<char, 3>()); }
constexpr int answer_other_count() { return kind(Array<char, 4>()); }
constexpr int answer_array_alias() { return static_cast<int>(sizeof(Row)); }
constexpr int answer_function_alias() { return use(add); }
constexpr int answer_local_alias() { using Local = Words<Triple<char>::count>; typedef Local Again; return Again::count; }

// Constraints of C++20 choose between templates; the more constrained one wins.
template <class T>
concept Small = sizeof(T) <= 4;
template <class T>
concept HasSize = requires(T t) { t.size(); };
template <class T>
concept SmallWithSize = Small<T> && HasSize<T>;
struct Plain { char c; };
struct Sized { char c; constexpr int size() const { return 1; } };
struct Large { double d[2]; constexpr int size() const { return 2; } };

template <class T>
constexpr int f(T) { return 1; }
template <Small T>
constexpr int f(T) { return 2; }
template <SmallWithSize T>
constexpr int f(T) { return 3; }
template <class T>
    requires(sizeof(T) == 8)
constexpr int g(T) { return 8; }
template <class T>
    requires(sizeof(T) < 8)
constexpr int g(T) { return 4; }
template <class T>
constexpr int h(const T& t) {
    if constexpr (requires { t.size(); }) return t.size();
    else return -1;
}
constexpr int k(Small auto) { return 5; }
constexpr int k(auto) { return 6; }
template <class T>
struct Choice { static constexpr int value = 1; };
template <Small T>
struct Choice<T> { static constexpr int value = 2; };

constexpr int answer_unconstrained() { return f(Large()); }
constexpr int answer_constrained() { return f(Plain()); }
constexpr int answer_more_constrained() { return f(Sized()); }
constexpr int answer_requires() { return g(1.0) * 10 + g(1); }
constexpr int answer_requires_expression() { return h(Large()) * 10 + h(Plain()); }
constexpr int answer_abbreviated() { return k('c') * 10 + k(1.0); }
constexpr int answer_class_constraint() { return Choice<double>::value * 10 + Choice<short>::value; }
constexpr int answer_concept_as_value() { return Small<int> + 2 * Small<double> + 4 * HasSize<Sized>; }

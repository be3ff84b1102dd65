// Enumerators: values counted on, by scope, in classes and templates, as switch labels and array bounds.
enum Plain { ZERO, ONE, FIVE = 5, SIX, AGAIN = ONE, NEXT };
enum class Scoped { First = 10, Second, Third = Second * 2 };
enum class Other { First = 100 };
enum Bits : unsigned { READ = 1u << 0, WRITE = 1u << 3, BOTH = READ | WRITE };
enum Signed { BELOW = -3, ABOVE };
struct Holder {
    enum { SIZE = 12, DOUBLE = SIZE * 2 };
    enum Mode { Off, On = 7 };
    enum class Inner : char { A = 'a', B };
};
template <int N>
struct Sized { enum { value = N * N, last = value - 1 }; };
constexpr int by_switch(Scoped s) {
    switch (s) {
        case Scoped::First: return 1;
        case Scoped::Second: return 2;
        default: return 3;
    }
}
using enum Other;

constexpr int answer_counted() { return SIX * 10 + NEXT; }
constexpr int answer_scoped() { return static_cast<int>(Scoped::Third); }
constexpr int answer_other_scope() { return static_cast<int>(Other::First) + static_cast<int>(Scoped::First); }
constexpr int answer_bits() { return BOTH; }
constexpr int answer_negative() { return BELOW * 10 + ABOVE; }
constexpr int answer_in_class() { return Holder::DOUBLE + Holder::On; }
constexpr int answer_through_type() { return Holder::Mode::On; }
constexpr int answer_inner() { return static_cast<int>(Holder::Inner::B) - 'a'; }
constexpr int answer_in_template() { return Sized<6>::last; }
constexpr int answer_switch() { return by_switch(Scoped::Second) * 10 + by_switch(Scoped::Third); }
constexpr int answer_bound() { char c[FIVE + 1] = {}; return static_cast<int>(sizeof(c)); }
constexpr int answer_from_number() { return static_cast<Scoped>(11) == Scoped::Second; }
constexpr int answer_using_enum() { return static_cast<int>(First); }
constexpr int answer_plain_by_scope() { return Plain::FIVE; }
constexpr int answer_sum() { return ONE + FIVE * SIX; }

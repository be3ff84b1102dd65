// Values as template arguments: arithmetic, enumerators, constants, sizes, negatives and characters.
template <int N>
constexpr int twice() { return 2 * N; }
template <unsigned N>
constexpr int wraps() { return N > 1000u ? 1 : 0; }
template <bool B>
constexpr int truth() { return B ? 10 : 20; }
template <char C>
constexpr int letter() { return C - 'a'; }
template <class T, T VALUE>
struct Constant { static constexpr T value = VALUE; };
template <int ROWS, int COLUMNS = ROWS * 2>
struct Shape {
    static constexpr int area = ROWS * COLUMNS;
    enum { perimeter = 2 * (ROWS + COLUMNS) };
};
template <int (*F)(int)>
constexpr int call() { return F(20); }
template <auto V>
constexpr int size_of() { return static_cast<int>(sizeof(V)); }

enum { SIXTEEN = 16 };
enum class Level : int { Low = 3 };
constexpr int width = 5;
const int height = width + 1;
constexpr int half(int x) { return x / 2; }

constexpr int answer_literal() { return twice<21>(); }
constexpr int answer_sum() { return twice<(1 << 4) + 5>(); }
constexpr int answer_enumerator() { return twice<SIXTEEN>(); }
constexpr int answer_scoped() { return twice<static_cast<int>(Level::Low)>(); }
constexpr int answer_constant() { return twice<width * height>(); }
constexpr int answer_sizeof() { return twice<sizeof(double)>(); }
constexpr int answer_negative() { return twice<-4>(); }
constexpr int answer_unsigned() { return wraps<0u - 1u>(); }
constexpr int answer_bool() { return truth<(width > 4)>(); }
constexpr int answer_bool_from_number() { return truth<!width>(); }
constexpr int answer_letter() { return letter<'d'>(); }
constexpr int answer_typed_value() { return Constant<short, 12>::value; }
constexpr int answer_default_from_other() { return Shape<3>::area; }
constexpr int answer_both() { return Shape<3, 4>::area; }
constexpr int answer_enumerator_of_class() { return Shape<3>::perimeter; }
constexpr int answer_function_as_argument() { return call<half>(); }
constexpr int answer_auto_int() { return size_of<1>(); }
constexpr int answer_auto_long() { return size_of<1l>() + 10 * size_of<'c'>(); }
constexpr int answer_by_function() { return twice<half(9)>(); }

// Class templates of types and values: the arguments decide the layout.
template <class T>
struct P {
    T x;
    T y;
};

template <class T, int N>
struct V {
    T v[N];
};

template <typename T, int N>
struct Padded {
    char tag;
    T items[N * 2 + 1];
    short last;
};

template <class T, class U = double, int N = 3>
struct WithDefaults {
    T first;
    U second[N];
    bool third;
};

template <class T>
struct Outer {
    P<T> pair;
    V<P<T>, 2> pairs;
    char end;
};

template <class T, class U>
struct Two {
    T t;
    U u;
};

template <bool WIDE>
struct Chosen {
    char c[WIDE ? 16 : 4];
    int after;
};

template <int ROWS, int COLUMNS, class T>
struct Matrix {
    T cell[ROWS][COLUMNS];
    int stride;
};

using p_double = P<double>;                            // fields: x, y
using p_char = P<char>;                                // fields: x, y
using p_pointer = P<float*>;                           // fields: x, y
using p_float4 = P<float4>;                            // fields: x, y, y.z
using v_float_5 = V<float, 5>;                         // fields: v
using v_double_4 = V<double, 4>;                       // fields: v
using v_by_sum = V<short, 2 + 3 * 4>;                  // fields: v
using padded_double_2 = Padded<double, 2>;             // fields: tag, items, last
using padded_char_1 = Padded<char, 1>;                 // fields: tag, items, last
using defaults_float = WithDefaults<float>;            // fields: first, second, third
using defaults_char_char = WithDefaults<char, char>;   // fields: first, second, third
using defaults_all_given = WithDefaults<char, int, 1>; // fields: first, second, third
using nested_double = Outer<double>;                   // fields: pair, pair.y, pairs, end
using nested_char = Outer<char>;                       // fields: pair, pair.y, pairs, end
using two_levels = P<V<P<short>, 3>>;                  // fields: x, y
using two_char_double = Two<char, double>;             // fields: t, u
using two_of_templates = Two<P<char>, V<int, 2>>;      // fields: t, u, t.y
using chosen_wide = Chosen<true>;                      // fields: c, after
using chosen_narrow = Chosen<(3 > 4)>;                 // fields: c, after
using matrix_3_by_5 = Matrix<3, 5, double>;            // fields: cell, stride

// Members whose type or number is found through another class: Traits<T>::type, static constants.
template <class T>
struct Traits {
    typedef int type;
    static constexpr int lanes = 4;
};

template <>
struct Traits<float> {
    using type = double;
    static constexpr int lanes = 2;
};

template <>
struct Traits<char> {
    typedef short type;
    enum { lanes = 7 };
};

template <class T>
struct ByTraits {
    T own;
    typename Traits<T>::type wide;
    T lane[Traits<T>::lanes];
};

template <class T, int COUNT>
struct Counted {
    static const int doubled = 2 * COUNT;
    static constexpr unsigned bytes = doubled * sizeof(T);
    typedef T value_type;
    using pointer = T*;
    value_type items[doubled];
    unsigned char raw[bytes + 1];
    pointer next;
};

template <class C>
struct UsesCounted {
    char c;
    typename C::value_type one;
    typename C::value_type many[C::doubled];
};

struct Sizes {
    static constexpr int rows = 3;
    static const int columns = rows + 2;
    enum { depth = 2 };
    float box[rows][columns][depth];
    static int counter;
    char last;
};

constexpr int round_up(int n, int to) { return (n + to - 1) / to * to; }

template <int N>
struct ByFunction {
    char bytes[round_up(N, 8)];
    int after;
};

template <class T>
struct BySizeof {
    char bytes[sizeof(T) + 1];
    T after;
    char others[sizeof(T) > 4 ? 3 : 5];
};

using traits_of_int = ByTraits<int>;                   // fields: own, wide, lane
using traits_of_float = ByTraits<float>;               // fields: own, wide, lane
using traits_of_char = ByTraits<char>;                 // fields: own, wide, lane
using counted_short_3 = Counted<short, 3>;             // fields: items, raw, next
using counted_double_1 = Counted<double, 1>;           // fields: items, raw, next
using through_counted = UsesCounted<Counted<short, 3>>; // fields: c, one, many
using sizes = Sizes;                                   // fields: box, last
using function_13 = ByFunction<13>;                    // fields: bytes, after
using sizeof_double = BySizeof<double>;                // fields: bytes, after, others
using sizeof_short = BySizeof<short>;                  // fields: bytes, after, others

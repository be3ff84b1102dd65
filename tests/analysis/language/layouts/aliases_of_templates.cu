// Alias templates, typedefs of instances, and templates as template arguments.
template <class T, int N>
struct Array {
    T data[N];
};

template <class T>
using Triple = Array<T, 3>;

template <int N>
using Bytes = Array<unsigned char, N>;

template <class T>
using Pointer = T*;

typedef Array<double, 2> Complex;
typedef Complex ComplexPair[2];
using Function = int (*)(float, double);

template <template <class> class Container, class T>
struct Held {
    char c;
    Container<T> inner;
};

template <template <class, int> class Container>
struct HeldFour {
    Container<short, 4> inner;
    int i;
};

template <class T>
struct Box {
    T value;
    bool full;
};

template <class... Ts>
struct Nothing {};

template <class Head, class... Rest>
struct List {
    Head head;
    List<Rest...> rest;
};

template <class Head>
struct List<Head> {
    Head head;
};

struct UsesAliases {
    char c;
    Complex z;
    ComplexPair zs;
    Function f;
    Pointer<float> p;
    Triple<char> t;
};

using triple_double = Triple<double>;                  // fields: data
using bytes_9 = Bytes<9>;                              // fields: data
using held_box = Held<Box, double>;                    // fields: c, inner, inner.full
using held_triple = Held<Triple, short>;               // fields: c, inner
using held_four = HeldFour<Array>;                     // fields: inner, i
using uses_aliases = UsesAliases;                      // fields: c, z, zs, f, p, t
using complex_pair = ComplexPair;
using empty_pack = Nothing<int, double>;
using list_of_three = List<char, double, short>;       // fields: head, rest, rest.head, rest.rest

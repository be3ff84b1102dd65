// Specialisations of a class template have a layout of their own.
template <class T>
struct Store {
    T value;
    int extra[2];
};

template <>
struct Store<bool> {
    unsigned long long words[4];
};

template <class T>
struct Store<T*> {
    T* pointer;
    char flag;
};

template <class T, int N>
struct Store<T[N]> {
    T items[N];
};

template <class A, class B>
struct Both {
    A a;
    B b;
};

template <class A>
struct Both<A, A> {
    A only;
};

template <class A>
struct Both<A, char> {
    A a[3];
    char c;
};

template <>
struct Both<char, char> {
    double odd_one;
};

template <class T, int N>
struct Lanes {
    T lane[N];
};

template <class T>
struct Lanes<T, 1> {
    T x;
    T unused;
};

template <class T>
struct Lanes<T, 0> {};

template <class T, bool ALIGNED>
struct MaybeAligned {
    T v[3];
};

template <class T>
struct MaybeAligned<T, true> {
    alignas(4 * sizeof(T)) T v[3];
};

template <class T>
struct OfConst {
    T value;
};

template <class T>
struct OfConst<const T> {
    T value;
    T copy;
};

using store_int = Store<int>;                          // fields: value, extra
using store_bool = Store<bool>;                        // fields: words
using store_pointer = Store<double*>;                  // fields: pointer, flag
using store_array = Store<short[5]>;                   // fields: items
using both_differ = Both<double, int>;                 // fields: a, b
using both_same = Both<double, double>;                // fields: only
using both_with_char = Both<short, char>;              // fields: a, c
using both_char = Both<char, char>;                    // fields: odd_one
using lanes_3 = Lanes<double, 3>;                      // fields: lane
using lanes_1 = Lanes<double, 1>;                      // fields: x, unused
using lanes_0 = Lanes<double, 0>;
using maybe_not = MaybeAligned<float, false>;          // fields: v
using maybe_aligned = MaybeAligned<float, true>;       // fields: v
using of_plain = OfConst<int>;                         // fields: value
using of_const = OfConst<const int>;                   // fields: value, copy

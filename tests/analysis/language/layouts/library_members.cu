// Classes of the standard library as members, by libstdc++.
#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <tuple>
#include <utility>

struct Arrays {
    char c;
    std::array<double, 3> a;
    std::array<char, 5> b;
    std::array<std::array<short, 2>, 3> m;
};

struct Complexes {
    char c;
    std::complex<float> f;
    char d;
    std::complex<double> z;
};

struct Pairs {
    std::pair<char, double> p;
    char c;
    std::pair<short, char> q;
};

struct Fixed {
    uint8_t a;
    std::uint16_t b;
    int_fast16_t c;
    int64_t d;
    std::size_t e;
    uint_least32_t f;
};

struct Atomics {
    std::atomic<char> a;
    std::atomic<int> b;
    std::atomic<double> c;
};

template <class T, std::size_t N>
struct Batch {
    std::array<T, N> items;
    bool ready;
};

struct FromArray : std::array<float, 3> {
    char tag;
};

using arrays = Arrays;                                 // fields: c, a, b, m
using complexes = Complexes;                           // fields: c, f, d, z
using pairs = Pairs;                                   // fields: p, p.second, c, q, q.second
using fixed = Fixed;                                   // fields: a, b, c, d, e, f
using atomics = Atomics;                               // fields: a, b, c
using batch_of_complex = Batch<std::complex<float>, 3>; // fields: items, ready
using batch_of_chars = Batch<char, 6>;                 // fields: items, ready
using from_array = FromArray;                          // fields: tag
using tuple_mixed = std::tuple<char, double, short>;

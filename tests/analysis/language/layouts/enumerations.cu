// An enumeration takes the room of its underlying type: the one given, else unsigned int or, with
// negative enumerators, int; a wider one if the values need it. A scoped one is int by default.
#include <cstdint>

enum Plain { RED, GREEN };
enum class Scoped { Red, Green };
enum class Byte : uint8_t { A, B };
enum Short : short { S1 = -1, S2 };
enum class Long : unsigned long long { L1 };
enum Large { LARGE = 0x100000000 };
enum class Flag : bool { No, Yes };

struct Mixed {
    Byte first;
    Plain second;
    Byte third;
    Short fourth;
    Long fifth;
    Flag sixth;
    Scoped seventh;
};

struct Bytes {
    Byte all[3];
    enum class Inner : int16_t { X, Y } inner;
    enum { UNNAMED = 3 } unnamed;
};

struct Sized {
    enum { COUNT = 6 };
    float values[COUNT];
    char tail[GREEN + 1];
    char by_scoped[static_cast<int>(Scoped::Green) + 2];
};

struct HasLarge {
    char c;
    Large large;
};

using mixed = Mixed;                                   // fields: first, second, third, fourth, fifth, sixth, seventh
using bytes = Bytes;                                   // fields: all, inner, unnamed
using sized = Sized;                                   // fields: values, tail, by_scoped
using has_large = HasLarge;                            // fields: c, large
using plain = Plain;
using byte = Byte;
using inner_enum = Bytes::Inner;

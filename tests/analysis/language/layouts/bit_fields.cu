// Bit-fields are packed from the lowest bit; one that would cross a unit of its own type starts the
// next unit; one of width zero ends the unit. `bits` asks for first bit and number of bits.
struct Adjacent {
    unsigned a : 3;
    unsigned b : 7;
    unsigned c : 22;
};

struct Crossing {
    unsigned a : 20;
    unsigned b : 20;
    unsigned c : 4;
};

struct ZeroWidth {
    unsigned a : 3;
    unsigned : 0;
    unsigned b : 3;
};

struct Unnamed {
    unsigned a : 3;
    unsigned : 5;
    unsigned b : 8;
};

struct AfterChar {
    char tag;
    int a : 5;
    int b : 12;
    char end;
};

struct MixedTypes {
    char a : 4;
    short b : 9;
    int c : 18;
    long long d : 40;
};

struct Narrow {
    unsigned char a : 3;
    unsigned char b : 3;
    unsigned char c : 3;
};

struct Bools {
    bool a : 1;
    bool b : 1;
    int c;
    bool d : 1;
};

struct Wide {
    unsigned long long a : 33;
    unsigned long long b : 31;
    unsigned long long c : 1;
};

struct FieldBetween {
    int a : 4;
    double d;
    int b : 4;
};

enum class Kind : unsigned char { None, Some, All };

struct OfEnum {
    Kind kind : 2;
    unsigned rest : 6;
};

template <int WIDTH, class T>
struct ByParameter {
    T low : WIDTH;
    T high : 8 * sizeof(T) - WIDTH;
    T next : 1;
};

using adjacent = Adjacent;                             // bits: a, b, c
using crossing = Crossing;                             // bits: a, b, c
using zero_width = ZeroWidth;                          // bits: a, b
using unnamed = Unnamed;                               // bits: a, b
using after_char = AfterChar;                          // fields: tag, end; bits: a, b
using mixed_types = MixedTypes;                        // bits: a, b, c, d
using narrow = Narrow;                                 // bits: a, b, c
using bools = Bools;                                   // fields: c; bits: a, b, d
using wide = Wide;                                     // bits: a, b, c
using field_between = FieldBetween;                    // fields: d; bits: a, b
using of_enum = OfEnum;                                // bits: kind, rest
using by_parameter_short = ByParameter<5, unsigned short>; // bits: low, high, next
using by_parameter_int = ByParameter<24, unsigned>;    // bits: low, high, next

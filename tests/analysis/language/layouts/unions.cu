// Fields of a union all start at its beginning; anonymous unions and structs lend their fields.
union Number {
    int i;
    float f;
    double d;
    unsigned char bytes[8];
};

union Odd {
    char c[5];
    short s;
};

struct Variant {
    char kind;
    union {
        int i;
        double d;
        char text[12];
    };
    short after;
};

union Vector {
    struct {
        float x, y, z, w;
    };
    float v[4];
    float4 all;
};

struct Deep {
    int tag;
    union {
        struct {
            short low;
            union {
                char c;
                long long wide;
            };
        };
        int whole;
    };
};

struct NamedInner {
    union {
        float f;
        unsigned u;
    } bits;
    struct {
        char a;
        int b;
    } pair[2];
};

template <class T>
union Raw {
    T value;
    unsigned char bytes[sizeof(T)];
    unsigned words[(sizeof(T) + 3) / 4];
};

template <class T, int N>
union Packed {
    T lane[N];
    uint4 whole;
};

using number = Number;                                 // fields: i, f, d, bytes
using odd = Odd;                                       // fields: c, s
using variant = Variant;                               // fields: kind, i, d, text, after
using vector = Vector;                                 // fields: x, y, w, v, all, all.z
using deep = Deep;                                     // fields: tag, low, c, wide, whole
using named_inner = NamedInner;                        // fields: bits, bits.u, pair
using raw_float3 = Raw<float3>;                        // fields: value, bytes, words
using raw_short = Raw<short>;                          // fields: value, bytes, words
using packed_half = Packed<unsigned short, 8>;         // fields: lane, whole

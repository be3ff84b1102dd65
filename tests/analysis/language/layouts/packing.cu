// Packed classes: the attribute, and #pragma pack with its stack.
struct __attribute__((packed)) Packed {
    char c;
    double d;
    short s;
};

struct PackedAfter {
    char c;
    int i;
} __attribute__((packed));

struct PackedField {
    char c;
    int i __attribute__((packed));
    short s;
};

#pragma pack(push, 1)
struct PackOne {
    char c;
    int i;
    double d;
};

struct PackOneNested {
    char c;
    PackOne inner;
    short s;
};
#pragma pack(push, 2)
struct PackTwo {
    char c;
    int i;
    double d;
};
#pragma pack(pop)
struct PackOneAgain {
    char c;
    long long l;
};
#pragma pack(pop)

#pragma pack(4)
struct PackFour {
    char c;
    double d;
    short s;
};
#pragma pack()

struct Unpacked {
    char c;
    double d;
};

struct HoldsPacked {
    int i;
    PackOne inner;
    int j;
};

struct __attribute__((packed)) PackedHoldsUnpacked {
    char c;
    Unpacked inner;
    char e;
};

struct __attribute__((packed, aligned(4))) PackedAndAligned {
    char c;
    int i;
};

template <class T>
struct __attribute__((packed)) PackedOf {
    char c;
    T value;
};

struct __attribute__((packed)) PackedBits {
    unsigned a : 5;
    unsigned b : 20;
    unsigned c : 12;
};

using packed = Packed;                                 // fields: c, d, s
using packed_after = PackedAfter;                      // fields: c, i
using packed_field = PackedField;                      // fields: c, i, s
using pack_one = PackOne;                              // fields: c, i, d
using pack_one_nested = PackOneNested;                 // fields: c, inner, s
using pack_two = PackTwo;                              // fields: c, i, d
using pack_one_again = PackOneAgain;                   // fields: c, l
using pack_four = PackFour;                            // fields: c, d, s
using unpacked = Unpacked;                             // fields: c, d
using holds_packed = HoldsPacked;                      // fields: i, inner, j
using packed_holds_unpacked = PackedHoldsUnpacked;     // fields: c, inner, e
using packed_and_aligned = PackedAndAligned;           // fields: c, i
using packed_of_double = PackedOf<double>;             // fields: c, value
using packed_bits = PackedBits;                        // bits: a, b, c

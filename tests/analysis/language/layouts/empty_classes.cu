// An empty class takes one byte, none as a base, unless two of the same type would share an address.
struct Empty {};

struct OtherEmpty {};

struct OneBase : Empty {
    int i;
};

struct TwoBases : Empty, OtherEmpty {
    int i;
};

struct FirstIsSame : Empty {
    Empty e;
    int i;
};

struct FirstIsSameChar : Empty {
    Empty e;
    char c;
};

struct FirstDiffers : Empty {
    OtherEmpty e;
    char c;
};

struct Left : Empty {};

struct Right : Empty {};

struct SameTwice : Left, Right {
    char c;
};

struct EmptyMember {
    Empty e;
    int i;
};

struct EmptyMembers {
    Empty e[3];
    short s;
};

struct NoUnique {
    [[no_unique_address]] Empty e;
    int i;
};

struct NoUniqueTwice {
    [[no_unique_address]] Empty e;
    [[no_unique_address]] Empty f;
    char c;
};

struct OnlyStatic {
    static int counter;
    static constexpr double half = 0.5;
    typedef int type;
    enum { first, second };
    int method() const { return first; }
};

struct EmptyByBase : Empty {};

template <class T>
struct Tag {};

struct Tagged : Tag<int>, Tag<float> {
    double d;
};

struct Functor {
    float operator()(float x) const { return 2 * x; }
};

template <class F>
struct HoldsFunctor : F {
    float scale;
};

template <class F>
struct MemberFunctor {
    F f;
    float scale;
};

using empty = Empty;
using one_base = OneBase;                              // fields: i
using two_bases = TwoBases;                            // fields: i
using first_is_same = FirstIsSame;                     // fields: e, i
using first_is_same_char = FirstIsSameChar;            // fields: e, c
using first_differs = FirstDiffers;                    // fields: e, c
using same_twice = SameTwice;                          // fields: c
using empty_member = EmptyMember;                      // fields: e, i
using empty_members = EmptyMembers;                    // fields: e, s
using no_unique = NoUnique;                            // fields: e, i
using no_unique_twice = NoUniqueTwice;                 // fields: e, f, c
using only_static = OnlyStatic;
using empty_by_base = EmptyByBase;
using tagged = Tagged;                                 // fields: d
using holds_functor = HoldsFunctor<Functor>;           // fields: scale
using member_functor = MemberFunctor<Functor>;         // fields: f, scale

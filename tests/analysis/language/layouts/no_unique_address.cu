// Fields that may share bytes with others: an empty class takes none, another lends its padding.
struct Empty {};

struct OtherEmpty {};

struct FromEmpty : Empty {};

struct Padded {
    Padded();
    double d;
    char c;
};

struct Plain {
    double d;
    char c;
};

struct EmptyLast {
    int i;
    [[no_unique_address]] Empty e;
};

struct TwoTypes {
    [[no_unique_address]] Empty e;
    [[no_unique_address]] OtherEmpty f;
    short s;
};

struct LendsPadding {
    [[no_unique_address]] Padded p;
    char after;
    int i;
};

struct KeepsPadding {
    [[no_unique_address]] Plain p;
    char after;
};

struct OnlyEmpty {
    [[no_unique_address]] Empty e;
};

struct HoldsOnlyEmpty {
    [[no_unique_address]] OnlyEmpty o;
    [[no_unique_address]] OtherEmpty f;
    double d;
};

struct FromOnlyEmpty : OnlyEmpty {
    int i;
};

struct SameAsBase : Empty {
    [[no_unique_address]] Empty e;
    int i;
};

struct NotAClass {
    char c;
    [[no_unique_address]] int i;
    [[no_unique_address]] Empty many[2];
};

template <class Deleter, class T>
struct Owner {
    [[no_unique_address]] Deleter deleter;
    T* pointer;
};

struct Base {
    [[no_unique_address]] Empty e;
    double d;
    char c;
};

struct Derived : Base {
    char last;
};

using empty_last = EmptyLast;                          // fields: i, e
using two_types = TwoTypes;                            // fields: e, f, s
using lends_padding = LendsPadding;                    // fields: p, p.c, after, i
using keeps_padding = KeepsPadding;                    // fields: p, after
using only_empty = OnlyEmpty;                          // fields: e
using holds_only_empty = HoldsOnlyEmpty;               // fields: o, f, d
using from_only_empty = FromOnlyEmpty;                 // fields: i
using same_as_base = SameAsBase;                       // fields: e, i
using not_a_class = NotAClass;                         // fields: c, i, many
using owner_of_empty = Owner<Empty, int>;              // fields: deleter, pointer
using owner_of_padded = Owner<Padded, int>;            // fields: deleter, pointer
using derived = Derived;                               // fields: d, c, last

// Alignments that typedefs and aliases ask for: of objects and fields, neither of their type nor of
// template arguments. One may be weaker than the type's own.
typedef float AfterName __attribute__((aligned(16)));
typedef __attribute__((aligned(8))) short BeforeType;
typedef double __attribute__((aligned(32))) BeforeName;
typedef int Unaligned __attribute__((aligned(1)));
typedef char Largest __attribute__((aligned));
using AfterAlias __attribute__((aligned(16))) = int;
using Standard [[gnu::aligned(8)]] = char;
typedef AfterName Again;

struct Point {
    float x, y, z;
};

typedef Point WidePoint __attribute__((aligned(16)));

template <class T, int BYTES>
struct Aligned {
    typedef T Type __attribute__((aligned(BYTES)));
    char tag;
    Type item;
};

template <class T>
struct Holds {
    char c;
    T item;
};

struct Typedefs {
    char c;
    AfterName a;
    char d;
    BeforeType b;
    char e;
    BeforeName f;
};

struct Weaker {
    char c;
    Unaligned i;
    char d;
};

struct Aliases {
    char c;
    AfterAlias a;
    char d;
    Standard s;
    char e;
    Largest l;
};

struct OfOthers {
    char c;
    Again again;
    char d;
    WidePoint point;
    char e;
    Unaligned* pointer;
    AfterName* other;
};

struct Own {
    typedef short Small __attribute__((aligned(8)));
    char c;
    Small s;
};

struct Sizes {
    char by_size[sizeof(WidePoint)];
};

struct FromClass : Holds<Own> {
    char last;
};

using typedefs = Typedefs;                             // fields: c, a, d, b, e, f
using weaker = Weaker;                                 // fields: c, i, d
using aliases = Aliases;                               // fields: c, a, d, s, e, l
using of_others = OfOthers;                            // fields: c, again, d, point, point.z, e, pointer, other
using own = Own;                                       // fields: c, s
using by_value = Aligned<int, 32>;                     // fields: tag, item
using as_argument = Holds<AfterName>;                  // fields: c, item
using sizes = Sizes;                                   // fields: by_size
using from_class = FromClass;                          // fields: c, item, last

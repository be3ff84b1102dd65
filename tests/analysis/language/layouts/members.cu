// Members of every kind: arrays, pointers, references, functions, nested classes, qualifiers.
struct Scalars {
    bool b;
    char c;
    short s;
    bool b2;
    int i;
    char c2;
    long l;
    float f;
    double d;
    char c3;
};

struct Item {
    double d;
    char c;
};

struct Arrays {
    char c[3];
    Item items[2];
    float grid[2][3][4];
    char (*text)[8];
    int* pointers[3];
};

struct Pointers {
    char c;
    void* p;
    char d;
    int (*function)(float);
    char e;
    int Item::* data_member;
    char f;
    void (Item::*method)();
    char g;
};

struct References {
    char c;
    double& r;
    char d;
    const int& s;
    float (&array)[4];
};

struct Statics {
    static int count;
    int i;
    static constexpr double half = 0.5;
    char c;
    static const int size = 7;
    inline static float total = 0;
};

struct Qualified {
    mutable char c;
    volatile int v;
    const double d = 1.0;
    mutable volatile short s;
};

struct Nests {
    struct Inner {
        char a;
        long b;
    };
    typedef short Small;
    using Wide = double;
    Inner inner;
    Small small;
    Wide wide;
    class Hidden {
    public:
        int h;
        Small s;
    } hidden;
};

struct Flexible {
    int count;
    char tag;
    double items[];
};

struct LongDoubles {
    char c;
    long double x;
    char d;
};

struct SeveralPerLine {
    float x, y, *p, row[3], (*q)[2];
    unsigned char r, g, b, a;
};

struct ListNode {
    int value;
    ListNode* next;
    ListNode* children[2];
};

struct Wide128 {
    char c;
    __int128 w;
};

using scalars = Scalars;                               // fields: b, c, s, b2, i, c2, l, f, d, c3
using arrays = Arrays;                                 // fields: c, items, grid, text, pointers
using pointers = Pointers;                             // fields: c, p, d, function, e, data_member, f, method, g
using references = References;                         // fields: c, d
using statics = Statics;                               // fields: i, c
using qualified = Qualified;                           // fields: c, v, d, s
using nests = Nests;                                   // fields: inner, inner.b, small, wide, hidden, hidden.s
using nested_class = Nests::Inner;                     // fields: a, b
using flexible = Flexible;                             // fields: count, tag, items
using long_doubles = LongDoubles;                      // fields: c, x, d
using several_per_line = SeveralPerLine;               // fields: x, y, p, row, q, r, a
using list_node = ListNode;                            // fields: value, next, children
using wide_128 = Wide128;                              // fields: c, w

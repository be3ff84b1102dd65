// Virtual bases lie once at the end of the most derived class, whoever names them.
struct Node {
    int n;
    char c;
};

struct Left : virtual Node {
    int l;
};

struct Right : virtual Node {
    char r;
};

struct Join : Left, Right {
    char d;
};

struct FromJoin : Join {
    double e;
};

struct Other {
    double o;
};

struct TwoVirtual : virtual Node, virtual Other {
    char c2;
};

struct Mixed : Left, virtual Other {
    short m;
};

struct Again : virtual Left, virtual Right {
    char a;
};

struct Empty {};

struct VirtualEmpty : virtual Empty {
    int i;
};

struct Holds {
    char c;
    Left left;
    char d;
};

struct Interface {
    virtual void call();
};

struct Implements : virtual Interface {
    int i;
};

struct BothImplement : Implements, virtual Interface {
    char b;
};

using left = Left;                                     // fields: l
using join = Join;                                     // fields: l, r, d
using from_join = FromJoin;                            // fields: l, r, d, e
using two_virtual = TwoVirtual;                        // fields: c2
using mixed = Mixed;                                   // fields: l, m
using again = Again;                                   // fields: a
using virtual_empty = VirtualEmpty;                    // fields: i
using holds_left = Holds;                              // fields: c, left, d
using implements = Implements;                         // fields: i
using both_implement = BothImplement;                  // fields: b

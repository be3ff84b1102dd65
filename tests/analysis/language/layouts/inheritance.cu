// Base classes come first; a derived class's fields follow.
struct Base {
    int a;
    char b;
};

struct Derived : Base {
    char c;
    double d;
};

struct Deeper : Derived {
    short e;
};

struct Other {
    double x;
    char y;
};

struct Many : Base, Other {
    char z;
};

struct OtherOrder : Other, Base {
    char z;
};

struct AddsNothing : Base {};

struct WithMemberOfBase : Base {
    Base inner;
    char tail;
};

class Private : Base {
public:
    float own;
};

template <class T>
struct A24b {
    T u;
    T v[2];
};

template <class T>
struct A24 : A24b<T> {
    char w;
};

template <class Parent>
struct Mixin : Parent {
    short added;
};

template <class... Bases>
struct AllOf : Bases... {
    char own;
};

template <class Self>
struct Counter {
    int count;
};

struct Counted : Counter<Counted> {
    double payload;
};

using base = Base;                                     // fields: a, b
using derived = Derived;                               // fields: a, b, c, d
using deeper = Deeper;                                 // fields: a, d, e
using many = Many;                                     // fields: a, b, x, y, z
using other_order = OtherOrder;                        // fields: x, y, a, b, z
using adds_nothing = AddsNothing;                      // fields: a, b
using with_member_of_base = WithMemberOfBase;          // fields: a, inner, inner.b, tail
using private_base = Private;                          // fields: own
using template_base_float = A24<float>;                // fields: u, v, w
using template_base_double = A24<double>;              // fields: u, v, w
using mixin_of_other = Mixin<Other>;                   // fields: x, y, added
using mixin_twice = Mixin<Mixin<Base>>;                // fields: a, b, added
using all_of_two = AllOf<Base, Other>;                 // fields: a, x, y, own
using all_of_none = AllOf<>;                           // fields: own
using curiously_recurring = Counted;                   // fields: count, payload

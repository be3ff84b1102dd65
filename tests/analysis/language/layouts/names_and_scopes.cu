// Which class a name means: namespaces, nested classes, members of the same name in base and derived
// class, and names that shadow others.
namespace single {
struct Cell {
    float value;
    char state;
};
}  // namespace single

namespace twofold {
struct Cell {
    double value;
    char state;
};

namespace inner {
struct Grid {
    Cell cells[2];
};
}  // namespace inner
}  // namespace twofold

namespace short_name = twofold::inner;

using twofold::Cell;

struct UsesCell {
    char c;
    Cell cell;
    single::Cell other;
};

struct Base {
    char value;
    int count;
};

struct Hides : Base {
    double value;
    char count;
};

struct HidesTwice : Hides {
    short value;
};

struct Outer {
    struct Item {
        char c[3];
    };
    Item item;
    struct Deeper {
        Item item;
        double d;
    } deeper;
};

struct Item {
    double d;
};

struct UsesBoth {
    Outer::Item small;
    Item large;
};

template <class T>
struct Node {
    struct Link {
        T* to;
        T weight;
    };
    Link links[2];
    T T_value;
};

template <class T>
struct Shadowed {
    template <class U>
    struct Inner {
        T t;
        U u;
    };
    Inner<char> with_char;
    Inner<T> with_own;
};

inline namespace version_two {
struct Versioned {
    short v[3];
};
}  // namespace version_two

using uses_cell = UsesCell;                            // fields: c, cell, other, other.state
using grid = short_name::Grid;                         // fields: cells
using hides = Hides;                                   // fields: value, count
using hides_twice = HidesTwice;                        // fields: value, count
using outer = Outer;                                   // fields: item, deeper, deeper.d
using uses_both = UsesBoth;                            // fields: small, large
using node_double = Node<double>;                      // fields: links, T_value
using node_link = Node<short>::Link;                   // fields: to, weight
using shadowed_short = Shadowed<short>;                // fields: with_char, with_own, with_own.u
using shadowed_inner = Shadowed<double>::Inner<int>;   // fields: t, u
using versioned = Versioned;                           // fields: v

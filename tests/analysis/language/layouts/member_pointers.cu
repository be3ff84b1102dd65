// Pointers to members: one to a field is a number, one to a method two.
struct Item {
    int first;
    float row[4];
    void method(int);
};

namespace outer {
template <class T>
struct Box {
    T value;
    T get() const;
};
}  // namespace outer

typedef int Item::*Field;
typedef void (Item::*Method)(int);
using Getter = float (outer::Box<float>::*)() const;
using Rows = float (Item::*)[4];

struct Fields {
    char c;
    Field f;
    char d;
    int Item::*both[2], plain;
    float (Item::*row)[4];
    const int* const Item::* far;
    int outer::Box<outer::Box<int>>::*nested;
    int Item::**pointer;
};

struct Methods {
    char c;
    Method m;
    char d;
    int (Item::*many[3])(float, Item*);
    Getter g;
    Method* pointer;
    int (*plain)(int Item::*);
};

template <class C, class R>
struct Of {
    char c;
    R C::*field;
    R (C::*method)(int);
    char d;
};

template <class T>
struct Holds {
    char c;
    T item;
};

struct Sizes {
    char field[sizeof(int Item::*)];
    char method[sizeof(Method)];
    char rows[sizeof(Rows)];
};

using fields = Fields;                                 // fields: c, f, d, both, plain, row, far, nested, pointer
using methods = Methods;                               // fields: c, m, d, many, g, pointer, plain
using of_item = Of<Item, double>;                      // fields: c, field, method, d
using holds_field = Holds<int Item::*>;                // fields: c, item
using holds_method = Holds<void (Item::*)(int)>;       // fields: c, item
using sizes = Sizes;                                   // fields: field, method, rows

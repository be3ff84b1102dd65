// A class with virtual functions starts with a pointer to its table; a virtual base lies at the end
// and each class that has one holds such a pointer too.
struct Shape {
    virtual float area() const;
    int id;
};

struct Circle : Shape {
    float area() const override;
    float radius;
};

struct Point {
    float x;
    float y;
};

struct Drawn : Point {
    virtual void draw();
    char colour;
};

struct Solid {
    virtual ~Solid();
};

struct Both : Shape, Solid {
    char c;
};

struct Node {
    int n;
};

struct LeftNode : virtual Node {
    int l;
};

struct RightNode : virtual Node {
    int r;
};

struct Diamond : LeftNode, RightNode {
    char d;
};

template <class T>
struct Operation {
    virtual T apply(T) const = 0;
    T value;
};

struct Holder {
    Circle circle;
    char after;
};

using shape = Shape;                                   // fields: id
using circle = Circle;                                 // fields: id, radius
using drawn = Drawn;                                   // fields: x, y, colour
using solid = Solid;
using both = Both;                                     // fields: id, c
using left_node = LeftNode;                            // fields: l
using diamond = Diamond;                               // fields: l, r, d
using operation_double = Operation<double>;            // fields: value
using operation_char = Operation<char>;                // fields: value
using holder = Holder;                                 // fields: circle, after

// Virtual functions are chosen by the object, others by the type of the expression.
struct Shape {
    constexpr virtual int area() const { return 1; }
    constexpr virtual int sides() const { return 0; }
    constexpr int plain() const { return 2; }
    constexpr int through() const { return area() * 10 + plain(); }
    constexpr virtual ~Shape() = default;
};
struct Square : Shape {
    constexpr int area() const override { return 3; }
    constexpr int sides() const final { return 4; }
    constexpr int plain() const { return 5; }
};
struct Cube : Square {
    constexpr int area() const override { return Square::area() + 6; }
};
struct Abstract {
    constexpr virtual int apply(int x) const = 0;
    constexpr int twice(int x) const { return apply(apply(x)); }
    constexpr virtual ~Abstract() = default;
};
struct AddThree : Abstract {
    constexpr int apply(int x) const override { return x + 3; }
};
constexpr int area_of(const Shape& s) { return s.area() * 10 + s.plain(); }
constexpr int by_value(Shape s) { return s.area(); }
constexpr int with_default(const Shape& s) { return s.sides(); }

constexpr int answer_own() { return Square().area() * 10 + Square().plain(); }
constexpr int answer_through_reference() { return area_of(Square()); }
constexpr int answer_through_pointer() { Cube c; const Shape* s = &c; return s->area() * 10 + s->plain(); }
constexpr int answer_base_method_calls_override() { return Cube().through(); }
constexpr int answer_sliced() { return by_value(Cube()); }
constexpr int answer_final() { Cube c; return with_default(c); }
constexpr int answer_pure() { AddThree a; const Abstract& b = a; return b.twice(1); }
constexpr int answer_qualified_call() { Cube c; return c.Shape::area(); }

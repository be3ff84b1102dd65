// Operators as members and as free functions, templated, and conversions.
struct Vec {
    int x, y;
    constexpr Vec operator+(const Vec& o) const { return {x + o.x, y + o.y}; }
    constexpr Vec operator-() const { return {-x, -y}; }
    constexpr Vec& operator+=(int s) { x += s; y += s; return *this; }
    constexpr int operator[](int i) const { return i == 0 ? x : y; }
    constexpr int operator()(int a, int b) const { return a * x + b * y; }
    constexpr Vec& operator++() { ++x; return *this; }
    constexpr Vec operator++(int) { Vec old = *this; x += 10; return old; }
    constexpr explicit operator bool() const { return x != 0; }
};
constexpr Vec operator*(int s, Vec v) { return {s * v.x, s * v.y}; }
constexpr Vec operator*(Vec v, int s) { return {v.x * s + 1, v.y * s + 1}; }
constexpr int operator*(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
constexpr bool operator==(Vec a, Vec b) { return a.x == b.x && a.y == b.y; }
constexpr bool operator<(Vec a, Vec b) { return a.x < b.x; }

template <class T>
struct Num { T v; };
template <class T>
constexpr Num<T> operator+(Num<T> a, Num<T> b) { return {static_cast<T>(a.v + b.v)}; }
template <class T, class U>
constexpr int operator+(Num<T>, U) { return -1; }
template <class T>
constexpr int operator<<(Num<T> a, int s) { return a.v * 100 + s; }

struct Matrix {
    int cell[2][3];
    constexpr int* operator[](int r) { return cell[r]; }
};
struct Arrow {
    Vec* v;
    constexpr Vec* operator->() const { return v; }
    constexpr Vec& operator*() const { return *v; }
};
struct Meters {
    int m;
    constexpr operator int() const { return m; }
};
enum class Flags : unsigned { A = 1, B = 2 };
constexpr Flags operator|(Flags a, Flags b) { return static_cast<Flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b)); }

constexpr int answer_plus() { Vec v = Vec{1, 2} + Vec{3, 4}; return 10 * v.x + v.y; }
constexpr int answer_minus() { return (-Vec{1, 2}).y; }
constexpr int answer_scale_left() { return (3 * Vec{1, 2}).y; }
constexpr int answer_scale_right() { return (Vec{1, 2} * 3).y; }
constexpr int answer_dot() { return Vec{1, 2} * Vec{3, 4}; }
constexpr int answer_compound() { Vec v{1, 2}; v += 5; return (v += 1).x; }
constexpr int answer_index() { return Vec{1, 2}[1]; }
constexpr int answer_call() { return Vec{1, 2}(10, 100); }
constexpr int answer_prefix() { Vec v{1, 2}; return (++v).x; }
constexpr int answer_postfix() { Vec v{1, 2}; int old = (v++).x; return 100 * old + v.x; }
constexpr int answer_bool() { return Vec{0, 1} ? 1 : 2; }
constexpr int answer_equal() { return (Vec{1, 2} == Vec{1, 2}) + 2 * (Vec{1, 2} < Vec{1, 3}); }
constexpr int answer_template_same() { return (Num<int>{1} + Num<int>{2}).v; }
constexpr int answer_template_other() { return Num<int>{1} + 2; }
constexpr int answer_template_mixed() { return Num<int>{1} + Num<long>{2}; }
constexpr int answer_shift() { return Num<int>{3} << 4; }
constexpr int answer_rows() { Matrix m{}; m[1][2] = 7; return m.cell[1][2] + m[0][0]; }
constexpr int answer_arrow() { Vec v{5, 6}; Arrow a{&v}; a->x = 8; return 10 * (*a).x + a->y; }
constexpr int answer_conversion() { return Meters{5} + 2; }
constexpr int answer_by_name() { return operator*(Vec{1, 1}, Vec{2, 3}) + Vec{1, 2}.operator[](0); }
constexpr int answer_enum_operator() { return static_cast<int>(Flags::A | Flags::B); }

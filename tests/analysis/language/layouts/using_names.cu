// Names that using-declarations, using-directives and namespace aliases make visible.
namespace narrow {
struct Cell {
    float value;
};
struct Marker {
    double d;
};
template <class T>
struct Pair {
    T a, b;
};
typedef float Real;
enum Level : char { low };
}  // namespace narrow

namespace wide {
struct Cell {
    double value;
};
template <class T>
struct Pair {
    T a, b, more;
};
typedef double Real;
enum Level : long { high };
namespace deep {
struct Cell {
    double value[2];
};
struct Grid {
    Cell cell;
};
}  // namespace deep
struct Around {
    Cell cell;
    deep::Cell deeper;
};
}  // namespace wide

struct Marker {};

namespace uses {
using wide::Cell;
struct Inside {
    char c;
    Cell cell;
};
namespace within {
struct Deeper {
    char c;
    Cell cell;
};
}  // namespace within
}  // namespace uses

namespace w = wide;
namespace wd = w::deep;

using wide::Pair;
using wide::Real;
using wide::Level;
using wide::deep::Grid;

struct Outside {
    char c;
    Pair<char> pair;
    Real real;
    char d;
    Level level;
    Marker marker;
};

struct ByAlias {
    char c;
    w::Cell cell;
    wd::Cell deeper;
    w::deep::Cell same;
    w::Pair<short> pair;
    narrow::Pair<short> other;
};

struct Holds {
    Grid grid;
    narrow::Real real;
};

namespace directed {
struct Only {
    double d;
};
}  // namespace directed
namespace undirected {
struct Shape {
    char c;
};
}  // namespace undirected
namespace visible {
struct Shape {
    double d;
};
}  // namespace visible
using namespace visible;

struct Directed {
    char c;
    Shape shape;
};

using inside = uses::Inside;                           // fields: c, cell
using deeper = uses::within::Deeper;                   // fields: c, cell
using qualified = uses::Cell;                          // fields: value
using outside = Outside;                               // fields: c, pair, real, d, level, marker
using by_alias = ByAlias;                              // fields: c, cell, deeper, same, pair, other
using holds = Holds;                                   // fields: grid, real
using around = wide::Around;                           // fields: cell, deeper
using directly = Directed;                             // fields: c, shape

// A derived class may put fields into the tail padding of its base, but only where the base is not
// "POD for the purpose of layout" (Itanium C++ ABI, 1.1 and 2.4): with private fields, a base of its
// own, a constructor or a virtual function.
struct Plain {
    double d;
    char c;
};

struct FromPlain : Plain {
    char e;
};

struct WithConstructor {
    WithConstructor() : d(0), c(0) {}
    double d;
    char c;
};

struct FromConstructor : WithConstructor {
    char e;
};

class Hidden {
public:
    double d;

private:
    char c;
};

struct FromHidden : Hidden {
    char e;
};

struct Empty {};

struct Inherits : Empty {
    double d;
    char c;
};

struct FromInherits : Inherits {
    char e;
    int f;
};

struct WithDefault {
    double d = 1.0;
    char c = 2;
};

struct FromDefault : WithDefault {
    char e;
};

struct WithDestructor {
    ~WithDestructor() {}
    int i;
    char c;
};

struct FromDestructor : WithDestructor {
    char e;
    short s;
};

struct HasMember {
    WithConstructor inner;
    char e;
};

struct DefaultedConstructor {
    DefaultedConstructor() = default;
    double d;
    char c;
};

struct FromDefaulted : DefaultedConstructor {
    char e;
};

struct WithCopy {
    WithCopy(const WithCopy& other) : d(other.d), c(other.c) {}
    double d;
    char c;
};

struct FromCopy : WithCopy {
    char e;
};

struct WithMethods {
    double d;
    char c;
    int get() const { return c; }
    static WithMethods make();
};

struct FromMethods : WithMethods {
    char e;
};

using from_plain = FromPlain;                          // fields: d, c, e
using from_constructor = FromConstructor;              // fields: d, c, e
using from_hidden = FromHidden;                        // fields: d, e
using from_inherits = FromInherits;                    // fields: d, c, e, f
using from_default = FromDefault;                      // fields: d, c, e
using from_destructor = FromDestructor;                // fields: i, c, e, s
using has_member = HasMember;                          // fields: inner, inner.c, e
using from_defaulted = FromDefaulted;                  // fields: d, c, e
using from_copy = FromCopy;                            // fields: d, c, e
using from_methods = FromMethods;                      // fields: d, c, e

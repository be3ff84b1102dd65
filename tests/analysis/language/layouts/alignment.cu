// alignas, __align__ and the aligned attribute, on classes and on fields.
struct alignas(16) OnClass {
    float x, y, z;
};

struct OnField {
    char c;
    alignas(16) float v[3];
    char d;
};

struct __align__(16) CudaAligned {
    float a;
    int b;
};

struct __align__(8) CudaSmall {
    char c;
};

struct Attribute {
    char c;
    int i __attribute__((aligned(16)));
    char d;
};

struct AttributeAfter {
    char c;
    short s;
} __attribute__((aligned(32)));

struct __attribute__((aligned(4))) AttributeBefore {
    char c;
};

struct alignas(double) ByType {
    char c[9];
};

struct Weaker {
    __align__(2) double d;
    char c;
};

struct HoldsAligned {
    char c;
    OnClass inner;
    char d;
};

struct FromAligned : OnClass {
    char e;
};

template <class T, int N>
struct alignas(sizeof(T) * N) AlignedVector {
    T val[N];
};

template <class T, int ALIGN = 2 * sizeof(T)>
struct __align__(ALIGN) Complex {
    T re, im;
};

struct Several {
    alignas(8) alignas(32) char c;
    int i;
};

typedef float aligned_float __attribute__((aligned(16)));

struct ByTypedef {
    char c;
    aligned_float f;
};

struct ArrayOfAligned {
    char c;
    CudaSmall items[3];
};

using on_class = OnClass;                              // fields: x, z
using on_field = OnField;                              // fields: c, v, d
using cuda_aligned = CudaAligned;                      // fields: a, b
using cuda_small = CudaSmall;                          // fields: c
using attribute = Attribute;                           // fields: c, i, d
using attribute_after = AttributeAfter;                // fields: c, s
using attribute_before = AttributeBefore;              // fields: c
using by_type = ByType;                                // fields: c
using weaker = Weaker;                                 // fields: d, c
using holds_aligned = HoldsAligned;                    // fields: c, inner, d
using from_aligned = FromAligned;                      // fields: x, z, e
using aligned_vector_4 = AlignedVector<float, 4>;      // fields: val
using aligned_vector_8 = AlignedVector<short, 8>;      // fields: val
using complex_double = Complex<double>;                // fields: re, im
using complex_given = Complex<float, 32>;              // fields: re, im
using several = Several;                               // fields: c, i
using by_typedef = ByTypedef;                          // fields: c, f
using array_of_aligned = ArrayOfAligned;               // fields: c, items

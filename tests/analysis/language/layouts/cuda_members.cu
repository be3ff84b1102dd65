// CUDA's own types as members: vectors of three are aligned as their elements, of two and four as
// the whole, up to 16 bytes.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

struct Particle {
    float3 position;
    float mass;
    float3 velocity;
    char kind;
};

struct Vectors {
    char c;
    float4 f4;
    char d;
    double2 d2;
    char e;
    double3 d3;
    char f;
    uchar3 u3;
    short2 s2;
    longlong2 l2;
};

struct Vectors4 {
    char c;
    double4_16a a;
    char d;
    double4_32a b;
};

struct Halves {
    char c;
    __half h;
    char d;
    __half2 h2;
    char e;
    half many[3];
    __nv_bfloat16 b;
    __nv_bfloat162 b2;
};

struct Eights {
    char c;
    __nv_fp8_e4m3 one;
    __nv_fp8x2_e5m2 two;
    char d;
    __nv_fp8x4_e4m3 four;
};

struct Complexes {
    char c;
    cuFloatComplex a;
    char d;
    cuDoubleComplex b;
};

struct Launch {
    dim3 grid;
    dim3 block;
    size_t shared;
    cudaStream_t stream;
    cudaTextureObject_t texture;
    char c;
};

template <class T, class T4>
struct Tile {
    T single;
    T4 quad[2];
    int3 at;
};

template <class T>
struct VectorOf;

template <>
struct VectorOf<float> {
    typedef float4 type;
};

template <>
struct VectorOf<__half> {
    typedef __half2 type;
};

template <class T>
struct UsesVectorOf {
    T one;
    typename VectorOf<T>::type lanes;
};

using particle = Particle;                             // fields: position, mass, velocity, velocity.z, kind
using vectors = Vectors;                               // fields: c, f4, d, d2, e, d3, f, u3, s2, l2
using vectors4 = Vectors4;                             // fields: c, a, d, b
using halves = Halves;                                 // fields: c, h, d, h2, e, many, b, b2
using eights = Eights;                                 // fields: c, one, two, d, four
using complexes = Complexes;                           // fields: c, a, d, b, b.y
using launch = Launch;                                 // fields: grid, block, block.z, shared, stream, texture, c
using tile_double = Tile<double, double2>;             // fields: single, quad, at
using tile_char = Tile<char, char4>;                   // fields: single, quad, at
using vector_of_float = UsesVectorOf<float>;           // fields: one, lanes
using vector_of_half = UsesVectorOf<__half>;           // fields: one, lanes

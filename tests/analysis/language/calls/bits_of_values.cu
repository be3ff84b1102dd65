// The bits of one type read as another: unions, memcpy, pointer casts, and CUDA's functions for it.
#include <cstring>
#define BOTH __host__ __device__ inline
union Word { float f; unsigned u; unsigned char b[4]; };
struct Fields { unsigned mantissa : 23; unsigned exponent : 8; unsigned sign : 1; };
union Parts { float f; Fields p; };
struct Narrow { signed a : 3; unsigned b : 3; };
BOTH unsigned bits_of(float f) { unsigned u; memcpy(&u, &f, sizeof u); return u; }
BOTH float inverse_root(float x) { Word w; w.f = x; w.u = 0x5f3759dfu - (w.u >> 1); return w.f * (1.5f - 0.5f * x * w.f * w.f); }

BOTH int answer_union() { Word w; w.f = 1.0f; return static_cast<int>(w.u >> 23); }
BOTH int answer_byte_order() { Word w; w.u = 0x11223344u; return w.b[0]; }
BOTH int answer_copied_bits() { return static_cast<int>(bits_of(-2.0f) >> 28); }
BOTH int answer_exponent() { Parts p; p.f = 8.0f; return p.p.exponent - 127; }
BOTH int answer_bit_field_wraps() { Narrow n; n.b = 13; return n.b; }
BOTH int answer_signed_bit_field() { Narrow n; n.a = 5; return n.a; }
BOTH int answer_long_bits() { double d = 1.0; long long l; memcpy(&l, &d, 8); return static_cast<int>(l >> 52); }
BOTH int answer_inverse_root() { return static_cast<int>(inverse_root(0.25f) * 100); }
BOTH int answer_packed() { unsigned p = (3u << 16) | 7u; unsigned short h[2]; memcpy(h, &p, 4); return h[1] * 10 + h[0]; }

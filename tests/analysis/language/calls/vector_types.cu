// CUDA's vector types: constructors, components, dim3's defaults, operators written for them.
#define BOTH __host__ __device__ inline

BOTH float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
BOTH float3 operator*(float s, const float3& v) { return make_float3(s * v.x, s * v.y, s * v.z); }
BOTH float3 operator*(const float3& v, float s) { return make_float3(v.x * s + 1, 0, 0); }
BOTH void operator+=(int2& a, int2 b) { a.x += b.x; a.y += b.y; }
BOTH float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BOTH float dot(float4 a, float4 b) { return -(a.w * b.w); }
BOTH int volume(dim3 d) { return d.x * d.y * d.z; }
BOTH int f(uint3) { return 1; }
BOTH int f(int3) { return 2; }
BOTH int f(float3) { return 3; }
template <class T>
struct Lanes { static constexpr int count = 1; };
template <>
struct Lanes<float4> { static constexpr int count = 4; };
template <>
struct Lanes<double2> { static constexpr int count = 2; };
template <class T>
BOTH int first(T v) { return static_cast<int>(v.x); }

BOTH int answer_components() { int4 v = make_int4(1, 2, 3, 4); return v.x * 1000 + v.y * 100 + v.z * 10 + v.w; }
BOTH int answer_braces() { int2 v = {5, 6}; return v.x * 10 + v.y; }
BOTH int answer_written() { uchar4 v = make_uchar4(1, 2, 3, 4); v.z = static_cast<unsigned char>(300); return v.z; }
BOTH int answer_dim3_defaults() { dim3 d(7); return d.x * 100 + d.y * 10 + d.z; }
BOTH int answer_dim3_nothing_given() { dim3 d; return d.x * 100 + d.y * 10 + d.z; }
BOTH int answer_dim3_from_number() { return volume(16); }
BOTH int answer_dim3_three() { return volume(dim3(2, 3, 4)); }
BOTH int answer_plus() { return static_cast<int>((make_float3(1, 2, 3) + make_float3(10, 20, 30)).z); }
BOTH int answer_scaled_left() { return static_cast<int>((2.0f * make_float3(1, 2, 3)).y); }
BOTH int answer_scaled_right() { return static_cast<int>((make_float3(1, 2, 3) * 2.0f).x); }
BOTH int answer_compound() { int2 a = make_int2(1, 2); a += make_int2(3, 4); return a.x * 10 + a.y; }
BOTH int answer_dot() { return static_cast<int>(dot(make_float3(1, 2, 3), make_float3(4, 5, 6))); }
BOTH int answer_dot_of_four() { return static_cast<int>(dot(make_float4(1, 2, 3, 4), make_float4(1, 2, 3, 5))); }
BOTH int answer_overload() { return f(make_uint3(0, 0, 0)) * 100 + f(make_int3(0, 0, 0)) * 10 + f(make_float3(0, 0, 0)); }
BOTH int answer_lanes() { return Lanes<float4>::count * 100 + Lanes<double2>::count * 10 + Lanes<float2>::count; }
BOTH int answer_template() { return first(make_double2(3.5, 1)) * 10 + first(make_char1('\2')); }
BOTH int answer_truncated() { int2 v = make_int2(3.9, -3.9); return v.x * 10 + v.y; }
BOTH int answer_unsigned_difference() { uint3 v = make_uint3(1, 2, 3); return v.x - v.z < 0; }
BOTH int answer_viewed_as_array() { float4 v = make_float4(1, 2, 3, 4); const float* p = &v.x; return static_cast<int>(p[2]); }

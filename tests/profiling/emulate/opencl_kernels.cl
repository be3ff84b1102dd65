// Kernels whose counts and results are computed by hand; the names behind @ are those of lines.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Each thread: three additions and a multiply-add in single, one multiplication in double precision.
__kernel void arithmetic(__global float *single_, __global double *double_, int n) {
  int i = get_global_id(0);
  if (i < n) {
    float x = single_[i];  // @load
    float y = (x + 1.0f) * (x + 2.0f);
    single_[i] = mad(x, x, y + 3.0f);  // @store
    double_[i] = double_[i] * 1.5;
  }
}

__kernel void offsets(__global int *out, int first) {
  int i = get_global_id(0);
  out[i] = (int)(get_global_offset(0) * 1000 + get_group_id(0) * 100 + get_local_id(0)) + first;
}

__kernel void shape(__global int *out) {
  size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;
  out[at] = (int)(get_num_groups(0) * 10000 + get_num_groups(1) * 1000 + get_num_groups(2) * 100 +
                  get_work_dim() * 10 + get_local_size(1));
}

// A sum by a tree over local memory that the host sizes, beside memory of the kernel's own.
__kernel void sum(__global const int *in, __global int *out, __local int *held, __local int *other) {
  __local int own[4];
  int t = get_local_id(0);
  if (t < 4) own[t] = t;
  held[t] = in[get_global_id(0)];  // @fill
  other[t] = 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (t < step) held[t] += held[t + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = held[0] + own[3] + other[63];
}

__kernel void conflicts(__local int *held, __global int *out) {
  int t = get_local_id(0);
  held[t * 32] = t;  // @column
  barrier(CLK_LOCAL_MEM_FENCE);
  out[t] = held[(31 - t) * 32];  // @read
}

__constant float table[4] = {1.0f, 10.0f, 100.0f, 1000.0f};
__kernel void constants(__constant float *first, __constant float *second, __global float *out) {
  int i = get_global_id(0);
  out[i] = first[i & 7] + second[i & 3] + table[i & 3];
}

__kernel void atomics(__global int *counters, __local int *held) {
  if (get_local_id(0) == 0) *held = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int before = atomic_inc(held);
  atomic_add(&counters[0], 2);
  atomic_max(&counters[1], before);
  atomic_or(&counters[2], 1 << (get_global_id(0) & 7));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_sub(&counters[3], *held);
  atomic_cmpxchg(&counters[4], (int)get_global_id(0), (int)get_global_id(0) + 1);
}

// One 16-byte load and store of each thread, and four additions.
__kernel void vectors(__global const float4 *in, __global float4 *out) {
  int i = get_global_id(0);
  out[i] = in[i] + (float4)(1.0f, 2.0f, 3.0f, 4.0f);  // @wide
}

__kernel void functions(__global const float *in, __global float *out) {
  float8 r;
  float4 a = vload4(0, in), b = vload4(1, in);
  float whole;
  r.s0 = dot(a, b);
  r.s1 = length((float2)(3.0f, 4.0f));
  r.s2 = clamp(a.x * 100.0f, 0.0f, 5.0f) + mix(1.0f, 3.0f, 0.5f) + fract(2.25f, &whole) + whole;
  r.s3 = convert_int_sat_rte(2.5f) + convert_uchar_sat(300.0f) + convert_char_sat(-1000);
  int4 chosen = select((int4)(1), (int4)(2), a < b);
  r.s4 = chosen.x + chosen.w + any(a < b) + all(a < b);
  r.s5 = as_float(as_int(a.x)) + native_sqrt(16.0f) + fmax(a.y, b.y);
  r.s6 = mul24(6, 7) + clz(1) + popcount(255) + rotate(1u, 33u) + abs_diff(-3, 4) + hadd(3, 4) + mad_sat(1 << 30, 4, 0) / (1 << 24);
  r.s7 = cross(a, b).z + smoothstep(0.0f, 1.0f, 0.5f) + sign(-2.0f);
  vstore8(r, 0, out);
  out[8] = isnan(in[0]) + isgreater(b.x, a.x) * 2;
  double d = sin(0.5) * sin(0.5) + cos(0.5) * cos(0.5);
  out[9] = (float)d;
  out[10] = pow(2.0f, 10.0f) + exp2(3.0f) + log2(8.0f) + rsqrt(4.0f) + cbrt(27.0f);
  uchar4 bytes = (uchar4)(1, 2, 3, 4);
  out[11] = as_uint(bytes) == 0x04030201u;
  out[12] = shuffle(a, (uint4)(3, 2, 1, 0)).x;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void demanding(__global int *out) {
  out[get_global_id(0)] = get_local_size(0);
}

__kernel void pictures(__read_only image2d_t image, sampler_t given, __global float *out, int width) {
  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  int x = get_global_id(0), y = get_global_id(1);
  float4 here = read_imagef(image, nearest, (int2)(x, y));
  float4 beyond = read_imagef(image, given, (float2)(x + 1.0f, y + 0.5f));
  out[y * width + x] = here.x + 1000.0f * beyond.x;
}

__kernel void outside(__global int *out, int n) {
  int i = get_global_id(0);
  out[i + n] = i;  // @beyond
}

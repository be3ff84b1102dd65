// A blur, a reduction and a matrix product, as an OpenCL program file has them.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifndef RADIUS
#define RADIUS 3
#endif
#define INDEX(x, y) ((y) * width + (x))

typedef struct {
  float4 colour;
  int count;
} Sample;

constant float weights[RADIUS + 1] = {0.4f, 0.2f, 0.075f, 0.025f};

inline float4 mixed(float4 a, float4 b, float part) {
  return a * (1.0f - part) + b * part;
}

__kernel void blur(__global const float4 *in, __global float4 *out, int width, int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = in[INDEX(x, y)] * weights[0];
  for (int r = 1; r <= RADIUS; ++r) {
    sum += (in[INDEX(max(x - r, 0), y)] + in[INDEX(min(x + r, width - 1), y)]) * weights[r];
  }
  out[INDEX(x, y)] = sum;
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void total(global const float *in, global float *out, local float *partial, uint n) {
  uint id = get_local_id(0);
  float sum = 0.0f;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    sum += in[i];
  }
  partial[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = get_local_size(0) / 2; step > 0; step >>= 1) {
    if (id < step) partial[id] += partial[id + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (id == 0) out[get_group_id(0)] = partial[0];
}

__kernel void product(__global const double *a, __global const double *b, __global double *c,
                      const int n) {
  int row = get_global_id(1), column = get_global_id(0);
  double sum = 0.0;
  for (int k = 0; k < n; k++) {
    sum = fma(a[row * n + k], b[k * n + column], sum);
  }
  c[row * n + column] = sum;
}

/* Averages of samples; what has no count stays as it is. */
__kernel void average(__global Sample *samples, float part) {
  size_t i = get_global_id(0);
  __global Sample *one = &samples[i];
  switch (one->count) {
    case 0:
      break;
    case 1: {
      one->colour.w = 1.0f;
      break;
    }
    default:
      one->colour = mixed(one->colour, (float4)(one->colour.xyz / one->count, 1.0f), part);
  }
}

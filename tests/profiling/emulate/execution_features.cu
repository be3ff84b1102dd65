// Kernels whose counts are computed by hand in test_execution.py, which finds lines by the names in the
// comments that begin with an at sign. The host checks results and prints a line for each: name=1.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

static void say(const char *name, bool good) { std::printf("%s=%d\n", name, int(good)), std::fflush(stdout); }

static void check(const char *name) {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("%s: %s\n", name, cudaGetErrorString(error)), std::fflush(stdout);
}

template <typename T>
struct Held {  // managed memory
  T *at = nullptr;
  explicit Held(size_t count) { cudaMallocManaged(&at, count * sizeof(T)), cudaMemset(at, 0, count * sizeof(T)); }
  ~Held() { cudaFree(at); }
  T &operator[](size_t n) { return at[n]; }
};

__global__ void arithmetic(float *x, double *d, __half2 *h, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = __fmul_rn(__fadd_rn(x[i], 1.5f), 0.75f);
  if (i & 1) a = __fadd_rn(a, 2.0f);
#pragma unroll 1
  for (int k = 0; k < i % 5; k++) a = __fmaf_rn(a, 0.5f, 0.25f);
  x[i] = a;
  double b = __dmul_rn(__dadd_rn(d[i], 1.0), 3.0);
#pragma unroll 1
  for (int k = 0; k < i % 3; k++) b = __fma_rn(b, 0.5, 1.0);
  d[i] = b;
  h[i] = __hfma2(__hmul2_rn(h[i], h[i]), h[i], __hadd2_rn(h[i], h[i]));
}

static void run_arithmetic() {
  const int n = 250;
  Held<float> x(n);
  Held<double> d(n);
  Held<__half2> h(n);
  for (int i = 0; i < n; i++) x[i] = i * 0.5f, d[i] = i * 0.25, h[i] = __floats2half2_rn(2.0f, 0.5f);
  arithmetic<<<4, 64>>>(x.at, d.at, h.at, n);
  check("arithmetic");
  bool single = true, twice = true, half = true;
  for (int i = 0; i < n; i++) {
    float a = (i * 0.5f + 1.5f) * 0.75f + (i & 1 ? 2.0f : 0.0f);
    for (int k = 0; k < i % 5; k++) a = std::fma(a, 0.5f, 0.25f);
    double b = (i * 0.25 + 1) * 3;
    for (int k = 0; k < i % 3; k++) b = b * 0.5 + 1;
    single &= x[i] == a, twice &= d[i] == b;
    half &= __low2float(h[i]) == 12 && __high2float(h[i]) == 1.125f;
  }
  say("single", single), say("double", twice), say("half", half);
}

__global__ void access(float *p, const float *q, int zero) {  // one block of 64
  const int t = threadIdx.x;
  float sum = zero;
  sum += q[t];                                  // @contiguous
  sum += q[2 * t];                              // @stride2
  sum += q[32 * t];                             // @stride32
  sum += q[t + 1];                              // @misaligned
  sum += q[t >> 5];                             // @broadcast
  sum += reinterpret_cast<const double *>(q)[t + 64];    // @wide8
  const float4 four = reinterpret_cast<const float4 *>(q)[t + 64];  // @wide16
  sum += four.x + four.y + four.z + four.w;
  sum += reinterpret_cast<const unsigned char *>(q)[t];  // @bytes
  if (t < 8) sum += q[t + 128];                 // @few
  if (t & 1) sum += q[t + 256];                 // @odd
  p[t] = sum;                                   // @store
  p[64 + 8 * t] = sum;                          // @store8
}

static void run_access() {
  Held<float> p(1024), q(64 * 32);
  access<<<1, 64>>>(p.at, q.at, 0);
  check("access");
  say("access", p[3] == 0);
}

__global__ void banks(float *out, int one, int two, int all, int odd) {  // one warp
  __shared__ float s[33 * 32];
  __shared__ double d[32];
  __shared__ float4 f[32];
  const int t = threadIdx.x;
  for (int n = t; n < 33 * 32; n += 32) s[n] = n;  // @fill
  d[t] = t;                                     // @store8
  f[t] = make_float4(t, t, t, t);               // @store16
  __syncwarp();
  float sum = s[t * one];                       // @stride1
  sum += s[t * two];                            // @stride2
  sum += s[t * all];                            // @stride32
  sum += s[t * odd];                            // @stride33
  sum += s[one];                                // @broadcast
  sum += s[(t & 15) * one];                     // @twice
  sum += float(d[t * one]);                     // @wide8
  const float4 four = f[t * one];               // @wide16
  out[t] = sum + four.x + four.y + four.z + four.w;
}

static void run_banks() {
  Held<float> out(32);
  banks<<<1, 32>>>(out.at, 1, 2, 32, 33);
  check("banks");
  bool good = true;
  for (int t = 0; t < 32; t++) good &= out[t] == t * 68 + 1 + (t & 15) + t + 4 * t;
  say("banks", good);
}

__global__ void own(int *out, const int *at, int count) {  // local memory; two warps
  int held[24];
#pragma unroll 1
  for (int n = 0; n < count; n++) held[n] = n * n;  // @keep
  int sum = 0;
#pragma unroll 1
  for (int n = 0; n < 3; n++) sum += held[(at[n] + int(threadIdx.x)) % count];  // @recall
  out[threadIdx.x] = sum;
}

static void run_own() {
  Held<int> out(64), at(3);
  at[0] = 0, at[1] = 5, at[2] = 11;
  own<<<1, 64>>>(out.at, at.at, 16);
  check("own");
  bool good = true;
  for (int t = 0; t < 64; t++) {
    int sum = 0;
    for (int n = 0; n < 3; n++) sum += (at[n] + t) % 16 * ((at[n] + t) % 16);
    good &= out[t] == sum;
  }
  say("local", good);
}

struct Totals {
  int add, most, inc, dec, swaps, order;
  float single;
  double twice;
  unsigned long long wide, least;
  __half2 pair;
  __nv_bfloat162 brain;
  __half half;
};

__global__ void atomics(Totals *g, int *bins, double *seen) {  // two blocks of 64
  __shared__ int counts[8];
  __shared__ float single;
  __shared__ double twice;
  __shared__ unsigned long long wide;
  __shared__ int most;
  const int t = threadIdx.x;
  if (t < 8) counts[t] = 0;
  if (t == 0) single = 0, twice = 0, wide = 0, most = -5;
  __syncthreads();
  atomicAdd(&counts[t % 8], 1);
  atomicAdd(&counts[(t + 1) % 8], t);
  atomicAdd(&single, 0.5f);
  atomicAdd(&twice, 0.25);
  atomicAdd(&wide, 1ull << 33);
  atomicMax(&most, t - 20);
  __syncthreads();
  if (t < 8) atomicAdd(&bins[t], counts[t]);
  if (t == 0) seen[blockIdx.x] = single + twice + double(wide >> 33) + most;
  atomicAdd(&g->add, 3);
  atomicMax(&g->most, t * 2);
  atomicInc(reinterpret_cast<unsigned *>(&g->inc), 6);
  atomicDec(reinterpret_cast<unsigned *>(&g->dec), 6);
  atomicAdd(&g->single, 0.5f);
  atomicAdd(&g->twice, 0.25);
  atomicAdd(&g->wide, 5ull);
  atomicMin(&g->least, 1000ull - t);
  atomicAdd(&g->pair, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(&g->brain, __floats2bfloat162_rn(1.0f, 0.5f));
  atomicAdd(&g->half, __float2half(1.0f));
  int old = g->swaps;
  while (true) {
    const int found = atomicCAS(&g->swaps, old, old + t);
    if (found == old) break;
    old = found;
  }
  atomicOr(&bins[8 + atomicAdd(&g->order, 1) / 32], 1 << (t & 31));
}

static void run_atomics() {
  Held<Totals> g(1);
  Held<int> bins(16);
  Held<double> seen(2);
  g[0].least = ~0ull;
  atomics<<<2, 64>>>(g.at, bins.at, seen.at);
  check("atomics");
  bool shared = true;
  for (int n = 0; n < 8; n++) {
    int wanted = 2 * 8;
    for (int t = 0; t < 64; t++) wanted += (t + 1) % 8 == n ? 2 * t : 0;
    shared &= bins[n] == wanted;
  }
  say("atomics.shared", shared && seen[0] == 32 + 16 + 64 + 43 && seen[1] == seen[0]);
  say("atomics.integer", g[0].add == 384 && g[0].most == 126 && g[0].inc == 128 % 7 && g[0].wide == 640 &&
                             g[0].least == 937);
  int dec = 0;
  for (int n = 0; n < 128; n++) dec = dec == 0 || dec > 6 ? 6 : dec - 1;
  say("atomics.dec", g[0].dec == dec);
  say("atomics.real", g[0].single == 64 && g[0].twice == 32);
  say("atomics.half", __low2float(g[0].pair) == 128 && __high2float(g[0].pair) == 256 && __half2float(g[0].half) == 128);
  say("atomics.brain", __low2float(g[0].brain) == 128 && __high2float(g[0].brain) == 64);
  say("atomics.swap", g[0].swaps == 2 * 63 * 32);
  int order = 0;
  for (int n = 8; n < 12; n++) order += __builtin_popcount(unsigned(bins[n]));
  say("atomics.order", g[0].order == 128 && order == 128);
}

__global__ void warps(int *out, const int *in) {  // a block of 48: the second warp has 16 lanes
  const int t = threadIdx.x, lane = t & 31;
  const unsigned mask = __activemask();
  out[t] = __shfl_sync(mask, t * 10, (lane * 5) & 15);
  out[48 + t] = __shfl_up_sync(mask, t, 3, 8);
  out[96 + t] = __shfl_xor_sync(mask, t, 5, 16);
  out[144 + t] = int(__ballot_sync(mask, in[t] > 3));
  out[192 + t] = int(__match_any_sync(mask, in[t]));
  const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  out[240 + t] = int(tile.ballot(in[t] > 3));
  out[288 + t] = cg::reduce(tile, t, cg::plus<int>());
  int sum = 0;
  if (lane < 12) {  // lanes that have gone another way
    sum = __reduce_add_sync(0xfff, t) + __all_sync(0xfff, t >= 0) * 1000 + int(__ballot_sync(0xfff, lane & 1));
  } else if (lane < 16) {
    sum = __shfl_down_sync(0xf000, t, 1, 4);
  }
  out[336 + t] = sum;
  const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;  // each half of the warp by its own mask
  out[384 + t] = __shfl_sync(half, t, 2, 16) + int(__ballot_sync(half, lane % 3 == 0));
  const cg::coalesced_group odd = cg::coalesced_threads();
  if (lane & 1) {
    const cg::coalesced_group some = cg::coalesced_threads();
    sum = int(some.size()) * 100 + int(some.thread_rank());
  }
  out[432 + t] = sum + int(odd.size());
}

static void run_warps() {
  Held<int> out(480), in(48);
  for (int t = 0; t < 48; t++) in[t] = t * 7 % 6;
  warps<<<1, 48>>>(out.at, in.at);
  check("warps");
  bool shuffles = true, votes = true, tiles = true, apart = true, halves = true, joined = true;
  for (int t = 0; t < 48; t++) {
    const int lane = t & 31, base = t - lane, count = base ? 16 : 32;
    shuffles &= out[t] == (base + ((lane * 5) & 15)) * 10;
    shuffles &= out[48 + t] == (t % 8 >= 3 ? t - 3 : t) && out[96 + t] == (t ^ 5);
    unsigned ballot = 0, alike = 0, third = 0;
    for (int n = 0; n < count; n++) {
      ballot |= unsigned(in[base + n] > 3) << n;
      alike |= unsigned(in[base + n] == in[t]) << n;
      third |= unsigned(n % 3 == 0) << n;
    }
    votes &= unsigned(out[144 + t]) == ballot && unsigned(out[192 + t]) == alike;
    const int first = t & ~7;
    tiles &= unsigned(out[240 + t]) == (ballot >> (lane & ~7) & 0xff) && out[288 + t] == first * 8 + 28;
    if (lane < 12) apart &= out[336 + t] == base * 12 + 66 + 1000 + 0xaaa;
    else if (lane < 16) apart &= out[336 + t] == (lane == 15 ? t : t + 1);
    const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    halves &= out[384 + t] == base + (lane & 16) + 2 + int(third & half);
    const int before = lane < 16 ? out[336 + t] : 0;
    joined &= out[432 + t] == count + (lane & 1 ? count / 2 * 100 + lane / 2 : before);
  }
  say("shuffles", shuffles), say("votes", votes), say("tiles", tiles), say("apart", apart);
  say("halves", halves), say("joined", joined);
}

__global__ void barriers(int *out) {  // one block of 128
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = t;
  const int count = __syncthreads_count(t % 3 == 0), every = __syncthreads_and(t >= 0), any = __syncthreads_or(t == 77);
  out[t] = s[127 - t] + 1000 * count + every * 2 + any;
  const int none = __syncthreads_or(t > 500) + __syncthreads_and(t != 5);
  if (t < 64) {
    s[t] = t + 1;
    asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
    out[128 + t] = s[63 - t];
    asm volatile("barrier.cta.arrive 2, 128;" ::: "memory");
  } else {
    asm volatile("barrier.cta.sync 2, 128;" ::: "memory");
    out[128 + t] = s[t - 64] + none;
  }
  if (t >= 96) return;  // the others' barriers do not wait for threads that have ended
  __syncthreads();
  out[256 + t] = out[128 + 95 - t];
}

static void run_barriers() {
  Held<int> out(512);
  barriers<<<1, 128>>>(out.at);
  check("barriers");
  bool reduced = true, named = true, ended = true;
  for (int t = 0; t < 128; t++) {
    reduced &= out[t] == 127 - t + 43000 + 3;
    named &= out[128 + t] == (t < 64 ? 64 - t : t - 63);
    if (t < 96) ended &= out[256 + t] == out[128 + 95 - t];
  }
  say("barriers.reducing", reduced), say("barriers.named", named), say("barriers.ended", ended);
}

__global__ void whole_grid(int *out, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int n = int(grid.size()), i = int(grid.thread_rank());
  for (int k = 0; k < rounds; k++) {
    const int other = out[(k & 1) * n + (i + 33) % n];
    grid.sync();
    out[(~k & 1) * n + i] = other + 1;
    grid.sync();
  }
}

static void run_whole_grid() {
  Held<int> out(2 * 160);
  int rounds = 4, *at = out.at;
  for (int n = 0; n < 320; n++) out[n] = n;
  void *arguments[] = {&at, &rounds};
  cudaLaunchCooperativeKernel((const void *)whole_grid, dim3(5), dim3(32), arguments, 0, nullptr);
  check("grid");
  bool good = true;
  for (int i = 0; i < 160; i++) good &= out[i] == (i + 4 * 33) % 160 + 4;
  say("grid.sync", good);
}

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int n) : side(n) {}
  __device__ int area() const override { return side * side; }
};
struct Strip : Shape {
  int length;
  __device__ explicit Strip(int n) : length(n) {}
  __device__ int area() const override { return length; }
};
__device__ __noinline__ int add_one(int n) { return n + 1; }
__device__ __noinline__ int twice_of(int n) { return n * 2; }
using Function = int (*)(int);
__device__ Function table[2] = {add_one, twice_of};
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
template <int N>
__device__ int sum_of(const int *at) {
  int sum = 0;
  for (int n = 0; n < N; n++) sum += at[n];
  return sum;
}
__constant__ int offsets[4] = {10, 20, 30, 40};
__device__ int global_sum;

__global__ void language(int *out) {
  extern __shared__ int dynamic[];
  const int t = threadIdx.x;
  Shape *shape = t % 2 ? static_cast<Shape *>(new Square(t)) : static_cast<Shape *>(new Strip(t));
  assert(shape != nullptr);
  dynamic[t] = shape->area() + table[t % 2](t) * 1000;
  delete shape;
  int *own = static_cast<int *>(malloc(16 * sizeof(int)));
  for (int n = 0; n < 16; n++) own[n] = n + offsets[(t + n) % 4];
  out[32 + t] = sum_of<16>(own) + fibonacci(t % 8);
  free(own);
  __syncthreads();
  out[t] = dynamic[31 - t];
  atomicAdd(&global_sum, t);
  if (t == 5) printf("thread %d says %s %.2f %lld %c\n", t, "hello", 2.5, 1ll << 40, 'x');
}

static void run_language() {
  Held<int> out(64);
  const int changed[2] = {11, 21};
  cudaMemcpyToSymbol(offsets, changed, sizeof changed);
  language<<<1, 32, 32 * sizeof(int)>>>(out.at);
  check("language");
  bool shapes = true, heap = true;
  const int fib[8] = {0, 1, 1, 2, 3, 5, 8, 13};
  for (int t = 0; t < 32; t++) {
    const int n = 31 - t;
    shapes &= out[t] == (n % 2 ? n * n + 2000 * n : n + 1000 * (n + 1));
    heap &= out[32 + t] == 120 + 4 * (11 + 21 + 30 + 40) + fib[t % 8];
  }
  int sum = 0;
  cudaMemcpyFromSymbol(&sum, global_sum, sizeof sum);
  say("functions", shapes), say("heap", heap), say("symbols", sum == 496);
}

__global__ void textures(float *out, cudaTextureObject_t line, cudaTextureObject_t plane, cudaSurfaceObject_t surface) {
  const int t = threadIdx.x;
  out[t] = tex1Dfetch<float>(line, t);
  out[32 + t] = tex2D<float>(plane, t % 8 + 1.0f, t / 8 + 0.5f);
  float held;
  surf2Dread(&held, surface, (t % 8) * 4, t / 8);
  surf2Dwrite(held + 100, surface, (t % 8) * 4, t / 8);
  out[64 + t] = held;
}

static void run_textures() {
  Held<float> out(96), line(32);
  float plane[32], back[32];
  for (int n = 0; n < 32; n++) line[n] = n * 3.0f, plane[n] = n * 2.0f;
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = line.at;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 32 * sizeof(float);
  cudaTextureObject_t texture = 0, second = 0;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(array, 0, 0, plane, 32, 32, 4, cudaMemcpyHostToDevice);
  resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  how.filterMode = cudaFilterModeLinear;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaCreateTextureObject(&second, &resource, &how, nullptr);
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  textures<<<1, 32>>>(out.at, texture, second, surface);
  check("textures");
  cudaMemcpy2DFromArray(back, 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
  bool fetched = true, filtered = true, stored = true;
  for (int t = 0; t < 32; t++) {
    fetched &= out[t] == t * 3.0f;
    filtered &= out[32 + t] == (t % 8 == 7 ? plane[t] : plane[t] + 1.0f);
    stored &= out[64 + t] == plane[t] && back[t] == plane[t] + 100;
  }
  say("texture.fetch", fetched), say("texture.linear", filtered), say("surface", stored);
}

__global__ void tensors(float *out, const __half *a, const __half *b, unsigned *rows) {  // one warp
  using namespace nvcuda;
  __shared__ alignas(16) __half s[16 * 16];
  cg::memcpy_async(cg::this_thread_block(), s, a, sizeof s);
  cg::wait(cg::this_thread_block());
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 1.0f);
  wmma::load_matrix_sync(left, s, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
  const int t = threadIdx.x;
  const unsigned at = unsigned(__cvta_generic_to_shared(&s[(t % 16) * 16 + t / 16 * 8]));
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  for (int n = 0; n < 4; n++) rows[n * 32 + t] = r[n];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at));
  rows[128 + t] = r[0];
}

static void run_tensors() {
  Held<float> out(256);
  Held<__half> a(256), b(256);
  Held<unsigned> rows(160);
  for (int n = 0; n < 256; n++) a[n] = __float2half(float(n % 7) - 3), b[n] = __float2half(float(n % 5) - 2);
  tensors<<<1, 32>>>(out.at, a.at, b.at, rows.at);
  check("tensors");
  bool product = true, loaded = true;
  for (int r = 0; r < 16; r++)
    for (int c = 0; c < 16; c++) {
      float sum = 1;
      for (int k = 0; k < 16; k++) sum += (float((r * 16 + k) % 7) - 3) * (float((c * 16 + k) % 5) - 2);
      product &= out[r * 16 + c] == sum;
    }
  const auto bits = [&](int r, int c) { return unsigned(reinterpret_cast<unsigned short &>(a[r * 16 + c])); };
  for (int t = 0; t < 32; t++) {
    for (int n = 0; n < 4; n++) {
      const int r = t / 4 + n % 2 * 8, c = t % 4 * 2 + n / 2 * 8;
      loaded &= rows[n * 32 + t] == (bits(r, c) | bits(r, c + 1) << 16);
    }
    loaded &= rows[128 + t] == (bits(t % 4 * 2, t / 4) | bits(t % 4 * 2 + 1, t / 4) << 16);
  }
  say("wmma", product), say("ldmatrix", loaded);
}

__global__ void step(int *at) { at[threadIdx.x] += int(threadIdx.x) + 1; }

static void run_graphs() {
  Held<int> at(32);
  cudaStream_t stream, other;
  cudaStreamCreate(&stream), cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  step<<<1, 32, 0, stream>>>(at.at);
  step<<<1, 32, 0, stream>>>(at.at);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&made, graph, 0);
  const bool untouched = at[3] == 0;
  for (int n = 0; n < 3; n++) cudaGraphLaunch(made, stream);
  cudaEvent_t event;
  cudaEventCreate(&event), cudaEventRecord(event, stream), cudaStreamWaitEvent(other, event, 0);
  step<<<1, 32, 0, other>>>(at.at);
  check("graphs");
  say("graphs", untouched && at[3] == 7 * 4 && at[31] == 7 * 32);
}

__constant__ double weights[16];

__global__ void weighted(double *out, const double *in, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += in[threadIdx.x + k] * weights[k];
  out[threadIdx.x] = sum;
}

static void run_constants() {
  Held<double> out(32), in(48);
  double values[16];
  for (int k = 0; k < 16; k++) values[k] = k - 7.5;
  for (int k = 0; k < 48; k++) in[k] = 0.25 * k;
  cudaMemcpyToSymbol(weights, values, sizeof values);
  weighted<<<1, 32>>>(out.at, in.at, 13);
  check("constants");
  bool same = true;
  for (int t = 0; t < 32; t++) {
    double sum = 0;
    for (int k = 0; k < 13; k++) sum += 0.25 * (t + k) * (k - 7.5);
    same &= out[t] == sum;
  }
  say("constants", same);
}

int main() {
  run_arithmetic(), run_constants(), run_access(), run_banks(), run_own(), run_atomics(), run_warps(), run_barriers();
  run_whole_grid(), run_language(), run_textures(), run_tensors(), run_graphs();
  return 0;
}

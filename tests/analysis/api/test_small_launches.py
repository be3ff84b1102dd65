"""Small whole programs that launches, loops, tables and conditions make hard, with exact counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze, analyze_paths
from roofline_analysis.report.report import KernelReport, Verdict
from roofline_core.settings import Settings

N = 1 << 20
OVERHEAD = 20e3
"""Bytes of a kernel's code and arguments, at most; small unions of sectors are within it too."""
SECTOR = 32
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def judged(source: str, *args: str, gpu: str = "A100") -> dict[str, KernelReport]:
    settings = Settings(gpu=gpu, args=args)
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    return {kernel.base_name: kernel for kernel in report.kernels}


def moved(kernel: KernelReport, read: float, written: float) -> None:
    """Assert the bytes that must be moved, written ones whether L2 keeps them or not."""
    prediction = kernel.prediction
    assert prediction.dram_read_bytes == pytest.approx(read, rel=0.002, abs=OVERHEAD)
    assert prediction.dram_write_bytes == pytest.approx(written, rel=0.002, abs=100)


def each(kernel: KernelReport) -> float:
    """Single-precision operations of one thread."""
    assert kernel.prediction.sp_flops is not None
    return round(kernel.prediction.sp_flops / N, 6)


def test_constants_of_another_file_bound_a_loop(tmp_path: Path) -> None:
    (tmp_path / "run.cu").write_text(f"""
        extern "C" const unsigned FIRST = 8; extern "C" const unsigned LAST = 512;
        __global__ void k(float *d, const float *s, unsigned n) {{ {INDEX} d[i] = s[i] + n; }}
        extern "C" void run(float *d, float *s, unsigned parts, unsigned n) {{
          k<<<parts * n / 128, 128>>>(d, s, n); }}""")
    (tmp_path / "main.cpp").write_text("""#include <cuda_runtime.h>
        extern "C" const unsigned FIRST; extern "C" const unsigned LAST;
        extern "C" void run(float *, float *, unsigned, unsigned);
        int main() { const unsigned N = 3 << 20; float *a, *b;
          cudaMalloc((void **)&a, 4 * N); cudaMalloc((void **)&b, 4 * N);
          for (unsigned n = FIRST; n <= LAST; n *= 2) run(b, a, N / n, n); }""")
    paths = sorted(tmp_path.iterdir())
    reports = analyze_paths(paths, Settings(gpu="A100"))
    kernels = {kernel.base_name: kernel for report in reports for kernel in report.kernels}
    assert {launch.grid for launch in kernels["k"].launches} == {(3 * 8192, 1, 1)}
    moved(kernels["k"], 4 * 3 * N, 4 * 3 * N)


def test_a_template_of_as_many_bytes_as_a_vector_moves_as_many() -> None:
    found = judged(f"""template <class T, int D> struct Vec {{ T data[D]; }};
        template <class V> __global__ void scale(V *x, int n) {{ {INDEX} if (i < n) {{
          V v = x[i]; double *d = (double *)&v; for (int k = 0; k < 4; k++) d[k] *= 3;
          x[i] = v; }} }}
        int main() {{ double4 *x; Vec<double, 4> *y; cudaMalloc(&x, 32 * {N});
          cudaMalloc(&y, 32 * {N}); scale<<<{N} / 128, 128>>>(x, {N});
          scale<<<{N} / 128, 128>>>(y, {N}); }}""")
    for launch in found["scale"].launches:
        assert launch.prediction is not None
        assert launch.prediction.dp_flops == pytest.approx(4 * N)
        assert launch.prediction.dram_read_bytes == pytest.approx(32 * N, rel=0.002)
        assert launch.prediction.dram_write_bytes == pytest.approx(32 * N, rel=0.002)


@pytest.mark.parametrize(
    "step", ["p += w;", "p = p + w;", "p = &p[w];", "p = (float *)((char *)p + 4 * w);"]
)
def test_a_pointer_that_steps_down_an_image(step: str) -> None:
    kernel = judged(f"""__global__ void k(float *x, int w, int h) {{ {INDEX}
          float *p = x + i; for (int y = 0; y < h; y++) {{ *p = *p * 3; {step} }} }}
        int main() {{ float *x; cudaMalloc(&x, 4L * 2048 * 3000);
          k<<<2048 / 64, 64>>>(x, 2048, 3000); }}""")["k"]
    moved(kernel, 4 * 2048 * 3000, 4 * 2048 * 3000)


def test_the_last_index_of_a_static_table_bounds_a_loop() -> None:
    kernel = judged(f"""
        __device__ float sum(float x, const float c[], int last) {{ float s = c[0];
          for (int k = last; k >= 1; k--) s = s * x + c[k]; return s; }}
        __global__ void k(float *x) {{ {INDEX}
          static const float c[] = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
          const int last = sizeof(c)/sizeof(float)-1; x[i] = sum(x[i], c, last); }}
        int main() {{ float *x; cudaMalloc(&x, 4 * {N}); k<<<{N} / 128, 128>>>(x); }}""")["k"]
    assert each(kernel) == 2 * 8
    assert kernel.prediction.unknowns == ()


def test_a_number_that_a_whole_block_loads_is_a_sector_of_each() -> None:
    blocks = N // 256
    kernel = judged(f"""
        __global__ void k(const int *of, const int *which, const float *x, float *y) {{ {INDEX}
          y[i] = x[i] * of[which[blockIdx.x]]; }}
        int main() {{ int *o, *w; float *x, *y; cudaMalloc(&o, 4 * {N}); cudaMalloc(&w, 4 * {N});
          cudaMalloc(&x, 4 * {N}); cudaMalloc(&y, 4 * {N});
          k<<<{blocks}, 256>>>(o, w, x, y); }}""")["k"]
    moved(kernel, 4 * N + SECTOR * blocks + 4 * blocks, 4 * N)


def test_a_loop_whose_counter_two_updates_multiply() -> None:
    trips, at = 0, 1
    while at < 512:
        trips, at = trips + 1, 3 * (at + 2)
    kernel = judged(f"""__global__ void k(float *x, int m) {{ {INDEX} float s = x[i];
          for (int d = 1; d < m; d *= 3) {{ d += 2; s = s * s + d; }} x[i] = s; }}
        int main() {{ float *x; cudaMalloc(&x, 4 * {N}); k<<<{N} / 128, 128>>>(x, 512); }}""")["k"]
    assert each(kernel) == 2 * trips
    assert kernel.prediction.unknowns == ()


def test_a_flag_that_an_inner_condition_sets_guards_a_store() -> None:
    kernel = judged(f"""__global__ void k(const float *x, float *y, int n) {{ {INDEX}
          bool mine = false; float s = 0;
          for (int t = 0; t < 3; t++) {{ mine = false;
            if (i < n) {{ mine = true; s += x[i]; }} __syncthreads(); }}
          if (mine) y[i] = s; }}
        int main() {{ float *x, *y; cudaMalloc(&x, 1 << 16); cudaMalloc(&y, 1 << 16);
          k<<<8192, 128>>>(x, y, 10000); }}""")["k"]
    moved(kernel, 40_000, 40_000)


def test_what_is_hoisted_is_computed_by_those_who_come_to_it() -> None:
    kernel = judged("""__global__ void k(float *y, float a, float b, int n) {
          for (int i = blockIdx.x; i < n; i += gridDim.x) if (i > 0) y[i] += sinf(a / b); }
        int main() { float *y; cudaMalloc(&y, 64); k<<<20000, 1>>>(y, 1.f, 2.f, 3); }""")["k"]
    assert kernel.prediction.sp_flops is not None
    assert 0 < kernel.prediction.sp_flops < 300


def test_a_launch_for_each_object_that_a_long_loop_fills() -> None:
    kernel = judged(
        """#include <cstdlib>
        struct Tile { int x, y, wide, high; };
        __global__ void k(float *d, int x0, int y0, int w, int h, int pitch) {
          int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
          if (x >= w || y >= h) return; d[(y + y0) * pitch + x + x0] *= 3.f; }
        int main(int argc, char **argv) { int p = atoi(argv[1]), n = p * p / 3; float *d;
          cudaMalloc(&d, 4 * p * p); Tile *t = (Tile *)malloc(n * sizeof(Tile));
          for (int i = 0; i < n; i++) { t[i].wide = 33 + rand() % 64; t[i].high = 65 + rand() % 64;
            t[i].x = rand() % (p - 128); t[i].y = rand() % (p - 128); }
          for (int i = 0; i < n; i++) k<<<dim3((t[i].wide + 15) / 16, (t[i].high + 15) / 16),
            dim3(16, 16)>>>(d, t[i].x, t[i].y, t[i].wide, t[i].high, p); }""",
        "1000",
    )["k"]
    wide, high = 33 + 32, 65 + 32
    assert kernel.prediction.sp_flops == pytest.approx(wide * high, rel=0.03)
    assert kernel.prediction.dram_write_bytes == pytest.approx(4 * wide * high, rel=0.1)


def test_columns_by_a_block_index_that_is_taken_apart() -> None:
    kernel = judged("""__global__ void k(const float *x, float *o, int w, int h, int across) {
          int lane = threadIdx.x % 64, row = threadIdx.x / 64 + blockIdx.x % across * 4;
          int c = lane + blockIdx.x / across * 64; float s = 0;
          for (int r = row; r < h; r += 4 * across) s += x[r * w + c]; atomicAdd(o + c, s); }
        int main() { float *x, *o; cudaMalloc(&x, 4L * 512 * 65536); cudaMalloc(&o, 4 * 512);
          k<<<1024 * 512 / 64, 256>>>(x, o, 512, 65536, 1024); }""")["k"]
    moved(kernel, 4 * 512 * 65536, 4 * 512)


@pytest.mark.parametrize(("gpu", "l2"), [("RTX 3080", 5 * 2**20), ("A100", 40 * 2**20)])
def test_rows_that_every_thread_picks_come_from_dram_as_far_as_l2_is_small(
    gpu: str, l2: int
) -> None:
    row, table = 192, 50_000
    kernel = judged(
        f"""__global__ void k(const int *id, const float *x, float *y, int e) {{ {INDEX}
          float s = 0; for (int g = 0; g < e; g++) s += x[id[i] * e + g]; y[i] = s; }}
        int main() {{ int *id; float *x, *y; cudaMalloc(&id, 4 * {N}); cudaMalloc(&y, 4 * {N});
          cudaMalloc(&x, 4 * {row} * {table}); k<<<{N} / 128, 128>>>(id, x, y, {row}); }}""",
        gpu=gpu,
    )["k"]
    size = 4 * row * table
    picked = max(size, 4 * row * N * (1 - l2 / size))
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * N + picked, rel=0.03)


def test_skewed_bounds_touch_what_they_leave() -> None:
    touched, runs = set(), 0
    for block in range(10):
        for thread in range(32):
            for c in range(100 * block, min(900, 90 * block + 300) + 1, 32):
                for k in range(max(0, 100 * block + 3 * thread - c), min(31, 500 - c) + 1):
                    touched.add((1000 * block + 90 * thread + c + k) // 8)
                    runs += 1
    kernel = judged("""#define LOW(a, b) ((a) < (b) ? (a) : (b))
        #define HIGH(a, b) ((a) > (b) ? (a) : (b))
        __global__ void k(const float *x, float *y) { int b = blockIdx.x, t = threadIdx.x;
          float s = 0; for (int c = 100 * b; c <= LOW(900, 90 * b + 300); c += 32)
            for (int k = HIGH(0, 100 * b + 3 * t - c); k <= LOW(31, 500 - c); k++)
              s += x[1000 * b + 90 * t + c + k]; y[32 * b + t] = s; }
        int main() { float *x, *y; cudaMalloc(&x, 1 << 20); cudaMalloc(&y, 1280);
          k<<<10, 32>>>(x, y); }""")["k"]
    assert kernel.prediction.sp_flops == pytest.approx(runs)
    assert kernel.prediction.dram_read_bytes == pytest.approx(SECTOR * len(touched), abs=5000)


def test_a_guard_that_a_loop_halves_lets_half_as_many_through_each_time() -> None:
    kernel = judged("""__global__ void k(float *x, int levels) { __shared__ float s[1024];
          int t = threadIdx.x, live = 512; s[t] = x[t]; s[t + 512] = x[t + 512];
          for (int l = 0; l < levels; l++) { float a = 0;
            if (t < live) a = s[2 * t] + s[2 * t + 1]; __syncthreads();
            if (t < live) { s[t] = a; x[blockIdx.x * 512 + t] = a * 3.f; } __syncthreads();
            live >>= 1; } }
        int main() { float *x; cudaMalloc(&x, 4 << 20); k<<<2048, 512>>>(x, 10); }""")["k"]
    assert kernel.prediction.sp_flops == pytest.approx(2048 * 2 * 1023)
    assert kernel.prediction.unknowns == ()


def test_a_function_template_by_its_number() -> None:
    found = judged(f"""template <int D> __device__ float p(float x);
        template <> __device__ float p<2>(float x) {{ return x * x; }}
        template <> __device__ float p<6>(float x) {{ float y = x * x; return y * y * y + 1.f; }}
        template <int D> __device__ float q(float x) {{ return p<D>(x) + 5.f; }}
        __global__ void two(float *x) {{ {INDEX} x[i] = p<2>(x[i]); }}
        __global__ void six(float *x) {{ {INDEX} x[i] = p<6>(x[i]); }}
        __global__ void by(float *x) {{ {INDEX} x[i] = q<6>(x[i]); }}
        int main() {{ float *x; cudaMalloc(&x, 4 * {N}); two<<<{N} / 128, 128>>>(x);
          six<<<{N} / 128, 128>>>(x); by<<<{N} / 128, 128>>>(x); }}""")
    assert {name: each(kernel) for name, kernel in found.items()} == {"two": 1, "six": 4, "by": 5}


@pytest.mark.parametrize(("mode", "operations"), [("PLAIN", 2), ("CUBED", 3)])
def test_an_enumerator_that_is_passed_decides_a_branch(mode: str, operations: int) -> None:
    kernel = judged(f"""typedef enum {{ PLAIN, CUBED = 5 }} Mode;
        __global__ void k(float *x, Mode m) {{ {INDEX}
          if (m == PLAIN) x[i] = x[i] * 2.f + 1.f; else x[i] = x[i] * x[i] * x[i] * 7.f; }}
        int main() {{ float *x; cudaMalloc(&x, 4 * {N}); Mode m = {mode};
          k<<<{N} / 128, 128>>>(x, m); }}""")["k"]
    assert each(kernel) == operations


def test_faces_of_a_cube_behind_a_pointer_to_arrays() -> None:
    side = 256
    kernel = judged(f"""typedef double Plane[{side}][{side}];
        __global__ void k(double p[][{side}][{side}]) {{
          int z = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
          int x = blockIdx.z * 4 + threadIdx.z;
          if (z == 0) p[x][y][z] = 1.0; else if (x == 0) p[x][y][z] = 2.0; }}
        int main() {{ Plane *d; cudaMalloc((void **)&d, sizeof(Plane) * {side});
          k<<<dim3(32, 32, 64), dim3(8, 8, 4)>>>(d); }}""")["k"]
    # One face has a sector for each number; of the other three quarters of a sector are left.
    sectors = side * side + side * (side // 4 - 1)
    assert kernel.prediction.dram_write_bytes == pytest.approx(SECTOR * sectors, rel=0.02)


def test_functions_of_a_table_launch_with_their_own_numbers() -> None:
    source = "".join(
        f"""__global__ void k{j}(const float *x, float *y, int k, int n) {{ {INDEX}
          if (i < n) {{ float s = 0; for (int t = 0; t < k; t++) s += x[t * n + i]; y[i] = s; }} }}
        void f{j}(int k, float *x, float *y, int n) {{ k{j}<<<n / 64, 64>>>(x, y, k, n); }}
        """
        for j in range(4)
    )
    found = judged(f"""{source} void (*table[])(int, float *, float *, int) = {{f0, f1, f2, f3}};
        int main() {{ float *x, *y; cudaMalloc(&x, 32 * {N}); cudaMalloc(&y, 4 * {N});
          for (int m = 0; m < 2; ++m) for (int w = 0; w < 2; ++w)
            table[2 * m + w](m + 3, x, y, {N}); }}""")
    for j, trips in enumerate((3, 3, 4, 4)):
        (launch,) = found[f"k{j}"].launches
        assert (launch.grid, launch.grid_assumed) == ((N // 64, 1, 1), ())
        moved(found[f"k{j}"], 4 * N * trips, 4 * N)


def test_a_table_of_constants_in_a_loop_is_not_memory() -> None:
    kernel = judged(f"""__global__ void k(const float *x, float *y, const int *j, int n) {{
          for ({INDEX} i < n; i += gridDim.x * blockDim.x) {{
            const unsigned char t[64] = {{{", ".join(str(v % 7) for v in range(64))}}};
            y[i] = t[j[i] & 63] * x[i]; }} }}
        int main() {{ float *x, *y; int *j; cudaMalloc(&x, 4 * {N}); cudaMalloc(&y, 4 * {N});
          cudaMalloc(&j, 4 * {N}); k<<<1000, 128>>>(x, y, j, {N}); }}""")["k"]
    moved(kernel, 8 * N, 4 * N)
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND


def test_a_clamped_count_is_not_taken_to_be_its_limit() -> None:
    """Which return is taken rests on what callers give, and the limit alone would be absurd."""
    kernel = judged("""
int clamped(int blocks, int limit) {
  if (blocks > 0 && blocks < limit) return blocks;
  return limit;
}
__global__ void rows(const float *in, float *out, long n, long width) {
  for (int row = blockIdx.x; row < n; row += gridDim.x)
    for (int column = blockIdx.y * blockDim.x + threadIdx.x; column < width;
         column += gridDim.y * blockDim.x)
      out[row * width + column] = 2 * in[row * width + column];
}
void run(const float *in, float *out, long n, long width) {
  dim3 grid(clamped(n, 0x7fffffff), clamped((width + 255) / 256, 65535));
  rows<<<grid, 256>>>(in, out, n, width);
}
""")["rows"]
    grid = kernel.prediction.grid
    assert grid is not None
    assert grid[0] * grid[1] * grid[2] < 1 << 20
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND


def test_a_launch_that_cannot_be_stands_behind_those_that_can() -> None:
    """A layer of 0 outputs on a path that is perhaps not taken; another has as many as it likes."""
    source = f"""
    __global__ void k(const float *a, float *b, int n) {{ {INDEX} if (i < n) b[i] = 2 * a[i]; }}
    void run(const float *a, float *b, int n) {{ k<<<n / 256, 256>>>(a, b, n); }}
    struct Layer {{ int outputs; float *a, *b; }};
    int main(int argc, char **argv) {{
      Layer none = {{0}};
      if (argc > 5) run(none.a, none.b, none.outputs);
      int n = {N}; float *a, *b;
      cudaMalloc(&a, 4L * n); cudaMalloc(&b, 4L * n);
      if (argc > 6) run(a, b, n);
    }}"""
    settings = Settings(gpu="A100")
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    (kernel,) = report.kernels
    assert [launch.grid for launch in kernel.launches] == [(N // 256, 1, 1), (None, 1, 1)]
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND
    moved(kernel, 4 * N, 4 * N)


def test_another_library_s_half_is_not_that_of_cuda() -> None:
    """A class of the same name in a namespace, with conversions that cost much."""
    library = """
    namespace soft {
      inline unsigned short rounded(float f) { int r = 0; for (int i = 0; i < 64; ++i) r = r * 3 + f; return r; }
      class half { public: half() {} explicit half(float f) : bits(rounded(f)) {}
        half &operator=(float f) { bits = rounded(f); return *this; }
        operator float() const { return bits; }
       private: unsigned short bits; };
    }
    """  # noqa: E501
    kernel = f"""
    __global__ void k(const half *a, half *b) {{ {INDEX} b[i] = a[i]; }}
    int main() {{ half *a, *b; cudaMalloc(&a, 2 * {N}); cudaMalloc(&b, 2 * {N});
      k<<<{N} / 256, 256>>>(a, b); }}"""
    plain, beside = judged(kernel)["k"], judged(library + kernel)["k"]
    assert beside.prediction.int_ops == plain.prediction.int_ops
    moved(beside, 2 * N, 2 * N)
    own = judged(library + "using namespace soft;" + kernel)["k"]
    assert (own.prediction.int_ops or 0) > 64 * N

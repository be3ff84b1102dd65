"""Operations and accesses of small kernels, counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.expansions import function_cost, kernel_cost, operator_cost
from roofline_analysis.regions.kernel_summary import Work
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.program.types import Type

Count = Callable[..., Any]

SAXPY = """
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


def body(statements: str, params: str = "float *a, float *b, int n", before: str = "") -> str:
    """A kernel of one statement list, ``i`` its thread's index."""
    return f"""{before}
__global__ void k({params}) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {statements}
}}"""


def test_saxpy(count: Count) -> None:
    found = count(SAXPY, 4, 256, n=1000)
    assert found.flops == {"sp": 2000}
    assert found.accesses == {
        ("x", "read", 4): 1000,
        ("y", "read", 4): 1000,
        ("y", "write", 4): 1000,
    }


def test_dot_with_a_grid_stride_loop(count: Count) -> None:
    source = """
    __global__ void dot(const double *x, const double *y, double *out, int n) {
      double sum = 0;
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * y[i];
      atomicAdd(out, sum);
    }"""
    found = count(source, 4, 64, n=1000)
    assert found.accesses[("x", "read", 8)] == 1000
    assert found.accesses[("out", "atomic", 8)] == 256
    assert found.flops["dp"] == 2000


def test_naive_gemm(count: Count) -> None:
    source = """
    __global__ void gemm(const float *a, const float *b, float *c, int n) {
      int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
      if (row < n && col < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
      }
    }"""
    found = count(source, (4, 4), (16, 16), n=50)
    assert found.flops == {"sp": 2 * 50**3}
    assert found.accesses == {
        ("a", "read", 4): 50**3,
        ("b", "read", 4): 50**3,
        ("c", "write", 4): 50**2,
    }


def test_tiled_gemm(count: Count) -> None:
    source = """
    #define TILE 16
    __global__ void gemm(const float *a, const float *b, float *c, int n) {
      __shared__ float s[TILE][TILE], t[TILE][TILE];
      int x = threadIdx.x, y = threadIdx.y;
      int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
      float sum = 0;
      for (int m = 0; m < n / TILE; ++m) {
        s[y][x] = a[row * n + m * TILE + x];
        t[y][x] = b[(m * TILE + y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += s[y][k] * t[k][x];
        __syncthreads();
      }
      c[row * n + col] = sum;
    }"""
    found = count(source, (4, 4), (16, 16), n=64)
    assert found.flops == {"sp": 2 * 64**3}
    assert found.accesses == {
        ("a", "read", 4): 64**2 * 4,
        ("b", "read", 4): 64**2 * 4,
        ("s", "write", 4): 64**2 * 4,
        ("t", "write", 4): 64**2 * 4,
        ("s", "read", 4): 64**3,
        ("t", "read", 4): 64**3,
        ("c", "write", 4): 64**2,
    }
    assert found.summary.shared_bytes == 2 * 16 * 16 * 4
    assert found.summary.barriers == 2


def test_stencil_of_five_points(count: Count) -> None:
    source = """
    __global__ void stencil(const float *in, float *out, int w, int h) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
        int i = y * w + x;
        out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
      }
    }"""
    found = count(source, (4, 8), (32, 8), w=100, h=60)
    assert found.flops == {"sp": 5 * 98 * 58}
    assert found.accesses == {("in", "read", 4): 5 * 98 * 58, ("out", "write", 4): 98 * 58}


def test_n_body_inner_loop(count: Count) -> None:
    source = """
    __global__ void forces(const float4 *p, float4 *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float4 me = p[i];
      float fx = 0, fy = 0, fz = 0;
      for (int j = 0; j < n; j++) {
        float4 q = p[j];
        float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
        float d = dx * dx + dy * dy + dz * dz + 0.01f;
        float r = rsqrtf(d);
        float f = q.w * r * r * r;
        fx = fx + dx * f; fy = dy * f + fy; fz += f * dz;
      }
      out[i] = make_float4(fx, fy, fz, 0);
    }"""
    root = function_cost("rsqrtf")
    assert root is not None
    found = count(source, 4, 64, n=300)
    # 3 differences, 3 squares, 3 sums, 3 products, 3 multiply-adds.
    each = 18 + root.sp_flops
    # At most the few of a step that is looked at before the loop come on top.
    assert each * 256 * 300 <= found.flops["sp"] <= (each * 300 + 3) * 256
    assert found.work(Work.SPECIAL) == root.mufu * 256 * 300
    assert found.accesses == {("p", "read", 16): 256 * 301, ("out", "write", 16): 256}


@pytest.mark.parametrize(
    ("statement", "flops"),
    [
        ("a[i] = b[i] + 1.0f;", {"sp": 1}),
        ("a[i] = b[i] * 2.0;", {"sp": 1}),
        ("a[i] = b[i] * 2;", {"sp": 1}),
        ("double d = b[i]; a[i] = d * d + b[i];", {"dp": 2}),
        ("a[i] = (float)(b[i] * 2.0) * b[i];", {"sp": 2}),
        ("a[i] = -b[i];", {"sp": 1}),
        ("a[i] = -b[i] + b[i + 1];", {"sp": 1}),
        ("a[i] = fabsf(b[i]) + fmaxf(b[i], 0.0f);", {"sp": 1}),
        ("a[i] = fmaf(b[i], b[i], 1.0f);", {"sp": 2}),
        ("a[i] = __fmaf_rn(b[i], b[i], 1.0f);", {"sp": 2}),
        ("a[i] = b[i] / 4.0f;", {"sp": 1}),
        ("a[i] = i * 2 + n / 3;", {}),
        ("a[i] = i * 2 * 0.5f;", {"sp": 1}),
        ("a[i] += b[i]; a[i] -= 2; a[i] *= b[i];", {"sp": 3}),
        ("a[i] = 2.0f * 3.0f;", {}),
        ("a[i]++;", {"sp": 1}),
        ("float s = 0; s += b[i] * b[i]; a[i] = s;", {"sp": 2}),
        ("float u = b[i] * b[i]; a[i] = u + b[i] * b[i];", {"sp": 3}),  # FMUL, FFMA
    ],
)
def test_floating_point_of_one_statement(
    count: Count, statement: str, flops: dict[str, float]
) -> None:
    assert count(body(statement), n=7).flops == flops


@pytest.mark.parametrize("kind", ["float", "double"])
def test_division_costs_what_was_measured(count: Count, kind: str) -> None:
    cost = operator_cost(f"{kind} /")
    assert cost is not None
    found = count(body("a[i] = a[i] / b[i];", f"{kind} *a, {kind} *b"))
    expected = {"sp": cost.sp_flops, "dp": cost.dp_flops}
    assert found.flops == {name: flops for name, flops in expected.items() if flops}


@pytest.mark.parametrize(
    ("call", "sp", "dp"),
    [
        ("__fadd_ru(x, 1.0f)", 1, 0),
        ("__fmul_rd(x, 3.0f)", 1, 0),
        ("__fmaf_rz(x, 3.0f, 1.0f)", 2, 0),
        ("__dsub_rz((double)x, 3.0)", 0, 1),
        ("__fma_ru((double)x, 3.0, 1.0)", 0, 2),
        ("__tanhf(x)", 0, 0),
    ],
)
def test_every_way_of_rounding_costs_the_same(
    count: Count, call: str, sp: float, dp: float
) -> None:
    found = count(body(f"float x = a[i]; double r = {call}; if (r != 7) b[i] = 0;"), 1, 64, n=1)
    assert (found.flops.get("sp", 0), found.flops.get("dp", 0)) == (64 * sp, 64 * dp)
    assert not found.unseen


@pytest.mark.parametrize("name", ["j0", "norm3d", "rnorm4d", "erfcx", "cyl_bessel_i1", "rhypot"])
@pytest.mark.parametrize("suffix", ["f", ""])
def test_rare_functions_cost_what_was_measured(count: Count, name: str, suffix: str) -> None:
    expected = function_cost(name + suffix)
    assert expected is not None
    arguments = ["x", "x + 1", "x + 2", "x + 3"]
    used = arguments[: int(name[-2]) if "norm" in name else 2 if name == "rhypot" else 1]
    width = "float" if suffix else "double"
    source = body(f"{width} x = a[i]; a[i] = {name}{suffix}({', '.join(used)});", f"{width} *a")
    found = count(source, 1, 64)
    sums = len(used) - 1
    kind = "sp" if suffix else "dp"
    flops = expected.sp_flops if suffix else expected.dp_flops
    assert found.flops[kind] == 64 * (flops + sums)
    assert not found.unseen


def test_a_function_of_unknown_cost_is_said_to_be_missing(count: Count) -> None:
    found = count(body("a[i] = __frsqrt_rz(a[i]);"), 1, 64, n=1)
    assert [each.name for each in found.unseen] == ["__frsqrt_rz"]


RECURRING = [
    """
    template <int i> __device__ float row(const float *p) { return p[i] + row<i - 1>(p); }
    template <> __device__ float row<-1>(const float *p) { return 0; }""",
    """
    template <int i> __device__ float row(const float *p) {
      if constexpr (i < 0) return 0; else return p[i] + row<i - 1>(p);
    }""",
    """
    template <int i> struct R {
      static __device__ float f(const float *p) { return p[i] + R<i - 1>::f(p); }
    };
    template <> struct R<-1> { static __device__ float f(const float *p) { return 0; } };
    template <int i> __device__ float row(const float *p) { return R<i>::f(p); }""",
]


@pytest.mark.parametrize("functions", RECURRING)
def test_instances_of_a_template_call_one_another(count: Count, functions: str) -> None:
    found = count(body("b[i] = row<20>(a + i);", before=functions), 1, 64, n=1)
    assert found.accesses[("a", "read", 4)] == 64 * 21
    assert not found.unseen


def test_a_function_that_calls_itself_is_said_to_do_so(count: Count) -> None:
    functions = "__device__ int f(int *p, int n) { return n < 1 ? p[0] : f(p + 1, n - 1) + 1; }"
    found = count(body("c[i] = f(c, c[1]);", "int *c", functions), 1, 64)
    assert {each.kind for each in found.unseen} == {UnseenKind.RECURSION}


@pytest.mark.parametrize("operation", ["add", "min", "max", "and", "or", "xor"])
def test_reductions_over_a_warp(count: Count, operation: str) -> None:
    source = body(f"c[i] = __reduce_{operation}_sync(~0u, c[i]);", "int *c")
    found = count(source, 1, 64)
    assert found.accesses == {("c", "read", 4): 64, ("c", "write", 4): 64}
    assert not found.unseen


def test_division_by_a_loop_invariant_is_done_once(count: Count) -> None:
    source = body(
        "for (int j = 0; j < n; j++) a[j * 32 + i] = b[i] / s;",
        "float *a, float *b, float s, int n",
    )
    cost = operator_cost("float /")
    assert cost is not None
    assert count(source, n=1000).flops["sp"] <= 1000 * cost.sp_flops


@pytest.mark.parametrize(
    ("before", "step"), [("", "d * d"), ("", "a[(int)d]"), ("float d = 1;", "d * n * n")]
)
def test_a_step_that_the_body_declares_is_not_evaluated_outside(
    count: Count, before: str, step: str
) -> None:
    loop = f"{before} float s = 0; for (int j = 0; j < n; j++) {{ float d = b[j]; s += {step}; }}"
    found = count(body(f"{loop} a[i] = s;"), 1, 32, n=0)
    assert found.flops == {}
    assert not found.accesses.get(("a", "read", 4))


def test_both_sides_of_a_choice_by_data_are_at_most_both_done(count: Count) -> None:
    found = count(body("a[i] = b[i] > 0 ? b[i] * 2 : b[i] + 1;"))
    assert set(found.flops) == {"sp"}
    assert 1 <= found.flops["sp"] <= 2


@pytest.mark.parametrize(
    ("choice", "flops"),
    [
        ("n ? (i + 0.5f) * s : i * s", 2),  # (n ? i + 0.5f : i) * s
        ("n ? i * s : (i + 0.5f) * s", 2),
        ("n ? (i + 0.5f) + s : i * s", 3),
        ("n ? (i + 0.5f) * s : i * (s + 1)", 4),
    ],
)
def test_a_factor_of_both_sides_is_applied_once(count: Count, choice: str, flops: float) -> None:
    found = count(body(f"a[i] = {choice};", "float *a, int n, float s"), n=1, s=2.0)
    assert found.flops == {"sp": flops}


@pytest.mark.parametrize(("second", "flops"), [("x", 14), ("w", 26)])
def test_what_is_computed_of_the_same_choice_is_computed_once(
    count: Count, second: str, flops: float
) -> None:
    """Twice the same call: executing nvcc's and clang's machine code gives 14, too."""
    source = f"""
      __device__ float ratio(float y, float x) {{
        return (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y)); }}
      __device__ float safe(float y, float x, float w) {{
        return ratio(y, ((y == 0.f) & (x == 0.f)) ? w : x); }}
      __global__ void k(const float *a, float *o) {{
        float x = a[0], y = a[1], w = a[2];
        o[0] = safe(y, x, w) + 2.0f * safe(y, {second}, w);
      }}"""
    assert count(source, 1, 1).flops == {"sp": flops}


def test_integer_division_costs_by_its_divisor(count: Count) -> None:
    def cost(statement: str) -> Any:
        return count(body(statement, "int *a, int n, unsigned m"), n=7, m=7).integers

    plain = cost("a[i] = i;")
    variable, constant_, power = (cost(f"a[i] = i {op};") for op in ("/ n", "/ 7", "/ 8"))
    assert variable - plain == 17
    assert constant_ - plain == 4
    assert power - plain == 3


@pytest.mark.parametrize(("op", "cost"), [("/ 8u", 1), ("% 8u", 1), ("/ 7u", 4)])
def test_unsigned_division_stored_as_int_stays_unsigned(count: Count, op: str, cost: float) -> None:
    plain, divided = (
        count(body(f"a[i] = m{text};", "int *a, unsigned m"), m=7).integers for text in ("", op)
    )
    assert divided - plain == cost


def test_a_float_argument_cast_to_int_is_truncated(count: Count) -> None:
    source = body("for (int j = 0; j < 3 * (int)s; j++) atomicAdd(a, s);", "float *a, float s")
    assert count(source, s=2.5).accesses == {("a", "atomic", 4): 6}


# -- functions


def test_device_functions_are_inlined(count: Count) -> None:
    before = """
    __device__ float square(float x) { return x * x; }
    __device__ __forceinline__ void add(float &to, float x) { to += square(x); }
    __device__ float both(float x) { if (x > 0) return x + 1; return square(x); }
    """
    found = count(body("float s = 0; add(s, b[i]); add(s, a[i]); b[i] = s;", before=before))
    assert found.flops == {"sp": 4}
    early = count(body("a[i] = both(b[i]);", before=before))
    assert set(early.flops) == {"sp"}
    assert 1 <= early.flops["sp"] <= 2


def test_functions_through_pointers_and_results(count: Count) -> None:
    before = """
    __device__ void get(const float *p, int i, float *out) { *out = p[i] * 2.0f; }
    """
    found = count(body("float v; get(a, i, &v); b[i] = v;", before=before), 2, 32)
    assert found.flops == {"sp": 64}
    assert found.accesses == {("a", "read", 4): 64, ("b", "write", 4): 64}


@pytest.mark.parametrize(("argument", "precision"), [("float", "sp"), ("double", "dp")])
def test_templates_are_bound(count: Count, argument: str, precision: str) -> None:
    source = """
    template <typename T, int N> __device__ T sum(const T *p) {
      T s = 0;
      for (int j = 0; j < N; j++) s += p[j];
      return s;
    }
    template <typename T, int N> __global__ void k(const T *in, T *out) {
      int i = threadIdx.x;
      out[i] = sum<T, N>(in + i * N);
    }"""
    found = count(source, 1, 32, {"T": Type(argument), "N": 5})
    assert found.flops == {precision: 32 * 5}
    size = 4 if argument == "float" else 8
    assert found.accesses == {("in", "read", size): 32 * 5, ("out", "write", size): 32}


def test_struct_parameters(count: Count) -> None:
    source = """
    struct Params { int n; float scale; float *data; };
    __global__ void k(Params p) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < p.n) p.data[i] *= p.scale;
    }"""
    found = count(source, 4, 32, p__n=100)
    assert found.flops == {"sp": 100}
    assert found.accesses == {("p.data", "read", 4): 100, ("p.data", "write", 4): 100}


def test_methods_and_operators(count: Count) -> None:
    source = """
    struct Vec {
      float x, y;
      __device__ Vec(float a, float b) : x(a), y(b) {}
      __device__ Vec operator+(const Vec &o) const { return Vec(x + o.x, y + o.y); }
      __device__ float dot(const Vec &o) const { return x * o.x + y * o.y; }
    };
    __global__ void k(const float *a, float *b) {
      int i = threadIdx.x;
      Vec u(a[i], a[i + 32]), v(a[i + 64], a[i + 96]);
      b[i] = (u + v).dot(v);
    }"""
    assert count(source, 1, 32).flops == {"sp": 32 * 5}


def test_a_copy_is_made_by_a_constructor_that_takes_a_reference(count: Count) -> None:
    """One that takes any object by value would need a copy first."""
    source = """
    struct Vec {
      float x, y;
      __device__ Vec(float a, float b) : x(a), y(b) {}
      __device__ Vec(const Vec &o) : x(o.x + 1), y(o.y) {}
      template <typename U> __device__ Vec(U v) : x(v.x), y(v.y) {}
    };
    __device__ float norm(Vec v) { return v.x * v.x + v.y * v.y; }
    __global__ void k(const float *a, float *b) {
      int i = threadIdx.x;
      Vec v(a[i], a[i + 32]);
      b[i] = norm(v);
    }"""
    found = count(source, 1, 32)
    assert found.flops == {"sp": 32 * 4}
    assert found.accesses == {("a", "read", 4): 64, ("b", "write", 4): 32}


ARRAY = """
    template <typename T, int N> struct Array {
      using value_type = T;
      using reference = value_type &;
      T held[N];
      __device__ reference operator[](int i) { return held[i]; }
      __device__ const T &operator[](int i) const { return held[i]; }
    };
    template <typename T, int N> __device__ void load(Array<T, N> &to, const T *p) {
      (float4 &)to = *(const float4 *)p;
    }
    template <typename T, int N> __device__ void store(T *p, const Array<T, N> &from) {
      *(float4 *)p = (const float4 &)from;
    }"""


def test_an_object_that_is_filled_as_bytes_of_another_type(count: Count) -> None:
    source = f"""{ARRAY}
    __global__ void k(float *a, const float *b) {{
      int i = threadIdx.x;
      Array<float, 4> x, y;
      load(x, b + 4 * i);
      for (int j = 0; j < 4; ++j) y[j] = x[j] * 2 + 1;
      store(a + 4 * i, y);
    }}"""
    found = count(source, 1, 32)
    assert found.flops == {"sp": 32 * 8}
    assert found.accesses == {("b", "read", 16): 32, ("a", "write", 16): 32}
    assert not found.unseen


def test_a_reference_by_another_name_is_one(count: Count) -> None:
    source = f"""{ARRAY}
    __global__ void k(float *a, const float *b) {{
      int i = threadIdx.x;
      Array<float, 4> x;
      for (int j = 0; j < 4; ++j) x[j] = b[32 * j + i] + 1;
      a[i] = x[0] + x[1] + x[2] + x[3];
    }}"""
    found = count(source, 1, 32)
    assert found.flops == {"sp": 32 * 7}
    assert found.accesses == {("b", "read", 4): 128, ("a", "write", 4): 32}
    assert not found.unseen


def test_lambdas(count: Count) -> None:
    found = count(
        body("auto f = [&](float x) { return x * n + 1.0f; }; a[i] = f(b[i]) + f(b[i + 1]);"), n=3
    )
    assert found.flops == {"sp": 5}


def test_vector_types(count: Count) -> None:
    source = body("float4 v = p[i]; v.x += v.y; v.z *= 2; p[i] = v;", "float4 *p")
    found = count(source, 1, 32)
    assert found.flops == {"sp": 64}
    assert found.accesses == {("p", "read", 16): 32, ("p", "write", 16): 32}


def test_fields_of_records_in_memory(count: Count) -> None:
    before = "struct Body { float x, y, z; double m; };"
    found = count(body("p[i].x += (float)p[i].m; p[i].z = p[i].y;", "Body *p", before), 1, 32)
    assert found.flops == {"sp": 32}
    assert found.accesses == {
        ("p", "read", 4): 64,
        ("p", "read", 8): 32,
        ("p", "write", 4): 64,
    }


def test_local_arrays_stay_in_registers(count: Count) -> None:
    source = body("""
      float v[4];
      for (int j = 0; j < 4; j++) v[j] = b[i * 4 + j];
      float s = 0;
      for (int j = 0; j < 4; j++) s += v[j] * v[j];
      a[i] = s;""")
    found = count(source, 1, 32)
    assert found.flops == {"sp": 32 * 8}
    assert found.accesses == {("b", "read", 4): 32 * 4, ("a", "write", 4): 32}


def test_half_intrinsics(count: Count) -> None:
    source = body(
        "__half h = __hmul(a[i], a[i]); b[i] = __hfma(h, h, a[i]);", "const __half *a, __half *b"
    )
    found = count(source, 1, 32)
    assert found.flops == {"hp": 32 * 3}
    assert found.accesses == {("a", "read", 2): 32, ("b", "write", 2): 32}


def test_packed_half_counts_both_lanes(count: Count) -> None:
    found = count(body("b[i] = __hadd2(a[i], a[i]);", "const half2 *a, half2 *b"), 1, 32)
    assert found.flops == {"hp": 64}
    assert found.accesses == {("a", "read", 4): 32, ("b", "write", 4): 32}


# -- control flow


def test_early_return(count: Count) -> None:
    found = count(body("if (i >= n) return; a[i] = b[i] + 1.0f; a[i] *= b[i];"), 4, 64, n=200)
    assert found.flops == {"sp": 400}


def test_continue_skips_the_rest_of_a_run(count: Count) -> None:
    found = count(
        body("""
      float s = 0;
      for (int j = 0; j < 200; j++) { if (j % 2 == 0) continue; s += b[i * 200 + j]; }
      a[i] = s;"""),
        1,
        32,
    )
    assert found.flops == {"sp": 32 * 100}


def test_break_at_a_known_run_ends_the_loop(count: Count) -> None:
    found = count(
        body("""
      float s = 0;
      for (int j = 0; j < 200; j++) { if (j == 50) break; s += b[i * 200 + j]; }
      a[i] = s;"""),
        1,
        32,
    )
    assert found.flops == {"sp": 32 * 50}


def test_switch_over_a_known_argument(count: Count) -> None:
    found = count(
        body("""
      switch (n) {
        case 0: a[i] = b[i]; break;
        case 1: a[i] = b[i] * 2.0f; break;
        case 2: a[i] = b[i] * 2.0f + 1.0f; break;
        default: a[i] = 0;
      }"""),
        1,
        32,
        n=2,
    )
    assert found.flops == {"sp": 64}


@pytest.mark.parametrize(("n", "flops"), [(0, 1), (1, 2), (2, 2), (3, 4), (4, 8), (5, 0), (6, 3)])
def test_the_labels_of_a_switch_over_an_argument(count: Count, n: int, flops: int) -> None:
    found = count(
        body("""
      float x = b[i], y = b[i + 1];
      switch (n) {
        case 0: a[i] = x + y; return;
        case 1: case 2: a[i] = x * y + x; return;
        case 3: { a[i] = (x + y) * (x - y) + 1.0f; return; }
        case 6: a[i] = x * y * x * y; break;
        default: break;
        case 4: a[i] = 1.0f / x; break;
      }"""),
        1,
        32,
        n=n,
    )
    per_thread = found.flops.get("sp", 0) / 32
    assert per_thread == flops if n != 4 else per_thread > 4


@pytest.mark.parametrize(("n", "runs"), [(0, 32), (1, 0), (2, 0), (7, 32), (-3, 32)])
def test_the_default_of_a_switch_is_what_no_label_is_for(count: Count, n: int, runs: int) -> None:
    found = count(
        body("""
      switch (n) {
        case 1: break;
        case 2: return;
        case 0:
        default: a[i] = b[i] + 1.0f;
      }"""),
        1,
        32,
        n=n,
    )
    assert found.flops.get("sp", 0) == runs


def test_a_switch_of_a_default_alone_is_run_by_all(count: Count) -> None:
    found = count(body("switch (n) { default: a[i] = b[i] + 1.0f; }"), 1, 32, n=3)
    assert found.flops == {"sp": 32}


def test_switch_falls_through(count: Count) -> None:
    found = count(
        body("""
      float s = b[i];
      switch (3) { case 3: s *= b[i + 1]; case 4: s += 1.0f; break; case 5: s /= b[i]; }
      a[i] = s;"""),
        1,
        32,
    )
    assert found.flops == {"sp": 64}


def test_if_and_else_share_the_threads(count: Count) -> None:
    found = count(
        body("if (i < 10) a[i] = b[i] + 1.0f; else { a[i] = b[i] * b[i] + 1.0f; }"), 1, 64
    )
    assert found.flops == {"sp": 10 + 54 * 2}


def test_ternary_of_indices(count: Count) -> None:
    found = count(body("a[i] = b[i < 16 ? i : 0];"), 1, 32)
    assert found.accesses == {("b", "read", 4): 32, ("a", "write", 4): 32}


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        ("int j = 0; while (j < n) { S; j++; }", 37),
        ("int j = n; while (j > 0) { S; j -= 2; }", 19),
        ("int j = n; while (j--) { S; }", 37),
        ("int j = 0; do { S; j++; } while (j < n);", 37),
        ("int j = 0; do { S; j++; } while (j < 0);", 1),
        ("for (int j = 0; j <= n; j++) S;", 38),
        ("for (int j = 0; j < n; j += 4) S;", 10),
        ("for (int j = n - 1; j >= 0; j--) S;", 37),
        ("for (int j = n; j != 0; j--) S;", 37),
        ("for (unsigned j = 0; j != n; ++j) S;", 37),
        ("for (int j = n; j < 5; j++) S;", 0),
        ("for (int j = 1; j < n; j *= 2) S;", 6),
        ("for (int j = 1; j <= 64; j *= 2) S;", 7),
        ("for (int j = 1; j < 64; j <<= 1) S;", 6),
        ("for (int j = 64; j > 0; j >>= 1) S;", 7),
        ("for (int j = 64; j >= 2; j /= 2) S;", 6),
        ("for (int j = n; j > 0; j >>= 1) S;", 6),
        ("for (int j = n; j > 3; j /= 3) S;", 3),
        ("for (int j = 1; j < 243; j *= 3) S;", 5),
        ("for (int j = 1; j < 125; j *= 5) S;", 3),
        ("for (int j = 3; j < 24; j *= 2) S;", 3),
        ("for (int j = 0; j < 8; ++j) S;", 8),
        ("\n#pragma unroll 4\nfor (int j = 0; j < n; ++j) S;", 37),
        ("for (int j = 0; j < n; ++j) for (int k = 0; k < j; ++k) S;", 37 * 36 // 2),
        ("for (int j = 0; j < n; ++j) for (int k = j; k < n; ++k) S;", 37 * 38 // 2),
        ("for (int j = 0; j < 5; ++j) for (int k = 0; k <= j; ++k) S;", 15),
        ("for (int j = 0, m = 2 * n; j < m; ++j) S;", 74),
        ("for (int j = 0; j < n / 2; ++j) { S; S; }", 36),
        ("int j = 5; for (; j < n;) { S; j = j + 3; }", 11),
    ],
)
def test_trips(count: Count, loop: str, trips: int) -> None:
    # Each run loads anew, so that nothing is common to two of them.
    source = body("float s = 0; " + loop.replace("S", "s = __ldg(b) * s + 1.0f") + " a[i] = s;")
    assert count(source, 1, 32, n=37).flops.get("sp", 0) == 32 * 2 * trips


def test_three_nested_triangles(count: Count) -> None:
    source = body("""
      float s = 0;
      for (int j = 0; j < n; ++j) for (int k = j + 1; k < n; ++k)
        for (int l = k + 1; l < n; ++l) s = __ldg(b) * s + 1.0f;
      a[i] = s;""")
    assert count(source, 1, 1, n=37).flops == {"sp": 2 * 37 * 36 * 35 // 6}
    # With more lanes the innermost counters are sampled.
    assert count(source, 1, 32, n=37).flops["sp"] == pytest.approx(64 * 37 * 36 * 35 / 6, rel=0.01)


def test_tree_reduction_in_shared_memory(count: Count) -> None:
    source = """
    __global__ void reduce(const float *in, float *out) {
      __shared__ float s[256];
      int t = threadIdx.x;
      s[t] = in[blockIdx.x * blockDim.x + t];
      __syncthreads();
      for (int h = blockDim.x / 2; h > 0; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
      }
      if (t == 0) out[blockIdx.x] = s[0];
    }"""
    found = count(source, 10, 256)
    assert found.flops == {"sp": 10 * 255}
    assert found.accesses[("out", "write", 4)] == 10
    assert found.accesses[("in", "read", 4)] == 2560
    assert found.accesses[("s", "write", 4)] == 2560 + 2550


def test_warp_shuffle_reduction(count: Count) -> None:
    found = count(
        body("""
      float v = b[i];
      for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
      if ((threadIdx.x & 31) == 0) atomicAdd(&a[0], v);"""),
        2,
        128,
    )
    assert found.accesses == {("b", "read", 4): 256, ("a", "atomic", 4): 8}
    assert found.flops["sp"] == 256 * 5


# -- memory


@pytest.mark.parametrize(
    ("statement", "accesses"),
    [
        ("b[i] = a[i] + a[i];", {("a", "read"): 1, ("b", "write"): 1}),
        ("float v = *(a + i); *(b + i) = v;", {("a", "read"): 1, ("b", "write"): 1}),
        ("float *p = a + i; b[i] = p[0] + p[1];", {("a", "read"): 2, ("b", "write"): 1}),
        ("a[i] += 1.0f;", {("a", "read"): 1, ("a", "write"): 1}),
        ("b[i] = __ldg(&a[i]);", {("a", "read"): 1, ("b", "write"): 1}),
        ("atomicAdd(&a[i], 1.0f);", {("a", "atomic"): 1}),
        ("b[i] = a[(int)b[i]];", {("a", "read"): 1, ("b", "read"): 1, ("b", "write"): 1}),
        ("if (n > 3) b[i] = 0;", {("b", "write"): 1}),
        ("if (n > 30) b[i] = 0;", {("b", "write"): 0}),
    ],
)
def test_accesses_of_one_statement(
    count: Count, statement: str, accesses: dict[tuple[str, str], int]
) -> None:
    found = count(body(statement), 1, 32, n=7)
    assert found.accesses == {(*key, 4): 32 * times for key, times in accesses.items()}


def test_a_load_after_a_store_to_another_pointer_is_done_again(count: Count) -> None:
    found = count(body("float u = a[i]; b[i] = u; b[i + 1] = a[i];"), 1, 32)
    assert found.accesses[("a", "read", 4)] == 64
    restricted = count(
        body("float u = a[i]; b[i] = u; b[i + 1] = a[i];", "const float *__restrict__ a, float *b"),
        1,
        32,
    )
    assert restricted.accesses[("a", "read", 4)] == 32


# -- integer work, against machine code

KERNELS = {
    "copy": "__global__ void k(float *o, const float *a, int n)"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = a[i]; }",
    "saxpy": SAXPY,
    "vector add": "__global__ void k(float *o, const float *a, const float *b, int n)"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = a[i] + b[i]; }",
}


@pytest.mark.parametrize("name", KERNELS)
def test_integer_work_of_small_kernels_is_that_of_the_machine_code(count: Count, name: str) -> None:
    measured = kernel_cost(name)
    assert measured is not None
    assert count(KERNELS[name], 4, 256, n=1024).integers == measured.int_ops


@pytest.mark.parametrize(
    ("qualifier", "flops"),
    [("__restrict__ ", {"sp": 3}), ("", {"sp": 5})],
)
def test_a_store_leaves_restrict_pointers_alone(
    count: Count, qualifier: str, flops: dict[str, float]
) -> None:
    source = f"""
    __global__ void k(const float *{qualifier}x, float *{qualifier}v, float *{qualifier}w) {{
      v[0] += x[1] * x[2] + w[3];
      w[0] = x[1] * x[2] + w[3];
    }}"""
    assert count(source).flops == flops


@pytest.mark.parametrize(
    ("params", "flops"),
    [
        ("const float *x, float *z", 1000),  # The store may change what x points to.
        ("const float *__restrict__ x, float *z", 1),
        ("const float *x, float *__restrict__ z", 1),
        ("const float4 *x, float *z", 1000),
        ("const double *x, int *z", 1),  # No store to an int changes a double.
        ("const double *x, unsigned char *z", 1000),  # A store of bytes changes any number.
    ],
)
def test_a_store_in_a_loop_may_change_what_another_pointer_reads(
    count: Count, params: str, flops: float
) -> None:
    part = ".x" if "float4" in params else ""
    source = f"""
    __global__ void k({params}, int n) {{
      for (int i = 0; i < n; i++) z[threadIdx.x] = x[threadIdx.x]{part} + 1;
    }}"""
    assert sum(count(source, n=1000).flops.values()) == flops


def test_a_tile_declared_in_a_loop_changes_in_it(count: Count) -> None:
    source = """
    __global__ void k(const float *a, float *c, int n) {
      float sum = 0;
      for (int t = 0; t < n; t++) {
        __shared__ float tile[32];
        tile[threadIdx.x] = a[t * 32 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 32; j++) sum += tile[j] * tile[31 - j];
        __syncthreads();
      }
      c[threadIdx.x] = sum;
    }"""
    assert count(source, 1, 32, n=10).flops == {"sp": 32 * 10 * 32 * 2}


def test_the_halves_of_a_pair_are_two_values(count: Count) -> None:
    source = """
    #include <cuda_fp16.h>
    __global__ void k(const half2 *a, const half2 *b, float *out) {
      float s = 0;
      s += (float)a[1].x * (float)b[1].x;
      s += (float)a[1].y * (float)b[1].y;
      *out = s;
    }"""
    found = count(source)
    assert found.flops == {"sp": 4}
    assert found.accesses["a", "read", 2] == 2


def test_an_array_that_a_loop_changes_varies_in_it(count: Count) -> None:
    statements = """float t[8];
      for (int j = 0; j < n; j++) { t[j % 8] = b[j]; for (int m = 0; m < n; m++) t[j % 8] *= 2.0f; }
      a[i] = t[n % 8];"""
    assert count(body(statements), n=10).flops == {"sp": 100}


@pytest.mark.parametrize(
    ("call", "instructions"),
    [("__vadd4(x, y)", 5), ("__vabsdiffu4(x, y)", 1), ("__vimax3_s32(x, y, y)", 2)],
)
def test_words_of_several_integers_cost_what_the_table_says(
    count: Count, call: str, instructions: float
) -> None:
    source = """__global__ void k(unsigned *a) {{ unsigned x = a[0], y = a[1]; a[2] = {}; }}"""
    moves = 1  # The pointer's, to registers: all threads have one address.
    assert count(source.format(call)).integers == instructions + moves
    assert not count(source.format(call)).summary.problems


def test_pairs_of_halves_are_widened_and_packed(count: Count) -> None:
    source = """
    __global__ void k(__half2 *a) {
      float2 t = __half22float2(a[0]);
      t.x = t.x * t.x; t.y = t.y + 1.0f;
      a[1] = __float22half2_rn(t);
    }"""
    found = count(source)
    assert found.flops == {"sp": 2}
    assert found.work(Work.CONVERSION) == 3
    assert not found.summary.problems

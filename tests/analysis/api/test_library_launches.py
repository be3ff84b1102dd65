"""Launches as libraries of extensions write them: packs, functors, gathered work, entry points."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import FileReport, KernelReport
from roofline_core.settings import Settings

N = 1 << 20
MEMORY = f"const int N = {N}; float *a, *b; cudaMalloc(&a, 4 * N); cudaMalloc(&b, 4 * N);"
LAUNCH = "<<<N / 256, 256>>>"
I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"  # noqa: E741
TORCH = "#include <torch/extension.h>\n"


def report_on(source: str) -> FileReport:
    settings = Settings(gpu="A100", args=())
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    assert not [problem for problem in report.problems if "internal error" in problem.message]
    return report


def the_kernel(source: str) -> KernelReport:
    (kernel,) = report_on(source).kernels
    return kernel


def seen(kernel: KernelReport) -> float:
    assert kernel.prediction.sight is not None
    return kernel.prediction.sight.share


APPLY = f"""template <class F, class... Args>
__global__ void apply(int n, float *x, F f, Args... args) {{ {I} if (i < n) f(x, i, args...); }}
"""


@pytest.mark.parametrize(
    ("functor", "passed", "operations"),
    [
        ("void operator()(float *x, int i) const { x[i] = x[i] + 1.f; }", "", 1),
        ("void operator()(float *x, int i, float s) const { x[i] = x[i] * s; }", ", 2.f", 1),
        (
            "void operator()(float *x, int i, float s, float *y) const { x[i] = x[i] * s + y[i]; }",
            ", 2.f, b",
            2,
        ),
    ],
)
def test_a_kernel_passes_its_pack_on(functor: str, passed: str, operations: int) -> None:
    kernel = the_kernel(f"""{APPLY} struct F {{ __device__ {functor} }};
      int main() {{ {MEMORY} apply{LAUNCH}(N, a, F(){passed}); }}""")
    assert kernel.prediction.sp_flops == operations * N
    assert kernel.prediction.dram_read_bytes == pytest.approx(
        (8 if "b" in passed else 4) * N, rel=0.01
    )
    assert kernel.prediction.unknowns == ()


def test_a_packs_arguments_are_named_by_their_places() -> None:
    kernel = the_kernel(f"""{APPLY}
      struct F {{ __device__ void operator()(float *x, int i, float s, int m) const {{
        if (i < m) x[i] *= s; }} }};
      int main() {{ {MEMORY} apply{LAUNCH}(N, a, F(), 2.f, N / 2); }}""")
    (launch,) = kernel.launches
    used = {argument.name: argument.used for argument in launch.arguments}
    assert used["args_1"] == N // 2
    assert launch.template_args == ("F", "float", "int")
    assert kernel.prediction.sp_flops == N // 2


@pytest.mark.parametrize(
    ("body", "operations"),
    [
        ("x[i] = (args + ...);", 2),
        ("x[i] = (x[i] * ... * args);", 3),
        ("x[i] = (args - ... - x[i]);", 3),
        ("((x[i] += args), ...);", 3),
        ("x[i] = x[i] * sizeof...(args);", 1),
        ("x[i] = sum(args...);", 2),
        ("x[i] = sum(sqr(args)...);", 5),
    ],
)
def test_what_stands_for_a_pack(body: str, operations: int) -> None:
    kernel = the_kernel(f"""
      __device__ float sqr(float a) {{ return a * a; }}
      __device__ float sum(float a) {{ return a; }}
      template <class... R> __device__ float sum(float a, R... r) {{
        return __fadd_rn(a, sum(r...)); }}
      template <class... Args> __global__ void k(float *x, Args... args) {{ {I} {body} }}
      int main(int argc, char **argv) {{ {MEMORY} float f = atof(argv[1]);
        k{LAUNCH}(a, f, f + 1, f + 2); }}""")
    assert kernel.prediction.sp_flops == operations * N


GATHERED = """__global__ void k(float *x) { x[blockIdx.x * 256 + threadIdx.x] *= 2.f; }
void run(float *x, const int *sizes, int n) {
  int blocks = 0;
  for (int t = 0; t < n; t++) {
    blocks++;
    bool full = blocks == 320, last = t == n - 1;
    if (full || last) { k<<<blocks, 256>>>(x); blocks = 0; }
  }
}
"""


def test_a_grid_that_trips_gather_is_not_that_of_the_first_trip() -> None:
    kernel = the_kernel(GATHERED)
    (unknown,) = [each for each in kernel.prediction.unknowns if each.name == "blocks"]
    assert unknown.why == (
        "a loop that was not followed to its end counts it up to a launch; "
        "so that the launch is reached"
    )
    assert unknown.assumed == 319  # One more is counted, and 320 are launched.
    assert kernel.launches[0].grid == (None, 1, 1)


def test_a_grid_of_a_loop_that_is_followed_is_known() -> None:
    source = GATHERED.replace("run(float *x, const int *sizes, int n)", "run(float *x)")
    for before, after in (("n - 1", "15"), ("t < n", "t < 16"), ("320", "8")):
        source = source.replace(before, after)
    kernel = the_kernel(source)
    assert {launch.grid for launch in kernel.launches} == {(8, 1, 1)}


MODULE = f"""{TORCH}
template <class F> __global__ void each(float *x, int n, F f) {{ {I} if (i < n) x[i] = f(x[i]); }}
template <class F> void launch(torch::Tensor &x, F f) {{
  int n = x.numel(); each<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), n, f); }}
struct Add {{ __device__ float operator()(float a) const {{ return a + 1.f; }} }};
struct Root {{ __device__ float operator()(float a) const {{ return a * a; }} }};
void add(torch::Tensor x) {{ launch(x, Add()); }}
void root(torch::Tensor x) {{ launch(x, Root()); }}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def("add", &add); m.def("root", &root); }}
"""


def test_every_entry_point_of_a_module_launches_its_instance() -> None:
    kernel = the_kernel(MODULE)
    assert {launch.template_args for launch in kernel.launches} == {("Add",), ("Root",)}


DISPATCH = f"""{TORCH}
template <class T> __global__ void twice(T *x, int n) {{ {I} if (i < n) x[i] = x[i] * T(2); }}
template <class T> void launch(T *x, int n) {{ twice<<<(n + 255) / 256, 256>>>(x, n); }}
void run(torch::Tensor x) {{
  switch (x.scalar_type()) {{
    case at::ScalarType::Double: {{
      using scalar_t = double; launch(x.data_ptr<scalar_t>(), 64); break; }}
    case at::ScalarType::Half: {{
      using scalar_t = at::Half; launch(x.data_ptr<scalar_t>(), 64); break; }}
  }}
}}
"""


def test_the_type_of_a_tensors_data() -> None:
    kernel = the_kernel(DISPATCH)
    assert {launch.template_args for launch in kernel.launches} == {("double",), ("half",)}


def test_extents_of_a_tensor_are_told_apart() -> None:
    kernel = the_kernel(f"""{TORCH}
      __global__ void k(float *x, int rows, int columns) {{
        int r = blockIdx.y, c = blockIdx.x * 256 + threadIdx.x;
        if (r < rows && c < columns) x[r * columns + c] += 1.f; }}
      void run(torch::Tensor x) {{ int rows = x.size(0), columns = x.size(1);
        k<<<dim3((columns + 255) / 256, rows), 256>>>(x.data_ptr<float>(), rows, columns); }}""")
    names = {unknown.name for unknown in kernel.prediction.unknowns}
    assert {"x.size(0)", "x.size(1)"} <= names


@pytest.mark.parametrize("name", ["c10::Half", "at::Half"])
def test_an_explicit_specialisation_for_a_type_of_torch(name: str) -> None:
    kernel = the_kernel(f"""#include <c10/macros/Macros.h>
      template <class T, int N> __device__ void copy(T *to, const T *from);
      template <> __device__ void copy<{name}, 4>({name} *to, const {name} *from) {{
        *(float2 *)to = *(float2 *)from; }}
      template <class T> __global__ void k(T *to, const T *from) {{ {I}
        copy<T, C10_WARP_SIZE / 8>(to + 4 * i, from + 4 * i); }}
      int main() {{ {MEMORY} k<at::Half><<<N / 512, 256>>>((at::Half *)a, (at::Half *)b); }}""")
    assert seen(kernel) == 1
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * N, rel=0.01)


def test_bytes_stored_as_an_object_are_read_as_numbers() -> None:
    kernel = the_kernel(f"""
      struct alignas(32) Eight {{ char bytes[32]; }};
      __global__ void k(float *x) {{ {I} float v[8];
        *(Eight *)v = ((Eight *)x)[i];
        for (int j = 0; j < 8; j++) v[j] = fmaxf(v[j], 0.f) + 1.f;
        ((Eight *)x)[i] = *(Eight *)v; }}
      int main() {{ {MEMORY} k<<<N / 2048, 256>>>(a); }}""")
    assert kernel.prediction.sp_flops == N
    assert seen(kernel) == 1


def test_a_global_function_behind_a_parameter_of_its_name() -> None:
    kernel = the_kernel(f"""
      struct Larger {{ __device__ float operator()(float max, float v) const {{
        return ::max(max, v) + 1.f; }} }};
      __global__ void k(float *x) {{ {I} Larger larger; x[i] = larger(x[i], 2.f); }}
      int main() {{ {MEMORY} k{LAUNCH}(a); }}""")
    assert seen(kernel) == 1
    assert kernel.prediction.sp_flops == N


@pytest.mark.parametrize(
    "own",
    [
        "__device__ int2 min(int2 a, int2 b) { return make_int2(min(a.x, b.x), min(a.y, b.y)); }",
        """template <class T, std::enable_if_t<std::is_same<T, float>::value> * = nullptr>
        __device__ T min(T a, T b) { return min((int)a, (int)b); }""",
    ],
)
def test_a_programs_own_function_hides_no_other_types_built_in_one(own: str) -> None:
    kernel = the_kernel(f"""{own}
      __global__ void k(int *x) {{ {I} x[i] = min(x[i], 7); }}
      int main() {{ {MEMORY} k{LAUNCH}((int *)a); }}""")
    assert seen(kernel) == 1


def test_what_compilers_are_told_costs_nothing() -> None:
    kernel = the_kernel(f"""
      __global__ void k(float *x, int n) {{ {I}
        if (__builtin_expect(i < n, 1)) x[i] += 1.f;
        else __assert_fail("i < n", "k.cu", 1, "k"); }}
      int main() {{ {MEMORY} k{LAUNCH}(a, N); }}""")
    assert seen(kernel) == 1
    assert kernel.prediction.sp_flops == N
    assert kernel.prediction.unknowns == ()


@pytest.mark.parametrize(
    ("start", "step", "trips"),
    [
        (100_000, "m = (m - 1) / 32 + 1", 4),
        (32, "m = (m + 31) / 32", 1),
        (33, "m = (m + 32 - 1) / 32", 2),
        (1, "m = (m - 1) / 32 + 1", 0),
        (1024, "m = ((m - 1) >> 5) + 1", 2),
        (1025, "m = (m + 31) >> 5", 3),
        (32_769, "m = (m + 9) / 10", 5),
    ],
)
def test_a_loop_that_divides_and_rounds_up(start: int, step: str, trips: int) -> None:
    kernel = the_kernel(f"""
      __global__ void k(float *x, int n) {{ {I} float a = x[i]; int m = n;
        while (m > 1) {{ a = a * 1.5f; {step}; }}
        x[i] = a; }}
      int main() {{ {MEMORY} k{LAUNCH}(a, {start}); }}""")
    assert kernel.prediction.sp_flops == trips * N
    assert kernel.prediction.unknowns == ()


@pytest.mark.parametrize("name", ["at::ceil_div", "iDivUp", "CEIL_DIV"])
def test_a_quotient_rounded_up_whose_header_is_missing(name: str) -> None:
    kernel = the_kernel(f"""#include "helpers.h"
      __global__ void k(float *x) {{ {I} x[i] *= 2.f; }}
      int main() {{ {MEMORY} k<<<{name}(N - 1, 256), 256>>>(a); }}""")
    assert kernel.launches[0].grid == (N // 256, 1, 1)
    assert kernel.prediction.unknowns == ()

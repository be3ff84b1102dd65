"""Any text gives a report; good text gives its kernels, launches and verdicts."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofline_analysis.api import analyze, analyze_paths
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.report.report import FileReport, Verdict
from roofline_core.settings import Settings

PATH = Path("/p/main.cu")
SETTINGS = Settings(gpu="RTX 3080", clock="base", args=())
SAXPY = b"""
#include <cuda_runtime.h>
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  int n = 1 << 24;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
  return 0;
}
"""


RECURSIVE_TEMPLATE = b"""
template <int N> __device__ float f(float x) { return f<N - 1>(x); }
__global__ void k(float *a) { *a = f<5>(*a); }
"""


def nothing(path: Path) -> bytes | None:
    return None


def report(text: bytes) -> FileReport:
    return analyze(text, PATH, SETTINGS, reader=nothing)


def test_saxpy() -> None:
    (kernel,) = report(SAXPY).kernels
    assert kernel.name == "saxpy(int, float, const float *, float *)"
    (launch,) = kernel.launches
    assert (launch.grid, launch.block) == ((65536, 1, 1), (256, 1, 1))
    prediction = kernel.prediction
    assert prediction.verdict is Verdict.BANDWIDTH_BOUND
    assert prediction.sp_flops == pytest.approx(2 * 2**24, rel=1e-9)
    assert prediction.dp_flops == 0
    assert prediction.dram_write_bytes == pytest.approx(4 * 2**24, rel=0.1)
    assert prediction.dram_read_bytes == pytest.approx(8 * 2**24, rel=0.05)
    assert prediction.confidence > 0.9


def test_a_compute_bound_kernel() -> None:
    source = SAXPY.replace(
        b"y[i] = a * x[i] + y[i];",
        b"""{
      float v = x[i];
      for (int k = 0; k < 4096; k++) v = v * a + 1.0f;
      y[i] = v;
    }""",
    )
    (kernel,) = report(source).kernels
    assert kernel.prediction.verdict is Verdict.COMPUTE_BOUND
    assert kernel.prediction.sp_flops == pytest.approx(2 * 4096 * 2**24, rel=1e-9)


def test_a_kernel_without_a_launch_is_judged_on_assumptions_that_are_named() -> None:
    (kernel,) = report(SAXPY.split(b"int main")[0]).kernels
    assert kernel.launches == ()
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND
    assert {"block size", "grid size"} <= {unknown.name for unknown in kernel.prediction.unknowns}


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n\n",
        b"\x00\x01\x02\xff\xfe" * 50,
        bytes(range(256)),
        b"\xef\xbb\xbf" + SAXPY,
        SAXPY.replace(b"\n", b"\r\n"),
        SAXPY[: len(SAXPY) // 2],
        SAXPY.replace(b"}", b""),
        SAXPY.replace(b"(", b"((", 1),
        b"__global__",
        b"__global__ void",
        b"__global__ void k(",
        b"__global__ void k() {",
        b"__global__ void k(int n) { for (;;) { if (n) { while (1) ",
        b"__global__ void k(float *a) { a[ = ; b + ; } int main() { k<<<>>>(); }",
        b"#include \"main.cu\"\n" + SAXPY,
        b"#define A A A\nA\n#if\n#endif\n#else",
        b"__global__ void k(float *a) { k(a); a[0] = f(f(a)); }",
        b"__device__ float f(float x) { return f(x); } __global__ void k(float *a) { *a = f(*a); }",
        RECURSIVE_TEMPLATE,
        b"struct S { S s; }; __global__ void k(S s, S *p) { p[0] = s; }",
        b"typedef A B; typedef B A; __global__ void k(A *p) { p[0] = 1; }",
        b"__global__ void k(int n, int *a) { a[n / 0] = n % 0; a[1 << 99] = 1 >> -1; }",
        b"__global__ void k(int *a) { for (int i = 0; i < 10; i += 0) a[i] = i; }",
        b"__global__ void k(int *a) { int x[0]; a[0] = x[5]; int y[-1]; a[1] = y[0]; }",
        b"__global__ void k(int *a) { switch (a[0]) { } do { } while (0); goto x; x: ; }",
        b"__global__ void k(int *a) { a[0] = " + b"(" * 500 + b"1" + b")" * 500 + b"; }",
        b"__global__ void k(int *a) { a[0] = " + b"a[0] + " * 3000 + b"1; }",
        b"__global__ void k(int *a) { " + b"if (a[0]) { " * 300 + b"}" * 300 + b" }",
        SAXPY.replace(b"(n + 255) / 256, 256", b"0, 0"),
        SAXPY.replace(b"(n + 255) / 256, 256", b"1 << 40, 1 << 20"),
        SAXPY.replace(b"1 << 24", b"-5"),
        SAXPY.replace(b"i < n", b"i < n * 99999999999999999999999999999999"),
    ],
)  # fmt: skip
def test_bad_text_gives_a_report(text: bytes) -> None:
    found = report(text)
    assert found.path == PATH
    for kernel in found.kernels:
        assert 0 <= kernel.prediction.confidence <= 1
        assert math.isfinite(kernel.prediction.dram_bytes or 0.0)


def test_calls_nested_deeply_give_a_report() -> None:
    functions = [b"__device__ int f0(int x) { return x + 1; }"]
    functions += [
        b"__device__ int f%d(int x) { if (x > %d) { return (f%d(x - 1) + f%d(x)) * 2; } return x; }"
        % (n, n, n - 1, n - 1)
        for n in range(1, 60)
    ]
    text = b"\n".join(functions) + b"\n__global__ void k(int *a) { a[0] = f59(a[1]); }"
    assert [kernel.base_name for kernel in report(text).kernels] == ["k"]


def test_a_long_chain_of_integer_operations_gives_a_report() -> None:
    rounds = b"h ^= h >> 16; h *= 0x85ebca6b; h = (h << 5) | (h >> 27);\n" * 600
    head = b"__global__ void k(unsigned *c, unsigned h) { h += threadIdx.x;\n"
    text = head + rounds + b"c[0] = h; }"
    assert report(text).kernels


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_text_with_pieces_cut_out_gives_a_report(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(SAXPY)))
    end = data.draw(st.integers(start, min(len(SAXPY), start + 80)))
    assert report(SAXPY[:start] + data.draw(st.binary(max_size=4)) + SAXPY[end:]).path == PATH


def test_paths_are_reported_in_their_order_and_unreadable_ones_too() -> None:
    disk = {Path("/p/b.cu"): SAXPY, Path("/p/a.cu"): SAXPY.split(b"int main")[0]}
    paths = [Path("/p/b.cu"), Path("/q/missing.cu"), Path("/p/a.cu")]
    found = list(analyze_paths(paths, SETTINGS, reader=disk.get))
    assert [item.path for item in found] == paths
    assert [len(item.kernels) for item in found] == [1, 0, 1]
    assert found[1].problems


def test_a_kernel_is_found_by_its_profiled_name() -> None:
    old, new = b"saxpy(int n, float a", b"saxpy(int n, T a"
    source = SAXPY.replace(b"__global__", b"template <typename T, int B> __global__")
    source = source.replace(old, new)
    source = source.replace(b"saxpy<<<", b"saxpy<float, 4><<<")
    program = ProgramAnalysis.load([PATH], SETTINGS, argv=(), reader={PATH: source}.get)
    found = program.predict(
        "void saxpy<float, (int)4>(int, T1, const float *, float *)",
        grid=(65536, 1, 1),
        block=(256, 1, 1),
    )
    assert found is not None
    assert found.sp_flops == pytest.approx(2 * 2**24, rel=1e-9)
    assert program.predict("other(int)") is None

"""Loops that end when a number that each run computes of the last one is small enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

BLOCKS, THREADS = 256, 1024


def kernel_of(body: str, n: int = 1024) -> KernelReport:
    source = f"""__global__ void k(float *b, const int *d, int n) {{
      __shared__ float s[2048]; int t = threadIdx.x; s[t] = b[t]; __syncthreads();
      {body}
      b[t] = s[t]; }}
    int main() {{ float *b; int *d; cudaMalloc(&b, 4096); cudaMalloc(&d, 4096);
      k<<<{BLOCKS}, {THREADS}>>>(b, d, {n}); }}"""
    settings = Settings(gpu="A100", args=())
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    assert not [each for each in report.problems if "internal error" in each.message]
    (kernel,) = report.kernels
    return kernel


def adds(kernel: KernelReport) -> float:
    """Additions of each block."""
    assert kernel.prediction.sp_flops is not None
    return kernel.prediction.sp_flops / BLOCKS


ADD = "s[t] += s[t + 1]; __syncthreads();"


@pytest.mark.parametrize(
    ("body", "n", "expected"),
    [
        (f"int m = n; while (m > 1) {{ if (t < m) {{ {ADD} }} m = (m + 31) / 32; }}", 1024, 1056),
        (f"int m = n; while (m > 1) {{ if (t < m) {{ {ADD} }} m = (m + 31) / 32; }}", 1, 0),
        (f"int m = n; while (m > 1) {{ {ADD} m = (m + 1) / 2; }}", 600, 10 * THREADS),
        (f"int m = n; do {{ {ADD} m = (m + 1) / 2; }} while (m > 1);", 1, THREADS),
        (
            f"int m = n, o = 32; while (m > 1) {{ if (t < m) {{ {ADD} }} m = o; o = o / 32; }}",
            1000,
            1032,
        ),
        (
            f"int m = n; for (;;) {{ m = (m + 7) / 8; {ADD} if (m <= 2) break; }}",
            1024,
            3 * THREADS,
        ),
        (
            f"int m = n; while (m > 5) m = (m + 1) / 2; for (int j = 0; j < m; ++j) {{ {ADD} }}",
            75,
            5 * THREADS,
        ),
    ],
    ids=["divided", "none", "halved", "do", "two numbers", "break", "what is left"],
)
def test_runs_are_counted_exactly(body: str, n: int, expected: int) -> None:
    kernel = kernel_of(body, n)
    assert adds(kernel) == expected
    assert kernel.prediction.unknowns == ()


def test_threads_may_run_differently_often() -> None:
    body = "int m = t + 1; while (m > 1) { s[t] += 1.f; m = (m + 1) / 2; }"
    # 1 run for 2, 2 up to 4, 3 up to 8, ... 10 up to 1024; none for 1.
    expected = sum(runs * (1 << (runs - 1)) for runs in range(1, 11))
    assert adds(kernel_of(body)) == expected


@pytest.mark.parametrize(
    "body",
    [
        f"int m = n; while (m > 1) {{ {ADD} m = (m + d[m]) / 2; }}",
        f"int m = n; while (m > 1) {{ {ADD} m = (m * 5) % 1023 + 2; }}",
    ],
    ids=["data change it", "endless"],
)
def test_what_data_decide_is_estimated(body: str) -> None:
    (name,) = [each.name for each in kernel_of(body).prediction.unknowns if "trips" in each.name]
    assert name.startswith("trips of the loop at line")


@pytest.mark.parametrize(
    "body",
    [
        f"int m = n, q = 64; while (m != -1) {{ {ADD} q -= 1; m = 4096 / q; }}",
        f"int m = n, q = 64; while (m != -1) {{ {ADD} q -= 1; m = 4096 % q; }}",
        f"int m = 0; while (m != 3) {{ {ADD} m = n * 18446744073709551615u; }}",
    ],
    ids=["divided by 0", "rest of 0", "more than 64 bits"],
)
def test_a_number_that_has_no_value_after_some_runs_is_not_followed(body: str) -> None:
    kernel = kernel_of(body)
    (name,) = [each.name for each in kernel.prediction.unknowns if "trips" in each.name]
    assert name.startswith("trips of the loop at line")


def test_loops_within_one_another_take_no_more_lanes_than_others() -> None:
    inner = "s[t] += 1.f;"
    for name in "pqrst"[:4]:
        inner = f"int {name}{name} = n; while ({name}{name} > 1) {{ {inner} {name}{name} /= 2; }}"
    kernel = kernel_of(inner)
    assert adds(kernel) == pytest.approx(10**4 * THREADS, rel=0.02)

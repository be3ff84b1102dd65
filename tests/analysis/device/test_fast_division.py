"""Divisions that kernels write as multiplications, with numbers that the host computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

ROWS, ROW = 512, 96
HOST = f"""
D divider(unsigned d) {{ D r; unsigned l = 0; while (l < 32 && (1u << l) < d) l++;
  SET return r; }}
int main() {{ float *a, *b; cudaMalloc(&a, 4 * {ROWS * ROW}); cudaMalloc(&b, 1 << 26);
  k<<<{ROWS * ROW // 128}, 128>>>(a, b, divider({ROW})); }}"""


def kernel_of(types: str, divide: str, members: str) -> KernelReport:
    source = f"""{types}
    __device__ unsigned quotient(unsigned n, D d) {{ {divide} }}
    __global__ void k(const float *a, float *b, D d) {{
      unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
      b[8 * quotient(i, d)] = a[i]; }}
    {HOST.replace("SET", members)}"""
    settings = Settings(gpu="A100", args=())
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    (kernel,) = report.kernels
    assert kernel.prediction.sight is not None
    assert kernel.prediction.sight.missing == ()
    return kernel


@pytest.mark.parametrize(
    ("types", "divide", "members"),
    [
        (
            "#define D uint3\n",
            "unsigned h = __umulhi(n, d.x); return (h + n) >> d.y;",
            "r.x = 1; r.y = l; r.z = d;",
        ),
        (
            "struct D { unsigned divisor, m1, shift; };",
            "unsigned t = __umulhi(d.m1, n); return (t + n) >> d.shift;",
            "r.divisor = d; r.m1 = 1; r.shift = l;",
        ),
        (
            "struct D { int divisor; unsigned multiplier; unsigned shift_right; };",
            "return __umulhi(n, d.multiplier) >> d.shift_right;",
            "r.divisor = d; r.multiplier = 1; r.shift_right = l;",
        ),
    ],
    ids=["vector", "members", "without sum"],
)
def test_the_quotient_is_known(types: str, divide: str, members: str) -> None:
    kernel = kernel_of(types, divide, members)
    assert kernel.prediction.dram_write_bytes == 32 * ROWS
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * ROWS * ROW, rel=0.02)  # and code


@pytest.mark.parametrize(
    "divide",
    [
        "return (__umulhi(n, d.x) + n + 1) >> d.y;",
        "return (__umulhi(n, 77u) + n) >> d.y;",
        "return (__umulhi(n, d.x) + n) >> 3;",
    ],
)
def test_other_products_are_not_taken_for_one(divide: str) -> None:
    kernel = kernel_of("#define D uint3\n", divide, "r.x = 1; r.y = l; r.z = d;")
    assert (kernel.prediction.dram_write_bytes or 0.0) > 64 * ROWS

"""Powers with an exponent of integer type: operations of machine code, by compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG, NVCC
from roofline_analysis.regions.kernel_summary import Work

Count = Callable[..., Any]


@pytest.mark.parametrize(
    ("type_", "exponent", "by_clang"),
    [
        ("double", "0", 1),
        ("double", "1", 1),
        ("double", "2", 2),
        ("double", "3", 3),
        ("double", "4", 3),
        ("double", "6", 4),
        ("double", "-1", 11),
        ("double", "m", 13),
        ("float", "2", 3),
        ("float", "3", 4),
        ("float", "m", 9),
    ],
)
def test_a_whole_exponent_is_a_chain_of_products_or_the_function_of_doubles(
    count: Count, type_: str, exponent: str, by_clang: int
) -> None:
    source = f"""
__global__ void k(const {type_} *a, {type_} *e, int n, int m) {{
  {type_} s = 0;
  for (int i = 0; i < n; i++) s += pow(a[i], {exponent});
  e[threadIdx.x] = s;
}}"""
    kind = Work.DP if type_ == "double" else Work.SP
    assert count(source, 1, 32, compiler=CLANG, n=20, m=3).work(kind) == 32 * 20 * by_clang
    by_nvcc = count(source, 1, 32, compiler=NVCC, n=20, m=3)
    if exponent not in ("0", "1"):
        assert by_nvcc.work(Work.DP) == pytest.approx(32 * 20 * 123, rel=0.01)


@pytest.mark.parametrize("compiler", [CLANG, NVCC])
@pytest.mark.parametrize(("call", "flops"), [("pow(a[i], 2.0f)", 59), ("powf(a[i], 2)", 59)])
def test_a_float_exponent_is_the_function_of_floats(
    count: Count, compiler: object, call: str, flops: int
) -> None:
    source = f"""
__global__ void k(const float *a, float *e, int n) {{
  float s = 0;
  for (int i = 0; i < n; i++) s += {call};
  e[threadIdx.x] = s;
}}"""
    assert count(source, 1, 32, compiler=compiler, n=20).work(Work.SP) == 32 * 20 * flops


@pytest.mark.parametrize(
    "call", ["powf(a[0])", "pow(2.0f)", "powf()", "pow(a, 2)", "powf(1, 2, 3)", "sqrt(1.0, 2.0)"]
)
def test_a_call_with_other_arguments_breaks_nothing(count: Count, call: str) -> None:
    source = f"__global__ void k(float *a) {{ a[threadIdx.x] = a[1] + 1.0f; {call}; }}"
    assert count(source, 1, 32).work(Work.SP) >= 32

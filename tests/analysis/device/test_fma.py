"""Products with several uses: the figures are SASS's, two operations for each FFMA."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.device.costs.compilers import CLANG, NVCC
from roofline_analysis.device.costs.fma import charge_all
from roofline_analysis.device.operations import Operation, OperationList
from roofline_analysis.regions.kernel_summary import Region, RegionForm, Work

Count = Callable[..., Any]


def kernel(statements: str) -> str:
    return f"""
__global__ void k(const float *p, float *q, int n) {{
  float a = p[0], b = p[1], c = p[2], d = p[3];
  {statements}
}}"""


@pytest.mark.parametrize(
    ("statements", "by_clang", "by_nvcc"),
    [
        ("q[0] = a * b + c;", 2, 2),
        ("float t = a * b; q[0] = t + c; q[1] = d - t;", 4, 4),  # FFMA, FFMA
        ("float t = a * b; q[0] = t + c; q[1] = d + t; q[2] = t - 1.f;", 6, 6),
        ("float t = a * b; q[0] = -t + c; q[1] = t + d;", 4, 4),  # a sign is free
        ("float t = a * b; q[0] = t + t;", 3, 3),  # FMUL, FFMA
        ("float t = a * b, u = c * d; q[0] = t + u;", 3, 3),  # FMUL, FFMA
        ("float t = a * b; q[0] = t; q[1] = t + c;", 3, 2),  # FMUL, FFMA or FADD
        ("float t = a * b; q[1] = t + c; q[0] = t;", 3, 2),
        ("float t = a * b; q[0] = t * d; q[1] = t + c;", 4, 3),
        ("float t = a * b; q[0] = t > d ? t : d; q[1] = t + c;", 3, 2),
        ("float t = a / 2.f; q[0] = t + c; q[1] = t + d;", 4, 4),
        ("q[0] = (a + b) / 2.f; q[1] = (b + a) / 4.f;", 3, 3),  # one FADD for both
        ("q[0] = (a + a) / 2.f; q[1] = (a + b) / 4.f;", 4, 4),
        ("q[0] = a - b; q[1] = b - a;", 2, 2),
        ("float t = a * b, u = c * d; q[0] = t + u; q[1] = t - u;", 5, 5),
        ("float t = a * b; q[0] = t; q[1] = t + c; q[2] = t + d; q[3] = t - d;", 7, 4),
    ],
)
def test_a_product_and_its_additions(
    count: Count, statements: str, by_clang: int, by_nvcc: int
) -> None:
    for compiler, flops in ((CLANG, by_clang), (NVCC, by_nvcc)):
        assert count(kernel(statements), compiler=compiler).work(Work.SP) == flops


@pytest.mark.parametrize(
    ("before", "each", "after", "flops"),
    [
        # An argument or a literal takes no register: the product is computed anew in each trip.
        ("c = w * threadIdx.x;", "s += p[i] - c;", "q[0] = s;", 20 * 3),
        ("c = p[1] * w;", "s += p[i] - c;", "q[0] = s;", 20 * 3),
        ("c = p[1] * 3.0f;", "s += p[i] - c;", "q[0] = s;", 20 * 3),
        ("c = w * v;", "s += p[i] + c; q[i] = p[i] - c;", "q[0] = s;", 20 * 5),
        ("c = w * v;", "s += p[i] + c;", "q[0] = s + c;", 20 * 3 + 2),
        # Two registers, or a sum that has one: computed once.
        ("c = p[1] * p[2];", "s += p[i] - c;", "q[0] = s;", 20 * 2 + 1),
        ("c = w * v + 1.0f;", "s += p[i] - c;", "q[0] = s;", 20 * 2 + 2),
        ("c = p[1] * 2.0f;", "s += p[i] - c;", "q[0] = s;", 20 * 2 + 1),
        # Something else needs the product.
        ("c = w * v;", "s += p[i] - c;", "q[0] = s; q[1] = c;", 20 * 2 + 1),
        ("c = w * v;", "s += (p[i] - c) * c;", "q[0] = s;", 20 * 3 + 1),
    ],
)
def test_loops_repeat_a_product_that_takes_no_register(
    count: Count, before: str, each: str, after: str, flops: int
) -> None:
    source = f"""
__global__ void k(const float *p, float *q, int n, float w, float v) {{
  float s = 0.0f, {before}
  for (int i = 0; i < n; i++) {{ {each} }}
  {after}
}}"""
    assert count(source, 1, 32, n=20).work(Work.SP) == 32 * flops


@pytest.mark.parametrize(
    ("each", "after", "by_clang", "by_nvcc"),
    [
        ("s += p[i] - c;", "", 60, 60),
        ("s += p[i] + c; q[i] = p[i] - c;", "", 100, 100),
        ("s += p[i] - c;", "q[1] = c;", 61, 41),
        ("s += (p[i] - c) * c;", "", 81, 61),
    ],
)
def test_copies_of_an_unrolled_loop_repeat_any_product(
    count: Count, each: str, after: str, by_clang: int, by_nvcc: int
) -> None:
    source = f"""
__global__ void k(const float *p, float *q) {{
  float s = 0.0f, c = p[1] * p[2];
  for (int i = 0; i < 20; i++) {{ {each} }}
  q[0] = s;
  {after}
}}"""
    for compiler, flops in ((CLANG, by_clang), (NVCC, by_nvcc)):
        assert count(source, 1, 32, compiler=compiler).work(Work.SP) == 32 * flops


def test_a_product_from_before_a_loop_is_not_taken_in(count: Count) -> None:
    source = kernel(
        "float t = a * b, s = 0.f; for (int i = 0; i < n; i++) s += t - p[i]; q[0] = s;"
    )
    assert count(source, n=100).work(Work.SP) == 1 + 2 * 100


def test_a_returned_product_is_taken_in(count: Count) -> None:
    before = "__device__ float twice(float x, float y) { return x * y; }"
    source = before + kernel("float t = twice(a, b); q[0] = t + c; q[1] = t + d;")
    assert count(source).work(Work.SP) == 4


@given(st.lists(st.sampled_from(("add", "need")), max_size=12), st.booleans())
def test_the_order_of_uses_does_not_matter(uses: list[str], keeps_needed: bool) -> None:
    """Two operations for each addition that takes the product in, one for other needs together.

    One for each addition to a product that a compiler keeps.
    """
    home = Region(RegionForm.KERNEL, None, (Path("k.cu"), 1))
    one = ((Work.SP, 1.0),)
    product = Operation(home, home.site, charges=one, product=Work.SP)
    operations = [product]
    for use in uses:
        if use == "need":
            operations.append(Operation(home, home.site, (product,), needs=(product,)))
        else:
            taken = (product, None)
            operations.append(Operation(home, home.site, (product,), charges=one, fusable=taken))
    charge_all(operations, keeps_needed=keeps_needed)
    total = home.work[home.site][Work.SP]
    each = 1.0 if keeps_needed and "need" in uses else 2.0
    expected = each * uses.count("add") + ("need" in uses)
    assert total == (expected if uses else 1.0)


@given(st.lists(st.lists(st.integers(0, 30), max_size=3), max_size=30), st.integers(0, 29))
def test_what_is_used_is_what_the_roots_lead_to(sources: list[list[int]], root: int) -> None:
    home = Region(RegionForm.KERNEL, None, (Path("k.cu"), 1))
    operations = OperationList()
    noted = [operations.note(Operation(home, home.site)) for _ in sources]
    edges = [[each for each in inner if each < len(noted)] for inner in sources]
    for operation, inner in zip(noted, edges, strict=True):
        operation.inputs.extend(noted[each] for each in inner)
    reached: set[int] = set()
    waiting = [root] if root < len(noted) else []
    for each in waiting:
        operations.keep(noted[each], home)
    while waiting:
        each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting.extend(edges[each])
    assert list(operations.used()) == [noted[each] for each in sorted(reached)]


@pytest.mark.parametrize(
    ("statements", "flops"),
    [
        ("q[i] = a * b + c; r[i] = a * b - d;", 4),  # both are written as one expression
        ("float t = a * b; q[i] = t + c; r[i] = t - d;", 3),  # neither is
        ("float t = a * b; q[i] = t + c; q[i] += a * b;", 4),
        ("q[i] = a * b + c * d;", 3),
    ],
)
def test_clang_fuses_within_an_expression_alone(
    count: Count, statements: str, flops: float
) -> None:
    source = f"""
    void f(float *p, float *q, float *r, int n) {{
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < n; i++) {{
        float a = p[i], b = p[i + n], c = p[i + 2 * n], d = p[i + 3 * n];
        {statements}
      }}
    }}"""
    found = count(source, 1, 128, suffix=".cpp", compiler=CLANG, n=128)
    assert found.work(Work.SP) == 128 * flops

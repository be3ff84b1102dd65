"""Functions of cuda_fp16.h and cuda_bf16.h."""

from __future__ import annotations

import pytest

from roofline_analysis.regions.kernel_summary import Work
from tests.analysis.conftest import Count

HALVES = {"half": "const half *a, half *b", "half2": "const half2 *a, half2 *b"}
BRAINS = {
    "bfloat16": "const __nv_bfloat16 *a, __nv_bfloat16 *b",
    "bfloat162": "const __nv_bfloat162 *a, __nv_bfloat162 *b",
}


def kernel(parameters: str, expression: str) -> str:
    return f"""__global__ void k({parameters}) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = {expression}; }}"""


@pytest.mark.parametrize(
    ("expression", "flops"),
    [
        ("__hadd_rn(a[i], a[i])", 1),
        ("__hmul_sat(a[i], a[i])", 1),
        ("__hfma_relu(a[i], a[i], a[i])", 2),
        ("__hmax_nan(a[i], a[i])", 0),
        ("__hadd(__hneg(a[i]), __habs(a[i]))", 1),
    ],
)
def test_operations_on_halves(count: Count, expression: str, flops: int) -> None:
    for parameters in (HALVES["half"], BRAINS["bfloat16"]):
        found = count(kernel(parameters, expression), 1, 32)
        assert found.work(Work.HP) == 32 * flops
        assert not any(region.unseen for region in found.summary.root.walk())


@pytest.mark.parametrize(
    ("expression", "flops"),
    [
        ("__hsub2_rn(a[i], a[i])", 2),
        ("__hfma2_sat(a[i], a[i], a[i])", 4),
        ("__hmin2_nan(a[i], a[i])", 0),
        ("__hcmadd(a[i], a[i], a[i])", 8),
        ("__hadd2(a[i], __low2half2(a[i]))", 2),
        ("__hgt2(a[i], a[i])", 0),
    ],
)
def test_operations_on_pairs_count_both_lanes(count: Count, expression: str, flops: int) -> None:
    found = count(kernel(HALVES["half2"], expression), 1, 32)
    assert found.work(Work.HP) == 32 * flops
    assert found.accesses == {("a", "read", 4): 32, ("b", "write", 4): 32}
    assert not any(region.unseen for region in found.summary.root.walk())


@pytest.mark.parametrize(
    ("type_", "expression", "special", "conversions"),
    [
        ("half", "hlog2(a[i])", 1, 2),
        ("half2", "h2exp10(a[i])", 2, 3),
        ("half", "hfloor(a[i])", 0, 1),
        ("half2", "h2trunc(a[i])", 0, 2),
        ("half", "htanh(a[i])", 1, 2),
        ("half2", "h2tanh_approx(a[i])", 2, 4),
        ("half", "__hdiv(a[i], a[i])", 1, 3),
        ("bfloat16", "hsqrt(a[i])", 1, 1),
        ("bfloat162", "__h2div(a[i], a[i])", 2, 1),
        ("half", "__float2half_rz(1.5f + __half2int_rd(a[i]))", 0, 3),
        ("bfloat16", "__int2bfloat16_rn(__bfloat162uint_ru(a[i]))", 0, 2),
        ("half2", "__float22half2_rn(__half22float2(a[i]))", 0, 3),
    ],
)
def test_functions_by_their_instructions(
    count: Count, type_: str, expression: str, special: int, conversions: int
) -> None:
    found = count(kernel({**HALVES, **BRAINS}[type_], expression), 1, 32)
    assert found.work(Work.SPECIAL) == 32 * special
    assert found.work(Work.CONVERSION) == 32 * conversions
    assert not any(region.unseen for region in found.summary.root.walk())


def test_a_comparison_decides_a_branch(count: Count) -> None:
    source = """__global__ void k(const half *a, half *b) { int i = threadIdx.x;
        if (__hgt(a[i], a[i + 1]) && __hbne2(b[i], b[i])) b[i] = __hadd(a[i], a[i]); }"""
    found = count(source, 1, 32)
    assert 0 < found.work(Work.HP) < 32


def test_the_bits_of_a_half_are_an_integer(count: Count) -> None:
    found = count(
        kernel(HALVES["half"], "__ushort_as_half(__half_as_ushort(a[i]) & 0x7fff)"), 1, 32
    )
    assert found.flops == {}
    assert found.accesses == {("a", "read", 2): 32, ("b", "write", 2): 32}

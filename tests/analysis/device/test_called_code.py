"""What compilers unroll whole depends on what the body calls: a thread's array tells.

The trips were read off machine code: an array that a loop indexes is in memory if the loop stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG, NVCC, CompilerProfile
from roofline_analysis.regions.kernel_summary import MemorySpace

Count = Callable[..., Any]


def stays(count: Count, compiler: CompilerProfile, type_: str, call: str, trips: int) -> bool:
    """Whether the array is in memory."""
    source = f"""
    __device__ {type_} turned({type_} x) {{ return sin(x) + cos(x); }}
    __global__ void k({type_} *w, {type_} q) {{
      {type_} d[{trips}];
      for (int i = 0; i < {trips}; i++) d[i] = w[threadIdx.x + i * 64];
      for (int j = 0; j < {trips}; j++) d[j] = {call};
      for (int i = 0; i < {trips}; i++) w[threadIdx.x + i * 64] = d[i];
    }}"""
    counted = count(source, 1, 64, compiler=compiler)
    return any(
        access.array.space is MemorySpace.LOCAL
        for region in counted.summary.root.walk()
        for access in region.accesses
    )


@pytest.mark.parametrize(
    ("type_", "call", "most"),
    [
        ("double", "sin(d[j] * q)", 5),
        ("double", "exp(d[j] * q)", 10),
        ("double", "log(d[j] * q)", 4),
        ("float", "sinf(d[j] * q)", 2),
        ("float", "powf(d[j] * q, q)", 2),
        ("float", "logf(d[j] * q)", 10),
        ("float", "expf(d[j] * q)", 16),
        ("double", "turned(d[j] * q)", 2),
    ],
)
def test_clang_unrolls_up_to_a_number_of_trips(
    count: Count, type_: str, call: str, most: int
) -> None:
    assert not stays(count, CLANG, type_, call, most)
    assert stays(count, CLANG, type_, call, 2 * most)


@pytest.mark.parametrize(
    ("type_", "call", "trips", "in_memory"),
    [
        ("double", "sin(d[j] * q)", 16, False),
        ("double", "exp(d[j] * q)", 32, False),
        ("float", "powf(d[j] * q, q)", 16, False),
        ("float", "powf(d[j] * q, q)", 32, True),
        ("float", "sinf(d[j] * q)", 16, False),
        ("float", "sinf(d[j] * q)", 32, True),
        ("double", "fmod(d[j], q)", 8, False),
        ("double", "fmod(d[j], q)", 16, True),
        ("double", "tgamma(d[j] * q)", 4, True),
    ],
)
def test_nvcc_unrolls_more(
    count: Count, type_: str, call: str, trips: int, in_memory: bool
) -> None:
    assert stays(count, NVCC, type_, call, trips) is in_memory

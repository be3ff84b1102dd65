"""Algorithms of thrust that one thread runs in a kernel, and ties of tuples."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.regions.kernel_summary import AccessMode, KernelSummary, Work
from roofline_parsers.reading.load import load_program

PATH = Path("/src/k.cu")
HEADERS = """
#include <thrust/execution_policy.h>
#include <thrust/binary_search.h>
#include <cuda/std/tuple>
#include <raft/util/cuda_utils.cuh>
"""


def summary_of(statements: str, before: str = "") -> KernelSummary:
    source = f"""{HEADERS}{before}
      __global__ void k(const float *x, const int *sorted, int *out, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        {statements} }}"""
    program = load_program([PATH], {PATH: source.encode()}.get)
    types = TypeSystem(Symbols(program))
    (kernel,) = (f for found in types.symbols.functions.values() for f in found if f.is_kernel)
    return summarise(kernel, types)


def unseen(summary: KernelSummary) -> bool:
    return any(region.unseen for region in summary.root.walk())


def arrays(summary: KernelSummary, mode: AccessMode) -> list[str]:
    found = (each for region in summary.root.walk() for each in region.accesses)
    return [each.array.name for each in found if each.mode is mode]


def test_a_search_reads_what_it_searches() -> None:
    summary = summary_of("out[i] = *thrust::lower_bound(thrust::seq, sorted, sorted + n, i);")
    assert not unseen(summary)
    assert arrays(summary, AccessMode.READ) == ["sorted", "sorted"]
    assert arrays(summary, AccessMode.WRITE) == ["out"]


def test_a_reduction_reads_all_of_its_elements() -> None:
    summary = summary_of(
        "out[i] = thrust::transform_reduce(thrust::seq, x + i * 8, x + i * 8 + 8,"
        "[] (float v) { return v * v; }, 0.0f, [] (float a, float b) { return a + b; });"
    )
    assert not unseen(summary)
    assert arrays(summary, AccessMode.READ) == ["x"] * 8


@pytest.mark.parametrize("tie", ["std::tie", "thrust::tie", "cuda::std::tie"])
def test_a_tie_gives_each_variable_its_part(tie: str) -> None:
    pair = """__device__ cuda::std::tuple<int, int> range(const int *o, int i) {
      return cuda::std::make_tuple(o[i], o[i + 1]); }"""
    summary = summary_of(f"int a, b; {tie}(a, b) = range(sorted, i); out[i] = b - a;", before=pair)
    assert not unseen(summary)
    assert arrays(summary, AccessMode.READ) == ["sorted", "sorted"]


def test_parts_of_an_unknown_tuple_are_unknown() -> None:
    summary = summary_of("int a = 1, b = 2; std::tie(a, b) = unseen(i); out[a + b] = 0;")
    (written,) = (a for r in summary.root.walk() for a in r.accesses)
    assert "tied" in str(written.offset)


def test_raft_says_how_wide_a_warp_is() -> None:
    summary = summary_of("if (i % raft::warp_size() == 0) out[i / raft::warp_size()] = 1;")
    assert not unseen(summary)
    (written,) = (a for r in summary.root.walk() for a in r.accesses)
    assert str(written.offset) == "4*div(blockIdx.x*blockDim.x + threadIdx.x, 32)"


def test_raft_reduces_over_a_block() -> None:
    helper = "DI float twice(float v) { return v + v; }"
    summary = summary_of(
        "extern __shared__ char memory[];"
        "float sum = raft::blockReduce(twice(x[i]), memory);"
        "if (threadIdx.x == 0) out[blockIdx.x] = sum;",
        before=helper,
    )
    assert not unseen(summary)
    work = sum(region.work[site][Work.SP] for region in summary.root.walk() for site in region.work)
    assert work == 11, "one sum, and twice the five steps of a warp"

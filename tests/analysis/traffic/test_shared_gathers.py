"""Loaded indices that many threads share are picked once for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.traffic.access_footprints import footprints_of
from roofline_analysis.traffic.coalescing import WarpAddresses

Count = Callable[..., Any]

BLOCKS, THREADS = 512, 128
EACH = BLOCKS * THREADS


@pytest.mark.parametrize(
    ("index", "distinct"),
    [
        ("p[blockIdx.x]", BLOCKS),
        ("q[p[blockIdx.x]]", BLOCKS),
        ("q[p[blockIdx.x] + 1]", BLOCKS),
        ("p[threadIdx.x]", THREADS),
        ("p[i]", EACH),
        ("q[p[i]]", EACH),
        ("p[blockIdx.x] + q[threadIdx.x]", EACH),
        ("p[blockIdx.x * 4 + k]", BLOCKS * 4),
        # An atomic operation gives each thread a number of its own.
        ("atomicAdd(c, 1)", EACH * 4),
        # What other threads write may have changed between two loads.
        ("c[blockIdx.x]", EACH),
    ],
)
def test_an_index_is_as_many_as_what_it_is_loaded_by(
    count: Count, index: str, distinct: int
) -> None:
    source = f"""__global__ void f(const float *x, float *y, const int *p, const int *q, int *c) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float s = 0;
        for (int k = 0; k < 4; k++) s += x[{index}];
        if (s < 0) atomicAdd(c, 1);
        y[i] = s; }}"""
    assert places_of_x(count(source, BLOCKS, THREADS)) == distinct


def places_of_x(counted: Any) -> float:
    """The distinct addresses of an array ``x``, as the traffic counts them."""
    warp = WarpAddresses(counted.execution, 32)
    found = footprints_of(counted.summary, counted.execution, 1000, warp)
    return float(sum(each.places for each in found if each.access.array.name == "x"))


SEGMENT = """int b = 0, end = p[0];
for (int m = 1; m < batches; m++) { if (i < end) break; end += p[m]; b = m; }"""


ADD = "int s = 0; for (int m = 0; m < batches; m++)"


@pytest.mark.parametrize(
    ("body", "distinct"),
    [
        ("int s = 0; for (int m = 0; m < blockIdx.x; m++) s += p[m]; y[i] = x[s];", BLOCKS),
        ("int s = p[blockIdx.x]; for (int m = 0; m < 9; m++) s = q[s]; y[i] = x[s];", BLOCKS),
        # A loop of 7 trips that may be left before each of them ends in 8 ways.
        (f"{SEGMENT} y[i] = x[q[b]];", 8),
        (f"{SEGMENT} int s = 0; for (int m = 0; m < b; m++) s += q[m]; y[i] = x[s];", 8),
        (f"{SEGMENT} {ADD} s += q[b + m]; for (int k = 0; k < 16; k++) y[i] += x[s + k];", 8 * 16),
        # Each thread has a sum of its own where its conditions choose what is added.
        (f"{ADD} if (i > p[m]) s += q[m]; y[i] = x[s];", EACH),
        (f"{ADD} {{ if (i > p[m]) continue; s += q[m]; }} y[i] = x[s];", EACH),
        (f"{ADD} {{ s += q[m]; if (i > p[m]) {{ s = q[i]; break; }} }} y[i] = x[s];", EACH),
        # How often it runs is not known.
        ("int s = 0; while (q[s] < i) s = p[s]; y[i] = x[s];", EACH),
    ],
)
def test_a_number_that_a_loop_changes_is_decided_by_its_trips(
    count: Count, body: str, distinct: int
) -> None:
    params = "const float *x, float *y, const int *p, const int *q, int batches"
    source = f"""__global__ void f({params}) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"""
    assert places_of_x(count(source, BLOCKS, THREADS, batches=8)) == distinct


@pytest.mark.parametrize(
    "inner", ["", "for (int j = 0; j < n; j++) { if (z[j] < 0) continue; s += j; }"]
)
@pytest.mark.parametrize(
    ("place", "distinct"),
    [
        # All threads of a block read one number, another one after each of 15 trips.
        ("0", BLOCKS * 15),
        ("k", BLOCKS * 15),
        # Each thread has its own.
        ("threadIdx.x", EACH * 15),
    ],
)
def test_a_number_in_one_place_of_shared_memory_is_one_for_a_block(
    count: Count, place: str, distinct: int, inner: str
) -> None:
    """The next point is the block's farthest, found together: ``chosen = found[0]``."""
    source = f"""__global__ void f(const float *x, float *y, const float *z, int n) {{
        __shared__ int found[{THREADS}];
        int i = blockIdx.x * blockDim.x + threadIdx.x, chosen = 0;
        float s = 0;
        for (int k = 0; k < n; k++) {{
            s += x[blockIdx.x * 4096 + chosen];
            {inner}
            found[threadIdx.x] = (int)(s * 8);
            __syncthreads();
            chosen = found[{place}];
            __syncthreads();
        }}
        y[i] = s; }}"""
    assert places_of_x(count(source, BLOCKS, THREADS, n=15)) == pytest.approx(distinct, rel=0.1)

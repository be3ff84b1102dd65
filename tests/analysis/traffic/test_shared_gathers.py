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
    counted = count(source, BLOCKS, THREADS)
    places = sum(
        each.places
        for each in footprints_of(
            counted.summary, counted.execution, 1000, WarpAddresses(counted.execution, 32)
        )
        if each.access.array.name == "x"
    )
    assert places == distinct

"""A function with several ``return`` statements gives a choice among what they return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from roofline_analysis.device.values import THREAD

Count = Callable[..., Any]

CLAMPED = """
__device__ int clamped(int i, int n) {
    if (i < 0) return 0;
    if (i >= n) return n - 1;
    return i;
}
__device__ int border(int i, int n, int mode) {
    switch (mode) {
        case 0: return i < 0 ? 0 : i;
        case 1: { if (i < 0) return -i; return i; }
        case 2: return (i %% n + n) %% n;
        default: return 7;
    }
}
__device__ int first(const int *a, int n) {
    for (int k = 0; k < n; k++) if (a[k] == 3) return k;
    return n;
}
__global__ void kernel(int n, int mode, const float *b, const int *c, float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    %s
}
"""


@pytest.mark.parametrize(
    ("statement", "mode", "touched"),
    [
        ("a[i] = b[clamped(i - 4, n)];", 0, 28),
        ("a[i] = b[clamped(i + 60, n)];", 0, 4),
        ("a[i] = b[border(i - 8, n, mode)];", 0, 24),
        ("a[i] = b[border(i - 8, n, mode)];", 1, 24),
        ("a[i] = b[border(i - 8, n, mode)];", 2, 32),
        ("a[i] = b[border(i - 8, n, mode)];", 9, 1),
        ("auto f = [&](int k) { if (k > 10) return 10; return k; }; a[i] = b[f(i)];", 0, 11),
    ],
)
def test_what_a_choice_of_indices_touches(
    statement: str, mode: int, touched: int, count: Count
) -> None:
    indices = lane_indices(count(CLAMPED % statement, 1, 32, n=64, mode=mode))
    assert indices is not None
    assert len(set(indices.tolist())) == touched


@pytest.mark.parametrize("statement", ["a[i] = b[first(c, n)];", "a[i] = b[first(c + i, 4)];"])
def test_what_a_loop_returns_is_not_known(statement: str, count: Count) -> None:
    assert lane_indices(count(CLAMPED % statement, 1, 32, n=64, mode=0)) is None


def test_work_of_a_branch_is_not_done_before_it(count: Count) -> None:
    """The remainder of `border` is computed by those who ask for it."""
    statement = "a[i] = b[border(i - 8, n, mode)];"
    asked, others = (count(CLAMPED % statement, 1, 32, n=64, mode=mode).integers for mode in (2, 0))
    assert asked > others + 20


def lane_indices(found: Any) -> Any:
    """The element of ``b`` that each lane of a warp reads; None if that is not known."""
    (access,) = (
        access
        for region in found.summary.root.walk()
        for access in region.accesses
        if access.array.name == "b"
    )
    lanes = found.execution.environment.with_values(
        {THREAD["threadIdx.x"]: np.arange(32), THREAD["blockIdx.x"]: 0}
    )
    offsets = lanes.evaluate(access.offset)
    return None if offsets is None else np.asarray(offsets) // 4

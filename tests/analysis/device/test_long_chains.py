"""Of a long chain of conditional exits the first are walked; what is left out is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.unseen import UnseenKind

Count = Callable[..., Any]


def left_out(summary: Any) -> set[str]:
    """The code that was not followed."""
    regions = summary.root.walk()
    return {u.name for region in regions for u in region.unseen if u.kind is UnseenKind.CODE}


def chain(qualifier: str, condition: str, cases: int) -> str:
    tests = " ".join(f"if ({condition} == {i}) return {i + 3};" for i in range(cases))
    return f"""
    {qualifier} __device__ int pick(int v) {{ {tests} return 1; }}
    __global__ void k(float *x, int n) {{ x[threadIdx.x] = pick(n + ARGUMENT) * 2.0f; }}
    """


@pytest.mark.parametrize(
    ("qualifier", "argument", "cases", "told"),
    [
        ("inline", "0", 40, False),
        ("inline", "0", 90, True),
        ("constexpr", "0", 90, False),  # compilers choose one case
        ("constexpr", "(int)threadIdx.x", 90, True),  # computed by each thread
        ("constexpr", "(int)threadIdx.x", 40, False),
    ],
)
def test_a_long_chain(
    count: Count, qualifier: str, argument: str, cases: int, *, told: bool
) -> None:
    source = chain(qualifier, "v", cases).replace("ARGUMENT", argument)
    assert left_out(count(source).summary) == ({"the rest of pick"} if told else set())

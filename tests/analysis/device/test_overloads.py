"""Which of several functions a call means, by the static types of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]

FUNCTIONS = """
template <class T> __device__ T largest(T a, T b);
template <> __device__ double largest<double>(double a, double b) { return a + b * 2.0; }
template <> __device__ float largest<float>(float a, float b) { return a + b; }
template <class S, class T> __device__ S quotient(S x, T y) { return x * y; }
struct P { double d; float f; };
"""


def kernel(expression: str) -> str:
    return (
        FUNCTIONS + f"__global__ void k(float *a, double *d, const P *p) {{ *a = {expression}; }}"
    )


@pytest.mark.parametrize(
    ("expression", "flops"),
    [
        ("largest(a[1], a[2])", {"sp": 1}),
        ("largest(d[1], d[2])", {"dp": 2}),
        ("largest(largest(a[1], 1.f), 2.f)", {"sp": 2}),
        ("largest(quotient(a[1], d[1]), quotient(a[2], 3))", {"sp": 2, "dp": 1}),
        ("largest(p->f, p[1].f)", {"sp": 1}),
        ("largest(p->d, p[1].d)", {"dp": 2}),
        ("largest(*a, -a[1])", {"sp": 1}),
        ("largest(a[1] * a[2], a[3])", {"sp": 2}),
    ],
)
def test_specialisations_by_argument(
    count: Count, expression: str, flops: dict[str, float]
) -> None:
    assert count(kernel(expression)).flops == flops

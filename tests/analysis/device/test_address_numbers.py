"""Addresses that are cast to integers: their low bits, and pointers rounded to an alignment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]

KERNEL = """__global__ void k(float *x, const long *index, long n) {{
  int t = threadIdx.x; {} }}"""


def offsets(count: Count, body: str) -> list[str]:
    found = count(KERNEL.format(body), 1, 32)
    return [str(each.offset) for region in found.summary.root.walk() for each in region.accesses]


@pytest.mark.parametrize(
    ("number", "place"),
    [
        ("(unsigned long)(x + 5) % 128", 4 * 20),
        ("((size_t)&x[40] & 127) / sizeof(float)", 4 * 8),
        ("(unsigned long)x % 32", 0),
        ("((unsigned long)(x + 3) >> 2) % 4", 4 * 3),
    ],
)
def test_arrays_begin_at_multiples_of_any_alignment(number: str, place: int, count: Count) -> None:
    (offset,) = offsets(count, f"x[{number}] = 1;")
    assert offset == str(place)


@pytest.mark.parametrize(
    "pointer", ["(float *)((size_t)(x + t) & ~127)", "(float *)((char *)x + 4 * t)"]
)
def test_a_pointer_that_is_rounded_down_stays_in_its_array(pointer: str, count: Count) -> None:
    (offset,) = offsets(count, f"float *p = {pointer}; p[2] = 1;")
    assert offset == "4*threadIdx.x + 8"


def test_a_row_that_begins_at_a_line_is_not_one_place(count: Count) -> None:
    (_, write) = offsets(
        count,
        "long row = index[blockIdx.x]; long off = ((unsigned long)&x[row * n] % 128) / 4;"
        "x[row * n + t - off] = 1;",
    )
    assert "threadIdx.x" in write
    assert "n*" in write

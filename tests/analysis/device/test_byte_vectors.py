"""Vectors of four bytes, as many integer operations as machine code for sm_86 has.

Counted in straight-line code that nvcc 13.0 and clang 18 with ptxas 12.2 make, without register
moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG, NVCC, OPENMP

Count = Callable[..., Any]

ADDRESSES = 3
"""Of the index, and of an address made of it for each of two arrays."""
USES = {
    "all, as floats": ("uchar4 v = in[i]; out[i] = (float)v.x + v.y + v.z + v.w;", 11),
    "all, as members": ("out[i] = (float)in[i].x + in[i].y + in[i].z + in[i].w;", 11),
    "all, twice": (
        "uchar4 v = in[i]; out[i] = ((float)v.x + v.y + v.z + v.w) * ((float)v.w + v.x);", 11
    ),
    "three": ("uchar4 v = in[i]; out[i] = (float)v.x + v.y + v.z;", 0),
    "three members": ("out[i] = (float)in[i].x + in[i].y + in[i].w;", 0),
    "one": ("out[i] = in[i].w;", 0),
}  # fmt: skip


def kernel(body: str, element: str = "uchar4") -> str:
    return f"""__global__ void k(const {element} *in, float *out) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"""


@pytest.mark.parametrize("use", USES)
def test_a_vector_is_taken_apart_where_all_bytes_become_floats(count: Count, use: str) -> None:
    body, apart = USES[use]
    assert count(kernel(body), compiler=CLANG, grid=64, block=256).integers == ADDRESSES + apart
    assert count(kernel(body), compiler=NVCC, grid=64, block=256).integers == ADDRESSES


def test_signed_bytes_are_converted_as_they_are(count: Count) -> None:
    body, _ = USES["all, as members"]
    assert count(kernel(body, "char4"), compiler=CLANG, grid=64, block=256).integers == ADDRESSES


def test_each_vector_is_taken_apart_by_itself(count: Count) -> None:
    body = """uchar4 v = in[i], w = in[i + 7]; out[i] = (float)v.x * w.x + (float)v.y * w.y
        + (float)v.z * w.z + (float)v.w * w.w;"""
    assert count(kernel(body), compiler=CLANG, grid=64, block=256).integers == ADDRESSES + 2 * 11
    assert count(kernel(body), compiler=OPENMP, grid=64, block=256).integers == ADDRESSES + 2 * 11


def test_bytes_of_a_plain_array_are_loaded_one_by_one(count: Count) -> None:
    body = "out[i] = (float)in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];"
    found = count(kernel(body, "unsigned char"), compiler=CLANG, grid=64, block=256).integers
    assert found < ADDRESSES + 11

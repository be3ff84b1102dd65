"""Pointers that loops step: what they touch is what the same indices touch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import AccessMode
from roofline_analysis.traffic.access_footprints import footprints_of
from roofline_analysis.traffic.array_footprints import touched_bytes
from roofline_analysis.traffic.caches import Caches
from roofline_analysis.traffic.coalescing import WarpAddresses
from roofline_analysis.traffic.dram import dram_traffic

Count = Callable[..., Any]

WIDTH = 1024
IMAGE = 4.0 * WIDTH * WIDTH
_WRITE = AccessMode.WRITE
ROW = "int x = blockIdx.x * blockDim.x + threadIdx.x;"


def moved(count: Count, body: str, parameters: str = "float *a") -> tuple[float, float]:
    """Bytes read and written of 'a' by one thread a column, in sectors."""
    source = f"__global__ void f({parameters}, int w, int h) {{ {ROW} {body} }}"
    counted = count(source, WIDTH // 64, 64, w=WIDTH, h=WIDTH)
    items = footprints_of(
        counted.summary, counted.execution, 108 * 32, WarpAddresses(counted.execution, 32)
    )
    kinds = ([i for i in items if i.access.mode is mode] for mode in (AccessMode.READ, _WRITE))
    read, written = (touched_bytes(each, IMAGE, WIDTH) for each in kinds)
    return read, written


STEPS = (
    "p += w",
    "p = p + w",
    "p = w + p",
    "p = &p[w]",
    "p = (float *)((char *)p + w * 4)",
    "p = (float *)((unsigned char *)p + w * sizeof(float))",
    "p = (float *)((size_t)p + 4 * w)",
    "p += w - 3; p += 3",
    "p -= -w",
)


@pytest.mark.parametrize("step", STEPS)
def test_a_store_through_a_stepped_pointer_covers_the_image(count: Count, step: str) -> None:
    body = f"float *p = a + x; for (int i = 0; i < h; i++) {{ *p = i; {step}; }}"
    assert moved(count, body) == (0.0, IMAGE)


@pytest.mark.parametrize("step", STEPS)
def test_an_element_changed_in_place_is_read_and_written(count: Count, step: str) -> None:
    body = f"float *p = a + x; for (int i = 0; i < h; i++) {{ *p = 2.0f * *p; {step}; }}"
    assert moved(count, body) == (IMAGE, IMAGE)


@pytest.mark.parametrize(
    "body",
    [
        "float *p = a + x * h; for (int i = 0; i < h; i++) *p++ = i;",
        "float *p = a + x * h - 1; for (int i = 0; i < h; i++) *++p = i;",
        "float *p = a + x * h + h; for (int i = 0; i < h; i++) *--p = i;",
        "float *p = a + x, *e = a + h * w; while (p < e) { *p = x; p += w; }",
        "a += x; for (int i = 0; i < h; i++, a += w) *a = i;",
        "a += x; for (int i = 0; i < h; i++) { a[0] = i; a = &a[w]; }",
        "float *p = a + x, v = 1; for (int i = 0; i < h; i++) { *p = v = 2 * v + x; p += w; }",
    ],
)
def test_every_form_of_stepping_is_followed(count: Count, body: str) -> None:
    assert moved(count, body) == (0.0, IMAGE)


def test_a_pointer_that_a_branch_steps_is_not_said_to_move_evenly(count: Count) -> None:
    body = "float *p = a + x; for (int i = 0; i < h; i++) { *p = i; if (i & x) p += w; }"
    counted = count(f"__global__ void f(float *a, int w, int h) {{ {ROW} {body} }}", 16, 64)
    (store,) = (a for r in counted.summary.root.walk() for a in r.accesses)
    assert any(symbol.name.startswith("a#") for symbol in store.offset.symbols())


def test_a_pointer_after_a_loop_that_data_ends_is_not_inside_it(count: Count) -> None:
    counted = count(
        """__global__ void f(unsigned *a, int n) {
             unsigned *l = a, *r = a + n, m = a[n / 2];
             while (l <= r) {
               while (*l < m) l++;
               while (*r > m) r--;
               if (l <= r) { unsigned v = *l; *l++ = *r; *r-- = v; }
             }
           }""",
        1,
        1,
        n=1023,
    )
    traffic = dram_traffic(counted.summary, counted.execution, 1, Caches(1 << 20), {"a": 4096.0})
    assert traffic.read_bytes > 0
    inside = {}
    for region in counted.summary.root.walk():
        counters = {loop.counter for loop in region.loops()}
        for access in region.accesses:
            inside[access] = {s for s in access.offset.symbols() if s.name.startswith("trip#")}
            assert inside[access] <= counters
    assert any(inside.values())

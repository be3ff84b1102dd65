"""A loop that moves an address in a way that was not followed: no small number is sure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.unseen import UnseenKind
from roofline_analysis.traffic.caches import Caches
from roofline_analysis.traffic.dram import dram_traffic
from roofline_analysis.verdict.sight import sight_of

Count = Callable[..., Any]

WIDTH = 1024
IMAGE = 4.0 * WIDTH * WIDTH


def judged(count: Count, body: str) -> tuple[float, tuple[str, ...]]:
    """Bytes read of 'a', and the arrays of which the addresses were lost."""
    source = f"""__global__ void f(float *a, const int *f, float *o, int w, int h) {{
        int x = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; {body} o[x] = s; }}"""
    counted = count(source, WIDTH // 64, 64, w=WIDTH, h=WIDTH)
    traffic = dram_traffic(counted.summary, counted.execution, 3456, Caches(1 << 28), {"a": IMAGE})
    (found,) = (item for item in traffic.arrays if item.array.name == "a")
    sight = sight_of(counted.summary, counted.execution, traffic)
    lost = tuple(each.name for each in sight.missing if each.kind is UnseenKind.ADDRESS)
    return found.read_bytes, lost


@pytest.mark.parametrize(
    "step",
    ["if (f[n]) p += w;", "if (f[n]) p += w; else p += 2;", "p += f[n] ? w : 1;", "p += n * w;"],
)
def test_a_pointer_that_data_steps_may_go_anywhere(count: Count, step: str) -> None:
    body = f"float *p = a + x; for (int n = 0; n < h; n++) {{ s += *p; {step} }}"
    read, lost = judged(count, body)
    assert read == pytest.approx(IMAGE)
    assert lost == ("a",)


def test_rows_that_data_chooses_are_one_for_each_trip(count: Count) -> None:
    read, lost = judged(count, "for (int n = 0; n < h / 4; n++) s += a[w * f[n] + x];")
    assert read == pytest.approx(IMAGE / 4)
    assert lost == ()


def test_neighbours_that_data_chooses_lie_near(count: Count) -> None:
    read, lost = judged(count, "for (int n = 0; n < 9; n++) s += a[f[n] + x];")
    assert read == pytest.approx(4 * WIDTH)
    assert lost == ()


def test_a_pointer_that_is_followed_is_not_lost(count: Count) -> None:
    body = "float *p = a + x; for (int n = 0; n < h; n++) { s += *p; p += w; }"
    assert judged(count, body) == (IMAGE, ())

"""Shares of threads that pass conditions: what is known is counted, what is left assumed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import RegionForm

Count = Callable[..., Any]

SHARES = {
    "if (a[i] > 0.f) S": 0.5,
    "if (i < 8 && a[i] > 0.f) S": 0.125,
    "if (a[i] > 0.f && i < 8) S": 0.125,
    "if (i < 8 || a[i] > 0.f) S": 0.25 + 0.75 * 0.5,
    "if (!(i < 8 && a[i] > 0.f)) S": 1 - 0.125,
    "if (a[i] > 0.f && p[i] < m && i < 8) S": 0.125,
    "if (a[i] > 0.f && p[i] >= 0 && p[i] < m) S": 0.5,
    "if (a[i] > 0.f || p[i] < m) S": 0.5,
    "if (a[i] > 0.f || p[i] < m) return; S": 0.75,
    "if (a[i] > 0.f) return; S": 0.75,
    "if (i < 8 && a[i] > 0.f) return; S": 1 - 0.25 * 0.25,
    "if (i < 8 || a[i] > 0.f) return; S": 0.75 * 0.75,
    "if (a[i] > 0.f) { if (a[i] > 0.f) S }": 0.5,
    "if (p[i] < m) { if (p[i] >= m) S }": 0.0,
    "if (p[i] < m) { if (p[i] < m && i < 16) S }": 0.25,
    "if (p[i] % 5 == 0) S": 0.2,
    "if (p[i] % 5) S": 0.8,
    "if ((p[i] & 6) == 2) S": 0.25,
    "if (((p[i] * 7) & 6) == 0) S": 0.25,
    "if ((p[i] & 63) == 5) S": 1 / 64,
    "if (((p[i] + 9) & 63) == 0) S": 1 / 64,
    "if ((p[i] * m * 4) % 12 == 0) S": 1.0,  # as m is 3
    "if ((p[i] * m) % (m + 2) == 0) S": 0.2,
    # Flags: nothing says that all of their bits are likely to be different.
    "if ((p[i] & 63) == 0) S": 0.5,
    "if (!(p[i] & 6)) S": 0.5,
    "if (p[i] & 63) S": 0.5,
    "if (p[i] == m) S": 0.5,
    "if (m == 3 && p[i]) S": 0.5,
    "if (m == 4 && p[i]) S": 0.0,
    "switch (p[i]) { case 0: S break; case 1: break; case 2: break; default: break; }": 0.25,
}


@pytest.mark.parametrize("text", SHARES)
def test_what_the_launch_decides_counts(count: Count, text: str) -> None:
    source = f"""
    __global__ void k(float *out, const float *a, const int *p, int m) {{
      int i = threadIdx.x;
      {text.replace("S", "out[i] = 1.0f;")}
    }}"""
    found = count(source, 1, 32, m=3)
    assert found.accesses["out", "write", 4] == pytest.approx(32 * SHARES[text])


@pytest.mark.parametrize("loop", ["k < n && a[k] > 0.f", "k < n; k++) { if (a[k] > 0.f) break;"])
def test_a_loop_that_data_can_end_does_a_share_of_its_trips(count: Count, loop: str) -> None:
    head = loop if "break" in loop else f"{loop}; k++) {{"
    source = f"""
    __global__ void k(float *out, const float *a, int n) {{
      for (int k = 0; {head} out[k] = 1.0f; }}
    }}"""
    found = count(source, 1, 32, n=100)
    (runs,) = (r for region, r in found.execution.regions.items() if region.form is RegionForm.LOOP)
    assert runs.trips == 75

"""Arithmetic that nothing uses is not there: the figures are SASS's, two for each FFMA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import Work

Count = Callable[..., Any]
Cases = list[tuple[str, float]]


def kernel(statements: str) -> str:
    return f"""
union Bits {{ float f[2]; unsigned word; double d; }};
struct Pair {{ float sum, product; }};
__device__ Pair both(float x, float y) {{ Pair p; p.sum = x + y; p.product = x * y; return p; }}
__device__ void give(float x, float y, float &sum, float *difference) {{
  sum = x + y;
  *difference = x - y;
}}
__device__ bool found(float x, float y, float &sum) {{
  sum = x + y;
  if (sum > 3.f) return true;
  sum = x - y;
  return false;
}}
__global__ void k(const float *p, float *q, int n) {{
  float a = p[0], b = p[1], c = p[2], d = p[3];
  {statements}
}}"""


STRAIGHT: Cases = [
    ("float t = a * b; q[0] = c;", 0),
    ("float t = a * b; t = c + d; q[0] = t;", 1),
    ("float t = a * b, u = t + c, v = u - d; q[0] = a;", 0),
    ("float t = a * b, u = t + c; q[0] = t;", 1),  # the dead addition needs no multiply-add
    ("float t = a * b, u = a * -b; q[0] = t; q[1] = u;", 2),  # not seen to be the same number
    ("float t = a + b, u = -a - b; q[0] = t; q[1] = u;", 2),
    ("float t = sqrtf(a) / b; double u = t; q[0] = c;", 0),
    ("float t[2] = {a * b, a + b}; t[0] = c; q[0] = t[0] - t[1];", 2),
    ("float t[2][2]; t[0][0] = a * b; t[1][1] = a + b; t[0][0] = c; q[0] = t[0][0] - t[1][1];", 2),
    ("float2 v = make_float2(a * b, c - d); q[0] = v.x;", 1),
    ("Pair v = both(a, b); q[0] = v.product;", 1),
    ("float s, t; give(a, b, s, &t); q[0] = s;", 1),
    ("float s, t; give(a, b, s, &t); q[0] = t;", 1),
    ("float s, t; give(a, b, s, &t); s = c; q[0] = s + t;", 2),
    ("float t = n > 3 ? a + b : c - d; q[0] = a;", 0),
    ("float t = n > 3 ? a + b : c - d; q[0] = t;", 2),
    ("float t = fmaxf(a + b, c - d), u = fabsf(a - b); q[0] = t;", 2),
    ("float t = a + b; if (n > 3) t = c - d; q[0] = a;", 0),
    ("float t = a + b; t = t * t; q[0] = n; q[1] = t;", 2),
    ("auto f = [&](float x) { return x * b + c; }; float t = f(a); q[0] = a;", 0),
    ("auto f = [&](float x) { return x * b + c; }; float t = f(a); q[0] = t;", 2),
]


@pytest.mark.parametrize(("statements", "flops"), STRAIGHT)
def test_what_nothing_uses_is_not_counted(count: Count, statements: str, flops: float) -> None:
    assert count(kernel(statements), n=8).work(Work.SP) == flops


KEPT: Cases = [
    ("float t = a + b; q[0] = a > t ? c : d;", 1),  # a condition
    ("float t = a + b; if (t > 2.f) q[0] = c;", 1),
    ("int i = (int)(a + b); q[i] = c;", 1),  # an index
    ("float t[4] = {a + b, a - b, c + d, c - d}; q[0] = t[n & 3];", 4),
    ("float t[4] = {a, b, c, d}; t[n & 3] = a + b; q[0] = t[2];", 1),
    ("float t[4] = {a + b, a - b, c + d, c - d}; *(float4 *)q = *(float4 *)t;", 4),
    ("float4 v = make_float4(a + b, a - b, c + d, c - d); q[0] = (&v.x)[n & 3];", 4),
    ("Bits u; u.f[0] = a + b; u.f[1] = a - b; *(double *)q = u.d;", 2),
    ("float t = a + b; if (n > 3 && (t = c) > d) *q = d; q[1] = t;", 1),
    ("float t = a + b; *q = n > 3 ? (t = c) : d; q[1] = t;", 1),
    ("Bits u; u.f[0] = a + b; *(unsigned *)q = u.word ^ 3;", 1),
    ('printf("%f", a + b);', 1),
    ("atomicAdd(q, a - b);", 1),
    ("q[0] = __shfl_down_sync(0xffffffff, a + b, 1);", 1),
    ("float s; if (found(a, b, s)) q[0] = s; else q[1] = s;", 2),
    ("float t = 0.f; switch (n) { case 0: t = a + b; break; case 1: t = a - b; } q[0] = t;", 2),
    ("float t = a + b; switch (n) { case 0: t = c; break; case 1: t = d; } q[0] = t;", 1),
    ("float t = a + b; if (n > 3) goto out; t = c - d; out: q[0] = t;", 2),
]
EFFECTS: Cases = [
    ('asm volatile("" :: "f"(a + b));', 1),
    ("volatile float t = a + b;", 1),
    ("__shared__ float s[32]; s[threadIdx.x] = a + b;", 1),
    ("unknown(a + b);", 1),
    ("float t = a + b; unknown(&t);", 1),
]
"""What has an effect stays, though the assembler may find that it has none."""


@pytest.mark.parametrize(("statements", "flops"), KEPT + EFFECTS)
def test_what_may_be_used_is_counted(count: Count, statements: str, flops: float) -> None:
    assert written(count(kernel(statements), n=8)) == flops


def written(counted: Any) -> float:
    """Operations in single precision, each where it stands counted once."""
    regions = counted.summary.root.walk()
    return float(sum(row[Work.SP] for region in regions for row in region.work.values()))


LOOPS: Cases = [
    ("float s = 0; for (int i = 0; i < n; i++) s += p[i] * a; q[0] = b;", 0),
    ("float s = 0; for (int i = 0; i < n; i++) s += p[i] * a; q[0] = s;", 2),
    ("float s = 0, t = 0; for (int i = 0; i < n; i++) { s += p[i]; t += s; } *q = s;", 1),
    ("float s = 0, t = 0; for (int i = 0; i < n; i++) { s += p[i]; t += s; } *q = t;", 2),
    ("float s, t; for (int i = 0; i < n; i++) { float u = s; s = t; t = u + p[i]; } *q = s;", 1),
    ("float s = 0; for (int i = 0; i < n; i++) { float u = s + p[i]; s = u; q[i] = c; }", 0),
    ("float t = a + b; for (int i = 0; i < n; i++) t = p[i]; q[0] = t;", 1),  # n may be 0
    ("float t; for (int i = 0; i < n; i++) { t = a + p[i]; if (t > b) break; t = c; } *q = t;", 1),
    ("float t; for (int i = 0; i < n; i++) { t = a + p[i]; if (n > i) break; t = c; } *q = t;", 1),
    ("float t; for (int i = 0; i < n; i++) { t = a + *p; if (i > 9) continue; t = c; } *q = t;", 1),
    ("Pair s; for (int i = 0; i < n; i++) { s.sum += p[i]; s.product *= p[i]; } *q = s.sum;", 1),
    ("float s[2] = {0, 0}; for (int i = 0; i < n; i++) s[i & 1] += p[i]; q[0] = s[0];", 1),
    ("auto f = [&](float x) { a = a + x; }; for (int i = 0; i < n; i++) f(p[i]); q[0] = a;", 1),
]  # fmt: skip


@pytest.mark.parametrize(("statements", "flops"), LOOPS)
def test_a_loop_carries_what_is_used_behind_it(count: Count, statements: str, flops: float) -> None:
    assert written(count(kernel(statements), n=1000)) == flops

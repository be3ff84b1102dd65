"""Branches on members of objects that the host fills in."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_core.settings import Settings

FILL = "p[i].x = rand() / (float)RAND_MAX; p[i].in.y = i % 4; p[i].k = rand() % 10;"
COPY = "cudaMemcpy(dp, p, n * sizeof(P), cudaMemcpyHostToDevice);"
PROGRAM = """
#include <cstdlib>
struct Inner { float pad; float y; };
struct P { float x; Inner in; int k; };
__global__ void k(const P *p, const float2 *v, const float *f, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = out[i];
  BODY
}
int main() {
  const int n = 1 << 16;
  P *p = (P *)malloc(n * sizeof(P)), *dp, *between = (P *)malloc(n * sizeof(P));
  float2 *v = (float2 *)malloc(n * sizeof(float2)), *dv;
  float *f = (float *)malloc(4 * n * sizeof(float)), *df, *out;
  for (int i = 0; i < n; i++) { FILL v[i].x = i; v[i].y = i / (float)n; }
  for (int i = 0; i < 4 * n; i++) f[i] = rand() / (float)RAND_MAX;
  cudaMalloc(&dp, n * sizeof(P)); cudaMalloc(&dv, n * sizeof(float2));
  cudaMalloc(&df, 4 * n * sizeof(float)); cudaMalloc(&out, n * sizeof(float));
  COPY
  cudaMemcpy(dv, v, n * sizeof(float2), cudaMemcpyHostToDevice);
  cudaMemcpy(df, f, 4 * n * sizeof(float), cudaMemcpyHostToDevice);
  k<<<n / 256, 256>>>(dp, dv, df, out);
}
"""


def share(tmp_path: Path, condition: str, *, fill: str = FILL, copy: str = COPY) -> float:
    """The share of threads for which a condition is taken to hold."""
    body = f"if ({condition}) out[i] = a + 1.f;"
    source = PROGRAM.replace("BODY", body).replace("FILL", fill).replace("COPY", copy)
    path = tmp_path / "k.cu"
    path.write_text(source)
    prediction = ProgramAnalysis.load([path], Settings(), argv=()).predict("k")
    assert prediction is not None
    first, *_ = (each.assumed for each in prediction.unknowns if each.name.startswith("branch"))
    assert first is not None
    return float(first)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("p[i].x < 0.25f", 0.25),
        ("p[i].in.y == 3", 0.25),
        ("p[i].k < 3", 0.3),
        ("v[i].y < 0.125f", 0.125),
        ("p[i].in.pad < 1", 0.5),  # nobody fills it in
    ],
)
def test_a_member(tmp_path: Path, condition: str, expected: float) -> None:
    assert share(tmp_path, condition) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("P o = p[i]; bool c = o.x < 0.25f;", 0.25),
        ("P o = p[i]; bool c = o.in.y == 3;", 0.25),
        ("float2 o = v[i]; bool c = o.y < 0.125f;", 0.125),
        ("float4 o = ((const float4 *)f)[i]; bool c = o.z < 0.75f;", 0.75),
        ("float2 o = v[i]; bool c = o.y + o.x < -1;", 0.0),
    ],
)
def test_a_whole_object(tmp_path: Path, read: str, expected: float) -> None:
    condition = f"[&] {{ {read} return c; }}()"
    assert share(tmp_path, condition) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    "copy",
    [
        (
            "memcpy(between, p, n * sizeof(P));"
            "cudaMemcpy(dp, between, n * sizeof(P), cudaMemcpyHostToDevice);"
        ),
        "cudaMemcpy(dp, p, n * sizeof(P), cudaMemcpyHostToDevice); p[3].x = 7;",
    ],
)
def test_members_are_copied(tmp_path: Path, copy: str) -> None:
    assert share(tmp_path, "p[i].x < 0.25f", copy=copy) == pytest.approx(0.25, abs=0.02)


def test_what_is_filled_again_is_forgotten(tmp_path: Path) -> None:
    again = "for (int i = 0; i < n; i++) p[i].x = 2;" + COPY
    assert share(tmp_path, "p[i].x < 0.25f", copy=again) == 0
    unknown = "fread(p, sizeof(P), n, stdin);" + COPY
    assert share(tmp_path, "p[i].x < 0.25f", copy=unknown) == pytest.approx(0.5)


def test_neighbours_are_not_drawn_apart(tmp_path: Path) -> None:
    # An index that is loaded leads to what belongs together; a fixed distance does not.
    assert share(tmp_path, "p[p[i].k].x < p[i].x * 0.1f") == pytest.approx(0.5)
    assert share(tmp_path, "p[i ^ 1].x < p[i].x * 0.1f") == pytest.approx(0.05, abs=0.01)


def test_shares_of_several_loads_are_near(tmp_path: Path) -> None:
    condition = "(f[i] > f[i + 1]) != (f[i + 2] > f[i + 1])"
    assert share(tmp_path, condition) == pytest.approx(1 / 3, rel=0.02)
    assert share(tmp_path, "f[i] * f[i + 1] * f[i + 2] < 0.125f") == pytest.approx(
        0.125 * (1 + math.log(8) + math.log(8) ** 2 / 2), rel=0.02
    )


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("sinf(f[i]) < 0.4794255f", 0.5),
        ("__cosf(f[i]) > 0.9689124f", 0.25),
        ("expm1f(f[i]) < 0.6487213f", 0.5),
        ("fmaf(f[i], 2.f, 1.f) < 1.5f", 0.25),
        ("__fdividef(f[i], 2.f) < 0.125f", 0.25),
        ("__frcp_rn(f[i] + 1.f) > 0.8f", 0.25),
        ("__fsqrt_rn(f[i]) < 0.5f", 0.25),
        ("__fadd_rz(f[i], 1.f) < 1.75f", 0.75),
        ("__fmul_rn(f[i], 2.f) < 1.5f", 0.75),
        ("__fmaf_rn(f[i], 2.f, 1.f) < 1.5f", 0.25),
        ("__fdiv_rn(f[i], 2.f) < 0.125f", 0.25),
        ("rsqrtf(f[i] + 1.f) > 0.8164966f", 0.5),
        ("log10f(f[i]) < -0.30103f", 0.5),
        ("[&] { float m = f[i]; m = m < 0.5f ? 1.f : m; return m > 0.75f; }()", 0.75),
        ("hypotf(f[i], 0.f) < 0.25f", 0.25),
        ("exp2f(f[i]) < 1.4142135f", 0.5),
        ("tanhf(f[i]) < 0.4621172f", 0.5),
    ],
)
def test_numbers_computed_of_what_is_loaded(tmp_path: Path, number: str, expected: float) -> None:
    assert share(tmp_path, number) == pytest.approx(expected, abs=0.02)

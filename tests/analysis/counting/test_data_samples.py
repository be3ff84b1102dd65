"""Branches on data that the host fills in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_analysis.counting.data_samples import DrawnNumbers
from roofline_analysis.regions.kernel_summary import Region, RegionForm
from roofline_analysis.verdict.prediction import Prediction
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import apply, from_atom, make_symbol
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings

HOST = """
int main() {
  const int n = 1 << 20;
  float *x = new float[n], *y = new float[n], *dx, *dy; int *m = new int[n], *dm;
  for (int i = 0; i < n; i++) {
    x[i] = rand() / (float)RAND_MAX; y[i] = i / (float)n; m[i] = rand() % 8;
  }
  cudaMalloc(&dx, 4 * n); cudaMalloc(&dy, 4 * n); cudaMalloc(&dm, 4 * n);
  cudaMemcpy(dx, x, 4 * n, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y, 4 * n, cudaMemcpyHostToDevice);
  cudaMemcpy(dm, m, 4 * n, cudaMemcpyHostToDevice);
  float *out; cudaMalloc(&out, 4 * n);
  k<<<n / 256, 256>>>(dx, dy, dm, out, 0.75f);
}
"""


SIGNATURE = "void k(const float *x, const float *y, const int *m, float *out, float p)"


def predicted(source: str, tmp_path: Path) -> Prediction:
    """The prediction for the kernel ``k`` of a program."""
    path = tmp_path / "k.cu"
    path.write_text(source)
    program = ProgramAnalysis.load([path], Settings(), argv=())
    prediction = program.predict("k", grid=None, block=None)
    assert prediction is not None
    return prediction


def operations(body: str, tmp_path: Path) -> float:
    """Additions of one thread on average, of a kernel that adds where a condition holds."""
    start = "int i = blockIdx.x * blockDim.x + threadIdx.x; float a = out[i];"
    prediction = predicted(f"__global__ {SIGNATURE} {{ {start} {body} }}\n{HOST}", tmp_path)
    return (prediction.operations(Precision.SP) or 0.0) / 2**20


ADD = "out[i] = a + 1.f;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"if (x[i] < 0.25f) {ADD}", 0.25),
        (f"if (x[i] > 0.25f) {ADD}", 0.75),
        (f"if (x[i] < p) {ADD}", 0.75),
        (f"float v = x[i] * 2.f - 1.f; if (v < 0.f) {ADD}", 2.5),
        (f"if (x[i] < 0.5f && y[i] < 0.5f) {ADD}", 0.25),
        (f"if (x[i] < y[i]) {ADD}", 0.5),
        (f"if (m[i] < 2) {ADD}", 0.25),
        (f"if (m[i] == 5) {ADD}", 0.125),
        (f"if (fabsf(x[i]) < 0.25f) {ADD}", 0.25),
        (f"if (fminf(x[i], y[i]) > 0.5f) {ADD}", 0.25),
        (f"if (x[i] >= 0.5f) return; if (x[i] < 0.25f) {ADD}", 0.25),
        (f"if (x[i] < 0.5f) {{ if (x[i] < 0.25f) {ADD} }}", 0.25),
        (f"if (isnan(x[i])) {ADD}", 0.0),
        (f"if (isfinite(x[i])) {ADD}", 1.0),
        (f"if ((int)(x[i] * 10.f) == 3) {ADD}", 1.1),
        (f"if (x[i] * 1048576.f < i) {ADD}", 1.5),
        (f"if (!(x[i] < 0.25f)) {ADD}", 0.75),
    ],
)
def test_a_branch_is_taken_as_often_as_the_data_says(
    body: str, expected: float, tmp_path: Path
) -> None:
    assert operations(body, tmp_path) == pytest.approx(expected, abs=0.03)


def test_data_that_the_kernel_writes_is_not_the_hosts_any_more(tmp_path: Path) -> None:
    body = "out[i] = 1.f; if (out[i ^ 1] < 0.25f) out[i] = a + 1.f;"
    assert operations(body, tmp_path) == pytest.approx(0.5)


def test_the_assumption_says_what_it_rests_on(tmp_path: Path) -> None:
    body = "if (x[0] < 0.25f) out[0] += 1.f; if (out[1] < y[0]) out[2] += 1.f;"
    prediction = predicted(f"__global__ {SIGNATURE} {{ {body} }}\n{HOST}", tmp_path)
    filled, other = prediction.unknowns
    assert filled.assumed == pytest.approx(0.25, abs=0.01)
    assert "what the host fills in" in filled.why
    assert (other.assumed, other.why) == (0.5, "its condition depends on data")


def additions(body: str, tmp_path: Path) -> float:
    """Additions of one thread on average, of a kernel that adds in loops."""
    start = "int i = blockIdx.x * blockDim.x + threadIdx.x; float a = 0.f;"
    source = f"__global__ {SIGNATURE} {{ {start} {body} out[i] = a; }}\n{HOST}"
    return (predicted(source, tmp_path).operations(Precision.SP) or 0.0) / 2**20


RUN = "a += x[(i + j) & 1023];"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"for (int j = 0; j < m[i]; j++) {RUN}", 3.5),
        (f"int e = (m[i] + 3) / 4; for (int j = 0; j < e; j++) {RUN}", 1.25),
        (f"for (int j = 2; j < m[i] * 4; j += 2) {RUN}", 6.125),
        (f"for (int j = threadIdx.x & 1; j < m[i]; j += 2) {RUN}", 1.75),
        (f"if (m[i] > 3) for (int j = 0; j < m[i]; j++) {RUN}", 2.75),
    ],
)
def test_a_loop_runs_as_often_as_the_data_says(body: str, expected: float, tmp_path: Path) -> None:
    assert additions(body, tmp_path) == pytest.approx(expected, rel=0.05)


def test_samples_of_a_whole_array_do_not_tell_of_its_beginning(tmp_path: Path) -> None:
    few = f"if (i < 64) {{ for (int j = 0; j < m[i]; j++) {RUN} }}"
    source = f"__global__ {SIGNATURE} {{ int i = threadIdx.x; float a = 0.f; {few} out[i] = a; }}"
    prediction = predicted(f"{source}\n{HOST.replace('n / 256', '1')}", tmp_path)
    assert [u.why for u in prediction.unknowns if "trip" in u.name.lower()] == [
        "its end depends on data or was not followed"
    ]


def test_samples_of_all_fields_do_not_tell_of_one(tmp_path: Path) -> None:
    one = f"for (int j = 0; j < m[i]; j++) {RUN}"
    fields = f"for (int j = 0; j < m[4 * threadIdx.x + 1]; j++) {RUN}"
    planes = f"for (int j = 0; j < m[threadIdx.x + 4096]; j++) {RUN}"
    for loop, followed in ((one, True), (fields, False), (planes, False)):
        source = f"__global__ {SIGNATURE} {{ int i = blockIdx.x * blockDim.x + threadIdx.x;"
        prediction = predicted(f"{source} float a = 0.f; {loop} out[i] = a; }}\n{HOST}", tmp_path)
        drawn = any("what the host fills in" in each.why for each in prediction.unknowns)
        assert drawn is followed


def test_both_ends_of_a_row_are_not_drawn_apart(tmp_path: Path) -> None:
    rows = f"for (int j = m[i]; j < m[i + 1]; j++) {RUN}"
    prediction = predicted(
        f"__global__ {SIGNATURE} {{ int i = blockIdx.x * blockDim.x + threadIdx.x; float a = 0.f;"
        f" {rows} out[i] = a; }}\n{HOST}",
        tmp_path,
    )
    assert not any("what the host fills in" in each.why for each in prediction.unknowns)


def test_an_array_within_an_argument(tmp_path: Path) -> None:
    source = """
    struct S { int on; int z; }; struct A { S s[8]; };
    __global__ void k(float *a, A all) { if (all.s[threadIdx.x].on) a[threadIdx.x] += 1.f; }
    int main() {
      A all; float *a; cudaMalloc(&a, 4000);
      for (int i = 0; i < 8; i++) { all.s[i].on = i < 6; all.s[i].z = i; }
      k<<<1, 8>>>(a, all);
    }"""
    prediction = predicted(source, tmp_path)
    assert prediction.operations(Precision.SP) == pytest.approx(6)


def test_samples_are_the_same_only_with_the_same_types() -> None:
    load = make_symbol("load", SymbolScope.DATA)
    drawn = DrawnNumbers({load: (1, 2)}, {})
    assert drawn.holds({load: (1, 2)})
    assert not drawn.holds({load: (1, 2.0)})  # A whole number in floats is divided in floats.
    assert not drawn.holds({load: (1, 3)})
    assert not drawn.holds({})


def test_shares_follow_what_a_launch_passes_at_each_time() -> None:
    load, bound = make_symbol("load", SymbolScope.DATA), make_symbol("n", SymbolScope.PARAM)
    drawn = DrawnNumbers({load: tuple(range(8))}, {})
    condition = apply("lt", from_atom(load) - from_atom(bound))
    guard = Region(RegionForm.GUARD, None, (Path("k.cu"), 1), conditions=(condition,))
    shares = [drawn.share(condition, Environment({bound: n}), guard) for n in (2, 4, 2, 8)]
    assert shares == [0.25, 0.5, 0.25, 1.0]
    lanes = Environment({bound: np.array([2, 6])})
    assert np.array_equal(np.asarray(drawn.share(condition, lanes, guard)), [0.25, 0.75])


def test_what_one_branch_alone_gives_a_value_is_that_value(tmp_path: Path) -> None:
    body = "float2 v[2]; float w; if (i < 1 << 19) { v[1].x = x[i]; w = x[i]; }"
    for condition in ("v[1].x < 0.25f", "w < 0.25f"):
        found = operations(f"{body} if ({condition}) {ADD}", tmp_path)
        assert found == pytest.approx(0.25, abs=0.02)

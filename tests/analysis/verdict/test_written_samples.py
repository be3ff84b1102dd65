"""Branches on what an earlier kernel wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_core.settings import Settings

PROGRAM = """
__global__ void first(float *a, const float *x, int *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  FIRST
}
__global__ void second(float *b, const float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  SECOND
}
__global__ void k(const float *a, const float *b, const int *sum, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = out[i];
  if (CONDITION) out[i] = v + 1.f;
}
int main() {
  const int n = 1 << 16;
  float *h = (float *)malloc(n * 4), *x, *a, *b, *out; int *s = (int *)malloc(n * 4), *sum;
  cudaMalloc(&x, n * 4); cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&out, n * 4);
  cudaMalloc(&sum, n * 4);
  for (int i = 0; i < n; i++) { h[i] = rand() / (float)RAND_MAX; s[i] = 0; }
  cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(sum, s, n * 4, cudaMemcpyHostToDevice);
  BEFORE
  first<<<n / 256, 256>>>(a, x, sum, n);
  second<<<n / 256, 256>>>(b, a);
  BETWEEN
  k<<<n / 256, 256>>>(a, b, sum, out);
}
"""
COPY = "cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);"
UNKNOWN = "float s = 2; for (int j = 0; j < n; j++) s *= x[j];"
HALF = "a[i] = x[i] < 0.5f ? 1 : 0;"


def program(
    first: str, condition: str, *, second: str = "", before: str = "", between: str = ""
) -> str:
    parts = {
        "FIRST": first,
        "SECOND": second,
        "CONDITION": condition,
        "BEFORE": before,
        "BETWEEN": between,
    }
    text = PROGRAM
    for name, part in parts.items():
        text = text.replace(name, part)
    return text


def share(tmp_path: Path, text: str) -> float | None:
    """The share of threads for which the condition is taken to hold; None where it is assumed."""
    path = tmp_path / "k.cu"
    path.write_text(text)
    prediction = ProgramAnalysis.load([path], Settings(), argv=()).predict("k")
    assert prediction is not None
    (branch,) = (each for each in prediction.unknowns if each.name.startswith("branch"))
    return float(branch.assumed or 0) if "host fills in" in branch.why else None


@pytest.mark.parametrize(
    ("first", "condition", "expected"),
    [
        ("a[i] = 4 * x[i];", "a[i] < 1", 0.25),
        ("if (x[i] < 0.25f) a[i] = 1; else a[i] = 0;", "a[i] == 1", 0.25),
        (HALF, "a[i] == 1", 0.5),
        ("a[i] = i < n / 8;", "a[i] == 1", 0.125),
        ("a[i] = 3;", "a[i] == 3", 1),
        ("a[i] = 0; if (x[i] < 0.25f) a[i] = 1;", "a[i] == 1", 0.25),
        ("if (x[i] < 0.5f) a[i] = 2 * x[i]; else a[i] = 2;", "a[i] < 0.5f", 0.25),
        ("sum[i] = x[i] * 8;", "sum[i] < 2", 0.25),
    ],
)
def test_shares_follow_what_the_kernel_stores(
    tmp_path: Path, first: str, condition: str, expected: float
) -> None:
    found = share(tmp_path, program(first, condition))
    assert found == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("first", "condition"),
    [
        ("atomicAdd(&sum[i % 7], 1);", "sum[i] == 1"),
        ("a[i] = strange(x[i]);", "a[i] < 1"),
        ("if (i < n / 2) a[i] = 1;", "a[i] == 1"),
        ("a[i] = out_of_sight[i];", "a[i] == 1"),
    ],
)
def test_what_nobody_can_tell_is_assumed(tmp_path: Path, first: str, condition: str) -> None:
    assert share(tmp_path, program(first, condition)) is None


@pytest.mark.parametrize(
    ("first", "condition", "expected"),
    [
        ("if (i < n / 2) a[i] = 2;", "a[i] < 0.5f", 0.25),
        ("if (i < n / 64) a[i] = strange(x[i]);", "a[i] < 0.5f", None),
        ("", "a[i] < 0.5f", 0.5),
        ("a[i] = a[i] * 2;", "a[i] < 0.5f", 0.25),
    ],
)
def test_what_is_not_written_is_as_before(
    tmp_path: Path, first: str, condition: str, expected: float | None
) -> None:
    found = share(tmp_path, program(first, condition, before=COPY))
    assert found == (None if expected is None else pytest.approx(expected, abs=0.02))


def test_a_kernel_may_read_what_another_wrote(tmp_path: Path) -> None:
    text = program("a[i] = 4 * x[i];", "b[i] < 1", second="b[i] = 2 * a[i];")
    assert share(tmp_path, text) == pytest.approx(0.125, abs=0.02)


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);", 1.0),
        ("cudaMemcpy(a, x, n * 4, cudaMemcpyDeviceToDevice);", 1.0),
        ("cudaMemcpy(out, a, n * 4, cudaMemcpyDeviceToDevice);", 0.25),
        ("strange(a);", None),
    ],
)
def test_what_the_host_writes_afterwards_counts(
    tmp_path: Path, between: str, expected: float | None
) -> None:
    found = share(tmp_path, program("a[i] = 4 * x[i];", "a[i] < 1", between=between))
    assert found == (None if expected is None else pytest.approx(expected, abs=0.02))


@pytest.mark.parametrize(
    ("first", "condition", "expected"),
    [
        # Whatever the other factor is, a product with 0 is 0.
        ("UNKNOWN a[i] = sum[i] * s;", "a[i] == 0", 1),
        ("UNKNOWN a[i] = 2 * (sum[i] * s) * s / (s + 1);", "a[i] == 0", 1),
        ("UNKNOWN a[i] = sum[i] / s;", "a[i] == 0", 1),
        ("UNKNOWN a[i] = (sum[i] + 1) * s;", "a[i] == 0", None),
        ("UNKNOWN a[i] = sum[i] + s;", "a[i] == 0", None),
        # So is a sum of such products.
        ("float s = 0; for (int j = 0; j < n; j++) s += sum[j] * x[j]; a[i] = s;", "a[i] == 0", 1),
        ("float s = 2; for (int j = 0; j < n; j++) s += sum[j]; a[i] = s;", "a[i] == 2", 1),
        ("float s = 0; for (int j = 0; j < n; j++) s += x[j]; a[i] = s;", "a[i] == 0", None),
        ("float s = 2; for (int j = 0; j < n; j++) s *= x[j]; a[i] = s;", "a[i] == 2", None),
    ],
)
def test_what_is_zero_whatever_else_is_not_known(
    tmp_path: Path, first: str, condition: str, expected: float | None
) -> None:
    assert share(tmp_path, program(first.replace("UNKNOWN", UNKNOWN), condition)) == expected

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
        # A number that is no condition is one.
        ("a[i] = (x[i] < 0.5f ? 0.f : x[i]) ? 3 : 5;", "a[i] == 3", 0.5),
        ("if (x[i] - x[i]) a[i] = 1; else a[i] = 2;", "a[i] == 2", 1),
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


@pytest.mark.parametrize(
    ("first", "condition", "expected"),
    [
        # Nothing is known of what ``y`` holds.
        ("a[i] = sum[i] * y[i];", "a[i] == 0", 1),
        ("a[i] = (1.f / y[i]) * sum[i];", "a[i] == 0", 1),
        ("a[i] = sum[i] + y[i];", "a[i] == 0", None),
        ("a[i] = sqrtf(y[i]) * sum[i] + 3;", "a[i] == 3", 1),
        # That no number tried is 5, is over -9 or below a billion, tells nothing of others.
        ("a[i] = y[i] == 5;", "a[i] == 1", None),
        ("a[i] = y[i] * x[i] == 5;", "a[i] == 1", None),
        ("a[i] = y[i] * y[i] * x[i] > -9 ? 1 : 2;", "a[i] == 1", None),
        ("a[i] = floorf(y[i] * 1e-9f) + sum[i];", "a[i] == 0", None),
        # Both factors count: either may be 0.
        ("UNKNOWN a[i] = ((x[i] + 1) * s) * (sum[i] * s);", "a[i] == 0", 1),
        ("UNKNOWN a[i] = (3 + sum[i] * s) / (x[i] + 1) * (x[i] + 1);", "a[i] < 4", 1),
        ("UNKNOWN a[i] = (3 + sum[i] * s) * 2;", "a[i] == 6", 1),
        ("UNKNOWN a[i] = (3 + x[i] * s) * 2;", "a[i] == 6", None),
    ],
)
def test_what_some_numbers_decide_alone(
    tmp_path: Path, first: str, condition: str, expected: float | None
) -> None:
    text = program(first.replace("UNKNOWN", UNKNOWN), condition)
    text = text.replace("const float *x, int *sum", "const float *x, const float *y, int *sum")
    text = text.replace("(a, x, sum, n)", "(a, x, y, sum, n)")
    text = text.replace("float *h =", "float *y; read(&y); float *h =")
    found = share(tmp_path, text)
    assert found == (None if expected is None else pytest.approx(expected, abs=0.02))


OBJECTS = """
struct part { float mass; float3 pos; float3 v; };
__global__ void first(part *p, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  FIRST
}
__global__ void k(const part *p, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 a = p[i].pos, b = p[(i * 77) % n].pos;
  float r = sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)
                + (a.z - b.z) * (a.z - b.z));
  if (CONDITION) out[i] += 1.f;
}
int main() {
  const int n = 1 << 16;
  part *h = (part *)malloc(n * sizeof(part)), *p;
  float *u = (float *)malloc(n * 4), *x, *out;
  cudaMalloc(&p, n * sizeof(part)); cudaMalloc(&x, n * 4); cudaMalloc(&out, n * 4);
  for (int i = 0; i < n; i++) {
    u[i] = rand() / (float)RAND_MAX; h[i].mass = 1; h[i].v.x = 0;
    h[i].pos.x = rand() / (float)RAND_MAX; h[i].pos.y = 0; h[i].pos.z = 0;
  }
  cudaMemcpy(x, u, n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(p, h, n * sizeof(part), cudaMemcpyHostToDevice);
  first<<<n / 256, 256>>>(p, x, n);
  k<<<n / 256, 256>>>(p, out, n);
}
"""


@pytest.mark.parametrize(
    ("first", "condition", "expected"),
    [
        # Of two numbers between 0 and 1, chosen by chance, 0.75 are within a half.
        ("", "r < 0.5f", 0.75),
        ("p[i].mass = x[i];", "r < 0.5f", 0.75),
        ("p[i].mass = x[i];", "p[i].mass < 0.25f", 0.25),
        ("p[i].pos.x = 2 * x[i];", "r < 0.5f", 0.4375),
        ("p[i].pos = make_float3(0, 2 * x[i], 0);", "r < 0.5f", 0.4375),
        ("float3 q = p[i].pos; q.x = 2 * x[i]; p[i].pos = q;", "r < 0.5f", 0.4375),
        ("UNKNOWN float3 q; q.x = s; p[i].v = q;", "r < 0.5f", 0.75),
        ("UNKNOWN float3 q; q.x = s; p[i].pos = q;", "r < 0.5f", None),
        ("if (i < n / 2) p[i].mass = 3;", "p[i].mass > 2", 0.5),
        ("atomicAdd(&p[0].mass, 1.f);", "r < 0.5f", None),
        ("part q = p[i]; q.mass = 7; p[i] = q;", "p[i].mass == 7", 1),
        ("part q = p[i]; q.mass = 7; p[i] = q;", "p[i].v.x == 0", 1),
        ("((float *)p)[i] = 3;", "p[i].mass == 1", None),
    ],
)
def test_members_that_a_kernel_stores_and_those_that_it_leaves(
    tmp_path: Path, first: str, condition: str, expected: float | None
) -> None:
    text = OBJECTS.replace("FIRST", first.replace("UNKNOWN", UNKNOWN))
    found = share(tmp_path, text.replace("CONDITION", condition))
    assert found == (None if expected is None else pytest.approx(expected, abs=0.03))


@pytest.mark.parametrize(("stored", "expected"), [("4 * x[i]", 0.25), ("strange(x[i])", None)])
def test_vectors_that_a_kernel_stores(tmp_path: Path, stored: str, expected: float | None) -> None:
    first = f"if (i < n / 4) ((float4 *)a)[i] = make_float4({stored}, {stored}, {stored}, 0.5f);"
    text = program(first, "a[i] < 1").replace("0.5f);", f"{stored});")
    found = share(tmp_path, text)
    assert found == (None if expected is None else pytest.approx(expected, abs=0.02))


REGIONS = """
struct place { double x, y; };
struct part { double mass; place at; };
struct numbers { double radius; int count; };
int main() {
  const int n = 1 << 16; numbers all; all.radius = 0.25; all.count = n;
  part *p = (part *)malloc(n * sizeof(part));
  for (int i = 0; i < n; i++) { p[i].mass = 1; p[i].at.x = rand() / (double)RAND_MAX; }
  #pragma omp target data map(tofrom: p[0:n])
  {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < all.count; i++) p[i].mass = 2 * p[i].at.x;
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) { if (CONDITION) p[i].at.y = sqrt(p[i].at.x); }
  }
}
"""


@pytest.mark.parametrize(
    ("condition", "expected"),
    [("p[i].at.x < all.radius", 0.25), ("p[i].mass < all.radius", 0.125)],
)
def test_regions_read_objects_that_are_variables(
    tmp_path: Path, condition: str, expected: float
) -> None:
    path = tmp_path / "k.cpp"
    path.write_text(REGIONS.replace("CONDITION", condition))
    analysis = ProgramAnalysis.load([path], Settings(), argv=())
    name = analysis.host.launches[-1].kernel.name
    prediction = analysis.predict(name)
    assert prediction is not None
    (branch,) = (each for each in prediction.unknowns if each.name.startswith("branch"))
    assert branch.assumed == pytest.approx(expected, abs=0.02)

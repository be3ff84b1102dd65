"""How far single mistakes reach, exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.program.units import Program
from roofline_parsers.reading.load import load_program

from .reading import kernels_of

CUDA = """#define AT(i, j) ((i) * n + (j))
__global__ void first(float *a, int n) {
  a[AT(n, 1)] = 2.0f;
}
#pragma nv_diag_suppress 177
__global__ void second(float *a, int n) {
  a[AT(1, n)] = 3.0f;
}
"""
OPENMP = """void before(double *a, int n) {
  helper(a[n]);
}
void scaled(double *a, int n) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) a[i] *= 2;
}
struct Field {
  double *a;
  void fill(int n) {
#pragma omp target
    a[0] = n;
  }
};
"""


def read(name: str, text: str) -> tuple[Program, set[tuple[str, int]]]:
    path = Path(name)
    program = load_program([path], lambda wanted: text.encode() if wanted == path else None)
    return program, set(kernels_of(program, path))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  a[AT(n, 1)]", "  /* a[AT(n, 1)]", "comment without an end"),
        ("AT(n, 1)]", "AT(n, 1]", "macro 'AT' is used without a closing parenthesis"),
    ],
)
def test_what_the_preprocessor_stops(old: str, new: str, message: str) -> None:
    program, kernels = read("a.cu", CUDA.replace(old, new, 1))
    assert {("first", 2), ("second", 6)} <= kernels
    messages = [problem.message for unit in program.units for problem in unit.problems]
    assert message in messages


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("helper(a[n]);\n}", "helper(a[n]);"),
        ("helper(a[n]);", "helper(a[n]"),
        ("helper(a[n]);", "if (n) {"),
        ("void before(", "void (before("),
        ("*a, int n) {\n  helper", "*a, int n) \n  helper"),
        ("helper(a[n]);", "/* helper(a[n]);"),
    ],
)
def test_regions_after_a_broken_function(old: str, new: str) -> None:
    assert OPENMP.count(old) == 1
    text = OPENMP.replace(old, new)
    _, kernels = read("a.cpp", text)
    shift = new.count("\n") - old.count("\n")
    assert {("region", 5 + shift), ("region", 11 + shift)} <= kernels
    assert len([name for name, _ in kernels if name == "region"]) == 2

"""Numbers behind pointers: what the host put into memory that a kernel only reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.counting.execution import execute
from roofline_analysis.device.summary import summarise
from roofline_analysis.host import execute_host
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.launch.binding import bind
from roofline_analysis.regions.kernel_summary import RegionForm
from roofline_parsers.reading.load import load_program

Run = Callable[..., Any]
"""A fixture that runs source text."""

STRUCT = """
struct Sizes { char tag; int rows; double step; long cols; int extra[3]; };
__global__ void k(float *p, const Sizes *s) {
  for (int i = 0; i < s->cols; i++) p[i] %s= 1;
  %s
}
int main(int argc, char **argv) {
  Sizes h; h.rows = 5; h.cols = 300; h.extra[1] = 7;
  float *d; cudaMalloc(&d, 4000);
  Sizes *s; cudaMalloc(&s, sizeof(Sizes));
  cudaMemcpy(s, &h, sizeof(Sizes), cudaMemcpyHostToDevice);
  k<<<1, 32>>>(d, s);
}
"""
PLAIN = """
__global__ void k(float *p, %s int *n) {
  for (int i = 0; i < n[%d]; i++) p[i] += 1;
}
int main(int argc, char **argv) {
  int h[2] = {argc + 100, 40};
  float *d; cudaMalloc(&d, 4000);
  int *n; cudaMalloc(&n, 8);
  cudaMemcpy(n, h, 8, cudaMemcpyHostToDevice);
  k<<<1, 32>>>(d, n%s);
}
"""


def trips(source: str, argv: tuple[str, ...] | None = ()) -> float | None:
    """How often the kernel's loop runs; None where that is assumed."""
    path = Path("/src/a.cu")
    program = load_program([path], {path: source.encode()}.get)
    (launch,) = execute_host(program, argv).launches
    summary = summarise(launch.kernel, TypeSystem(Symbols(program)))
    bound = bind(summary, launch, (1, 1, 1), (32, 1, 1))
    done = execute(summary.root, bound.grid, bound.block, bound.values)
    (loop,) = (region for region in summary.root.walk() if region.form is RegionForm.LOOP)
    found = done.regions[loop]
    return None if found.assumed else found.trips


def test_members_lie_where_the_compiler_puts_them(run: Run) -> None:
    (launch,) = run(STRUCT % ("+", "")).launches
    assert {at: number.constant for at, number in launch.contents["s"].items()} == {
        4: 5,
        16: 300,
        28: 7,
    }


def test_a_loop_over_a_member_has_a_known_length() -> None:
    assert trips(STRUCT % ("+", "")) == 300


def test_what_the_kernel_writes_is_not_known() -> None:
    source = STRUCT.replace("const Sizes", "Sizes") % ("+", "s->rows = 0;")
    assert trips(source) is None


@pytest.mark.parametrize(
    ("index", "moved", "expected"),
    [(0, "", 101), (1, "", 40), (0, " + 1", 40), (1, " + 1", None)],
)
def test_elements_of_arrays(index: int, moved: str, expected: int | None) -> None:
    assert trips(PLAIN % ("const", index, moved)) == expected


def test_an_assumed_number_does_not_count() -> None:
    assert trips(PLAIN % ("const", 0, ""), None) is None
    assert trips(PLAIN % ("const", 1, ""), None) == 40

"""A kernel that somebody waits for is judged first, and nothing else is said for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from roofline_analysis.api.entry import analyze, file_report, program_of
from roofline_analysis.api.wishes import Wish, Wishes
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

EXAMPLES = Path(__file__).parents[3] / "examples"
WITH_KERNELS = sorted(
    path
    for path in EXAMPLES.rglob("*")
    if path.suffix in {".cu", ".cpp", ".cl", ".hip"} and path.stem != "convolution"
)
SETTINGS = Settings(gpu="RTX 3080")

SOURCE = """\
#include <vector>
__device__ float twice(float x) { return 2 * x; }
template <typename T>
__global__ void scale(T *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
__global__ void scale(double *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}
__global__ void unlaunched(float *x) { x[threadIdx.x] = missing(x); }
int main() {
  float *x;
  double *y;
  cudaMalloc(&x, 4096);
  cudaMalloc(&y, 4096);
  scale<<<1, 256>>>(x);
  scale<<<1, 256>>>(y, 256);
}
"""


class Waiting(Wishes):
    """Wishes that stand from the beginning; notes what they come to."""

    def __init__(self, *wishes: Wish) -> None:
        self.wishes: Sequence[Wish] = wishes
        self.granted: list[tuple[Wish, KernelReport]] = []

    def open(self) -> Sequence[Wish]:
        wishes, self.wishes = self.wishes, ()
        return wishes

    def grant(self, wish: Wish, report: KernelReport) -> None:
        self.granted.append((wish, report))


@pytest.mark.parametrize(
    ("wish", "line"),
    [
        (Wish(4, "scale"), 4),
        (Wish(5, "scale"), 5),  # of two of that name the one that is declared there
        (Wish(6, "threadIdx"), 5),
        (Wish(6), 5),
        (Wish(8, "x"), 8),
        (Wish(14, "scale"), 4),
        (Wish(15, "scale"), 5),  # and the one that is launched there
        (Wish(15, "y"), 5),
        (Wish(11, "scale"), 4),
        (Wish(12, "x"), None),
        (Wish(2, "twice"), None),
        (Wish(99), None),
    ],
)
def test_a_place_means_a_kernel(wish: Wish, line: int | None) -> None:
    wishes, path = Waiting(wish), Path("/p/k.cu")
    analysis = program_of(SOURCE.encode(), path, SETTINGS, reader=lambda _: None)
    assert analysis is not None
    file_report(analysis, path, wishes=wishes)
    assert [each.span.line for _, each in wishes.granted] == ([] if line is None else [line])


@pytest.mark.parametrize("path", WITH_KERNELS, ids=lambda path: path.stem)
def test_what_is_said_does_not_depend_on_what_was_waited_for(path: Path) -> None:
    text = path.read_bytes()
    plain = analyze(text, path, SETTINGS)
    wishes = Waiting(*(Wish(each.span.line) for each in reversed(plain.kernels)))
    analysis = program_of(text, path, SETTINGS)
    assert analysis is not None
    assert file_report(analysis, path, wishes=wishes) == plain
    early = {id(wish): report for wish, report in wishes.granted}
    assert len(early) == len(plain.kernels) > 0
    for (_, known), kernel in zip(wishes.granted, reversed(plain.kernels), strict=True):
        assert (known.name, known.prediction, known.launches) == (
            kernel.name,
            kernel.prediction,
            kernel.launches,
        )
        assert known.findings == ()


def test_problems_are_told_in_the_same_order() -> None:
    path = Path("/p/k.cu")
    plain = analyze(SOURCE.encode(), path, SETTINGS, reader=lambda _: None)
    analysis = program_of(SOURCE.encode(), path, SETTINGS, reader=lambda _: None)
    assert analysis is not None
    assert file_report(analysis, path, wishes=Waiting(Wish(8), Wish(5))) == plain
    assert plain.problems

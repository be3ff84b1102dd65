"""Limits on the work are told in the report of a file, with what they cost it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.api import program as api_program
from roofline_analysis.host import HostOptions
from roofline_analysis.report.report import FileReport
from roofline_core.program.units import Severity
from roofline_core.settings import Settings

PROGRAM = """
__global__ void early(float *x) { x[threadIdx.x] *= 2.0f; }
__global__ void late(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}
int main() {
    float *x;
    cudaMalloc(&x, 4096 * sizeof(float));
    for (int i = 0; i < 40; i++) {
        early<<<i + 1, 32>>>(x);
        int a = i;
        a++;
    }
    late<<<4096 / 256, 256>>>(4096, x);
}
"""


def report(monkeypatch: pytest.MonkeyPatch, budget: int, *, notes: bool = True) -> FileReport:
    options = partial(HostOptions, statement_budget=budget)
    monkeypatch.setattr(api_program, "HostOptions", options)
    settings = Settings(gpu="A100", notes=notes)
    return analyze(PROGRAM.encode(), Path("p.cu"), settings, reader=lambda _: None)


def test_a_stopped_main_is_told_with_the_kernels_it_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    found = report(monkeypatch, 60)
    (note,) = [each for each in found.problems if "was executed" in each.message]
    assert note.severity is Severity.NOTE
    assert note.line in range(10, 14)
    assert "main() was executed for 60 statements" in note.message
    assert "launches of late have assumed sizes" in note.message
    late = next(each for each in found.kernels if each.base_name == "late")
    assert not any(launch.certain for launch in late.launches)


def test_a_program_within_the_limit_has_no_such_note(monkeypatch: pytest.MonkeyPatch) -> None:
    found = report(monkeypatch, 5000)
    assert not [each for each in found.problems if "was executed" in each.message]
    late = next(each for each in found.kernels if each.base_name == "late")
    assert [launch.grid for launch in late.launches] == [(16, 1, 1)]


def test_the_note_is_left_out_where_notes_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert report(monkeypatch, 60, notes=False).problems == ()


def test_launches_that_are_not_judged_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    found = report(monkeypatch, 5000)
    (note,) = found.problems
    early = next(each for each in found.kernels if each.base_name == "early")
    assert f"early: {len(early.launches)} of 40 launches are judged" in note.message
    assert note.line == early.span.line


def test_the_largest_of_many_launches_is_judged() -> None:
    text = """
    __global__ void scale(int n, float *x) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    int main() {
        float *x;
        cudaMalloc(&x, 1 << 30);
        for (int n = 1 << 10; n <= 1 << 24; n *= 2) scale<<<n / 256, 256>>>(n, x);
        scale<<<3, 256>>>(700, x);
    }
    """
    found = analyze(text.encode(), Path("p.cu"), Settings(), reader=lambda _: None)
    grids = [launch.grid for launch in found.kernels[0].launches]
    assert grids == [(x, 1, 1) for x in (4, 8, 16, 32, 64, 65536)]

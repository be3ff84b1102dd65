"""What hovers and lenses say of measurements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.report.report import GpuUsed, KernelReport, Measured, Verdict
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.features.code_lens import lens_title
from roofline_lsp.server.text.kernel_text import kernel_text
from roofline_lsp.server.text.line_text import line_text
from roofline_lsp.server.text.measured_text import measured_text

PLAIN = MarkupStyle(markdown=False)


@pytest.fixture
def measured(saxpy: KernelReport) -> Measured:
    return Measured(
        verdict=Verdict.BANDWIDTH_BOUND,
        gpu="NVIDIA GeForce RTX 3080",
        sp_flops=2e6,
        dp_flops=0.0,
        hp_flops=None,
        int_ops=4e6,
        tensor_flops=None,
        dram_bytes=24e6,
        time_ns=36_480.0,
        grid=(3907, 1, 1),
        block=(256, 1, 1),
        args=("1000000",),
        occupancy=0.8,
        stalls={"long_scoreboard": 12.0, "selected": 1.0, "wait": 0.5, "barrier": 0.1},
        heat={("main.cu", 5): 0.75, ("main.cu", 6): 0.0001},
        origin="report.csv, ID 3, 2026-01-02",
        stale=False,
        applies=True,
        predicted=saxpy.prediction,
        disagreement=None,
    )


def test_a_table_of_both_with_the_ratio(measured: Measured) -> None:
    assert (
        measured_text(measured, PLAIN)
        == """\
Measured (report.csv, ID 3, 2026-01-02)

           Predicted  Measured  Ratio
Class             BB        BB
SP           2 Mflop   2 Mflop     1×
INT            8 Mop     4 Mop     2×
DRAM           12 MB     24 MB   0.5×
Time         18.2 µs   36.5 µs   0.5×
Occupancy       100%       80%

Warps stalled most for: long scoreboard, wait"""
    )


def test_another_launch_says_how_it_differs(measured: Measured) -> None:
    other = replace(measured, applies=False, grid=(5, 1, 1), block=(64, 1, 1), occupancy=None)
    other = replace(other, predicted=replace(other.predicted, grid=(7, 1, 1), block=(64, 1, 1)))
    first = measured_text(other, PLAIN).splitlines()[0]
    assert first == ("Measured (report.csv, ID 3, 2026-01-02, grid (5, 1, 1), arguments '1000000')")


def test_unknown_numbers_are_shown_as_such(measured: Measured) -> None:
    bare = replace(measured, verdict=None, sp_flops=None, dram_bytes=None, time_ns=None, stalls={})
    text = measured_text(bare, PLAIN)
    assert "Class             BB         ?" in text
    assert "SP           2 Mflop         ?" in text
    assert "stalled" not in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "predicted: BB, 18.2 µs"),
        ({"applies": False}, "measured with another launch: BB, 36.5 µs"),
        ({"applies": False, "stale": True}, "measured before a change: BB, 36.5 µs"),
        ({"applies": False, "verdict": None, "time_ns": None}, "measured with another launch: ?"),
    ],
)
def test_lenses(
    saxpy: KernelReport, gpu: GpuUsed, measured: Measured, changes: dict[str, Any], said: str
) -> None:
    kernel = replace(saxpy, measured=replace(measured, **changes))
    assert lens_title(kernel, gpu).endswith(f" on RTX 3080: DRAM, 12 MB | {said}")


def test_an_undecided_kernel_that_was_measured(
    saxpy: KernelReport, gpu: GpuUsed, measured: Measured
) -> None:
    kernel = replace(
        saxpy,
        prediction=replace(saxpy.prediction, verdict=None),
        measured=replace(measured, applies=False),
    )
    assert lens_title(kernel, gpu) == (
        "Undecided | RTX 3080 | measured with another launch: BB, 36.5 µs"
    )


def test_a_hover_has_the_block(saxpy: KernelReport, gpu: GpuUsed, measured: Measured) -> None:
    text = kernel_text(replace(saxpy, measured=measured), gpu, PLAIN)
    assert measured_text(measured, PLAIN) in text


def test_a_line_has_its_share_of_the_samples(
    saxpy: KernelReport, gpu: GpuUsed, measured: Measured
) -> None:
    kernel = replace(saxpy, measured=measured)
    (cold, hot) = kernel.prediction.ledger
    text = line_text([(kernel, [hot])], gpu, PLAIN)
    assert text is not None
    assert text.splitlines()[2] == "Measured: 75% of the kernel's samples"
    assert "samples" not in (line_text([(kernel, [cold])], gpu, PLAIN) or "")
    barely = replace(hot, line=6)
    assert "samples" not in (line_text([(kernel, [barely])], gpu, PLAIN) or "")
    elsewhere = replace(hot, path=Path("/src/other.cu"))
    assert "samples" not in (line_text([(kernel, [elsewhere])], gpu, PLAIN) or "")

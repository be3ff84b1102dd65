"""What a hover on a library call says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api.entry import analyze
from roofline_analysis.report.report import GpuUsed, LibraryCallReport
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.text.library_text import calls_on, library_text

GPU = GpuUsed(
    name="GeForce RTX 3080 10GB",
    clock="base",
    clock_mhz=1440.0,
    peaks_gops={Precision.SP: 25067.52, Precision.DP: 391.68, Precision.INT: 12533.76},
    bandwidth_gbs=760.3,
    ridges={Precision.SP: 32.9706, Precision.DP: 0.51516, Precision.INT: 16.4853},
)
SOURCE = b"""
#include <thrust/sort.h>
int main() {
  thrust::device_vector<unsigned int> keys(1 << 20);
  thrust::sort(keys.begin(), keys.end()); thrust::reduce(keys.begin(), keys.end());
  cusparseSpMV(0, 0);
}
"""


@pytest.fixture(name="calls")
def _calls() -> tuple[LibraryCallReport, ...]:
    settings = Settings(gpu="RTX 3080", clock="base", args=())
    path = Path("/p/main.cu")
    return analyze(SOURCE, path, settings, reader=lambda _: None).library_calls


def test_a_short_verdict(calls: tuple[LibraryCallReport, ...]) -> None:
    (call,) = calls_on(calls, 5, "sort")
    sure = replace(call, prediction=replace(call.prediction, confidence=0.9))
    text = library_text([sure], GPU, MarkupStyle(markdown=True))
    assert text is not None
    answer, what, figures = text.split("\n\n")
    assert answer == "**Bandwidth-bound** on RTX 3080 10GB (base clock): very likely, 90%"
    assert what == "`thrust::sort`: radix sort in 4 passes of 1048576 x unsigned int"
    assert figures == "INT 3.56 op/B, 4.6× below the ridge · DRAM 37.7 MB at least · about 57.2 µs"


def test_the_word_under_the_cursor_chooses(calls: tuple[LibraryCallReport, ...]) -> None:
    assert [call.name for call in calls_on(calls, 5, "reduce")] == ["thrust::reduce"]
    assert [call.name for call in calls_on(calls, 5, "keys")] == ["thrust::reduce", "thrust::sort"]
    assert calls_on(calls, 4, "sort") == []
    assert calls_on(calls, None, "sort") == []


def test_nothing_is_said_of_a_line_without_a_call() -> None:
    assert library_text([], GPU, MarkupStyle(markdown=False)) is None


def test_an_undecided_call_names_what_is_not_known(calls: tuple[LibraryCallReport, ...]) -> None:
    (call,) = calls_on(calls, 6, "cusparseSpMV")
    text = library_text([replace(call, certain=False)], GPU, MarkupStyle(markdown=False))
    assert text == (
        "Undecided on RTX 3080 10GB (base clock): too little is known of this call\n\n"
        "cusparseSpMV: sparse or dense solver (if it is reached)\n\n"
        "traffic: its sizes are in descriptors or not modelled"
    )

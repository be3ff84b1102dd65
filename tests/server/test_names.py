"""The kernel that a name in a source means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.report.report import FileReport, KernelReport
from roofline_core.program.units import Dialect, Span
from roofline_lsp.server.features.names import (
    LAUNCH_CALL,
    directive_on,
    identifier_at,
    launch_on,
    launched_on,
    meant,
)

SOURCE = Path("/src/main.cu")


@pytest.mark.parametrize(
    ("line", "index", "name"),
    [
        ("  saxpy<<<1, 2>>>(n);", 2, "saxpy"),
        ("  saxpy<<<1, 2>>>(n);", 7, "saxpy"),
        ("  saxpy<<<1, 2>>>(n);", 8, None),
        ("  saxpy<<<1, 2>>>(n);", 1, None),
        ("x2 = 3y", 1, "x2"),
        ("größe", 2, "größe"),
        ("", 0, None),
        ("a", 9, None),
    ],
)
def test_the_identifier_under_the_cursor(line: str, index: int, name: str | None) -> None:
    found = identifier_at(line, index)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("line", "qualifier", "member"),
    [
        ("reduce()", None, False),
        ("::reduce()", "", False),
        ("thrust::reduce()", "thrust", False),
        ("a :: b:: reduce()", "a::b", False),
        ("::a::reduce()", "::a", False),
        ("vector.reduce()", None, True),
        ("vector-> reduce()", None, True),
        ("b ? x : reduce()", None, False),
    ],
)
def test_what_stands_before_a_name(line: str, qualifier: str | None, member: bool) -> None:
    word = identifier_at(line, line.index("reduce"))
    assert word is not None
    assert (word.qualifier, word.member) == (qualifier, member)


@pytest.mark.parametrize(
    ("qualified", "line", "found"),
    [
        ("reduce", "reduce", True),
        ("reduce", "::reduce", True),
        ("reduce", "thrust::reduce", False),
        ("a::b::reduce", "reduce", True),
        ("a::b::reduce", "b::reduce", True),
        ("a::b::reduce", "a::b::reduce", True),
        ("a::b::reduce", "a::reduce", False),
        ("reduce", "x.reduce", False),
        ("reduce", "other", False),
    ],
)
def test_scopes(saxpy: KernelReport, qualified: str, line: str, found: bool) -> None:
    kernel = replace(saxpy, base_name="reduce", qualified_name=qualified)
    word = identifier_at(line, len(line))
    assert word is not None
    assert (meant(FileReport(SOURCE, (kernel,)), word, SOURCE, 1) is kernel) is found


def test_of_overloads_the_one_on_the_line_is_meant(saxpy: KernelReport) -> None:
    first = replace(saxpy, launches=())
    second = replace(saxpy, name_span=Span(20, 16, 20, 21))
    report = FileReport(SOURCE, (first, second))
    word = identifier_at("saxpy", 0)
    assert word is not None
    assert meant(report, word, SOURCE, 3) is first
    assert meant(report, word, SOURCE, 20) is second
    assert meant(report, word, SOURCE, 12) is second, "it is launched there"
    assert meant(report, word, SOURCE, 99) is first
    assert meant(report, word, SOURCE, None) is first
    assert meant(report, word, Path("/src/other.cu"), 20) is first


def test_the_launch_on_a_line(saxpy: KernelReport) -> None:
    assert launch_on(saxpy, SOURCE, 12) is saxpy.launches[0]
    assert launch_on(saxpy, SOURCE, 13) is None
    assert launch_on(saxpy, Path("/src/other.cu"), 12) is None
    report = FileReport(SOURCE, (replace(saxpy, launches=()), saxpy))
    assert launched_on(report, SOURCE, 12) is saxpy
    assert launched_on(report, SOURCE, 13) is None


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("clEnqueueNDRangeKernel", True),
        ("enqueueNDRangeKernel", True),
        ("enqueue_nd_range_kernel", True),
        ("hipLaunchKernelGGL", True),
        ("cudaLaunchCooperativeKernel", True),
        ("cuLaunchKernel", True),
        ("clEnqueueReadBuffer", False),
        ("saxpy", False),
    ],
)
def test_calls_that_launch(call: str, expected: bool) -> None:
    assert (LAUNCH_CALL.fullmatch(call) is not None) is expected


def test_a_directive_over_several_lines(saxpy: KernelReport) -> None:
    lines = ["int f() {", "#pragma omp target \\", "  teams \\ ", "  distribute", "for (;;);"]
    kernel = replace(saxpy, dialect=Dialect.OPENMP, name_span=Span(2, 0, 2, 18))
    report = FileReport(SOURCE, (kernel,))
    found = [line for line in range(7) if directive_on(report, line, lines) is kernel]
    assert found == [2, 3, 4]
    assert directive_on(report, None, lines) is None
    assert directive_on(FileReport(SOURCE, (saxpy,)), 3, ()) is None, "CUDA's have a name"

"""The kernel that a name in a source means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roofline_lsp.api.report import FileReport, KernelReport
from roofline_lsp.kernel.program import Span
from roofline_lsp.server.features.names import identifier_at, launch_on, meant

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

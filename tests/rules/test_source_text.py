"""Places in source text."""

from __future__ import annotations

import re
from pathlib import Path

from roofline_analysis.rules.model import Edit
from roofline_analysis.rules.source_text import SourceText, applied
from roofline_core.program.units import Span

PATH = Path("a.cu")


def source(text: str) -> SourceText:
    return SourceText(PATH, text.encode())


def test_comments_and_texts_are_blank() -> None:
    text = source('int a; // 1.5\nf("2.5", \'"\'); /* 3.5\n4.5 */ 5.5\n')
    assert len(text.code) == len(text.text)
    assert re.findall(rb"\d\.\d", text.code) == [b"5.5"]
    assert text.code.count(b"\n") == text.text.count(b"\n")


def test_digit_separators_are_no_characters() -> None:
    assert b"1'000'000" in source("int n = 1'000'000;").code


def test_spans_count_bytes() -> None:
    text = source("// é\n  x = 1;\n")
    assert text.line_span(2) == Span(2, 2, 2, 8)
    assert text.span(*text.bounds(1)) == Span(1, 0, 1, 5)
    assert text.line_span(99) == Span(99, 0, 99, 0)


def test_calls_have_their_arguments() -> None:
    text = source("y = powf(a[i, 2], f(x, 3)) + xpowf(1, 2) + s.powf(3) + std::powf(z, 2.f);\n")
    found = [[text.at(each) for each in arguments] for _, _, arguments in text.calls("powf", 1)]
    assert found == [["a[i, 2]", "f(x, 3)"], ["z", "2.f"]]


def test_a_call_may_go_on_in_the_next_line() -> None:
    text = source("powf(x,\n     2)\n")
    ((start, end, arguments),) = text.calls("powf", 1)
    assert (start, end) == (0, 15)
    assert [text.at(each) for each in arguments] == ["x", "2"]


def test_an_open_bracket_has_no_end() -> None:
    text = source("f(x, [3)\n")
    assert text.closing(1) is None
    assert text.calls("f", 1) == []


def test_edits_are_made_from_the_end() -> None:
    edits = (
        Edit(PATH, Span(1, 0, 1, 1), "é"),
        Edit(PATH, Span(1, 2, 1, 2), "+"),
        Edit(PATH, Span(2, 0, 3, 0), ""),
    )
    assert applied(b"ab c\ngone\nend", edits).decode() == "éb+ c\nend"


def test_lines_are_put_in_with_the_indentation() -> None:
    text = source("a\n\tfor\n")
    assert applied(text.text, (text.insert_line(2, "#pragma unroll"),)) == (
        b"a\n\t#pragma unroll\n\tfor\n"
    )
    assert applied(text.text, (text.delete_line(2),)) == b"a\n"

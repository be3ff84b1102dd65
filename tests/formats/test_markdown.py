"""Text for people in its two styles."""

from __future__ import annotations

import pytest

from roofline_lsp.formats.markdown import MarkupStyle

MARKDOWN, PLAIN = MarkupStyle(markdown=True), MarkupStyle(markdown=False)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("float *x, float *y", r"float \*x, float \*y"),
        ("vector<float>", r"vector\<float>"),
        ("a_b_c and _private_", r"a_b_c and \_private\_"),
        ("x[i] and [text](link)", r"x[i] and [text\](link)"),
        ("1 < 2 > 1", "1 < 2 > 1"),
        ("a</b>", r"a\</b>"),
        ("back\\slash", r"back\\slash"),
        ("a | b", r"a \| b"),
        ("un`matched", r"un\`matched"),
        ("plain words: 12.5 MB (read)", "plain words: 12.5 MB (read)"),
    ],
)
def test_words_from_elsewhere_are_no_markup(text: str, written: str) -> None:
    assert MARKDOWN.prose(text) == written
    assert PLAIN.prose(text) == text


def test_names_in_quotes_become_code() -> None:
    assert MARKDOWN.prose("bytes of '*x_' read") == "bytes of `*x_` read"
    assert PLAIN.prose("bytes of '*x_' read") == "bytes of '*x_' read"


def test_code_that_holds_a_backtick() -> None:
    assert MARKDOWN.code("a`b") == "`` a`b ``"
    assert PLAIN.code("a`b") == "a`b"


def test_bold() -> None:
    assert MARKDOWN.bold("all of *x*") == r"**all of \*x\***"
    assert PLAIN.bold("all") == "all"


def test_links_are_left_to_clients_that_follow_them() -> None:
    assert MARKDOWN.link("a.cu:3", "file:///a.cu#L3") == "[a.cu:3](file:///a.cu#L3)"
    assert MARKDOWN.link("a.cu:3", None) == "a.cu:3"
    assert PLAIN.link("a.cu:3", "file:///a.cu#L3") == "a.cu:3"


def test_tables_are_aligned_as_written() -> None:
    rows = [["", "Amount"], ["SP", "2 Mflop"], ["INT", "4 op"]]
    assert MARKDOWN.table(rows).splitlines() == [
        "|     |  Amount |",
        "| :-- | ------: |",
        "| SP  | 2 Mflop |",
        "| INT |    4 op |",
    ]
    assert PLAIN.table(rows).splitlines() == [
        "      Amount",
        "SP   2 Mflop",
        "INT     4 op",
    ]


def test_a_page_leaves_out_empty_blocks() -> None:
    assert MARKDOWN.page("a", None, "", "b") == "a\n\nb"

"""Edits of a model put to a text: exact places, mended numbers, and what is turned away."""

from __future__ import annotations

from typing import Any

import pytest

from roofline_advisor.advice import LineEdit
from roofline_advisor.edits import RejectedError, applied, located
from roofline_advisor.words import one_line

from .kernels import edit

TEXT = "one\n  two\nthree\ntwo\nfive\n"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([edit(2, 2, "  two", "  2")], "one\n  2\nthree\ntwo\nfive\n"),
        ([edit(2, 3, "  two\nthree", "2")], "one\n2\ntwo\nfive\n"),
        ([edit(2, 2, "  two\n", "2\n2b\n")], "one\n2\n2b\nthree\ntwo\nfive\n"),
        # Taken away with its line.
        ([edit(3, 3, "three", "")], "one\n  two\ntwo\nfive\n"),
        # Several, in any order.
        ([edit(5, 5, "five", "5"), edit(1, 1, "one", "1")], "1\n  two\nthree\ntwo\n5\n"),
        # Blanks at the end of lines are of no account.
        ([edit(3, 3, "three  ", "3")], "one\n  two\n3\ntwo\nfive\n"),
        # Numbers copied from the prompt.
        ([edit(3, 3, "   3| three", "   3| 3")], "one\n  two\n3\ntwo\nfive\n"),
        # A number that is off, with lines that stand at one place alone.
        ([edit(99, 99, "three", "3")], "one\n  two\n3\ntwo\nfive\n"),
        ([edit(1, 2, "three\ntwo", "3")], "one\n  two\n3\nfive\n"),
    ],
)
def test_edits(edits: list[dict[str, Any]], expected: str) -> None:
    assert applied(TEXT, located(TEXT, edits)) == expected


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([edit(2, 2, "ghost", "x")], "('ghost') are not in the file"),
        ([edit(1, 1, "", "x")], "does not quote"),
        ([edit(1, 1, "\n\n", "x")], "does not quote"),
        ([edit(1, 3, "one\n  two\nthree", "x"), edit(3, 3, "three", "y")], "change line 3"),
        ([edit(3, 3, "three", "three")], "changes nothing"),
        ([edit(3, 3, "three", "3 \x1b[2J")], "cannot be seen (U+001B)"),
        ([edit(3, 3, "three", "3 // \u202e x")], "cannot be seen (U+202E)"),
    ],
)
def test_what_is_turned_away(edits: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(RejectedError) as caught:
        located(TEXT, edits)
    assert words in str(caught.value)


def test_lines_that_stand_at_several_places_need_their_number() -> None:
    text = "a\nb\na\n"
    with pytest.raises(RejectedError, match="in the file 2 times"):
        located(text, [edit(2, 2, "a", "c")])
    assert located(text, [edit(3, 3, "a", "c")]) == (LineEdit(3, 3, "c"),)


def test_line_ends_stay_as_they_are() -> None:
    text = "one\r\ntwo\r\nthree"
    made = applied(text, located(text, [edit(2, 3, "two\nthree", "2\n2b\n3")]))
    assert made == "one\r\n2\r\n2b\r\n3"
    made = applied(text, located(text, [edit(1, 1, "one", "1\n1b")]))
    assert made == "1\r\n1b\r\ntwo\r\nthree"


def test_words_hold_nothing_that_a_terminal_obeys() -> None:
    assert one_line("Use\n  \x1b[31mred\u202e\tletters Größe") == "Use [31mred letters Größe"

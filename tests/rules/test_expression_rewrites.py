"""Edits within one another: of a finding's fixes only the outer ones are made."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.rules.expression_rewrites import outermost_edits
from roofline_analysis.rules.model import Edit
from roofline_core.program.units import Span


def edit(path: str, start: tuple[int, int], end: tuple[int, int], text: str = "x") -> Edit:
    return Edit(Path(path), Span(*start, *end), text)


def test_an_edit_within_another_is_left_out() -> None:
    outer = edit("a.cu", (1, 0), (1, 20))
    inner = edit("a.cu", (1, 4), (1, 8))
    behind = edit("a.cu", (1, 21), (1, 25))
    elsewhere = edit("b.cu", (1, 4), (1, 8))
    assert outermost_edits([inner, behind, outer, elsewhere]) == (behind, outer, elsewhere)


def test_equal_edits_are_made_once() -> None:
    one = edit("a.cu", (1, 0), (1, 5))
    assert outermost_edits([one, edit("a.cu", (1, 0), (1, 5))]) == (one,)


def test_two_texts_for_one_place_exclude_each_other() -> None:
    assert outermost_edits([edit("a.cu", (1, 0), (1, 5), t) for t in ("x", "y")]) == ()


def test_an_unknown_edit_leaves_none() -> None:
    assert outermost_edits([edit("a.cu", (1, 0), (1, 5)), None]) == ()


places = st.tuples(st.integers(1, 3), st.integers(0, 4))


@st.composite
def edits(draw: st.DrawFn) -> Edit:
    start, end = sorted((draw(places), draw(places)))
    return edit(draw(st.sampled_from(["a.cu", "b.cu"])), start, end, draw(st.sampled_from("xy")))


def is_within(one: Edit, other: Edit) -> bool:
    a, b = one.span, other.span
    return (
        one != other
        and one.path == other.path
        and (b.line, b.column) <= (a.line, a.column)
        and (a.end_line, a.end_column) <= (b.end_line, b.end_column)
    )


@given(st.lists(edits(), max_size=8))
def test_what_is_kept_lies_within_no_other(made: list[Edit]) -> None:
    expected = [e for e in dict.fromkeys(made) if not any(is_within(e, o) for o in made)]
    assert list(outermost_edits(made)) == expected

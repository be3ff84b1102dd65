"""Lines of a newer text against those of an older one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roofline_lsp.server.documents.line_map import LineMap

LINES = st.lists(st.sampled_from("abc"), max_size=8)


def test_a_line_put_in() -> None:
    lines = LineMap(["a", "b", "c"], ["a", "new", "b", "c"])
    assert [lines.to_old(number) for number in (1, 2, 3, 4)] == [1, None, 2, 3]
    assert [lines.to_new(number) for number in (1, 2, 3)] == [1, 3, 4]
    assert not lines.identical


def test_a_line_taken_out() -> None:
    lines = LineMap(["a", "b", "c"], ["a", "c"])
    assert [lines.to_new(number) for number in (1, 2, 3)] == [1, None, 2]
    assert [lines.to_old(number) for number in (1, 2)] == [1, 3]


def test_a_line_edited() -> None:
    lines = LineMap(["a", "b", "c"], ["a", "x", "c"])
    assert [lines.to_old(number) for number in (1, 2, 3)] == [1, None, 3]


def test_identical_texts() -> None:
    lines = LineMap(["a", "b"], ["a", "b"])
    assert lines.identical
    assert [lines.to_old(number) for number in (1, 2)] == [1, 2]


@given(LINES, LINES)
def test_a_mapped_line_is_the_same_line(old: list[str], new: list[str]) -> None:
    lines = LineMap(old, new)
    assert lines.identical == (old == new)
    for number, text in enumerate(new, 1):
        other = lines.to_old(number)
        if other is not None:
            assert old[other - 1] == text
            assert lines.to_new(other) == number

"""Lines of a newer text against those of the older text that a finished analysis is about."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final

_MOST_COMPARED: Final = 400
"""The most lines between the first difference and the last that are compared with each other."""


class LineMap:
    """Where lines went between two versions of a text.

    Lines before the first difference and after the last one are the same lines; of those between
    the ones that an alignment of both texts finds again, unless there are very many.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        shorter = min(len(old), len(new))
        same_start = shorter if old is new else 0
        while same_start < shorter and old[same_start] == new[same_start]:
            same_start += 1
        same_end = 0
        while same_end < shorter - same_start and old[-1 - same_end] == new[-1 - same_end]:
            same_end += 1
        self._old, self._new = old, new
        self._same_start = same_start
        self._old_end = len(old) - same_end
        self._new_end = len(new) - same_end

    @property
    def identical(self) -> bool:
        """Whether the two texts are the same."""
        return self._same_start == self._old_end == self._new_end

    @property
    def first_change(self) -> int:
        """The newer text's 1-based number of the first line that differs.

        Where lines are only gone, it is the line before them.
        """
        at = self._same_start + 1
        return max(1, at - 1) if self._new_end == self._same_start else at

    def to_old(self, line: int) -> int | None:
        """The older text's number of a newer line, both 1-based; None for an edited line."""
        moved = _moved(line, self._same_start, self._new_end, self._old_end)
        return moved if moved is not None else self._found_again[1].get(line)

    def to_new(self, line: int) -> int | None:
        """The newer text's number of an older line, both 1-based; None for an edited line."""
        moved = _moved(line, self._same_start, self._old_end, self._new_end)
        return moved if moved is not None else self._found_again[0].get(line)

    def near_new(self, line: int) -> int:
        """As ``to_new``; for an edited line the newer one that stands in its place."""
        for before in range(line, 0, -1):
            moved = self.to_new(before)
            if moved is not None:
                break
        else:
            before, moved = 0, 0
        following = (self.to_new(after) for after in range(line + 1, len(self._old) + 1))
        last = next((each for each in following if each is not None), len(self._new) + 1) - 1
        return max(1, min(moved + line - before, max(last, moved)))

    @cached_property
    def _found_again(self) -> tuple[dict[int, int], dict[int, int]]:
        """The lines between the first difference and the last, old to new and new to old."""
        old = self._old[self._same_start : self._old_end]
        new = self._new[self._same_start : self._new_end]
        if not old or not new or max(len(old), len(new)) > _MOST_COMPARED:
            return {}, {}
        forth = {
            self._same_start + block.a + at + 1: self._same_start + block.b + at + 1
            for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
            for at in range(block.size)
        }
        return forth, {there: here for here, there in forth.items()}


def _moved(line: int, same_start: int, end: int, other_end: int) -> int | None:
    if line <= same_start:
        return line
    return line - end + other_end if line > end else None

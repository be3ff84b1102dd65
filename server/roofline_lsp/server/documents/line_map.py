"""Lines of a newer text against those of the older text that a finished analysis is about."""

from __future__ import annotations

from collections.abc import Sequence


class LineMap:
    """Where lines went between two versions of a text.

    Lines before the first difference and after the last one are the same lines; those between are
    new.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        shorter = min(len(old), len(new))
        same_start = shorter if old is new else 0
        while same_start < shorter and old[same_start] == new[same_start]:
            same_start += 1
        same_end = 0
        while same_end < shorter - same_start and old[-1 - same_end] == new[-1 - same_end]:
            same_end += 1
        self._same_start = same_start
        self._old_end = len(old) - same_end
        self._new_end = len(new) - same_end

    @property
    def identical(self) -> bool:
        """Whether the two texts are the same."""
        return self._same_start == self._old_end == self._new_end

    def to_old(self, line: int) -> int | None:
        """The older text's number of a newer line, both 1-based; None for an edited line."""
        return _moved(line, self._same_start, self._new_end, self._old_end)

    def to_new(self, line: int) -> int | None:
        """The newer text's number of an older line, both 1-based; None for an edited line."""
        return _moved(line, self._same_start, self._old_end, self._new_end)


def _moved(line: int, same_start: int, end: int, other_end: int) -> int | None:
    if line <= same_start:
        return line
    return line - end + other_end if line > end else None

"""Problems of reading a report; repeated ones are summed up in one sentence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

_MOST = 8
_SHOWN = 40


class Notes:
    """The problems of one report."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._said: dict[str, None] = {}
        self._cut: list[int] = []
        self._cuts = 0
        self._no_numbers: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def say(self, sentence: str) -> None:
        """Record a problem once."""
        if len(self._said) < _MOST:
            self._said[sentence] = None

    def cut(self, line: int) -> None:
        """Record a row with more or fewer cells than the header."""
        self._cuts += 1
        if len(self._cut) < _MOST:
            self._cut.append(line)

    def not_a_number(self, line: int, column: str, text: str) -> None:
        """Record a cell that starts like a number but is none."""
        if len(self._first) < _MOST or column in self._first:
            self._no_numbers[column] += 1
            self._first.setdefault(column, f"line {line}: '{column}' is '{text[:_SHOWN]}'")

    def sentences(self) -> tuple[str, ...]:
        """All problems, each prefixed with the file's name."""
        found = list(self._said)
        if self._cuts == 1:
            found.append(f"line {self._cut[0]} does not have the header's columns and is left out")
        elif self._cuts:
            found.append(
                f"{self._cuts} lines, the first line {self._cut[0]}, do not have the header's "
                "columns and are left out"
            )
        for column, times in self._no_numbers.items():
            more = f", and {times - 1} more like it" if times > 1 else ""
            found.append(f"{self._first[column]}, which is no number{more}")
        return tuple(f"{self._path}: {sentence}" for sentence in found)

    def because(self) -> str:
        """``: line 3 ...`` for the end of a message, or nothing."""
        found = self.sentences()
        return found[0].removeprefix(str(self._path)) if found else ""

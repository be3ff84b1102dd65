"""Numbers that a program's text gives names: what an experiment would change before compiling.

``#define N 1024``, ``const int n = 1 << 20;``, ``int n = argc > 1 ? atoi(argv[1]) : 1024;``.
Another number is written in the place of the value, so that all that rests on it follows: grids,
allocations, arguments, the sizes of tiles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from roofline_core.program.records import record

_NOTHING: Final = re.compile(
    r'"(?:\\.|[^"\\\n])*+"|\'(?:\\.|[^\'\\\n])*+\'|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL
)
"""Strings, which have no numbers for us, and comments."""
_DEFINE: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S[^\n]*)$", re.MULTILINE)
_TYPE: Final = (
    r"(?:(?:const|constexpr|static|inline|unsigned|signed|long|short|int|auto|uint|ulong"
    r"|(?:std::)?(?:size_t|ptrdiff_t|u?int(?:8|16|32|64)_t))\b[ \t\n]*)+"
)
_DECLARED: Final = re.compile(rf"(?:^|[;{{}}])[ \t]*{_TYPE}(?=\w+[ \t]*=)", re.MULTILINE)
_DECLARATOR: Final = re.compile(r"[ \t\n]*(\w+)[ \t]*=(?!=)[ \t\n]*")
_CONSTANT: Final = re.compile(r"(?=[^a-zA-Z]*\d)(?>0[xX][\da-fA-F]+|[\duUlLzZ*/%()<> \t\n+-])++")
"""Numbers and what computes with them. Nothing is tried twice, however long a text is."""
_FROM_OUTSIDE: Final = re.compile(r"\bargv\b")
_LONGEST: Final = 300
"""The most characters of a value that is looked at."""


@record(frozen=True, slots=True)
class SourceNumber:
    """A name with a number, where a text gives it."""

    name: str
    path: Path
    line: int
    value: str
    """As it is written: ``1 << 20``."""
    start: int
    """Where the value begins in the text, in characters."""
    end: int

    @property
    def place(self) -> str:
        """``const.h:12``."""
        return f"{self.path.name}:{self.line}"

    @property
    def is_size(self) -> bool:
        """Whether it is worth naming as one that can be varied: neither 0 nor 1."""
        return re.fullmatch(r"[01][uUlL]*", self.value.strip()) is None


def numbers_in(path: Path, text: str) -> Iterator[SourceNumber]:
    """The names that a text gives numbers, in its order; macros with arguments are none."""
    bare = _NOTHING.sub(_blank, text)
    for found in _DEFINE.finditer(bare):
        value = found[2].rstrip()
        if _CONSTANT.fullmatch(value):
            start = found.start(2)
            yield _number(path, text, found[1], start, start + len(value))
    for found in _DECLARED.finditer(bare):
        yield from _declarators(path, text, bare, found.end())


def with_value(text: str, number: SourceNumber, value: int) -> str:
    """The text with another number in the place of the value. Lines stay where they are."""
    lines = text.count("\n", number.start, number.end)
    return f"{text[: number.start]}{value}{chr(10) * lines}{text[number.end :]}"


def numbers_of(paths: Iterable[Path], read: Callable[[Path], str | None]) -> list[SourceNumber]:
    """The numbers of several files, each file once."""
    found: list[SourceNumber] = []
    for path in dict.fromkeys(paths):
        text = read(path)
        if text is not None:
            found += numbers_in(path, text)
    return found


def _declarators(path: Path, text: str, bare: str, at: int) -> Iterator[SourceNumber]:
    """Those of one declaration: ``int m = 4, n = 8;``."""
    while (found := _DECLARATOR.match(bare, at)) is not None:
        end = _end_of_value(bare, found.end())
        if end is None:
            return
        value = bare[found.end() : end].rstrip()
        if _CONSTANT.fullmatch(value) or _FROM_OUTSIDE.search(value):
            yield _number(path, text, found[1], found.end(), found.end() + len(value))
        if bare[end] != ",":
            return
        at = end + 1


def _end_of_value(text: str, start: int) -> int | None:
    """Where a value ends: before a comma or semicolon that is in no brackets."""
    depth = 0
    for at in range(start, min(len(text), start + _LONGEST)):
        letter = text[at]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter in ",;" and depth == 0:
            return at
        if depth < 0:
            return None
    return None


def _number(path: Path, text: str, name: str, start: int, end: int) -> SourceNumber:
    line = text.count("\n", 0, start) + 1
    return SourceNumber(name, path, line, text[start:end], start, end)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])

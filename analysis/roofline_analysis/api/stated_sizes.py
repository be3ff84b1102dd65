"""Sizes that a person states where the source leaves them open, in comments or in settings.

``// roofline: n = 4096, grid = (256, 1, 1)`` above a kernel or a launch, or in the kernel's body;
the word ``assume`` may stand first. Names are the kernel's parameters and what the host program
leaves open, such as ``argv[1]``; ``grid`` and ``block`` are dimensions, ``argv`` is the command
line of the whole program. What the source fixes is not overridden. A table
``[kernels."saxpy"]`` of the settings has the same words, for kernels by a pattern of their names.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.api.formula import ContractError, read_formula
from roofline_analysis.rules.source_text import SourceText
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record
from roofline_core.program.units import Function
from roofline_core.settings import Settings, suggestion

MARK: Final = b"roofline:"
_MARKED: Final = re.compile(rb"(?://|/\*)[ \t]*roofline:[ \t]*(?P<words>[^\n]*)")
SIZES: Final = re.compile(r"(?:assume\b\s*)?[A-Za-z_]\w*(?:\[\d+\])?\s*=(?!=)|assume\b")
"""What a statement of sizes begins with."""
_ONE: Final = re.compile(r"(?P<name>[A-Za-z_]\w*(?:\[\d+\])?)\s*=\s*(?P<value>[^=]*)")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_DIMENSIONS: Final = ("grid", "block")
_COMMAND_LINE: Final = "argv"
_FARTHEST: Final = 20
"""The most lines between a comment and its kernel or the end of its launch."""


@record(frozen=True, slots=True)
class Sizes:
    """Numbers by name, and what is stated of the launch."""

    numbers: tuple[tuple[str, float], ...]
    grid: Dim3 | None = None
    block: Dim3 | None = None
    argv: tuple[str, ...] | None = None


@record(frozen=True, slots=True)
class SizeComment:
    """A statement of sizes in a source."""

    path: Path
    line: int
    first: int
    """The line of code that it is about: its own, or the next one with code."""
    last: int
    """The last line of the statement there."""
    sizes: Sizes | None
    fault: str = ""
    """Why it is not understood."""
    budgets: frozenset[str] = frozenset()
    """The words of the file's budgets, which may use numbers that no launch has."""


@record(frozen=True, slots=True)
class KernelSizes:
    """What the settings state of the kernels whose names a pattern matches."""

    pattern: str
    sizes: Sizes | None
    fault: str = ""
    """Why it is not understood."""

    def matches(self, kernel: Function) -> bool:
        """Whether a kernel is meant, by its qualified or its plain name."""
        names = (kernel.qualified_name, kernel.name)
        return any(fnmatch.fnmatchcase(name, self.pattern) for name in names)


def sizes_of_settings(settings: Settings) -> tuple[KernelSizes, ...]:
    """What the table ``kernels`` states, in its order, then what contracts assume."""
    assumed = (
        (pattern, text.removeprefix("assume"))
        for pattern, texts in settings.contracts
        for text in texts
        if text.startswith("assume ")
    )
    return tuple(_kernel_sizes(*each) for each in (*settings.kernels, *assumed))


def _kernel_sizes(pattern: str, text: str) -> KernelSizes:
    try:
        return KernelSizes(pattern, read_sizes(text))
    except ContractError as error:
        return KernelSizes(pattern, None, f"{text.strip()}: {error}")


def read_sizes(text: str) -> Sizes:
    """The sizes of ``n = 4096, grid = (256, 1, 1)``. Raises ContractError with the remedy."""
    numbers: list[tuple[str, float]] = []
    dims: dict[str, Dim3] = {}
    argv: tuple[str, ...] | None = None
    for part in _parts(text):
        found = _ONE.fullmatch(part)
        if found is None:
            given = part or "nothing"
            raise ContractError(f"'assume' wants NAME=NUMBER, with commas between, not '{given}'")
        name, value = found["name"], found["value"].strip()
        if name in _DIMENSIONS:
            dims[name] = _dimensions(name, value)
        elif name == _COMMAND_LINE:
            argv = tuple(value.strip("()\"'").replace(",", " ").split())
        else:
            numbers.append((name, _number(name, value)))
    return Sizes(tuple(numbers), dims.get("grid"), dims.get("block"), argv)


def settings_sizes(text: str) -> dict[str, object]:
    """The same sizes as a table ``kernels`` of the settings has them, numbers as they are spelt.

    Raises ContractError with the remedy, also for ``argv``, which is of the whole program.
    """
    read = read_sizes(text)
    if read.argv is not None:
        raise ContractError("'argv' is of the whole program: write its arguments as such")
    table: dict[str, object] = {}
    for name, value in (part.split("=", 1) for part in _parts(text)):
        spelt = value.strip()
        table[name.strip()] = int(spelt) if spelt.isdecimal() else spelt
    for name, dims in (("grid", read.grid), ("block", read.block)):
        if dims is not None:
            table[name] = list(dims)
    return table


def comments_of(path: Path, text: bytes) -> Iterator[SizeComment]:
    """The comments of a file that state sizes, in order."""
    if MARK not in text:
        return
    source = SourceText(path, text)
    marked = []
    for begin, end in source.comments:
        found = _MARKED.match(source.text, begin, end)
        if found is not None:
            words = found["words"].decode("utf-8", "replace").removesuffix("*/")
            marked += [(begin, part.strip()) for part in words.split(";")]
    budgets = frozenset(
        word for _, part in marked if part.startswith("budget") for word in _WORD.findall(part)
    )
    for begin, part in marked:
        if SIZES.match(part) is None:
            continue
        line = source.span(begin, begin).line
        first, last = _about(source, line)
        try:
            sizes = read_sizes(part.removeprefix("assume"))
        except ContractError as error:
            yield SizeComment(path, line, first, last, None, f"{part}: {error}", budgets)
        else:
            yield SizeComment(path, line, first, last, sizes, "", budgets)


def kernel_at(
    comment: SizeComment, kernels: Iterable[Function], lines: Mapping[Path, Sequence[bytes]]
) -> Function | None:
    """The kernel that a comment stands above or in."""
    here = [each for each in kernels if each.path == comment.path]
    for kernel in here:
        if kernel.span.line <= comment.first <= kernel.span.end_line:
            return kernel
    following = (each for each in here if each.span.line > comment.first)
    nearest = min(following, key=lambda each: each.span.line, default=None)
    if nearest is None or nearest.span.line - comment.first > _FARTHEST:
        return None
    between = lines[comment.path][comment.first - 1 : nearest.span.line - 1]
    return None if any(b";" in line or b"}" in line for line in between) else nearest


def code_lines(path: Path, text: bytes) -> Sequence[bytes]:
    """The lines of a file without comments and literals."""
    return SourceText(path, text).code.split(b"\n")


def _parts(text: str) -> list[str]:
    """The items between commas, but for commas in brackets and quotes."""
    parts, depth, quoted, begin = [], 0, False, 0
    for at, char in enumerate(text):
        quoted ^= char == '"'
        depth += (char in "([") - (char in ")]")
        if char == "," and depth <= 0 and not quoted:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return [*parts, text[begin:].strip()]


def _number(name: str, text: str) -> float:
    if text.startswith("(") and len(_parts(text[1:].removesuffix(")"))) > 1:
        hint = suggestion(name, _DIMENSIONS) or "; several are for 'grid' and 'block'"
        raise ContractError(f"'{name}' wants one number, not '{text}'{hint}")
    formula = read_formula(text)
    if formula.names:
        raise ContractError(f"'{name}' wants a number, not '{formula.text}'")
    try:
        return formula.value({})
    except (ZeroDivisionError, OverflowError):
        raise ContractError(f"'{formula.text}' is no number") from None


def _dimensions(name: str, text: str) -> Dim3:
    inner = text.removeprefix("(").removesuffix(")")
    found = [_number(name, part) for part in _parts(inner)]
    if not 1 <= len(found) <= 3 or any(each < 1 or each % 1 for each in found):
        raise ContractError(f"'{name}' wants one to three whole numbers: {name} = (256, 1, 1)")
    x, y, z = (int(each) for each in (*found, 1, 1)[:3])
    return x, y, z


def _about(source: SourceText, line: int) -> tuple[int, int]:
    """The lines of the statement that a comment on a line is about."""
    code = source.code.split(b"\n")
    first = line
    while not code[first - 1].strip():
        if first == len(code):
            return line, line
        first += 1
    last = first
    while last < min(len(code), first + _FARTHEST) and b";" not in code[last - 1]:
        last += 1
    return first, last

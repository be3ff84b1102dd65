"""Which source lines an emulated and a predicted number of operations differ on, by kind of line.

A difference of a whole launch says nothing of its cause. The emulation tells the operations of each
line of the debug information, the prediction those of each line of the source; what they differ by,
summed over the lines of one kind and divided by the emulated operations, are parts that add up to
the deviation of the launch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from roofline_profiling.measurement import LineOperations

_MAIN_SHARE: Final = 0.5
_MOST_OF_ALL: Final = 0.8
"""The part of all differences that the lines named one by one make up together."""
_MOST_LINES: Final = 4
_PART: Final = 0.02
"""Parts of a smaller size than operations may differ by are not named."""


class LineKind(Enum):
    """What a line's instructions are for, judged by its text; the first that holds."""

    MOVES = "register moves"
    """Of no line: IMAD.MOV and IMAD.U32, which the assembler takes in the place of MOV to keep its
    pipes busy. They count as integer operations, and no source tells how many there are; a share of
    the others is predicted."""
    LIBRARY = "code of a library's headers"
    LOOP = "heads of loops"
    FUNCTION = "functions of the math library"
    DIVISION = "divisions and remainders"
    ACCESS = "accesses and their addresses"
    CONDITION = "conditions"
    THREAD = "indices of threads"
    OTHER = "other arithmetic"
    NONE = "instructions of no line"


_FUNCTIONS: Final = (
    r"\b(?:__)?(?:r?sqrt|r?cbrt|pow|exp|exp2|exp10|expm1|log|log2|log10|log1p|sin|cos|tan|sincos|"
    r"asin|acos|atan|atan2|sinh|cosh|tanh|erfc?|[lt]gamma|fmod|remainder|hypot|floor|ceil|round|"
    r"l?l?rint|trunc|f?abs|frcp\w*|fdividef)f?\s*\("
)
_KINDS: Final = (
    (LineKind.LOOP, re.compile(r"\b(?:for|while|do)\b")),
    (LineKind.FUNCTION, re.compile(_FUNCTIONS)),
    (LineKind.DIVISION, re.compile(r"[/%]")),
    (LineKind.ACCESS, re.compile(r"\[|->|(?:^|[=(,+\-]\s*)\*\s*[A-Za-z_(]|\batomic\w*\s*\(")),
    (LineKind.CONDITION, re.compile(r"\bif\b|\?|&&|\|\||[<>]=?|[=!]=")),
    (LineKind.THREAD, re.compile(r"\b(?:threadIdx|blockIdx|get_(?:global|local|group)_id)\b")),
)
_COMMENT: Final = re.compile(r"//.*|/\*.*?(?:\*/|$)")


@dataclass(frozen=True, slots=True)
class PredictedLine:
    """The operations that are predicted of one source line."""

    path: Path
    line: int
    operations: Mapping[str, float]
    """By name of ``OPERATIONS``: ``sp_flops``."""
    moves: float = 0.0
    """Of the integer operations, register moves to be expected."""


@dataclass(frozen=True, slots=True)
class DeviationPart:
    """What lines of one kind add to the deviation of a launch."""

    kind: LineKind
    share: float
    """Predicted less emulated operations of these lines over all emulated ones."""


@dataclass(frozen=True, slots=True)
class DifferingLine:
    """The operations of one source line, by emulation and by prediction."""

    path: Path
    line: int
    emulated: float
    """Without register moves."""
    moves: float
    """Register moves; 0 but of INT operations."""
    predicted: float
    """With the moves to be expected."""

    @property
    def size(self) -> float:
        """By how many operations the two differ, either way."""
        return abs(self.predicted - self.emulated - self.moves)


def line_differences(
    name: str, emulated: Iterable[LineOperations], predicted: Iterable[PredictedLine]
) -> tuple[DifferingLine, ...]:
    """The lines whose operations differ, those that differ most first.

    ``name`` is ``sp_flops``, ``dp_flops`` or ``int_ops``.
    """
    there: dict[tuple[Path, int], tuple[float, float]] = {}
    here: dict[tuple[Path, int], float] = {}
    for each in emulated:
        place = Path(each.path), each.line
        moves = each.int_moves if name == "int_ops" else 0.0
        before = there.get(place, (0.0, 0.0))
        there[place] = before[0] + getattr(each, name) - moves, before[1] + moves
    for one in predicted:
        place = one.path, one.line
        here[place] = here.get(place, 0.0) + one.operations[name]
    found = [
        DifferingLine(*place, *there.get(place, (0.0, 0.0)), here.get(place, 0.0))
        for place in {**there, **here}
    ]
    differing = [each for each in found if each.size]
    return tuple(sorted(differing, key=lambda each: (-each.size, str(each.path), each.line)))


def told_lines(found: Sequence[DifferingLine], threads: int) -> str:
    """``k.cu:12 3 of 4.5 + 1 moves, k.cu:14 2 of 1``: predicted of emulated operations a thread.

    The fewest lines that make up most of all differences, at most four.
    """
    told = []
    left = _MOST_OF_ALL * sum(each.size for each in found)
    for each in found[:_MOST_LINES]:
        if left <= 0:
            break
        left -= each.size
        here, there, moves = (
            f"{amount / threads:.3g}" for amount in (each.predicted, each.emulated, each.moves)
        )
        more = f" + {moves} moves" if each.moves else ""
        told.append(f"{each.path.name}:{each.line} {here} of {there}{more}")
    return ", ".join(told)


def parts(
    name: str,
    whole: float,
    emulated: Sequence[LineOperations],
    predicted: Iterable[PredictedLine],
    lines_of: Callable[[Path], Sequence[str] | None],
) -> tuple[DeviationPart, ...]:
    """The parts of the deviation in one quantity, the largest first; they add up to it.

    ``name`` is ``sp_flops``, ``dp_flops`` or ``int_ops``, of which ``whole`` were emulated in all.
    ``lines_of`` gives the lines of one of the tree's sources by its path in the tree; None for a
    file elsewhere, which is a library's. Empty where nothing was emulated.
    """
    if not whole:
        return ()
    sums: dict[LineKind, float] = {}

    def add(path: Path, line: int, operations: float) -> None:
        """Add what a line has too many."""
        kind = _kind_of(lines_of(path), line)
        sums[kind] = sums.get(kind, 0.0) + operations

    for each in emulated:
        moves = each.int_moves if name == "int_ops" else 0.0
        sums[LineKind.MOVES] = sums.get(LineKind.MOVES, 0.0) - moves
        add(Path(each.path), each.line, moves - getattr(each, name))
    for one in predicted:
        moves = one.moves if name == "int_ops" else 0.0
        sums[LineKind.MOVES] = sums.get(LineKind.MOVES, 0.0) + moves
        add(one.path, one.line, one.operations[name] - moves)
    sums[LineKind.NONE] = sum(getattr(each, name) for each in emulated) - whole
    found = [DeviationPart(kind, amount / whole) for kind, amount in sums.items() if amount]
    return tuple(sorted(found, key=lambda each: (-abs(each.share), each.kind.value)))


def _kind_of(text: Sequence[str] | None, line: int) -> LineKind:
    if text is None:
        return LineKind.LIBRARY
    words = _COMMENT.sub("", text[line - 1]) if 0 < line <= len(text) else ""
    return next((kind for kind, signs in _KINDS if signs.search(words)), LineKind.OTHER)


def main_cause(found: Sequence[DeviationPart]) -> str:
    """The kinds that make up most of a deviation, in words that are the same for like deviations.

    Those of the opposite sign make it smaller and are no cause.
    """
    deviation = sum(each.share for each in found)
    same = [each for each in found if each.share * deviation > 0]
    wanted = _MAIN_SHARE * sum(abs(each.share) for each in same)
    named: list[str] = []
    for each in same:
        if wanted <= 0:
            break
        named.append(each.kind.value)
        wanted -= abs(each.share)
    return ", ".join(named)


def told(found: Sequence[DeviationPart]) -> str:
    """``register moves -9.1%, heads of loops +2.3%``."""
    return ", ".join(
        f"{each.kind.value} {each.share:+.1%}" for each in found if abs(each.share) >= _PART
    )

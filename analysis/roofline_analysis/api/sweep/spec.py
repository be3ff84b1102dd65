"""What a person asks to be varied: ``n=256..8192:x2``, ``gpu=A100,H100``."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from roofline_core.program.errors import RooflineError
from roofline_core.program.records import record

MOST_POINTS: Final = 200
"""The most launches of one sweep that are judged. A limit on the work."""
GPU: Final = "gpu"
_FORM: Final = "NAME=LO..HI[:xK|:+K] or NAME=V,V,... is expected, as in n=256..8192:x2"
_RANGE: Final = re.compile(r"(\d+)\.\.(\d+)(?::(?:x(\d+(?:\.\d+)?)|\+(\d+)))?")
_LARGEST: Final = 1 << 40
"""No launch has a number beyond."""


class SweepError(RooflineError):
    """A sweep that is not understood, too long, or of what the program does not have."""


@record(frozen=True, slots=True)
class Swept:
    """A name with the values that it takes one after the other."""

    name: str
    values: tuple[int, ...] = ()
    """Whole numbers above 0; empty for GPUs."""
    gpus: tuple[str, ...] = ()
    """Names of GPUs; empty for numbers."""
    multiplied: bool = False
    """Whether the steps are factors, so that plots have a scale of powers."""

    @property
    def count(self) -> int:
        """How many values it takes."""
        return len(self.values) or len(self.gpus)


def swept(text: str) -> Swept:
    """The values that a text stands for: a range with its steps, by default doubled, or a list.

    A range ends with the last value that is not above its end. Raises SweepError.
    """
    name, given, values = text.partition("=")
    name, values = name.strip(), values.strip()
    if not given or not name or not values:
        raise SweepError(f"'{text}': {_FORM}")
    if name == GPU:
        gpus = tuple(each.strip() for each in values.split(",") if each.strip())
        if not gpus:
            raise SweepError(f"'{text}': names of GPUs with commas between are expected")
        _within_limit(text, len(gpus))
        return Swept(name, gpus=tuple(dict.fromkeys(gpus)))
    if (found := _RANGE.fullmatch(values)) is not None:
        low, high = int(found[1]), int(found[2])
        _checked(text, low)
        if high < low:
            raise SweepError(f"'{text}': the end, {high}, is below the beginning, {low}")
        if found[4] is not None:
            return Swept(name, _sums(text, low, high, int(found[4])))
        factor = Fraction(found[3]) if found[3] else Fraction(2)
        return Swept(name, _products(text, low, high, factor), multiplied=True)
    words = [each.strip() for each in values.split(",")]
    if not all(word.isdecimal() for word in words):
        raise SweepError(f"'{text}': {_FORM}")
    numbers = tuple(sorted({int(word) for word in words}))
    for number in numbers:
        _checked(text, number)
    _within_limit(text, len(numbers))
    return Swept(name, numbers, multiplied=_spreads(numbers))


def _products(text: str, low: int, high: int, factor: Fraction) -> tuple[int, ...]:
    """Each value times the factor, rounded, and at least one more than the last."""
    if factor <= 1:
        raise SweepError(f"'{text}': the factor is to be above 1")
    found, exact = [low], Fraction(low)
    while (exact := max(exact * factor, Fraction(found[-1] + 1))) <= high:
        found.append(int(exact + Fraction(1, 2)))
        _within_limit(text, len(found))
    return tuple(each for each in dict.fromkeys(found) if each <= high)


def _sums(text: str, low: int, high: int, step: int) -> tuple[int, ...]:
    if step < 1:
        raise SweepError(f"'{text}': the step is to be at least 1")
    _within_limit(text, (high - low) // step + 1)
    return tuple(range(low, high + 1, step))


def _checked(text: str, number: int) -> None:
    if not 0 < number < _LARGEST:
        raise SweepError(f"'{text}': {number} is not a number from 1 to {_LARGEST - 1}")


def _within_limit(text: str, count: int) -> None:
    if count > MOST_POINTS:
        raise SweepError(
            f"'{text}' has more values than the limit of {MOST_POINTS}; take larger steps"
        )


def _spreads(numbers: tuple[int, ...]) -> bool:
    """Whether numbers lie so far apart that they are told apart on a scale of powers alone."""
    return len(numbers) > 2 and numbers[-1] >= 16 * numbers[0]

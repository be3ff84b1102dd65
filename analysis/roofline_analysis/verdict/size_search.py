"""The values of one number at which a class changes, found with few values tried."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from roofline_analysis.verdict.prediction import Crossover, SizeRange, Verdict
from roofline_core.program.records import record

_FACTOR: Final = 4.0
_STEPS: Final = range(-6, 4)
"""The class is computed for the present value times the factor to each of these powers."""
_DIGITS: Final = 16
"""Values are tried at 4 significant bits, so a flip point is uncertain by at most 1/16."""
_LARGEST: Final = 1 << 36
"""The least number that is not tried: more elements than fit on any GPU."""
_FAR: Final = math.log(4.0)
"""Natural logarithm of intensity over ridge beyond which no size between is tried.

Assumed, chosen without measurement: with the least, the present and the largest size so far on one
side, what lies between is taken for the same class. So it is where they are farther from the ridge
than from each other."""


@record(frozen=True, slots=True)
class SizeClass:
    """The class for one value of a free input."""

    verdict: Verdict
    margin: float
    """Natural logarithm of intensity over ridge; 0 where the bus to the host may decide."""


ClassFor = Callable[[int], SizeClass | None]
"""The class for a value; None where no launch is possible with it."""


def search_sizes(
    name: str, now: int, class_now: SizeClass, class_for: ClassFor
) -> SizeRange | None:
    """The class from the least to the largest possible value; None if it changes repeatedly.

    ``class_now`` is that of the value ``now``. Values are tried from 1/4096 to 64 times that.
    """
    tried = _tried(now)
    first, last = _ends(tried, class_for)
    if first is None or last is None:
        return None
    ends = first[1], last[1]
    known = {first[0]: first[1], last[0]: last[1]}
    if first[0] < now < last[0]:
        known[now] = class_now
    inside = [value for value in tried if first[0] < value < last[0]]
    if not _all_far((*ends, class_now)):
        _try(inside[1::3], class_for, known)
    changes = _changes(known)
    if len(changes) == 1:
        _try([value for value in inside if not _is_settled(value, known)], class_for, known)
        changes = _changes(known)
    if not changes:
        return SizeRange(name, first[0], last[0], None)
    if len(changes) != 1:
        return None
    low, high = changes[0]
    above = known[high].verdict
    while (middle := _between(low, high, known)) is not None:
        found = class_for(middle)
        if found is None:
            break
        known[middle] = found
        low, high = (low, middle) if found.verdict is above else (middle, high)
    return SizeRange(name, first[0], last[0], Crossover(name, high, above))


def is_same_at_ends(now: int, class_now: SizeClass, class_for: ClassFor) -> bool:
    """Whether the class ``class_now`` is that of the least and of the largest possible value, too.

    The values are those of ``search_sizes``, none between.
    """
    ends = _ends(_tried(now), class_for)
    return all(each is not None and each[1].verdict is class_now.verdict for each in ends)


def _tried(now: int) -> list[int]:
    """The values that are tried, the least first."""
    values = {_rounded(now * _FACTOR**step) for step in _STEPS if now * _FACTOR**step < _LARGEST}
    return sorted(value for value in values if 0 < value < _LARGEST)


def _ends(
    tried: Sequence[int], class_for: ClassFor
) -> tuple[tuple[int, SizeClass] | None, tuple[int, SizeClass] | None]:
    """The least and the largest of the values with a possible launch, and their classes."""
    return _first_known(class_for, tried), _first_known(class_for, tried[::-1])


def _try(values: Sequence[int], class_for: ClassFor, known: dict[int, SizeClass]) -> None:
    """Add the classes of those values at which a launch is possible."""
    for value in values:
        if value not in known and (found := class_for(value)) is not None:
            known[value] = found


def _changes(known: Mapping[int, SizeClass]) -> list[tuple[int, int]]:
    """The pairs of neighbouring values between which the class changes."""
    pairs = itertools.pairwise(sorted(known))
    return [(a, b) for a, b in pairs if known[a].verdict is not known[b].verdict]


def _is_settled(value: int, known: Mapping[int, SizeClass]) -> bool:
    """Whether the known values on both sides tell the class of one between."""
    below = max(each for each in known if each <= value)
    above = min(each for each in known if each >= value)
    return _all_far((known[below], known[above]))


def _all_far(classes: Sequence[SizeClass]) -> bool:
    """Whether all are of one class, and none is near the ridge."""
    margins = [each.margin for each in classes]
    least, largest = min(margins), max(margins)
    nearest = max(least, -largest)
    """How far the nearest is from the ridge; below 0 where they lie on both sides of it."""
    return nearest > min(_FAR, largest - least) and nearest > 0.0


def _first_known(class_for: ClassFor, tried: Sequence[int]) -> tuple[int, SizeClass] | None:
    """The first of the values with a possible launch, and its class; None if there is none."""
    for value in tried:
        found = class_for(value)
        if found is not None:
            return value, found
    return None


def _rounded(value: float) -> int:
    """The value at 4 significant bits, so that sizes stay multiples of the block size."""
    if value < _DIGITS:
        return round(value)
    scale = 1 << (int(math.log2(value)) - int(math.log2(_DIGITS)) + 1)
    return round(value / scale) * scale


def _between(low: int, high: int, known: Mapping[int, SizeClass]) -> int | None:
    """A value between two of different classes, near the ridge by their margins; None if none is.

    Intensity is mostly a power of the size, so that its logarithm is taken for a straight line.
    """
    middle = _rounded(math.sqrt(low * high))
    if not low < middle < high:
        return None
    here, there = known[low].margin, known[high].margin
    if not here * there < 0.0:
        return middle
    share = here / (here - there)
    guess = _rounded(low ** (1.0 - share) * high**share)
    guess = max(guess, _rounded(low * (1.0 + 2.0 / _DIGITS)))
    guess = min(guess, _rounded(high * (1.0 - 2.0 / _DIGITS)))
    return guess if low < guess < high else middle

"""What a heuristic is worth, on all programs and where other programs decide on it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ablations.figures import (
    SHARES,
    Pair,
    Verdicts,
    Worth,
    balanced_gain,
    balanced_worth,
    cells,
    count_worth,
    difference,
    errors,
    pairs_of,
    share_worth,
    time_error,
    value_of,
    verdicts,
)
from ablations.model import BASELINE, Switch
from ablations.running import ProgramOutcome
from ablations.table import lines_of
from roofline_study.dataset import MeasuredKernel

FOLDS: Final = 10
_NO_DIFFERENCE: Final = 1e-12


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """Balanced accuracy where other programs decide whether the heuristic is kept."""

    kept: int
    """Folds in which it was, of ``FOLDS``."""
    gain: float | None
    """Less the balanced accuracy without the heuristic."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one switch showed."""

    switch: Switch
    lines: int
    calls: int
    """Of the neutral, or of what bears witness to a constant, in the worker processes."""
    programs: int
    """That were predicted anew."""
    failed: tuple[str, ...]
    """Programs that crashed or ran out of time without the heuristic."""
    balanced_accuracy: Mapping[str, Worth]
    """By language, and ``all``."""
    verdicts: Verdicts
    shares: Mapping[str, Worth]
    """By the names of ``SHARES``."""
    counts: Worth
    """Of the mean error of counts: |ln(predicted / measured)|."""
    time_error: float
    """Of the median absolute percentage error of time, in points."""
    cpu_s: float
    """What all programs take without the heuristic, less what they take with it."""
    cross_validated: CrossValidated


def row_of(
    switch: Switch,
    parts: Mapping[str, Mapping[str, ProgramOutcome]],
    rows: Sequence[MeasuredKernel],
) -> Row:
    """The figures of one switch, from the baseline's outcomes and its own."""
    base, other = parts[BASELINE], parts[switch.name]
    pairs = pairs_of(base, other, rows)
    calls = (outcome.calls.get(switch.name) for outcome in other.values())
    times = [time_error(pairs, with_it=each) for each in (True, False)]
    return Row(
        switch,
        lines_of(switch),
        sum(each.made for each in calls if each is not None),
        len(other),
        tuple(sorted(each.program for each in other.values() if each.failure is not None)),
        {
            name: balanced_worth([p for p in pairs if name in ("all", p.row.language)])
            for name in languages(rows)
        },
        verdicts(pairs),
        {name: share_worth(pairs, *each) for name, each in SHARES.items()},
        count_worth(pairs),
        times[1] - times[0],
        sum(each.cpu_s - base[name].cpu_s for name, each in other.items()),
        cross_validated(pairs),
    )


def languages(rows: Sequence[MeasuredKernel]) -> tuple[str, ...]:
    """Those that there are kernels of, and ``all`` where there are several."""
    found = sorted({row.language for row in rows})
    return (*found, "all") if len(found) > 1 else tuple(found)


def fold_of(program: str) -> int:
    """The fold that a program's versions are dealt to."""
    return int.from_bytes(hashlib.sha256(program.encode()).digest()[:4], "big") % FOLDS


def cross_validated(pairs: Sequence[Pair]) -> CrossValidated:
    """The decision to keep the heuristic taken on nine folds, scored on the tenth."""
    decided, kept = [], 0
    for fold in range(FOLDS):
        inside = [pair for pair in pairs if fold_of(pair.program) == fold]
        keep = is_kept([pair for pair in pairs if fold_of(pair.program) != fold])
        kept += keep
        # The cells of what was decided, then of what there is without the heuristic.
        for each in cells(inside) if inside else ():
            decided.append([*(each[:6] if keep else each[6:]), *each[6:]])
    return CrossValidated(kept, value_of(balanced_gain, np.array(decided)))


def is_kept(pairs: Sequence[Pair]) -> bool:
    """Whether these kernels speak for the heuristic: by class, and if that is equal by counts."""
    gain = value_of(balanced_gain, cells(pairs)) if pairs else None
    if gain is not None and abs(gain) > _NO_DIFFERENCE:
        return gain > 0
    change = value_of(difference, errors(pairs)) if pairs else None
    return change is not None and change < -_NO_DIFFERENCE

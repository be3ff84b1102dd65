"""A launch's emulated counts beside what is predicted of them, and why they differ."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from roofline_analysis.report.report import Prediction, Verdict
from roofline_profiling.differential.differing_lines import (
    DeviationPart,
    DifferingLine,
    main_cause,
    told,
    told_lines,
)
from roofline_profiling.measurement import Dim3
from roofline_study.breakdown import Status, status_of
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Judgement
from roofline_study.quantities import OPERATIONS

COUNTS: Final = (*OPERATIONS.values(), "dram_bytes")
OPERATIONS_WITHIN: Final = 0.02
"""The part of the emulated count by which operations may differ and agree."""
BYTES_WITHIN: Final = 1.5
"""The factor, either way, by which bytes may differ and agree."""
_MOST_ASSUMED: Final = 6
_MOST_REASON: Final = 160
_VARYING: Final = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d[\d.x]*\b")
_NEARLY: Final = 1.1


@dataclass(frozen=True, slots=True)
class Compared:
    """The first launch of a kernel with a grid and a block."""

    program: str
    kernel: str
    args: str
    """The command line of the run, as a shell reads it."""
    grid: Dim3 | None
    block: Dim3 | None
    how: str
    """As of ``Attempt``."""
    sampled: bool
    """Whether only some blocks ran, and their counts were multiplied."""
    code_lines: int
    """Lines of the program's sources that are not blank."""
    emulated: Mapping[str, float]
    """By name of ``COUNTS``."""
    predicted: Mapping[str, float | None]
    """By the same names; empty without a prediction."""
    emulated_class: str
    predicted_class: str
    """Empty if there is none."""
    status: str
    """A value of ``Status``."""
    cause: str
    """What the prediction rested on, or what is off where it rested on nothing: the same words for
    the same cause."""
    assumed: tuple[str, ...] = ()
    """What was assumed, and what of the kernel was not followed."""
    kinds: str = ""
    """The kinds of lines that make up most of the deviation in the operations that disagree."""
    lines: str = ""
    """What lines of each kind add to it: ``INT: register moves -9.1%, conditions +2.3%``."""
    places: str = ""
    """The lines that differ most: ``INT: k.cu:12 3 of 4.5 + 1 moves``, predicted of emulated
    operations a thread of the launch."""

    def agrees(self, name: str) -> bool | None:
        """Whether a count is predicted as near as it should be; of 0 only 0 is near.

        None for the bytes of a sample of blocks, of which more stays in L2 than of all.
        """
        if self.sampled and name == "dram_bytes":
            return None
        there, here = self.emulated[name], self.predicted.get(name)
        if here is None:
            return False
        if not here or not there:
            return here == there
        if name == "dram_bytes":
            return 1 / BYTES_WITHIN <= here / there <= BYTES_WITHIN
        return abs(here - there) <= OPERATIONS_WITHIN * there

    @property
    def operations_agree(self) -> bool:
        """Whether SP, DP and INT operations all agree."""
        return all(self.agrees(name) for name in OPERATIONS.values())

    @property
    def class_agrees(self) -> bool | None:
        """Whether the class is the same; None for a sample of blocks."""
        return None if self.sampled else self.emulated_class == self.predicted_class

    @property
    def agrees_fully(self) -> bool:
        """Whether operations, bytes and class agree, as far as they are compared."""
        others = (self.agrees("dram_bytes"), self.class_agrees)
        return self.operations_agree and False not in others

    def ratio(self, name: str) -> float | None:
        """Predicted over emulated; None where either is 0 or unknown."""
        there, here = self.emulated[name], self.predicted.get(name)
        return here / there if here and there else None

    def content(self) -> dict[str, object]:
        """The launch as JSON has it."""
        return asdict(self)

    @classmethod
    def of_content(cls, content: Mapping[str, Any]) -> Compared:
        """The launch of a JSON object. Raises TypeError or KeyError if it is none."""
        shapes = {
            name: None if content[name] is None else tuple(content[name])
            for name in ("grid", "block")
        }
        return cls(**{**content, **shapes, "assumed": tuple(content["assumed"])})


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """The run that a launch belongs to."""

    args: str
    how: str
    sampled: bool
    code_lines: int


@dataclass(frozen=True, slots=True)
class QuantityDeviation:
    """Where the operations of one kind that are predicted differ from those that were emulated."""

    parts: Sequence[DeviationPart]
    lines: Sequence[DifferingLine]


def compared(
    judgement: Judgement,
    run: ComparedRun,
    deviations: Mapping[str, QuantityDeviation] | None = None,
) -> Compared:
    """A launch and its prediction, held against one another.

    ``deviations`` has the deviation of each kind of operation, by name.
    """
    row, prediction = judgement.row, judgement.prediction
    emulated = {name: float(getattr(row, name)) for name in COUNTS}
    predicted = {name: getattr(prediction, name) for name in COUNTS} if prediction else {}
    status = status_of(judgement)
    found = Compared(
        program=row.program,
        kernel=row.kernel,
        args=run.args,
        grid=row.grid,
        block=row.block,
        how=run.how,
        sampled=run.sampled,
        code_lines=run.code_lines,
        emulated=emulated,
        predicted=predicted,
        emulated_class=_class(row.label),
        predicted_class=_class(judgement.verdict),
        status=status.value,
        cause=_cause(judgement, status, emulated, predicted),
        assumed=_assumed(prediction) if prediction is not None else (),
    )
    off = {
        _short_name(name): deviation
        for name, deviation in (deviations or {}).items()
        if deviation.parts and not found.agrees(name)
    }
    threads = _threads(row)
    kinds = (f"{name}: {main_cause(each.parts)}" for name, each in off.items())
    lines = (f"{name}: {told(each.parts)}" for name, each in off.items())
    places = (f"{name}: {told_lines(each.lines, threads)}" for name, each in off.items())
    return replace(found, kinds="; ".join(kinds), lines="; ".join(lines), places="; ".join(places))


def _threads(row: MeasuredKernel) -> int:
    """The threads of a launch; 1 if its shape is not known."""
    return math.prod((*(row.grid or ()), *(row.block or ())))


def _short_name(name: str) -> str:
    """``SP``, ``DP``, ``INT`` or ``DRAM``."""
    return name.split("_", maxsplit=1)[0].upper()


def _class(verdict: Verdict | None) -> str:
    return verdict.value if verdict is not None else ""


def _cause(
    judgement: Judgement,
    status: Status,
    emulated: Mapping[str, float],
    predicted: Mapping[str, float | None],
) -> str:
    prediction = judgement.prediction
    if prediction is None or status is Status.MISSING:
        return _general(judgement.failure or "no prediction")
    missing = prediction.sight.missing if prediction.sight is not None else ()
    if missing:
        return f"not followed: {missing[0].kind.value} {missing[0].name}"[:_MOST_REASON]
    if prediction.unknowns:
        first = next(u for u in prediction.unknowns if u.kind in _weakest(prediction))
        return f"{first.kind.value}: {_general(first.why)}"
    off = [_off(name, emulated[name], predicted.get(name)) for name in COUNTS]
    return ", ".join(filter(None, off)) or "none"


def _weakest(prediction: Prediction) -> set[object]:
    """The kind of assumption by which the prediction's status is named."""
    kinds = {each.kind for each in prediction.unknowns}
    for kind in ("host value", "trips", "branch"):
        if found := {each for each in kinds if each.value == kind}:
            return set(found)
    return set(kinds)


def _off(name: str, there: float, here: float | None) -> str:
    """How far a count is off, in words that are the same for like deviations."""
    what = _short_name(name)
    if here is None:
        return f"{what} not known"
    if there == here:
        return ""
    if not there or not here:
        return f"{what} predicted, none emulated" if here else f"{what} emulated, none predicted"
    ratio = here / there
    far = max(ratio, 1 / ratio)
    if far <= (BYTES_WITHIN if name == "dram_bytes" else 1 + OPERATIONS_WITHIN):
        return ""
    by = "a little" if far <= _NEARLY else "up to 2x" if far <= 2 else "over 2x"
    return f"{what} {by} too {'many' if ratio > 1 else 'few'}"


def _assumed(prediction: Prediction) -> tuple[str, ...]:
    found = [
        f"not followed: {each.kind.value} {each.name}"
        for each in (prediction.sight.missing if prediction.sight is not None else ())
    ]
    found += [
        f"{each.kind.value} {each.name} = {'?' if each.assumed is None else f'{each.assumed:g}'}"
        f" ({each.why})"
        for each in prediction.unknowns
    ]
    return tuple(dict.fromkeys(each[:_MOST_REASON] for each in found))[:_MOST_ASSUMED]


def _general(text: str) -> str:
    """A reason without names and numbers, so that like reasons are counted together."""
    return _VARYING.sub("…", text.split("; ", maxsplit=1)[0])[:_MOST_REASON]

"""Kernels by what was assumed for them, by program, and by each precision's own ridge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from roofline_analysis.report.report import UnknownKind, Verdict
from roofline_core.program.precision import Precision
from roofline_study.judge import Judgement
from roofline_study.metrics import Confusion
from roofline_study.quantities import OPERATIONS, intensity_of


class Status(Enum):
    """The weakest assumption of a prediction; checked from the last member to the first."""

    RESOLVED = "nothing assumed"
    BRANCHES = "only branches"
    TRIPS = "trips"
    HOST = "host values"
    """Numbers of the host program, including grid and block, and perhaps trips and branches."""
    MISSING = "not found"
    """The kernel was not found or not judged."""


_IN_KERNEL = (UnknownKind.TRIPS, UnknownKind.BRANCH)


def status_of(judgement: Judgement) -> Status:
    """The group that a kernel belongs to."""
    if judgement.prediction is None or judgement.verdict is None:
        return Status.MISSING
    kinds = {unknown.kind for unknown in judgement.prediction.unknowns}
    if kinds - set(_IN_KERNEL):
        return Status.HOST
    if UnknownKind.TRIPS in kinds:
        return Status.TRIPS
    return Status.BRANCHES if kinds else Status.RESOLVED


def by_status(judgements: Iterable[Judgement]) -> dict[Status, list[Judgement]]:
    """The kernels of each group, in the order of ``Status``; empty groups are left out."""
    groups: dict[Status, list[Judgement]] = {status: [] for status in Status}
    for judgement in judgements:
        groups[status_of(judgement)].append(judgement)
    return {status: group for status, group in groups.items() if group}


@dataclass(frozen=True, slots=True)
class ProgramScore:
    """The kernels of one program whose class was measured."""

    program: str
    confusion: Confusion


def by_program(judgements: Iterable[Judgement]) -> tuple[ProgramScore, ...]:
    """Each program's kernels, in the order of the data set."""
    groups: dict[str, list[tuple[Verdict, Verdict | None]]] = {}
    for item in judgements:
        pairs = groups.setdefault(item.row.program, [])
        if item.row.label is not None:
            pairs.append((item.row.label, item.verdict))
    return tuple(ProgramScore(name, Confusion.of(pairs)) for name, pairs in groups.items())


def program_weighted(programs: Sequence[ProgramScore]) -> Confusion:
    """All kernels, each weighted so that every program counts 1 in all."""
    cells = [share for score in programs if (share := shares(score.confusion))]
    return Confusion(*(sum(column) for column in zip(*cells, strict=True)))


def shares(confusion: Confusion) -> tuple[float, ...]:
    """The cells over their sum; empty where that is 0."""
    total = confusion.total
    return tuple(cell / total for cell in confusion.cells) if total else ()


def by_precision(
    judgements: Iterable[Judgement], ridges: Mapping[Precision, float]
) -> dict[Precision, Confusion]:
    """For each precision, whether its intensity is above its own ridge.

    CB stands for above. A kernel without such operations is below; one that moves no byte is above
    if it has any. A precision without a ridge, or that was not measured, is left out.
    """
    held = list(judgements)
    found: dict[Precision, Confusion] = {}
    for precision in OPERATIONS:
        ridge = ridges.get(precision)
        if ridge is None:
            continue
        pairs = [
            (_side(measured, ridge), _predicted(item, precision, ridge))
            for item in held
            if (measured := _measured(item, precision)) is not None
        ]
        if pairs:
            found[precision] = Confusion.of(pairs)
    return found


def _measured(item: Judgement, precision: Precision) -> float | None:
    operations = getattr(item.row, OPERATIONS[precision])
    return None if operations is None else intensity_of(float(operations), item.row.dram_bytes)


def _predicted(item: Judgement, precision: Precision, ridge: float) -> Verdict | None:
    prediction = item.prediction
    operations = prediction.operations(precision) if prediction is not None else None
    moved = prediction.dram_bytes if prediction is not None else None
    if operations is None or moved is None:
        return None
    return _side(intensity_of(operations, moved), ridge)


def _side(intensity: float, ridge: float) -> Verdict:
    return Verdict.COMPUTE_BOUND if intensity > ridge else Verdict.BANDWIDTH_BOUND

"""The development programs judged with a switch off, each in a worker process.

The worker itself takes the heuristic out before its first program, so that it is out however the
process was started, and sends the calls that it counted along with each program's predictions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

from ablations.model import BASELINE, CENSUS, Switch
from ablations.replacing import Calls, counted, switched_off
from ablations.table import SWITCHES
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Inputs, Judgement, judge_program
from roofline_study.predictions import Predicted
from roofline_study.programs import ProgramAnalyser
from roofline_study.quantities import COUNTS, predicted
from roofline_study.workers import in_processes


@dataclass(frozen=True, slots=True)
class ProgramOutcome:
    """What became of one program."""

    program: str
    kernels: Mapping[str, Predicted]
    """By ``program:kernel``."""
    cpu_s: float = 0.0
    """That the worker took; 0 where it failed."""
    calls: Mapping[str, Calls] = field(default_factory=dict)
    """By switch: of the neutral where one is off, of the heuristic itself in a census."""
    failure: str | None = None
    """Why there are no predictions: a crash, the time limit."""


def by_program(rows: Sequence[MeasuredKernel]) -> dict[str, list[MeasuredKernel]]:
    """The rows of each program."""
    groups: dict[str, list[MeasuredKernel]] = {}
    for row in rows:
        groups.setdefault(row.program, []).append(row)
    return groups


def judged(
    rows: Sequence[MeasuredKernel], inputs: Inputs, mode: str, *, jobs: int, limit_s: float
) -> Iterator[ProgramOutcome]:
    """Judge programs in ``jobs`` processes; ``mode`` is ``BASELINE``, ``CENSUS`` or a switch."""
    items = sorted(by_program(rows).values(), key=len, reverse=True)
    ProgramAnalyser.real()  # imports the analyser before processes are copied from this one
    work = partial(judge_with, inputs=inputs, mode=mode)
    for done in in_processes(work, items, jobs=jobs, limit_s=limit_s):
        group = items[done.index]
        if done.result is not None:
            yield done.result
        else:
            unknown = {row.name: Predicted(None, dict.fromkeys(COUNTS)) for row in group}
            yield ProgramOutcome(group[0].program, unknown, failure=done.failure)


def judge_with(rows: Sequence[MeasuredKernel], *, inputs: Inputs, mode: str) -> ProgramOutcome:
    """Judge the kernels of one program in this process, which serves this mode alone from now."""
    calls = _in_force(mode)
    before = {name: Calls(held.made, held.telling) for name, held in calls.items()}
    started = time.process_time()
    judgements = judge_program(rows, inputs=inputs, analyser=ProgramAnalyser.real())
    taken = time.process_time() - started
    return ProgramOutcome(
        rows[0].program,
        {item.row.name: _prediction(item) for item in judgements},
        taken,
        {
            name: Calls(held.made - before[name].made, held.telling - before[name].telling)
            for name, held in calls.items()
        },
    )


def _prediction(item: Judgement) -> Predicted:
    return Predicted(item.verdict, {name: predicted(item, name) for name in COUNTS})


_FORCE: dict[str, Mapping[str, Calls]] = {}
"""The mode of this process and its counters; empty until a worker has its first program."""
_KEPT = ExitStack()


def _in_force(mode: str) -> Mapping[str, Calls]:
    if not _FORCE:
        _FORCE[mode] = _entered(mode)
    if mode not in _FORCE:
        raise RuntimeError(f"this process serves {next(iter(_FORCE))}, not {mode}")
    return _FORCE[mode]


def _entered(mode: str) -> Mapping[str, Calls]:
    if mode == BASELINE:
        return {}
    if mode == CENSUS:
        return _KEPT.enter_context(counted(SWITCHES))
    named = [switch for switch in SWITCHES if switch.name == mode]
    if not named:
        raise LookupError(f"there is no switch '{mode}'")
    return _KEPT.enter_context(switched_off(named))


def reached(switch: Switch, census: Mapping[str, ProgramOutcome]) -> set[str]:
    """The programs that a switch can change: its heuristic was asked and made a difference."""
    return {
        program
        for program, outcome in census.items()
        if outcome.failure is not None or outcome.calls[switch.name].telling
    }

"""How much work a run would be, told before it is run, so that hopeless runs are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.api.entry import file_report
from roofline_analysis.report.report import LaunchReport
from roofline_core.settings import Settings
from roofline_profiling.differential.loading import AsBuilt
from roofline_study.workers import in_processes

RATE: Final = 20e6
"""Operations of threads that are emulated in a second, with caches. Assumed: a low value, as other
programs take their share of the machine."""
_LIMIT_S: Final = 30.0

_Task = tuple[AsBuilt, Settings, tuple[str, ...]]


def estimated_s(
    program: AsBuilt, settings: Settings, lines: Sequence[tuple[str, ...]]
) -> list[float | None]:
    """For each command line the seconds that its launches would take; None if that is not known.

    Each kernel's launches of one grid and block count once, as they run once.
    """
    found: list[float | None] = [None] * len(lines)
    tasks: list[_Task] = [(program, settings, args) for args in lines]
    for done in in_processes(_operations, tasks, jobs=1, limit_s=_LIMIT_S):
        if done.result:
            found[done.index] = done.result / RATE
    return found


def _operations(task: _Task) -> float:
    program, settings, args = task
    analysis = program.load((), settings, argv=args)
    total = 0.0
    for path in dict.fromkeys(function.path for function in analysis.functions):
        for kernel in file_report(analysis, path, findings=False).kernels:
            shapes: dict[object, LaunchReport] = {}
            for launch in kernel.launches:
                shapes.setdefault((launch.grid, launch.block, launch.template_args), launch)
            total += sum(map(_of_launch, shapes.values()))
    return total


def _of_launch(launch: LaunchReport) -> float:
    used = launch.prediction
    return sum(filter(None, (used.sp_flops, used.dp_flops, used.hp_flops, used.int_ops)))

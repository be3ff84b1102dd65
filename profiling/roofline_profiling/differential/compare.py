"""A differential run: programs emulated, predicted and compared."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable

from roofline_profiling.differential.discovery import TreeProgram, programs_of
from roofline_profiling.differential.judging import judged
from roofline_profiling.differential.plan import DifferentialPlan
from roofline_profiling.differential.running import run_missing
from roofline_profiling.differential.table import Result
from roofline_profiling.errors import ProfilerError

Tell = Callable[[str], None]


def differential(plan: DifferentialPlan, tell: Tell) -> Result:
    """Do what the plan asks. Raises ProfilerError if there is no program or no place to write.

    On Ctrl-C what was run is kept, and KeyboardInterrupt is raised.
    """
    programs = [each for each in programs_of(plan.trees, plan.rules) if _is_wanted(each, plan)]
    if not programs:
        names = ", ".join(map(str, plan.trees))
        raise ProfilerError(
            f"{names}: no program with kernels was found, or none that was asked for"
        )
    outcomes = run_missing(programs, plan, tell)
    launches = [
        launch
        for group in judged(programs, outcomes, plan, jobs=os.cpu_count() or 1)
        for launch in group
    ]
    launches.sort(key=lambda each: (each.program, each.kernel, each.grid or (), each.block or ()))
    return Result(
        tuple(outcomes[each.name] for each in programs if each.name in outcomes), tuple(launches)
    )


def _is_wanted(program: TreeProgram, plan: DifferentialPlan) -> bool:
    if program.folder.name in plan.without:
        return False
    return not plan.only or any(fnmatch.fnmatchcase(program.name, each) for each in plan.only)

"""One program of a tree: built in a copy of its folder, and run until its launches are counted."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.api.targets import gpu_of
from roofline_core.settings import SOURCE_SUFFIXES
from roofline_profiling.differential.building import (
    BuildError,
    Built,
    built,
    compilers,
    last_lines,
)
from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.estimate import estimated_s
from roofline_profiling.differential.loading import DATABASE, as_built
from roofline_profiling.differential.outcomes import Attempt, ProgramOutcome
from roofline_profiling.differential.plan import DifferentialPlan
from roofline_profiling.differential.scaling import FACTORS, scaled
from roofline_profiling.differential.scratch import TreeCopy, scratch
from roofline_profiling.emulate.building import Around
from roofline_profiling.emulate.options import EmulationOptions
from roofline_profiling.emulate.run import emulate
from roofline_profiling.errors import ProfilerError
from roofline_profiling.measurement import Measurement
from roofline_profiling.profile import Profiled

_MOST_PROBLEM: Final = 400
_STOPPED: Final = "stopped after"
_NO_LAUNCH: Final = "no launch was seen"
_UNDEFINED: Final = "--diag-error=549,940"
"""nvcc's numbers for a variable that is used before its value is set, and a missing return."""


def emulated(program: TreeProgram, plan: DifferentialPlan, blank: ProgramOutcome) -> ProgramOutcome:
    """Build and run a program. ``blank`` has its name and keys; what fails is in the outcome."""
    blank = replace(blank, code_lines=_code_lines(program))
    try:
        with scratch(program) as copy, tempfile.TemporaryDirectory(prefix="roofline-") as held:
            environment = compilers(Path(held), gpu_of(plan.settings))
            if plan.candidates:
                environment["NVCC_PREPEND_FLAGS"] = _UNDEFINED
            ready = built(program, copy, environment, limit_s=plan.limit_s * 2)
            attempts = tuple(_attempts(program, ready, copy, plan))
    except BuildError as error:
        return replace(blank, failure=f"build: {error}")
    except ProfilerError as error:
        return replace(blank, failure=f"build: {_short(str(error))}")
    made = replace(blank, attempts=attempts, compilations=ready.compilations)
    if made.best is None:
        problems = attempts[0].problems if attempts else ()
        made = replace(made, failure=f"run: {'; '.join(problems) or _NO_LAUNCH}")
    return made


def _attempts(
    program: TreeProgram, ready: Built, copy: TreeCopy, plan: DifferentialPlan
) -> Iterator[Attempt]:
    """Runs as given, then with less work, until one ends in time.

    Those that would take far too long by the prediction are left out.
    """
    if plan.candidates:
        yield _attempt("as given", ready.args, None, ready, copy, plan)
        return
    lines = {"as given": ready.args}
    for factor in FACTORS:
        if (args := scaled(ready.args, factor)) not in lines.values():
            lines[f"numbers divided by {factor}"] = args
    with tempfile.TemporaryDirectory(prefix="roofline-") as held:
        read = as_built(program, ready.compilations, Path(held) / DATABASE)
        expected = estimated_s(read, plan.settings, list(lines.values()))
    counted = False
    for (how, args), seconds in zip(lines.items(), expected, strict=True):
        if seconds is not None and seconds > plan.limit_s:
            continue
        attempt = _attempt(how, args, None, ready, copy, plan)
        yield attempt
        counted |= bool(attempt.launches)
        if not attempt.timed_out:
            return
    if not counted:
        how = f"{plan.blocks} blocks of a launch"
        yield _attempt(how, ready.args, plan.blocks, ready, copy, plan)


def _attempt(
    how: str,
    args: tuple[str, ...],
    blocks: int | None,
    ready: Built,
    copy: TreeCopy,
    plan: DifferentialPlan,
) -> Attempt:
    options = EmulationOptions(
        gpu_of(plan.settings), launches=None, limit_s=plan.limit_s, blocks=blocks, skip_after=1
    )
    started = time.monotonic()
    with tempfile.TemporaryFile() as out:
        around = Around(copy.folder, output=out.fileno())
        try:
            found = emulate((ready.executable, *args), options, around)
        except ProfilerError as error:
            found = Profiled((), tuple(str(error).splitlines()))
        said = last_lines(out.fileno())[-1:]
    if found.interrupted:
        raise KeyboardInterrupt
    problems = list(found.problems)
    if not found.measurements:
        problems = [_NO_LAUNCH if _NO_LAUNCH in each else each for each in problems]
        problems[1:1] = [f"it said: {line}" for line in said]
    return Attempt(
        how=how,
        args=args,
        sampled=blocks is not None,
        launches=tuple(
            _with_paths_in(each, copy) for each in _first_of_each(found.measurements, plan.shapes)
        ),
        problems=tuple(map(_short, problems)),
        timed_out=any(_STOPPED in each for each in found.problems),
        seconds=round(time.monotonic() - started, 1),
    )


def _first_of_each(launches: tuple[Measurement, ...], most: int) -> Iterator[Measurement]:
    """The first launch of each kernel, grid and block, and at most so many of one kernel."""
    shapes: dict[str, set[object]] = {}
    for each in launches:
        seen = shapes.setdefault(each.kernel, set())
        shape = (each.grid, each.block)
        if shape not in seen and len(seen) < most:
            seen.add(shape)
            yield each


def _with_paths_in(launch: Measurement, copy: TreeCopy) -> Measurement:
    """A launch with the paths of its lines relative to the tree, where they are in its copy."""

    def inside(path: str) -> str:
        """A path as it is in the tree."""
        whole = Path(os.path.normpath(copy.folder / path))
        return whole.relative_to(copy.tree).as_posix() if whole.is_relative_to(copy.tree) else path

    work = (replace(each, path=inside(each.path)) for each in launch.line_work)
    return replace(launch, line_work=tuple(work))


def _short(text: str) -> str:
    return text if len(text) <= _MOST_PROBLEM else text[: _MOST_PROBLEM - 3] + "..."


def _code_lines(program: TreeProgram) -> int:
    paths = program.sources or [
        path for path in program.folder.rglob("*") if path.suffix.lower() in SOURCE_SUFFIXES
    ]
    return sum(
        bool(line.strip())
        for path in paths
        if path.is_file()
        for line in path.read_bytes().splitlines()
    )

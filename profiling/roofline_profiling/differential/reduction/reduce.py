"""A disagreement of a program of a tree, brought down to the smallest program that shows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roofline_profiling.differential.compared import Compared
from roofline_profiling.differential.discovery import TreeProgram, programs_of
from roofline_profiling.differential.plan import DifferentialPlan
from roofline_profiling.differential.reduction.search import Files, smallest
from roofline_profiling.differential.reduction.trial import (
    Sought,
    Trials,
    arguments_of,
    base_name,
    direction_of,
    rests_on_nothing,
    texts_of,
)
from roofline_profiling.differential.scratch import TreeCopy, sources_copied
from roofline_profiling.errors import ProfilerError
from roofline_study.quantities import OPERATIONS

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ReductionTask:
    """Which disagreement of which program is reduced."""

    program: str
    """Its name, as ``compare-emulated`` has it."""
    kernel: str | None
    """A part of the kernel's name; None for the first that disagrees."""
    quantity: str | None
    """A name of ``COUNTS``; None for the first that disagrees."""
    into: Path
    """The folder that the reduced program is written to."""
    seconds: float
    """How long may be tried."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """What came of a reduction."""

    sought: Sought
    first: Compared
    """The launch in the program as it was."""
    last: Compared
    """The launch in the reduced program."""
    lines_before: int
    lines_after: int
    """Lines that are not blank."""
    tried: int
    ended: bool
    """Whether the search came to its end; False where time was up."""


def reduce_disagreement(task: ReductionTask, plan: DifferentialPlan, tell: Tell) -> Reduced:
    """Reduce, and write what is smallest so far each time that something could be left out.

    Raises ProfilerError where there is no such program or it shows no such disagreement. On Ctrl-C
    the folder has what was found until then, and KeyboardInterrupt is raised.
    """
    program = _program(task, plan)
    files = texts_of(program)
    with sources_copied(program) as copy:
        return _reduced(task, plan, tell, _moved(program, copy), files)


def _reduced(
    task: ReductionTask, plan: DifferentialPlan, tell: Tell, program: TreeProgram, files: Files
) -> Reduced:
    ends_s = time.monotonic() + task.seconds
    tell(f"{program.name}: {_lines(files)} lines")
    whole = Trials(program, plan)
    launches = whole.launches(files)
    if whole.failure:
        raise ProfilerError(f"{program.name}: {whole.failure}")
    first, sought = _sought(task, launches)
    trials = Trials(replace(program, args=arguments_of(first)), plan)
    last = first

    def holds(changed: Files) -> bool:
        """Whether the difference is still there; if so, the files are written as the smallest yet.

        False for any once the time is over.
        """
        nonlocal last
        if time.monotonic() > ends_s:
            return False
        shown = next(filter(sought.is_shown_by, trials.launches(changed)), None)
        if shown is None:
            return False
        last = shown
        _write(changed, task.into)
        size = sum(map(len, changed.values()))
        tell(f"{trials.tried} tried: {_lines(changed)} lines, {size} bytes")
        return True

    _write(files, task.into)
    left = smallest(files, holds)
    return Reduced(
        sought=sought,
        first=first,
        last=last,
        lines_before=_lines(files),
        lines_after=_lines(left),
        tried=trials.tried,
        ended=time.monotonic() <= ends_s,
    )


def _program(task: ReductionTask, plan: DifferentialPlan) -> TreeProgram:
    found = [each for each in programs_of(plan.trees, plan.rules) if each.name == task.program]
    if len(found) != 1:
        raise ProfilerError(f"{task.program}: {len(found) or 'no'} programs of this name")
    return found[0]


def _moved(program: TreeProgram, copy: TreeCopy) -> TreeProgram:
    """The program in the copy of its tree."""
    sources = tuple(copy.folder / path.relative_to(program.folder) for path in program.sources)
    return replace(program, tree=copy.tree, folder=copy.folder, sources=sources)


def _sought(task: ReductionTask, launches: Sequence[Compared]) -> tuple[Compared, Sought]:
    """The first launch with a disagreement that is asked for."""
    quantities = OPERATIONS.values() if task.quantity is None else (task.quantity,)
    for found in launches:
        if not rests_on_nothing(found) or (task.kernel or "") not in found.kernel:
            continue
        for name in quantities:
            if found.agrees(name) is False:
                return found, Sought(base_name(found), name, direction_of(found, name))
    raise ProfilerError(
        f"{task.program}: no launch disagrees so, among {len(launches)} that were counted, where"
        " nothing was assumed"
    )


def _lines(files: Files) -> int:
    return sum(bool(line.strip()) for text in files.values() for line in text.splitlines())


def _write(files: Files, folder: Path) -> None:
    """Write the texts that are not empty; what was written before and is empty now goes."""
    try:
        for path, text in files.items():
            made = folder / path
            if text.strip():
                made.parent.mkdir(parents=True, exist_ok=True)
                made.write_bytes(text)
            else:
                made.unlink(missing_ok=True)
    except OSError as error:
        raise ProfilerError(f"{folder}: cannot be written: {error.strerror}") from None

"""What was found many times in a file, said once, and what limits on the work left out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.host.options import Stop
from roofline_analysis.project.run_commands import RunCommand
from roofline_analysis.report.report import KernelReport, Prediction, UnknownKind
from roofline_core.program.units import ExcludedCode, Function, Problem, Severity

_MOST_NAMED: Final = 3
"""The most functions or kernels that a note names."""


def summed_up(problems: Iterable[Problem], *, notes: bool) -> tuple[Problem, ...]:
    """The problems of one file, with one note for each thing that was found many times.

    One is for all functions that are not known, where the first of them is called; one for each
    macro that kernels need and nothing defines, and one for each that target regions need, where
    the first of them stands. Without ``notes`` there is none of any kind.
    """
    every = dict.fromkeys(problems)
    unknown = [each for each in every if each.unknown_function is not None]
    groups: dict[tuple[str, bool], list[Problem]] = {}
    for each in every:
        if each.excluded is not None:
            groups.setdefault((each.excluded.macro, each.excluded.kernel is None), []).append(each)
    others = [each for each in every if each.unknown_function is None and each.excluded is None]
    if not notes:
        return tuple(each for each in others if each.severity is not Severity.NOTE)
    others += [_left_out(group) for group in groups.values()]
    return (*others, _note(unknown)) if unknown else tuple(others)


def left_out(problems: Iterable[Problem]) -> tuple[ExcludedCode, ...]:
    """Every kernel and target region of a file that needs a macro which nothing defines."""
    found = (each.excluded for each in dict.fromkeys(problems))
    return tuple(each for each in found if each is not None)


def _left_out(problems: list[Problem]) -> Problem:
    items = left_out(problems)
    names = list(dict.fromkeys(item.kernel for item in items if item.kernel is not None))
    what = "kernel" if names else "target region"
    count = len(names) or len(items)
    verb = "needs" if count == 1 else "need"
    told = f"{count} {what}{'' if count == 1 else 's'} {verb} {items[0].macro}"
    told += ", which nothing defines"
    if names:
        more = " ..." if len(names) > _MOST_NAMED else ""
        told += f": {', '.join(names[:_MOST_NAMED])}{more}"
    return Problem(Severity.NOTE, told, problems[0].path, items[0].line)


def _note(unknown: list[Problem]) -> Problem:
    first = min(unknown, key=lambda each: each.line or 0)
    names = list(dict.fromkeys(each.unknown_function or "" for each in unknown))
    shown = ", ".join(names[:_MOST_NAMED])
    if len(names) == 1:
        message = f"1 function is not known: {shown}; its work is not counted"
    else:
        more = " ..." if len(names) > _MOST_NAMED else ""
        message = f"{len(names)} functions are not known: {shown}{more}; their work is not counted"
    return Problem(Severity.NOTE, message, first.path, first.line)


def stopped(stops: Sequence[Stop], path: Path, kernels: Iterable[KernelReport]) -> list[Problem]:
    """A note for a file where a limit ended the execution of host code, and what that cost it.

    Empty where nothing was stopped in the file and each of its kernels has a launch that is
    certain.
    """
    guessed = [each for each in kernels if not any(launch.certain for launch in each.launches)]
    here = [stop for stop in stops if stop.path == path]
    if not stops or not (here or guessed):
        return []
    first = (here or stops)[0]
    at = f"line {first.line}" if here or first.path is None else f"{first.path.name}:{first.line}"
    if first.statements:
        message = f"{first.function}() was executed for {first.statements:,} statements, up to {at}"
    else:
        message = f"{first.function}() was not executed"
    if len(stops) > 1:
        message += f", and {len(stops) - 1} more functions were not executed to their end"
    if guessed:
        names = list(dict.fromkeys(each.base_name for each in guessed))
        more = " ..." if len(names) > _MOST_NAMED else ""
        lost = f"launches of {', '.join(names[:_MOST_NAMED])}{more} have assumed sizes"
    else:
        lost = "launches after it have assumed sizes"
    line = first.line if here else guessed[0].span.line
    return [Problem(Severity.NOTE, f"{message} (a limit on the work): {lost}", path, line)]


def too_many(kernels: Sequence[Function], most: int) -> list[Problem]:
    """A warning for a file with more kernels than are judged, at the first that is not."""
    if len(kernels) <= most:
        return []
    first, left = kernels[most], len(kernels) - most
    message = (
        f"{len(kernels):,} kernels in one file: {left:,} from '{first.name}' on are not judged"
        " (a limit on the work)"
    )
    return [Problem(Severity.WARNING, message, first.path, first.name_span.line)]


def walked_too_much(left: Sequence[Function], most: int) -> Problem:
    """A warning for a file whose kernels before these took all the steps that a file may."""
    message = (
        f"more than {most:,} statements in the kernels of one file, as often as they are called:"
        f" {len(left):,} kernels from '{left[0].name}' on are not judged (a limit on the work)"
    )
    return Problem(Severity.WARNING, message, left[0].path, left[0].name_span.line)


def not_rewalked(kernels: Sequence[Function], most: int) -> list[Problem]:
    """A note for each kernel that is too long to be walked again as rules would change it."""
    return [
        Problem(
            Severity.NOTE,
            f"{kernel.name}: more than {most:,} statements, as often as they are called: rules that"
            " rewrite it are left out (a limit on the work)",
            kernel.path,
            kernel.name_span.line,
        )
        for kernel in kernels
    ]


def sizes_left_out(
    kernels: Sequence[KernelReport], of: int, most: int, most_accesses: int
) -> list[Problem]:
    """A note for ``kernels`` that are not judged for other sizes, at the first of them.

    ``of`` is how many the file has, ``most`` of which are judged so, up to ``most_accesses`` in
    them to memory.
    """
    open_ = [each for each in kernels if each.prediction.time_depends_on]
    if not open_:
        return []
    message = (
        f"more than {most} kernels in one file: the sizes at which classes change are not looked"
        " for (a limit on the work)"
        if of > most
        else f"more than {most_accesses:,} accesses to memory in the kernels of one file: from"
        f" '{open_[0].base_name}' on the sizes at which classes change are not looked for (a limit"
        " on the work)"
    )
    return [Problem(Severity.NOTE, message, open_[0].path, open_[0].name_span.line)]


def not_judged(kernels: Iterable[tuple[KernelReport, int]]) -> list[Problem]:
    """A note for each kernel of which not all launches are judged, with how many there are.

    ``kernels`` are those of a file, each with the number of its distinct launches.
    """
    return [
        Problem(
            Severity.NOTE,
            f"{kernel.base_name}: {len(kernel.launches)} of {launches} launches are judged (a limit"
            " on the work)",
            kernel.path,
            kernel.span.line,
        )
        for kernel, launches in kernels
        if len(kernel.launches) < launches
    ]


def waits_for_arguments(prediction: Prediction) -> bool:
    """Whether a number was assumed for want of the program's command line."""
    return any(
        each.kind is UnknownKind.HOST and "command line" in each.why for each in prediction.unknowns
    )


def command_line_offered(found: RunCommand, kernel: KernelReport) -> Problem:
    """A note with a command line that the project tells, at a kernel whose sizes wait for one."""
    given = shlex.join(found.args)
    message = (
        f"args from {found.where}: {given}; to judge by them: --args {shlex.quote(given)}, or"
        f" args = {json.dumps(given)} in the settings"
    )
    return Problem(Severity.NOTE, message, kernel.path, kernel.name_span.line)

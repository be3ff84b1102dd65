"""What was found many times in a file, said once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from roofline_core.program.units import ExcludedCode, Problem, Severity

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

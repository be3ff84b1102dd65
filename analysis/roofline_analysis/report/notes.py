"""What was found many times in a file, said once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from roofline_core.program.units import Problem, Severity

_MOST_NAMED: Final = 3
"""The most functions that a note names."""


def summed_up(problems: Iterable[Problem], *, notes: bool) -> tuple[Problem, ...]:
    """The problems of one file, with one note for all functions that are not known.

    The note stands where the first of them is called. Without ``notes`` there is none of any kind.
    """
    every = dict.fromkeys(problems)
    unknown = [each for each in every if each.unknown_function is not None]
    others = [each for each in every if each.unknown_function is None]
    if not notes:
        return tuple(each for each in others if each.severity is not Severity.NOTE)
    return (*others, _note(unknown)) if unknown else tuple(others)


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

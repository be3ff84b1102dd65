"""What must hold of any text that the front end has read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roofline_core.program.statements import Block
from roofline_core.program.units import Function, Problem, Program
from roofline_parsers.reading.load import load_program

from .guard import FaultError


def check_reading(text: bytes, name: str, headers: Mapping[str, bytes]) -> None:
    """Read a file and the bodies of its functions, twice. Raises FaultError."""
    first, again = _read(text, name, headers), _read(text, name, headers)
    if _summary(first) != _summary(again):
        raise FaultError("another program when it is read again")


def _read(text: bytes, name: str, headers: Mapping[str, bytes]) -> Program:
    path = Path("/none") / name
    return load_program([path], lambda at: text if at == path else headers.get(at.name))


def _summary(program: Program) -> list[object]:
    """What was read, with all problems, which must not be internal errors."""
    found: list[object] = []
    for unit in program.units:
        found.append([_checked(each) for each in unit.problems])
        for function in unit.functions:
            found.append((function.name, function.span, _length(function)))
            found.append([_checked(each) for each in function.body_problems])
    return found


def _length(function: Function) -> int:
    """How many statements stand in a body, those within others left out; -1 for none."""
    return len(function.body.body) if isinstance(function.body, Block) else -1


def _checked(problem: Problem) -> Problem:
    if problem.message.startswith("internal error"):
        raise FaultError(problem.message)
    if problem.line is not None and problem.line < 1:
        raise FaultError(f"a problem at line {problem.line}")
    return problem

"""Incremental analysis: the results of a program's last analysis that an edit leaves valid.

An edit inside one function's body gives a program whose other functions are the identical objects
(``parsers.edits``). Then the host program need not be executed again unless the function may run on
the host, and of the kernels only those that may call it are walked again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Final

from roofline_core.program.records import record
from roofline_core.program.units import Function, Program, TranslationUnit

_DEVICE: Final = frozenset(("__global__", "__device__"))
_PLAIN_NAME: Final = re.compile(r"[^\W\d]\w*")


@record(frozen=True, slots=True)
class ReusableResults:
    """The results of an earlier program that are valid for a later one."""

    host: bool
    """Whether the launches are valid."""
    stale: frozenset[int]
    """The functions, by ``id``, whose results are invalid; all others are valid."""
    functions: tuple[Function, ...]
    """All functions of the later program."""


def reusable(before: Program, now: Program) -> ReusableResults | None:
    """Compare two programs; None if more than the bodies of functions has changed."""
    old_units, new_units = before.all_units(), now.all_units()
    if len(old_units) != len(new_units):
        return None
    changed: list[tuple[Function, Function]] = []
    for old, new in zip(old_units, new_units, strict=True):
        if old is new:
            continue
        pairs = _changed_bodies(old, new)
        if pairs is None:
            return None
        changed += pairs
    functions = _functions(now)
    host = not any(f.launches for pair in changed for f in pair) and all(
        _is_out_of_host_reach(function, functions) for _, function in changed
    )
    stale = _stale([function for _, function in changed], functions)
    return ReusableResults(host, stale, tuple(functions))


def _changed_bodies(
    old: TranslationUnit, new: TranslationUnit
) -> list[tuple[Function, Function]] | None:
    """The changed functions of a unit, before and after; None if anything else changed."""
    for item in fields(TranslationUnit):
        if item.name in ("functions", "problems", "path"):
            continue
        if getattr(old, item.name) is not getattr(new, item.name):
            return None
    if old.path != new.path or len(old.functions) != len(new.functions):
        return None
    pairs = [(f, g) for f, g in zip(old.functions, new.functions, strict=True) if f is not g]
    same = all(f.qualified_name == g.qualified_name and f.span == g.span for f, g in pairs)
    return pairs if same else None


def _functions(program: Program) -> list[Function]:
    return [
        function
        for unit in program.all_units()
        for function in (
            *unit.functions,
            *(method for struct in unit.structs for method in struct.methods),
        )
    ]


def _is_out_of_host_reach(function: Function, functions: Sequence[Function]) -> bool:
    """Whether host execution cannot depend on a function's body."""
    if not function.qualifiers & _DEVICE or "__host__" in function.qualifiers:
        return False
    if any(other.launches for other in functions):
        return False  # what kernels do is followed, too
    if function.is_kernel:
        return True
    return all(
        other.words is not None and function.name not in other.words
        for other in functions
        if other.has_body and not other.qualifiers & _DEVICE
    ) and _is_called_by_name(function)


def _is_called_by_name(function: Function) -> bool:
    """Whether every call of the function spells its name: no operator, no constructor."""
    return function.owner is None and _PLAIN_NAME.fullmatch(function.name) is not None


def _stale(changed: Sequence[Function], functions: Sequence[Function]) -> frozenset[int]:
    """The changed functions and all functions that may call them, directly or not."""
    if not all(map(_is_called_by_name, changed)):
        return frozenset(map(id, functions))
    stale = {id(function) for function in changed}
    names = {function.name for function in changed}
    waiting = [f for f in functions if f.has_body and id(f) not in stale]
    grown = True
    while grown:
        reached = [f for f in waiting if f.words is None or not f.words.isdisjoint(names)]
        if not all(f.is_kernel or _is_called_by_name(f) for f in reached):
            return frozenset(map(id, functions))
        waiting = [f for f in waiting if f.words is not None and f.words.isdisjoint(names)]
        stale.update(map(id, reached))
        grown = bool({f.name for f in reached} - names)
        names |= {f.name for f in reached}
    return frozenset(stale)

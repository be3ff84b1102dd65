"""Samples of the data behind a kernel's arguments, which give the odds of its branches."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.host.state.array_samples import (
    MOST_STORES,
    NEARLY_ALL,
    drawn_of_all,
    draws_of,
    elements_of,
)
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.values import Aggregate, Pointer, Samples, Scalar, Value
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.units import Function


def passed_draws(
    interpreter: HostInterpreter, function: Function, args: Sequence[Value]
) -> dict[str, Samples]:
    """Samples of the values behind a kernel's pointer arguments, by argument name."""
    found: dict[str, Samples] = {}
    for formal, value in zip(function.params, args, strict=False):
        _add(interpreter, found, formal.name, value)
        if isinstance(value, Aggregate):
            for name, held in value.fields.items():
                _add(interpreter, found, f"{formal.name}.{name}", held)
    return found


def _add(interpreter: HostInterpreter, found: dict[str, Samples], name: str, value: Value) -> None:
    storage = value.buffer if isinstance(value, Pointer) else value
    if not isinstance(storage, Storage):
        return
    draws = draws_of(interpreter, storage)
    if draws is not None:
        found[name] = draws
    elif storage.place is None:
        # All elements of an array within an argument are those that are known.
        whole = isinstance(value, Storage) or _knows_all(interpreter, storage)
        found |= {f"{name}.{k}": v for k, v in _drawn_members(interpreter, storage, whole).items()}


def _knows_all(interpreter: HostInterpreter, storage: Storage) -> bool:
    count = elements_of(interpreter, storage)
    return count is not None and len(storage.elements) >= NEARLY_ALL * count


def _drawn_members(
    interpreter: HostInterpreter, storage: Storage, whole: bool
) -> dict[str, Samples]:
    """Samples of the members of an array's objects, by name (``inner.x``)."""
    found: dict[str, Samples] = {}
    for name, member in storage.members.items():
        if member.draws is not None:
            found[name] = member.draws
        inner = _drawn_members(interpreter, member, whole=False)
        found |= {f"{name}.{k}": draws for k, draws in inner.items()}
    held = [each for each in storage.elements.values() if isinstance(each, Aggregate)]
    if whole and held and len(held) == len(storage.elements):
        few = held[:: -(-len(held) // MOST_STORES) or 1]
        for name, numbers in _numbers_of(few).items():
            draws = drawn_of_all(interpreter, numbers) if len(numbers) == len(few) else None
            if draws is not None:
                found[name] = draws
    return found


def _numbers_of(objects: Sequence[Aggregate]) -> dict[str, list[Expr | None]]:
    """The numbers in objects, by the names of their members (``inner.x``)."""
    found: dict[str, list[Expr | None]] = {}
    inner: dict[str, list[Aggregate]] = {}
    for each in objects:
        for name, held in each.fields.items():
            if isinstance(held, Scalar):
                found.setdefault(name, []).append(held.value)
            elif isinstance(held, Aggregate):
                inner.setdefault(name, []).append(held)
    for name, parts in inner.items():
        found |= {f"{name}.{k}": numbers for k, numbers in _numbers_of(parts).items()}
    return found

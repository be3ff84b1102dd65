"""Samples of the data behind a kernel's arguments, which give the odds of its branches."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.host.state.array_samples import (
    DRAWN,
    MOST,
    NEARLY_ALL,
    drawn_from,
    drawn_of_elements,
    draws_of,
    elements_of,
    mixed,
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
    elif storage.place is not None:
        object = storage.place.get()
        known = _numbers_of([object]) if isinstance(object, Aggregate) else {}
        for member, numbers in known.items():
            drawn = drawn_from(interpreter, numbers[0])
            if drawn is not None:
                found[f"{name}.{member}"] = drawn
    else:
        # All elements of an array within an argument are those that are known.
        whole = isinstance(value, Storage)
        found |= {f"{name}.{k}": v for k, v in drawn_members(interpreter, storage, whole).items()}


def drawn_members(
    interpreter: HostInterpreter, storage: Storage, whole: bool = False
) -> dict[str, Samples]:
    """Samples of the members of an array's objects, by name (``inner.x``).

    ``whole``: it has no other objects than those of which something is known.
    """
    found: dict[str, Samples] = {}
    for name, member in storage.members.items():
        if member.draws is not None:
            found[name] = member.draws
        found |= {f"{name}.{k}": v for k, v in drawn_members(interpreter, member).items()}
    held = [each for each in storage.elements.values() if isinstance(each, Aggregate)]
    if not held or storage.overwritten or len(held) < len(storage.elements):
        return found
    count = len(held) if whole else elements_of(interpreter, storage)
    for name, numbers in _numbers_of(held).items():
        drawn = drawn_of_elements(interpreter, numbers)
        share = len(numbers) / count if count else 0.0
        before = found.get(name)
        if drawn is None:
            continue
        if share >= NEARLY_ALL or (before is None and share > MOST):
            found[name] = drawn
        elif isinstance(before, tuple):
            found[name] = mixed([(share, drawn), (1.0 - share, before)], DRAWN)
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

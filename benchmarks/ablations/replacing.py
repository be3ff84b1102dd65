"""Functions and constants of the running process replaced, and calls of them counted.

A function is replaced in its module or class, and in every module that imported it. A constant is
replaced in its own module alone, since equal numbers are often one object. Nothing is replaced in
what was made at import: partial functions, tables of handlers, default arguments. Whether a
replacement is in force shows in the calls that are counted.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ablations.model import Replacement, Switch, Tell


@dataclass(slots=True)
class Calls:
    """How often something was called."""

    made: int = 0
    telling: int = 0
    """Calls whose outcome the neutral would have changed, as far as that can be told."""

    def add(self, other: Calls) -> None:
        """Count another's calls too."""
        self.made += other.made
        self.telling += other.telling


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name is bound."""

    owner: Any
    """A module or a class."""
    attribute: str
    value: Any


def place_of(target: str) -> Place:
    """The place that a full dotted name stands for; raises LookupError if there is none."""
    parts = target.split(".")
    for length in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:length])
        try:
            owner: Any = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        for part in parts[length:-1]:
            owner = getattr(owner, part, None)
        if owner is not None and parts[-1] in vars(owner):
            return Place(owner, parts[-1], inspect.getattr_static(owner, parts[-1]))
        break
    raise LookupError(f"there is no {target}")


@contextmanager
def switched_off(switches: Sequence[Switch]) -> Iterator[dict[str, Calls]]:
    """The neutrals of some switches in force.

    Gives by switch the calls of its neutrals, or of its witness where it has constants alone.
    """
    calls = {switch.name: Calls() for switch in switches}
    with ExitStack() as stack:
        for switch in switches:
            functions = False
            for each in switch.replacements:
                found, new = place_of(each.target).value, each.neutral
                if callable(found):
                    functions = True
                    new = _counting(new, found, calls[switch.name], None)
                stack.enter_context(_replaced(each, new))
            if not functions:
                _watch(stack, switch, calls[switch.name])
        yield calls


@contextmanager
def counted(switches: Sequence[Switch]) -> Iterator[dict[str, Calls]]:
    """Nothing switched off; gives the calls of what the switches would replace."""
    calls = {switch.name: Calls() for switch in switches}
    with ExitStack() as stack:
        for switch in switches:
            for each in switch.replacements if switch.witness is None else ():
                found = place_of(each.target).value
                new = _counting(found, found, calls[switch.name], each.tells)
                stack.enter_context(_replaced(each, new))
            _watch(stack, switch, calls[switch.name])
        yield calls


def _watch(stack: ExitStack, switch: Switch, calls: Calls) -> None:
    """Count the calls of a switch's witness."""
    if switch.witness is not None:
        found = place_of(switch.witness.target).value
        watched = Replacement(switch.witness.target, None)
        new = _counting(found, found, calls, switch.witness.tells)
        stack.enter_context(_replaced(watched, new))


def _counting(
    function: Callable[..., Any], like: Callable[..., Any], calls: Calls, tells: Tell | None
) -> Callable[..., Any]:
    """A function that also counts its calls, under the name of ``like``."""

    @functools.wraps(like)
    def counting(*args: Any, **kwargs: Any) -> Any:
        """Call the function; count the call, and whether its result tells something."""
        result = function(*args, **kwargs)
        calls.made += 1
        calls.telling += tells is None or tells(result, args)
        return result

    return counting


@contextmanager
def _replaced(replacement: Replacement, new: Any) -> Iterator[None]:
    place = place_of(replacement.target)
    old = place.value
    _bind(place, old, new)
    try:
        yield
    finally:
        _bind(Place(place.owner, place.attribute, new), new, old)


def _bind(place: Place, old: Any, new: Any) -> None:
    setattr(place.owner, place.attribute, new)
    if not callable(old) or not isinstance(place.owner, ModuleType):
        return
    for module in tuple(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is old:
                setattr(module, name, new)

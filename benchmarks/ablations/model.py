"""What a switch is: the functions and constants that it replaces, and by what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

Arguments = Sequence[Any]
Tell = Callable[[Any, Arguments], bool]
"""From a function's result and positional arguments: would the neutral have given another?"""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A function, method or constant by its full dotted name, and what stands in its place."""

    target: str
    neutral: Any
    tells: Tell | None = None
    """Of a function: whether a call's outcome shows that the neutral would change it. None: each
    call may."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A function whose calls show that what is switched off was in use.

    For what does not show it by its own calls: a constant is not called, and a procedure may be
    called and find nothing to do.
    """

    target: str
    tells: Tell | None = None


@dataclass(frozen=True, slots=True)
class Switch:
    """A heuristic that can be switched off."""

    name: str
    """``module`` or ``module.part``."""
    instead: str
    """What is in force when it is off."""
    replacements: tuple[Replacement, ...]
    witness: Witness | None = None
    removes: tuple[str, ...] = ()
    """Modules, classes and functions that would go with it; none named: the replaced functions."""


@dataclass(frozen=True, slots=True)
class Unswitched:
    """A module that belongs in the table and cannot be switched off."""

    name: str
    module: str
    why: str


def gives(target: str, value: object) -> Replacement:
    """A function without side effects that gives ``value`` whatever it is asked."""

    def neutral(*_: Any, **__: Any) -> object:
        """The value, for any arguments."""
        return value

    return Replacement(target, neutral, lambda found, _: differs(found, value))


def skips(target: str) -> Replacement:
    """A procedure that does nothing."""

    def neutral(*_: Any, **__: Any) -> None:
        """Nothing, for any arguments."""
        return

    return Replacement(target, neutral)


def differs(found: object, value: object) -> bool:
    """Whether two results are unequal; arrays are, unless they are the same object."""
    if found is value:
        return False
    try:
        return not bool(found == value)
    except ValueError:  # numpy: the truth of an array
        return True


BASELINE: Final = "baseline"
"""Nothing is switched off."""
CENSUS: Final = "census"
"""Nothing is switched off, and the calls of everything that can be are counted."""

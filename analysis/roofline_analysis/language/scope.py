"""The meaning of names at a place of the program: template parameters, the class around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any, Final

from roofline_core.program.expressions import Expression, Literal
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Struct

Number = int | float
Binding = Type | Number
"""What a template parameter stands for."""
Bindings = Mapping[str, Binding]

NumberOf = Callable[[Expression], Number | None]
"""How an interpreter evaluates an expression whose names only it knows; None: it is no number."""


@record(frozen=True, slots=True, eq=False)
class Scope:
    """The names that a type or a constant expression may use besides the program's own."""

    bindings: Bindings = field(default_factory=dict)
    owner: Type | None = None
    """The class around, its template arguments bound."""
    struct: Struct | None = None
    """That class's definition: the primary template or a specialisation."""
    number_of: NumberOf | None = None
    """For the variables of a function; None outside functions."""
    answers: dict[object, Any] = field(default_factory=dict)
    """What is kept for these names, by who keeps it; nothing in a scope without names."""


NO_NAMES: Final = Scope()


def without_variables(scope: Scope) -> Scope:
    """The same names but for the variables of the function around."""
    return Scope(scope.bindings, scope.owner, scope.struct)


@lru_cache(maxsize=4096)
def literal(value: Number, type_name: str = "int") -> Literal:
    """A number as a template argument or array bound; equal numbers give the same object.

    Expressions compare by identity, and types by their arguments and bounds: so equal types are
    equal.
    """
    return Literal(0, value, type_name)


def as_number(argument: object) -> Number | None:
    """The number that a template argument or bound is; None if it is not a literal one."""
    if isinstance(argument, Literal) and isinstance(argument.value, (int, float)):
        return argument.value
    return None

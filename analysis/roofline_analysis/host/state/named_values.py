"""What the variable that holds a value says of it: a buffer's name, an unknown's usual number."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.values import OpaqueValue, Pointer, Scalar, Value
from roofline_analysis.language.types import is_integer
from roofline_analysis.names.usual_numbers import usual_number
from roofline_core.algebra.symbolic import Symbol

_REPETITIONS: Final = ("repeat", "iter", "trial", "nreps", "warm")
"""Parts of the names of variables that say how often a program repeats what it measures."""


def name_value(interpreter: HostInterpreter, name: str, value: Value) -> None:
    """Name an anonymous buffer after the variable it is stored to; guess unknown counts by it."""
    if isinstance(value, Pointer) and value.buffer is not None and not value.buffer.name:
        value.buffer.name = name
        return
    if isinstance(value, OpaqueValue) and usual_number(name) is not None:
        if value.type is None or is_integer(value.type.name):
            value = interpreter.number(value) or value
    if isinstance(value, Scalar) and value.value.constant is None:
        usual = 1 if any(part in name.lower() for part in _REPETITIONS) else _usual(name, value)
        for atom in value.value.atoms() if usual is not None else ():
            if isinstance(atom, Symbol) and interpreter.is_open(atom):
                interpreter.assume(atom, usual or 1)


def _usual(name: str, value: Scalar) -> int | None:
    """What the variable's name says of an unknown that is stored to it as it is."""
    if value.type_name in ("float", "double") or len(value.value.terms) != 1:
        return None
    ((monomial, factor),) = value.value.terms.items()
    alone = len(monomial) == 1 and factor == 1 and isinstance(monomial[0], Symbol)
    return usual_number(name) if alone else None

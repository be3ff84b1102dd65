"""Calls of a program's own operators."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.state.access import rvalue
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.invoke import call
from roofline_analysis.host.state.memory import HostPlace
from roofline_analysis.host.state.names import find_method
from roofline_analysis.host.values import Aggregate, FunctionValue, Value


def call_operator(interpreter: HostInterpreter, op: str, args: Sequence[HostPlace]) -> Value | None:
    """The value of an overloaded operator, None where the program defines none that fits."""
    place = call_operator_place(interpreter, op, args)
    return rvalue(interpreter, place) if place is not None else None


def call_operator_place(
    interpreter: HostInterpreter, op: str, args: Sequence[HostPlace]
) -> HostPlace | None:
    """As ``call_operator``, but the place that an operator returning a reference gives."""
    name = f"operator{op}"
    first = args[0].get()
    if isinstance(first, Aggregate):
        methods = find_method(interpreter, first.type, name)
        if methods:
            return call(interpreter, FunctionValue(tuple(methods)), args[1:], first)
    found = [
        f
        for f in interpreter.symbols.functions.get(name, ())
        if f.owner is None and runs_on_host(f)
    ]
    fitting = [f for f in found if len(f.params) == len(args)]
    if fitting:
        return call(interpreter, FunctionValue(tuple(fitting)), args)
    return None

"""Lambdas that are passed to functions of which the body is not known, such as a dispatch's.

Such a function may call what it is given, once or often, with anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from roofline_analysis.host.interpreter.alternatives import run_alternatives
from roofline_analysis.host.state.havoc import forget_unknown_call
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.invoke import call_closure
from roofline_analysis.host.state.memory import AUTO, Cell, Closure, HostPlace
from roofline_analysis.host.state.signals import Signal
from roofline_analysis.host.values import OpaqueValue


def call_unknown(interpreter: HostInterpreter, name: str, args: Iterable[HostPlace]) -> None:
    """The effects of a call of which the body is not known: on its arguments, and by them.

    A lambda that leads to launches is executed, with arguments of which nothing is known.
    """
    places = list(args)
    for place in places:
        given = place.get()
        if isinstance(given, Closure) and given.function is not None:
            if interpreter.reach.can_launch(given.function.body):
                run = partial(_run, interpreter, given, name)
                run_alternatives(interpreter, [run, _leave_out])
    forget_unknown_call(interpreter, name, places)


def _run(interpreter: HostInterpreter, closure: Closure, caller: str) -> Signal | None:
    assert closure.function is not None
    why = f"{caller}() is not part of the program and not modelled"
    params = [Cell("", AUTO, OpaqueValue(p.name, why)) for p in closure.function.params]
    call_closure(interpreter, closure, params)
    return None


def _leave_out() -> Signal | None:
    return None

"""What a loop's body leaves unchanged, and loops that repeat an atomic operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from roofline_analysis.device.assigned import Assignment, body_facts, children
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.units import Function

_MAX_CALLS: Final = 8
"""The deepest nesting of calls through which a variable is followed."""


def may_change(interpreter: DeviceInterpreter, change: Assignment, *, addressed: bool) -> bool:
    """Whether a recorded change may modify the variable; False if a call only reads it.

    ``addressed``: the name denotes an address, of an array or of another variable.
    """
    called = _receivers(interpreter, change)
    return called is None or any(
        _changes(interpreter, function, parameter, addressed=addressed)
        for function, parameter in called
    )


def surely_changes(interpreter: DeviceInterpreter, change: Assignment) -> bool:
    """Whether a recorded change surely modifies the variable: assigned, here or by the callee."""
    return change.op != "?" or (
        _receivers(interpreter, change) is not None
        and may_change(interpreter, change, addressed=False)
    )


def _receivers(
    interpreter: DeviceInterpreter, change: Assignment
) -> list[tuple[Function, st.Variable]] | None:
    """The functions that a variable is passed to by name, and as what; None if not known."""
    call = change.value
    if change.op != "?" or not isinstance(call, ex.Call) or not isinstance(call.callee, ex.Name):
        return None
    functions = interpreter.symbols.functions_named(call.callee.name)
    if not functions:
        return None
    functions = tuple(f for f in functions if f.has_body) or functions
    return [
        (function, parameter)
        for function in functions
        for parameter, arg in zip(function.params, call.args, strict=False)
        if isinstance(arg, ex.Name) and arg.name == change.name
    ]


def _changes(
    interpreter: DeviceInterpreter,
    function: Function,
    parameter: st.Variable,
    *,
    addressed: bool,
    depth: int = 0,
) -> bool:
    """Whether a function assigns to what it is passed as a parameter."""
    type_ = parameter.type
    if type_.const or not (type_.reference or (addressed and (type_.pointers or type_.dims))):
        return False
    if function.body is None or depth > _MAX_CALLS:
        return True
    for change in body_facts(function.body).of(parameter.name):
        if change.op != "?" and (type_.reference or not change.whole):
            return True
        called = _receivers(interpreter, change) if change.op == "?" else []
        if called is None or any(
            _changes(interpreter, *each, addressed=addressed, depth=depth + 1) for each in called
        ):
            return True
    return False


def waits_for_atomic(condition: ex.Expression, parts: Iterable[st.Statement]) -> bool:
    """Whether a loop repeats an atomic operation until it succeeds."""
    if any(name.startswith("atomic") for name in _called(condition)):
        return True
    compared = isinstance(condition, ex.Binary) and condition.op == "!="
    return compared and any(
        name.startswith("atomicCAS") or "compare_exchange" in name or "cmpxchg" in name
        for part in parts
        for name in _called(part)
    )


def _called(node: object) -> Iterator[str]:
    if isinstance(node, ex.Call) and isinstance(node.callee, ex.Name):
        yield node.callee.name
    for child in children(node):
        yield from _called(child)

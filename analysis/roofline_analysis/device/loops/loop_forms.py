"""Forms of loops without a counter: binary searches, atomic retries, restored variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from roofline_analysis.device.assigned import Assignment, BodyFacts, body_facts, children
from roofline_analysis.device.loops.induction import changes_of, mentions_changed, names_in, step_of
from roofline_analysis.device.state.conversions import scalar
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, Value, VariablePlace
from roofline_core.algebra.symbolic import Expr, apply
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


def put_back(
    interpreter: DeviceInterpreter, name: str, before: DeviceValue, facts: Iterable[BodyFacts]
) -> bool:
    """Whether each trip ends by restoring the variable's value from before the loop."""
    held = list(facts)
    changes = [c for c in changes_of(held, name) if c.op != "?"]
    if not changes or not isinstance(before, Value) or before.expr is None:
        return False
    last = changes[-1]
    if last.op != "=" or last.conditional or not last.whole or last.value is None:
        return False
    if not _is_plain(last.value) or mentions_changed(last.value, held):
        return False
    return scalar(interpreter, last.value).expr == before.expr


def _is_plain(node: object) -> bool:
    """Whether evaluating an expression neither loads nor calls anything."""
    if isinstance(node, (ex.Call, ex.Index, ex.Assign, ex.Update)):
        return False
    if isinstance(node, ex.Unary) and node.op == "*":
        return False
    if isinstance(node, ex.Member) and node.arrow:
        return False
    return all(_is_plain(child) for child in children(node))


def halved_range(
    interpreter: DeviceInterpreter,
    condition: ex.Expression,
    facts: list[BodyFacts],
    parts: Iterable[st.Statement],
) -> Expr | None:
    """The initial range of a loop that halves it in each trip (binary search); else None."""
    names = [
        name
        for name in dict.fromkeys(names_in(condition))
        if isinstance(interpreter.scope.find(name), VariablePlace)
        and any(c.op not in ("?", "&") for c in changes_of(facts, name))
    ]
    if not 1 <= len(names) <= 2 or any(step_of(interpreter, name, facts) for name in names):
        return None
    if not any(_halves(part, names) for part in parts):
        return None
    values = []
    for name in names:
        place = interpreter.scope.find(name)
        value = interpreter.read(place) if place is not None else None
        if not isinstance(value, Value) or value.expr is None:
            return None
        values.append(value.expr)
    if len(values) == 1:
        return apply("max", values[0], 1)
    return apply("max", apply("abs", values[1] - values[0]), 1)


def _halves(node: object, names: list[str]) -> bool:
    if isinstance(node, ex.Binary) and _is_half(node):
        mentioned = set(names_in(node.left))
        return any(name in mentioned for name in names)
    return any(_halves(child, names) for child in children(node))


def _is_half(node: ex.Binary) -> bool:
    by = node.right.value if isinstance(node.right, ex.Literal) else None
    return (node.op == "/" and by == 2) or (node.op == ">>" and by == 1)


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

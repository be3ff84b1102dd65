"""Closed forms of loops: trip counts and final values of counters."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from roofline_analysis.host.effects.node_effects import Effects, function_effects
from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import HostPlace
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.state.operators import to_scalar_type
from roofline_analysis.host.values import Scalar
from roofline_analysis.language.symbols import last_component
from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbolic import Expr, apply, constant
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.records import record

_MAX_GEOMETRIC = 4096
"""The most trips of a loop that multiplies, which are followed one by one. A limit on the work."""
_COMPARISONS: Final[Mapping[str, Callable[[Number, Number], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "!=": operator.ne,
}
_PURE = frozenset("atoi atol min max ceil floor sqrt log2 pow abs strlen int size_t long".split())
"""Pure functions: each call in a loop's condition returns the same result."""


@record(frozen=True, slots=True)
class Induction:
    """A counted loop's variable, trip count and final value of the variable."""

    name: str
    trips: Expr | None
    final: Expr | None


def trip_count(
    interpreter: HostInterpreter,
    node: st.For,
    outer: Effects | None = None,
    start: Scalar | None = None,
) -> Induction | None:
    """The induction of a loop whose step alone changes its variable; None for other loops.

    ``start`` is the variable's first value, if not its present value. The bound must not depend
    on anything that ``outer`` changes.
    """
    effects = interpreter.reach.effects(node.body)
    return _induction(interpreter, node.condition, _steps(node.step), effects, outer, start)


def while_induction(interpreter: HostInterpreter, node: st.While) -> Induction | None:
    """The same of a ``while`` loop of which each trip steps the variable by one statement.

    None also for one whose trips are not known: what looks like a step may be anything.
    """
    condition = node.condition
    if node.do_first or not isinstance(condition, ex.Binary) or condition.op not in _COMPARISONS:
        return None
    parts = list(statements_of(node.body))
    steps = [_steps(part.expression) if isinstance(part, st.Evaluate) else [] for part in parts]
    if not any(steps) or _may_leave_out_a_step(node.body):
        return None
    for place, made in enumerate(steps):
        if not made:
            continue
        others = Effects()
        for part in (*parts[:place], *parts[place + 1 :]):
            others.names |= interpreter.reach.effects(part).names
        found = _induction(interpreter, condition, made, others, None, None)
        if found is not None and found.trips is not None:
            return found
    return None


def _may_leave_out_a_step(body: st.Statement) -> bool:
    return any(isinstance(each, (st.Continue, st.Goto)) for each in walk(body))


def _induction(
    interpreter: HostInterpreter,
    condition: ex.Expression | None,
    steps: Sequence[ex.Update | ex.Assign],
    effects: Effects,
    outer: Effects | None,
    start: Scalar | None,
) -> Induction | None:
    """The induction of a loop with this condition; ``effects`` are those of all but the steps."""
    if not isinstance(condition, ex.Binary):
        return None
    for step in steps:
        target = step.target
        if not isinstance(target, ex.Name) or target.name in effects.names:
            continue
        name, op = target.name, condition.op
        if isinstance(condition.left, ex.Name) and condition.left.name == name:
            bound = condition.right
        elif isinstance(condition.right, ex.Name) and condition.right.name == name:
            bound = condition.left
            op = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)
        else:
            continue
        if varies(interpreter, bound, effects) or (
            outer is not None and varies(interpreter, bound, outer)
        ):
            return Induction(name, None, None)
        if isinstance(step, ex.Assign) and (
            varies(interpreter, step.value, effects) or _rests_on_others(step, steps)
        ):
            return Induction(name, None, None)
        return _counted(interpreter, name, op, bound, step, start)
    return None


def _steps(step: ex.Expression | None) -> list[ex.Update | ex.Assign]:
    if isinstance(step, (ex.Update, ex.Assign)):
        return [step]
    if isinstance(step, ex.Binary) and step.op == ",":
        return _steps(step.left) + _steps(step.right)
    return []


def varies(interpreter: HostInterpreter, bound: ex.Expression, effects: Effects) -> bool:
    """Whether an expression may differ between the trips of a loop with these effects."""
    for part in walk(bound):
        if isinstance(part, ex.Name) and part.name in effects.names:
            return True
        if isinstance(part, ex.Call) and not isinstance(part.callee, ex.Member):
            called = part.callee.name if isinstance(part.callee, ex.Name) else ""
            if last_component(called) not in _PURE and not _only_reads(
                interpreter, called, effects
            ):
                return True
    return False


def _only_reads(interpreter: HostInterpreter, called: str, effects: Effects) -> bool:
    """Whether a function returns the same result in each trip: no calls, no side effects.

    The loop must not change anything that the function reads.
    """
    functions = interpreter.symbols.functions.get(called, ())
    for function in functions:
        own = function_effects(function)
        if own.calls or own.stores or own.names - own.declared or function.body is None:
            return False
        reads = {part.name for part in walk(function.body) if isinstance(part, ex.Name)}
        if reads & effects.names:
            return False
    return bool(functions)


def _counted(
    interpreter: HostInterpreter,
    name: str,
    op: str,
    bound: ex.Expression,
    step: ex.Update | ex.Assign,
    start: Scalar | None,
) -> Induction:
    place = find_variable(interpreter, name) if start is None else None
    if place is not None:
        start = interpreter.number(place.get())
    limit = interpreter.number(interpreter.eval(bound))
    if start is None or limit is None:
        return Induction(name, None, None)
    if isinstance(step, ex.Assign) and _rests_on(step, name):
        trips = _stepped(interpreter, place, op, start, limit.value.constant, step)
        return trips or Induction(name, None, None)
    by = increment(interpreter, step)
    if by is not None:
        return _linear(name, op, start.value, limit.value, by)
    return _geometric(interpreter, name, op, start.value, limit.value, step)


def increment(interpreter: HostInterpreter, step: ex.Update | ex.Assign) -> Expr | None:
    """What a step adds to its variable; None where it does something else."""
    if isinstance(step, ex.Update):
        return Expr({(): 1 if step.op == "++" else -1})
    value = step.value
    if step.op in ("+=", "-="):
        amount = interpreter.number(interpreter.eval(value))
        if amount is None:
            return None
        return amount.value if step.op == "+=" else -amount.value
    if step.op == "=" and isinstance(value, ex.Binary) and value.op in ("+", "-"):
        if isinstance(value.left, ex.Name) and isinstance(step.target, ex.Name):
            if value.left.name == step.target.name:
                amount = interpreter.number(interpreter.eval(value.right))
                if amount is not None:
                    return amount.value if value.op == "+" else -amount.value
    return None


def _linear(name: str, op: str, start: Expr, limit: Expr, by: Expr) -> Induction:
    distance = limit - start
    down = by.constant is not None and by.constant < 0
    if down:
        distance, by = -distance, -by
    if (op in ("<", "<=") and down) or (op in (">", ">=") and not down):
        return Induction(name, None, None)
    whole = all(isinstance(e.constant, int | None) for e in (distance, by))
    if not whole:
        quotient = apply("fdiv", distance, by)
        trips = apply("floor", quotient) + 1 if op in ("<=", ">=") else apply("ceil", quotient)
    else:
        if op in ("<=", ">="):
            distance = distance + 1
        trips = distance if by == 1 else apply("div", distance + by - 1, by)
    number = trips.constant
    if number is not None and number <= 0:
        return Induction(name, Expr({}), start)
    moved = trips * by
    return Induction(name, trips, start - moved if down else start + moved)


def _geometric(
    interpreter: HostInterpreter,
    name: str,
    op: str,
    start: Expr,
    limit: Expr,
    step: ex.Update | ex.Assign,
) -> Induction:
    unknown = Induction(name, None, None)
    factor = (
        interpreter.number(interpreter.eval(step.value)) if isinstance(step, ex.Assign) else None
    )
    value, end = start.constant, limit.constant
    by = factor.value.constant if factor is not None else None
    if not isinstance(step, ex.Assign) or value is None or end is None or by is None:
        return unknown
    compare = _COMPARISONS.get(op)
    if compare is None:
        return unknown
    trips = 0
    while compare(value, end) and trips < _MAX_GEOMETRIC:
        moved = _moved(value, step.op, by)
        if moved is None or moved == value:
            return unknown
        value, trips = moved, trips + 1
    return Induction(name, Expr({(): trips} if trips else {}), Expr({(): value} if value else {}))


def _rests_on_others(step: ex.Assign, steps: Sequence[ex.Update | ex.Assign]) -> bool:
    """Whether what a step adds is made of a variable that another step of the loop changes."""
    others = {e.target.name for e in steps if e is not step and isinstance(e.target, ex.Name)}
    return any(isinstance(part, ex.Name) and part.name in others for part in walk(step.value))


def _rests_on(step: ex.Assign, name: str) -> bool:
    """Whether what a step adds, or multiplies by, is made of the variable itself."""
    value = step.value
    if step.op == "=" and isinstance(value, ex.Binary) and isinstance(value.left, ex.Name):
        value = value.right if value.left.name == name else value
    return any(isinstance(part, ex.Name) and part.name == name for part in walk(value))


def _stepped(
    interpreter: HostInterpreter,
    place: HostPlace | None,
    op: str,
    start: Scalar,
    limit: Number | None,
    step: ex.Assign,
) -> Induction | None:
    """The induction of a loop whose steps differ, followed one by one; None if one is unknown."""
    compare, number = _COMPARISONS.get(op), start.value.constant
    if place is None or compare is None or limit is None or number is None:
        return None
    before, value, trips = place.get(), start, 0
    try:
        while compare(number, limit):
            place.put(value)
            by = interpreter.number(interpreter.eval(step.value))
            amount = by.value.constant if by is not None else None
            moved = None if amount is None else _assigned(number, step.op, amount)
            if moved is None or moved == number or trips == _MAX_GEOMETRIC:
                return None
            value = to_scalar_type(Scalar(constant(moved), _type_of(moved)), start.type_name)
            after = value.value.constant
            if after is None:
                return None
            number, trips = after, trips + 1
    finally:
        place.put(before)
    return Induction(place.name, constant(trips), constant(number))


def _assigned(value: Number, op: str, amount: Number) -> Number | None:
    if op in ("+=", "-="):
        return value + amount if op == "+=" else value - amount
    return amount if op == "=" else _moved(value, op, amount)


def _type_of(number: Number) -> str:
    return "double" if isinstance(number, float) else "long long"


def _moved(value: float, op: str, by: float) -> float | None:
    if op == "*=":
        return value * by
    if op == "/=" and by:
        return int(value / by)
    if op == "<<=" and by < 64:
        return int(value) << int(by)
    if op == ">>=":
        return int(value) >> int(by)
    return None


def statements_of(body: st.Statement) -> Iterator[st.Statement]:
    """The statements that each trip of a loop comes to."""
    for statement in body.body if isinstance(body, st.Block) else (body,):
        if isinstance(statement, st.Block):
            yield from statements_of(statement)
        else:
            yield statement


def expressions_of(body: st.Statement) -> list[ex.Expression]:
    """The expressions that each trip of a loop evaluates by themselves."""
    return [s.expression for s in statements_of(body) if isinstance(s, st.Evaluate)]

"""Closed forms of loops: trip counts and final values of counters."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.host.effects.node_effects import Effects, root_name
from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import HostPlace
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.values import Scalar
from roofline_analysis.language.symbols import last_component
from roofline_core.algebra.symbolic import ZERO, Expr, apply
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.records import record

_MAX_GEOMETRIC = 4096
"""The most trips of a loop that multiplies, which are followed one by one. A limit on the work."""
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
    condition = node.condition
    steps = _steps(node.step)
    if not isinstance(condition, ex.Binary) or not steps:
        return None
    effects = interpreter.reach.effects(node.body)
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
        if _varies(interpreter, bound, effects) or (
            outer is not None and _varies(interpreter, bound, outer)
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


def _varies(interpreter: HostInterpreter, bound: ex.Expression, effects: Effects) -> bool:
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
        own = interpreter.reach.function_effects(function)
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
    if start is None:
        place = find_variable(interpreter, name)
        start = interpreter.number(place.get()) if place is not None else None
    limit = interpreter.number(interpreter.eval(bound))
    if start is None or limit is None:
        return Induction(name, None, None)
    increment = _increment(interpreter, step)
    if increment is not None:
        return _linear(name, op, start.value, limit.value, increment)
    return _geometric(interpreter, name, op, start.value, limit.value, step)


def _increment(interpreter: HostInterpreter, step: ex.Update | ex.Assign) -> Expr | None:
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
    compare = {
        "<": lambda v: v < end, "<=": lambda v: v <= end, ">": lambda v: v > end,
        ">=": lambda v: v >= end, "!=": lambda v: v != end,
    }.get(op)  # fmt: skip
    if compare is None:
        return unknown
    trips = 0
    while compare(value) and trips < _MAX_GEOMETRIC:
        moved = _moved(value, step.op, by)
        if moved is None or moved == value:
            return unknown
        value, trips = moved, trips + 1
    return Induction(name, Expr({(): trips} if trips else {}), Expr({(): value} if value else {}))


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


def final_value(
    interpreter: HostInterpreter,
    name: str,
    place: HostPlace,
    body: st.Statement,
    effects: Effects,
    remaining: Expr | None,
) -> Expr | None:
    """The final value of a variable that each of the ``remaining`` trips increments equally.

    The increment may be in an inner loop or stop at a bound: ``if (i < n) i++``. None if trips
    differ.
    """
    value = place.get()
    if remaining is None or not isinstance(value, Scalar):
        return None
    bounds: list[Expr] = []
    growth = _growth(interpreter, name, body, effects, bounds)
    if growth is None:
        return None
    total = value.value + growth * remaining
    for bound in bounds:
        total = apply("min", total, apply("max", bound, value.value))
    return total


def _growth(
    interpreter: HostInterpreter,
    name: str,
    body: st.Statement,
    effects: Effects,
    bounds: list[Expr],
) -> Expr | None:
    """The increment per trip; None if trips differ or the variable is also assigned."""
    total = ZERO
    for statement in statements_of(body):
        if name not in interpreter.reach.effects(statement).names:
            continue
        amount: Expr | None = None
        if isinstance(statement, st.Evaluate):
            amount = _added(interpreter, name, statement.expression, effects)
        elif isinstance(statement, st.For):
            amount = _growth_of_loop(interpreter, name, statement, effects, bounds)
        elif isinstance(statement, st.If):
            amount = _growth_up_to(interpreter, name, statement, effects, bounds)
        if amount is None:
            return None
        total = total + amount
    return total


def _added(
    interpreter: HostInterpreter, name: str, writer: ex.Expression, effects: Effects
) -> Expr | None:
    if not isinstance(writer, (ex.Update, ex.Assign)) or not isinstance(writer.target, ex.Name):
        return None
    writes = [p for p in walk(writer) if isinstance(p, (ex.Update, ex.Assign))]
    if writer.target.name != name or sum(root_name(p.target) == name for p in writes) != 1:
        return None
    if isinstance(writer, ex.Assign):
        if _varies(interpreter, writer.value, effects) or any(
            isinstance(part, ex.Name) and part.name in effects.declared
            for part in walk(writer.value)
        ):
            return None
    return _increment(interpreter, writer)


def _growth_of_loop(
    interpreter: HostInterpreter, name: str, node: st.For, effects: Effects, bounds: list[Expr]
) -> Expr | None:
    first = _first_value(node.init)
    if first is None or _varies(interpreter, first, effects):
        return None
    if interpreter.reach.effects(node.body).jumps:
        return None
    induction = trip_count(interpreter, node, effects, interpreter.number(interpreter.eval(first)))
    if induction is None or induction.trips is None or induction.name == name:
        return None
    amount = _growth(interpreter, name, node.body, effects, bounds)
    return amount * induction.trips if amount is not None else None


def _first_value(init: st.Statement | None) -> ex.Expression | None:
    """The number that a loop's variable is set to before it."""
    if isinstance(init, st.Declare) and len(init.variables) == 1:
        first = init.variables[0].init
        return None if isinstance(first, ex.InitList) else first
    if isinstance(init, st.Evaluate) and isinstance(init.expression, ex.Assign):
        return init.expression.value if init.expression.op == "=" else None
    return None


def _growth_up_to(
    interpreter: HostInterpreter, name: str, node: st.If, effects: Effects, bounds: list[Expr]
) -> Expr | None:
    condition = node.condition
    if node.otherwise is not None or not isinstance(condition, ex.Binary):
        return None
    counter = condition.left
    if condition.op != "<" or not isinstance(counter, ex.Name) or counter.name != name:
        return None
    if _varies(interpreter, condition.right, effects):
        return None
    limit = interpreter.number(interpreter.eval(condition.right))
    amount = _growth(interpreter, name, node.then, effects, bounds)
    if limit is None or amount is None or amount != 1:
        return None
    bounds.append(limit.value)
    return amount

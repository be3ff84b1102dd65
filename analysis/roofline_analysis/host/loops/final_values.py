"""What a variable is after a loop that is not executed: sums and steps in closed form."""

from __future__ import annotations

from roofline_analysis.host.effects.node_effects import Effects, root_name
from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.loops.scalar_evolution import (
    increment,
    statements_of,
    trip_count,
    varies,
)
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import HostPlace
from roofline_analysis.host.values import Scalar
from roofline_core.algebra.symbolic import ZERO, Expr, apply
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st


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
        if varies(interpreter, writer.value, effects) or any(
            isinstance(part, ex.Name) and part.name in effects.declared
            for part in walk(writer.value)
        ):
            return None
    return increment(interpreter, writer)


def _growth_of_loop(
    interpreter: HostInterpreter, name: str, node: st.For, effects: Effects, bounds: list[Expr]
) -> Expr | None:
    first = _first_value(node.init)
    if first is None or varies(interpreter, first, effects):
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
    if varies(interpreter, condition.right, effects):
        return None
    limit = interpreter.number(interpreter.eval(condition.right))
    amount = _growth(interpreter, name, node.then, effects, bounds)
    if limit is None or amount is None or amount != 1:
        return None
    bounds.append(limit.value)
    return amount

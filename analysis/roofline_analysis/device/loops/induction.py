"""Induction variables: a loop's test, its step and its trip count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from roofline_analysis.device.assigned import Assignment, BodyFacts, children
from roofline_analysis.device.costs.integer_costs import is_wide
from roofline_analysis.device.state.conversions import scalar
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import PointerValue, Value, VariablePlace, number
from roofline_analysis.language.types import common_type
from roofline_core.algebra.symbolic import ZERO, Expr, apply, constant
from roofline_core.program import expressions as ex
from roofline_core.program.records import record
from roofline_core.program.types import Type

_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!=", "==": "=="}
_VOTES: Final = frozenset((
    "__any", "__any_sync", "__all", "__all_sync", "__ballot", "__ballot_sync",
    "__syncthreads_or", "__syncthreads_and", "__syncthreads_count",
))  # fmt: skip
_BITS: Final = 64
"""Of the widest integer: a shift by more has no value."""
_ROUNDING: Final = 1e-9
"""Tolerance for logarithms that miss an integer by rounding."""


@record(frozen=True, slots=True)
class Test:
    """``variable op bound``."""

    name: str
    op: str
    bound: ex.Expression | None
    """None stands for 0."""
    node: ex.Expression | None = None
    """The comparison."""


@record(frozen=True, slots=True)
class Step:
    """The change of a variable per trip: ``op`` is ``+``, ``*`` or ``/``."""

    op: str
    amount: Value
    added: Expr | None = None
    """For ``*``: what a trip adds after it has multiplied; None for nothing."""
    unit: Type | None = None
    """For a pointer that is stepped as a pointer to another type: that type."""
    wraps: bool = False
    """The sum is unsigned, so it may wrap around: no compiler knows that it grows."""
    wide: bool = False
    """The sum has 64 bits."""
    up: bool = False
    """For ``/``: what is left of a whole counts as one, ``(x - 1) / 32 + 1``."""

    @property
    def shift(self) -> int | None:
        """The bits by which ``*`` or ``/`` shift the value; None if they are no power of two."""
        factor = self.amount.constant
        if self.op == "+" or not isinstance(factor, int) or factor < 2 or factor & (factor - 1):
            return None
        return factor.bit_length() - 1

    @property
    def ahead(self) -> Expr | None:
        """For ``x = factor * x + added``: the number that ``x + number`` grows by the factor with.

        None if that is no whole number.
        """
        factor = self.amount.constant
        if self.added is None:
            return ZERO
        if factor == 2:
            return self.added
        known = self.added.constant
        if known is None or factor is None or known % (factor - 1):
            return None
        return constant(known // (factor - 1))


def recognise(
    interpreter: DeviceInterpreter, condition: ex.Expression | None, facts: list[BodyFacts]
) -> Test | None:
    """The comparison that ends the loop, if it is one of a changing variable with a fixed bound.

    A vote of the warp or block on such a comparison ends it for all threads, in the same trip or a
    few later.
    """
    voted = voted_on(condition)
    if voted is not None:
        return recognise(interpreter, voted, facts)
    if isinstance(condition, ex.Binary) and condition.op == "&&":
        return recognise(interpreter, condition.left, facts) or recognise(
            interpreter, condition.right, facts
        )
    if isinstance(condition, ex.Binary) and condition.op in _MIRRORED:
        for one, other, op in (
            (condition.left, condition.right, condition.op),
            (condition.right, condition.left, _MIRRORED[condition.op]),
        ):
            name = _plain_name(one)
            if name is not None and _is_local(interpreter, name) and changes_of(facts, name):
                return None if mentions_changed(other, facts) else Test(name, op, other, condition)
        return None
    stepped = isinstance(condition, (ex.Update, ex.Assign))
    tested = condition.target if stepped else condition  # type: ignore[union-attr]
    name = _plain_name(tested)
    if name is not None and _is_local(interpreter, name) and changes_of(facts, name):
        return Test(name, "!=", None, condition)
    return None


def voted_on(condition: ex.Expression | None) -> ex.Expression | None:
    """What threads vote on: ``i < n`` of ``__any_sync(mask, i < n)``; None if it is no vote."""
    if not isinstance(condition, ex.Call) or not isinstance(condition.callee, ex.Name):
        return None
    return condition.args[-1] if condition.callee.name in _VOTES and condition.args else None


def _plain_name(node: ex.Expression | None) -> str | None:
    while isinstance(node, ex.Cast):
        node = node.operand
    return node.name if isinstance(node, ex.Name) else None


def _is_local(interpreter: DeviceInterpreter, name: str) -> bool:
    return isinstance(interpreter.scope.find(name), VariablePlace)


def changes_of(facts: Iterable[BodyFacts], name: str) -> list[Assignment]:
    """The changes that the parts of a loop make to one variable."""
    return [change for fact in facts for change in fact.of(name)]


def mentions_changed(node: ex.Expression, facts: list[BodyFacts]) -> bool:
    """Whether an expression can change its value between trips of the loop."""
    changed = {change.name for fact in facts for change in fact.changes if change.op != "?"}
    for fact in facts:
        changed |= fact.declared
    return any(name in changed for name in names_in(node))


def names_in(node: object) -> Iterable[str]:
    """The names an expression mentions."""
    if isinstance(node, ex.Name):
        yield node.name
    if isinstance(node, ex.Member) and node.name == "num_elements":
        return  # Of a matrix fragment, whose elements alone change.
    for child in children(node):
        yield from names_in(child)


def step_of(
    interpreter: DeviceInterpreter, name: str, facts: list[BodyFacts], *, guarded: bool = False
) -> Step | None:
    """The step of a variable that each trip changes alike; None if it has no fixed step.

    ``guarded``: also where a branch makes all changes whose condition no trip changes. It is the
    step of the threads that take the branch; the others keep the value.
    """
    changes = [c for c in changes_of(facts, name) if c.op != "?"]
    if _is_pointer(interpreter, name):
        changes = [c for c in changes if c.whole]  # The others change what it points to.
    if not all(change.whole for change in changes):
        return None
    if any(change.conditional for change in changes) and not (
        guarded and _under_one_guard(changes, facts)
    ):
        return None
    result: Step | None = None
    for place, change in enumerate(changes):
        step = _step_by(interpreter, change, facts)
        result = step if not place or result is None or step is None else _after(result, step)
        if result is None:
            return None
    type_ = _sum_type(interpreter, name, result) if result is not None else None
    if result is None or type_ is None:
        return result
    return replace(result, wraps=type_.startswith("unsigned"), wide=is_wide(type_))


def _under_one_guard(changes: list[Assignment], facts: list[BodyFacts]) -> bool:
    """Whether all changes are in one branch that a thread takes in each trip of a loop or in none.

    A condition that asks memory or calls a function may differ.
    """
    guard = changes[0].guard
    if guard is None or any(change.guard is not guard for change in changes):
        return False
    return _is_plain(guard) and not mentions_changed(guard, facts)


def _is_plain(node: object) -> bool:
    """Whether an expression is one of variables, constants and operators alone."""
    plain = isinstance(node, (ex.Name, ex.Literal, ex.Binary, ex.Unary, ex.Cast))
    if not plain or (isinstance(node, ex.Unary) and node.op == "*"):
        return False
    return all(map(_is_plain, children(node)))


def _sum_type(interpreter: DeviceInterpreter, name: str, step: Step) -> str | None:
    """The type in which a variable and its step are added; None for other steps, and pointers."""
    place = interpreter.scope.find(name)
    held = interpreter.slots.get(place.slot) if isinstance(place, VariablePlace) else None
    if not isinstance(held, Value) or step.op != "+":
        return None
    return common_type(held.type, step.amount.type)


def _is_pointer(interpreter: DeviceInterpreter, name: str) -> bool:
    place = interpreter.scope.find(name)
    held = interpreter.slots.get(place.slot) if isinstance(place, VariablePlace) else None
    return isinstance(held, PointerValue)


def _step_by(
    interpreter: DeviceInterpreter, change: Assignment, facts: list[BodyFacts]
) -> Step | None:
    """The step that one unconditional change makes; None if it is none of a fixed amount."""
    if change.op in ("++", "--"):
        return Step("+", number(1 if change.op == "++" else -1, "int"))
    op, value, unit = change.op, change.value, None
    divided = _divided_up(interpreter, change) if op == "=" else None
    if divided is not None:
        return divided
    if op == "=":
        op, value, unit = _change_by(interpreter, change.name, value)
    if value is None or mentions_changed(value, facts):
        return None
    if op not in ("+=", "-=", "*=", "/=", "<<=", ">>="):
        return None
    amount = scalar(interpreter, value)
    if op == "-=" and amount.expr is not None:
        return Step("+", Value(amount.type, -amount.expr, amount.varies), unit=unit)
    if op in ("<<=", ">>="):
        known = amount.whole
        if known is None or not 0 <= known < _BITS:
            return None
        return Step("*" if op == "<<=" else "/", number(1 << known, "int"))
    return Step(op[0], amount, unit=unit)


def _divided_up(interpreter: DeviceInterpreter, change: Assignment) -> Step | None:
    """``x = (x - 1) / c + 1`` or ``x = (x + c - 1) / c`` as a step; None for any other."""
    quotient, after = _without_number(interpreter, change.value)
    if not isinstance(quotient, ex.Binary) or quotient.op not in ("/", ">>"):
        return None
    by = scalar(interpreter, quotient.right).whole
    if by is None or (not 0 < by < _BITS and quotient.op == ">>"):
        return None
    by = 1 << by if quotient.op == ">>" else by
    divided, before = _without_number(interpreter, quotient.left)
    rounds_up = (before, after) in ((-1, 1), (by - 1, 0))
    if by < 2 or not rounds_up or _plain_name(divided) != change.name:
        return None
    return Step("/", number(by, "int"), up=True)


def _without_number(
    interpreter: DeviceInterpreter, node: ex.Expression | None
) -> tuple[ex.Expression | None, int | None]:
    """A sum without the whole numbers that it adds on its right, and what these come to.

    The second is None where one of them is not known.
    """
    total = 0
    while isinstance(node, ex.Binary) and node.op in ("+", "-"):
        if not isinstance(node.right, (ex.Literal, ex.Name)):
            break
        known = scalar(interpreter, node.right).whole
        if known is None:
            return node, None
        total += known if node.op == "+" else -known
        node = node.left
    return node, total


def _change_by(
    interpreter: DeviceInterpreter, name: str, value: ex.Expression | None
) -> tuple[str, ex.Expression | None, Type | None]:
    """``i = i + c`` as ``+=``, its amount and, for a cast pointer, the type that it is cast to.

    ``p = &p[c]`` is such a change too. The amount is None for any other assignment.
    """
    if _is_pointer(interpreter, name):
        while isinstance(value, ex.Cast):
            value = value.operand
    if isinstance(value, ex.Unary) and value.op == "&" and isinstance(value.operand, ex.Index):
        value = ex.Binary(value.line, "+", value.operand.base, value.operand.index)
    if isinstance(value, ex.Binary):
        if _plain_name(value.left) == name:
            return f"{value.op}=", value.right, _unit(interpreter, value.left)
        if _plain_name(value.right) == name and value.op in ("+", "*"):
            return f"{value.op}=", value.left, _unit(interpreter, value.right)
    return "=", None, None


def _unit(interpreter: DeviceInterpreter, node: ex.Expression) -> Type | None:
    """The type that a pointer points to after a cast; None without a cast."""
    if not isinstance(node, ex.Cast):
        return None
    type_ = interpreter.types.resolve(node.type)
    return type_.pointee() if type_.pointers else Type("char")


def _after(first: Step, then: Step) -> Step | None:
    """Two steps of one trip as one; None if they make no single step."""
    added = then.amount.expr
    if then.op == "+" and first.unit == then.unit and added is not None:
        if first.op == "+" and first.amount.expr is not None:
            varies = first.amount.varies | then.amount.varies
            amount = Value(first.amount.type, first.amount.expr + added, varies)
            return Step("+", amount, unit=first.unit)
        if first.op == "*":
            return Step("*", first.amount, (first.added or ZERO) + added)
    factor = then.amount.constant
    if then.op == "*" and first.op == "+" and first.amount.expr is not None and factor is not None:
        return Step("*", then.amount, first.amount.expr * factor)
    return None


def trip_count(interpreter: DeviceInterpreter, test: Test, step: Step) -> Expr | None:
    """The trip count of a loop without other exits; None if test and step do not give it."""
    place = interpreter.scope.find(test.name)
    assert place is not None
    start = interpreter.read(place)
    bound = interpreter.evaluate(test.bound) if test.bound is not None else number(0, "int")
    if isinstance(start, PointerValue) and isinstance(bound, PointerValue):
        return _pointer_trips(interpreter, test, start, bound, step)
    if not isinstance(start, Value) or not isinstance(bound, Value):
        return None
    if start.expr is None or bound.expr is None or step.amount.expr is None:
        return None
    interpreter.costs.need(bound)
    if step.op == "+":
        return _linear_trips(test.op, start.expr, bound.expr, step.amount.expr)
    return _geometric_trips(test.op, start.expr, bound.expr, step)


def _pointer_trips(
    interpreter: DeviceInterpreter,
    test: Test,
    start: PointerValue,
    bound: PointerValue,
    step: Step,
) -> Expr | None:
    if start.array is not bound.array or start.offset.expr is None or bound.offset.expr is None:
        return None
    size = interpreter.bytes_of(step.unit or start.pointee)
    if step.amount.expr is None or step.op != "+":
        return None
    return _linear_trips(test.op, start.offset.expr, bound.offset.expr, step.amount.expr * size)


def _linear_trips(op: str, start: Expr, bound: Expr, step: Expr) -> Expr | None:
    down = (step.constant is not None and step.constant < 0) or op in (">", ">=")
    distance, stride = (start - bound, -step) if down else (bound - start, step)
    if op in ("<=", ">="):
        distance = distance + 1
    elif op == "==":
        return None
    if stride.constant is not None and stride.constant <= 0:
        return None
    return apply("max", apply("div", distance + stride - 1, stride), 0)


def _geometric_trips(op: str, start: Expr, bound: Expr, step: Step) -> Expr | None:
    factor = step.amount.constant
    if factor is None or factor < 2:
        return None
    if step.op == "*" and op in ("<", "<=", "!="):
        ahead = step.ahead
        if ahead is None or (op == "!=" and step.added is not None):
            return None
        ratio = apply("fdiv", bound + ahead + (1 if op == "<=" else 0), start + ahead)
        return apply("ceil", _log(apply("max", ratio, 1), factor) - _ROUNDING)
    if step.op == "/" and step.up:
        # The value ends at 1: how often it must be divided to come to the bound.
        last = bound - 1 if op == ">=" else bound
        if op not in (">", ">=", "!=") or (last.constant is not None and last.constant < 1):
            return None
        ratio = apply("max", apply("fdiv", start, apply("max", last, 1)), 1)
        return apply("ceil", _log(ratio, factor) - _ROUNDING)
    if step.op == "/" and op in (">", ">=", "!="):
        least = bound if op == ">=" else bound + 1
        ratio = apply("fdiv", start, apply("max", least, 1))
        return apply("max", apply("floor", _log(ratio, factor) + _ROUNDING) + 1, 0)
    return None


def _log(value: Expr, base: int | float) -> Expr:
    return apply("fdiv", apply("log2", value), apply("log2", constant(base)))

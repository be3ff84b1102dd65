"""Atomic constructs as calls of CUDA's atomic functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from roofline_core.program.directives import Directive
from roofline_core.program.expressions import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Name,
    Update,
)
from roofline_core.program.records import record
from roofline_core.program.statements import Block, Evaluate, If, Statement
from roofline_core.program.types import Type
from roofline_parsers.openmp.build import address, call, literal

_FUNCTIONS: Final = {
    "+": "atomicAdd",
    "-": "atomicSub",
    "&": "atomicAnd",
    "|": "atomicOr",
    "^": "atomicXor",
}
_EXTREMES: Final = {"max": "atomicMax", "fmax": "atomicMax", "fmaxf": "atomicMax"} | {
    "min": "atomicMin",
    "fmin": "atomicMin",
    "fminf": "atomicMin",
}
_COMMUTING: Final = frozenset("+*&|^")


@record(frozen=True, slots=True)
class _Change:
    """A change of a place in memory: the call that makes it and gives the value before it."""

    target: Expression
    call: Call
    after: Expression | None
    """The value after it, in terms of ``call``; None where that is not needed or not known."""


def lower(directive: Directive, body: Statement) -> Statement:
    """What an atomic construct does; one that is not understood is left as written."""
    words = {clause.name for clause in directive.clauses}
    if words & {"read", "write"}:
        return body
    if "capture" in words:
        return _capture(body) or body
    change = _statement_change(body)
    return body if change is None else Evaluate(body.line, change.call)


def _unwrapped(node: Statement) -> Statement:
    while isinstance(node, Block) and len(node.body) == 1:
        node = node.body[0]
    return node


def _statement_change(node: Statement) -> _Change | None:
    node = _unwrapped(node)
    if isinstance(node, Evaluate):
        return _change(node.expression)
    if isinstance(node, If) and node.otherwise is None:
        assigned = _unwrapped(node.then)
        if isinstance(assigned, Evaluate) and isinstance(assigned.expression, Assign):
            made = assigned.expression
            return _conditional(node.condition, made.target, made.value)
    return None


def _change(node: Expression) -> _Change | None:
    """The change that ``x++``, ``x op= e`` or ``x = e`` makes."""
    line = node.line
    if isinstance(node, Update):
        one = literal(line, 1)
        return _made("+" if node.op == "++" else "-", node.target, one, line)
    if not isinstance(node, Assign):
        return None
    if node.op != "=":
        return _made(node.op[:-1], node.target, node.value, line)
    found = _assigned(node.target, node.value, line)
    return found or _called("atomicExch", node.target, (node.value,), line, after=node.value)


def _assigned(target: Expression, value: Expression, line: int) -> _Change | None:
    """``x = x op e``, ``x = c ? e : x`` or ``x = max(x, e)``; None for a plain assignment."""
    match value:
        case Cast(operand=operand):
            return _assigned(target, operand, line)
        case Binary(op=op, left=left, right=right) if same(left, target):
            return _made(op, target, right, line)
        case Binary(op=op, left=left, right=right) if same(right, target):
            if op in _COMMUTING:
                return _made(op, target, left, line)
            return _exchanged_if_same(target, value, line)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            if same(otherwise, target):
                return _conditional(condition, target, then)
            if same(then, target):
                return _conditional(_opposite(condition), target, otherwise)
        case Call(callee=Name(name=name), args=(first, second)):
            function = _EXTREMES.get(name.rpartition("::")[2])
            if function is not None and (same(first, target) or same(second, target)):
                other = second if same(first, target) else first
                return _called(function, target, (other,), line)
    return None


def _made(op: str, target: Expression, value: Expression, line: int) -> _Change:
    function = _FUNCTIONS.get(op)
    if function is None:
        return _exchanged_if_same(target, Binary(line, op, target, value), line)
    change = _called(function, target, (value,), line)
    return replace(change, after=Binary(line, op, change.call, value))


def _exchanged_if_same(target: Expression, value: Expression, line: int) -> _Change:
    """An operation that no atomic function does: compare-and-swap."""
    return _called("atomicCAS", target, (target, value), line, after=value)


def _called(
    function: str,
    target: Expression,
    values: tuple[Expression, ...],
    line: int,
    after: Expression | None = None,
) -> _Change:
    return _Change(target, call(line, function, address(target), *values), after)


def _conditional(condition: Expression, target: Expression, value: Expression) -> _Change | None:
    """``if (condition) target = value``."""
    if not isinstance(condition, Binary):
        return None
    line, op = condition.line, condition.op
    left, right = condition.left, condition.right
    if op == "==" and (same(left, target) or same(right, target)):
        expected = right if same(left, target) else left
        return _called("atomicCAS", target, (expected, value), line)
    if op in ("<", "<=", ">", ">="):
        grows = (op[0] == "<") == same(left, target)
        other = right if same(left, target) else left
        if same(other, value) and (same(left, target) or same(right, target)):
            return _called("atomicMax" if grows else "atomicMin", target, (value,), line)
    return None


def _opposite(condition: Expression) -> Expression:
    if isinstance(condition, Binary):
        op = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}.get(condition.op)
        if op is not None:
            return replace(condition, op=op)
    return condition


def _capture(body: Statement) -> Statement | None:
    """``v = x++``, ``{ v = x; x += e; }`` and ``{ x += e; v = x; }``."""
    body = _unwrapped(body)
    if isinstance(body, Evaluate) and isinstance(body.expression, Assign):
        kept = body.expression
        change = _change(kept.value)
        if change is None:
            return None
        postfix = isinstance(kept.value, Update) and not kept.value.prefix
        return _kept(kept, change, before=postfix)
    if not isinstance(body, Block) or len(body.body) != 2:
        return None
    first, second = body.body
    read = _assignment(first)
    change = _statement_change(second)
    if read is not None and change is not None and same(read.value, change.target):
        return _kept(read, change, before=True)
    read, change = _assignment(second), _statement_change(first)
    if read is not None and change is not None and same(read.value, change.target):
        return _kept(read, change, before=False)
    return None


def _assignment(node: Statement) -> Assign | None:
    if isinstance(node, Evaluate) and isinstance(node.expression, Assign):
        return node.expression if node.expression.op == "=" else None
    return None


def _kept(kept: Assign, change: _Change, *, before: bool) -> Statement:
    value = change.call if before or change.after is None else change.after
    if not before and not _mentions(value, change.call):
        # The new value is known by itself: the change stands alone.
        values = Evaluate(kept.line, change.call), Evaluate(kept.line, replace(kept, value=value))
        return Block(kept.line, values)
    return Evaluate(kept.line, replace(kept, value=value))


def _mentions(value: Expression, change: Call) -> bool:
    return value is change or (isinstance(value, Binary) and value.left is change)


def same(one: object, other: object) -> bool:
    """Whether two expressions are spelled the same."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (Expression, Type)):
        names = [name for name in one.__dataclass_fields__ if name != "line"]
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    return one == other

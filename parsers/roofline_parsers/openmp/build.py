"""Pieces of kernel code."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_core.program.expressions import (
    Assign,
    Binary,
    Call,
    Conditional,
    Expression,
    Literal,
    Member,
    Name,
    Unary,
)
from roofline_core.program.statements import Block, Declare, Evaluate, For, If, Statement, Variable
from roofline_core.program.types import Type

INT = Type("int")
LONG = Type("long")


def literal(line: int, value: int) -> Literal:
    """An ``int``."""
    return Literal(line, value, "int")


def builtin(line: int, name: str) -> Member:
    """``threadIdx.x`` and its like."""
    return Member(line, Name(line, name), "x")


def known(value: Expression | None) -> int | None:
    """The integer that a literal is."""
    if isinstance(value, Literal) and isinstance(value.value, int):
        return value.value
    if isinstance(value, Unary) and value.op in "+-":
        inner = known(value.operand)
        return inner if inner is None or value.op == "+" else -inner
    return None


def plus(left: Expression, right: Expression) -> Expression:
    """A sum, without zeros."""
    if known(left) == 0:
        return right
    return left if known(right) == 0 else _folded("+", left, right)


def minus(left: Expression, right: Expression) -> Expression:
    """A difference, without a zero on the right."""
    return left if known(right) == 0 else _folded("-", left, right)


def times(left: Expression, right: Expression) -> Expression:
    """A product, without ones."""
    if known(left) == 1:
        return right
    return left if known(right) == 1 else _folded("*", left, right)


def _folded(op: str, left: Expression, right: Expression) -> Expression:
    one, other = known(left), known(right)
    if one is not None and other is not None:
        value = {"+": one + other, "-": one - other, "*": one * other}[op]
        return literal(left.line, value)
    return Binary(left.line, op, left, right)


def ratio(left: Expression, right: Expression) -> Expression:
    """A quotient of numbers that are not negative."""
    one, other = known(left), known(right)
    if other == 1:
        return left
    if one is not None and other is not None and one >= 0 and other > 0:
        return literal(left.line, one // other)
    return Binary(left.line, "/", left, right)


def declare(line: int, name: str, type_: Type, init: Expression | None = None) -> Declare:
    """``type name = init;``."""
    return Declare(line, (Variable(name, type_, line, init),))


def call(line: int, name: str, *args: Expression) -> Call:
    """``name(args)``."""
    return Call(line, Name(line, name), args)


def assign(line: int, target: Expression, value: Expression, op: str = "=") -> Evaluate:
    """``target op value;``."""
    return Evaluate(line, Assign(line, op, target, value))


def address(target: Expression) -> Expression:
    """``&target``."""
    if isinstance(target, Unary) and target.op == "*":
        return target.operand
    return Unary(target.line, "&", target)


def chosen(line: int, op: str, left: Expression, right: Expression) -> Conditional:
    """``left op right ? left : right``."""
    return Conditional(line, Binary(line, op, left, right), left, right)


def block(line: int, body: Sequence[Statement]) -> Statement:
    """The statements as one."""
    return body[0] if len(body) == 1 else Block(line, tuple(body))


def statements(body: Statement) -> tuple[Statement, ...]:
    """What a block holds, or the one statement."""
    return body.body if isinstance(body, Block) else (body,)


def only(line: int, thread: int, body: Sequence[Statement]) -> If:
    """What one thread of a team does."""
    index = builtin(line, "threadIdx")
    return If(line, Binary(line, "==", index, literal(line, thread)), block(line, body))


def barrier(line: int) -> Evaluate:
    """``__syncthreads();``."""
    return Evaluate(line, call(line, "__syncthreads"))


def ends_with_barrier(body: Sequence[Statement]) -> bool:
    """Whether the last statement is a barrier."""
    last = body[-1] if body else None
    if isinstance(last, Block):
        return ends_with_barrier(last.body)
    return (
        isinstance(last, Evaluate)
        and isinstance(last.expression, Call)
        and isinstance(last.expression.callee, Name)
        and last.expression.callee.name == "__syncthreads"
    )


def without_last_barrier(body: Sequence[Statement]) -> list[Statement]:
    """The statements without the barrier that they end with, if they do."""
    if not ends_with_barrier(body):
        return list(body)
    last = body[-1]
    if isinstance(last, Block):
        return [*body[:-1], Block(last.line, tuple(without_last_barrier(last.body)))]
    return list(body[:-1])


def counted(
    line: int,
    counter: tuple[str, Type],
    range_: tuple[Expression, Expression, Expression],
    body: Statement,
) -> For:
    """``for (type name = first; name < end; name += stride) body``."""
    name, type_ = counter
    first, end, stride = range_
    variable = Name(line, name)
    return For(
        line,
        declare(line, name, type_, first),
        Binary(line, "<", variable, end),
        Assign(line, "+=", variable, stride),
        body,
    )

"""Canonical loops: where they start, how often they run, and what their variable is then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_core.program.expressions import (
    Assign,
    Binary,
    Call,
    Cast,
    Expression,
    Index,
    Literal,
    Member,
    Name,
    Update,
)
from roofline_core.program.records import record
from roofline_core.program.statements import (
    Block,
    Declare,
    Directed,
    Evaluate,
    For,
    ForRange,
    Statement,
    Variable,
)
from roofline_core.program.types import Type
from roofline_parsers.openmp.build import INT, LONG, known, literal, minus, plus, ratio, times

Variables = Mapping[str, Variable]
"""The variables in scope, by name."""

_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}
_NARROW: Final = frozenset(("bool", "char", "signed char", "unsigned char", "short"))
_INTEGERS: Final = frozenset(
    (
        *("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"),
        *("size_t", "std::size_t", "ssize_t", "ptrdiff_t", "std::ptrdiff_t"),
        *(
            f"{space}{sign}int{bits}_t"
            for space in ("", "std::")
            for sign in ("", "u")
            for bits in (32, 64)
        ),
    )
)


@record(frozen=True, slots=True)
class Loop:
    """A loop that counts: its variable is ``first + k * step`` in run ``k`` of ``trips``."""

    line: int
    name: str
    type: Type
    first: Expression
    step: Expression
    """Negative where the loop counts down."""
    trips: Expression
    body: Statement
    element: Expression | None = None
    """The range of a range-based loop; ``first`` and ``step`` number its elements."""
    reference: Variable | None = None
    """The variable of a range-based loop."""

    def variable(self, run: Expression) -> Declare:
        """The declaration of the loop's variable in run ``run``."""
        value = plus(self.first, times(run, self.step))
        if known(self.step) == -1:
            value = minus(self.first, run)
        if self.reference is not None and self.element is not None:
            kept = self.reference
            init = Index(self.line, self.element, value)
            made = Variable(kept.name, kept.type, kept.line, init, qualifiers=kept.qualifiers)
            return Declare(self.line, (made,))
        return Declare(self.line, (Variable(self.name, self.type, self.line, value),))


def counter_type(loop: Loop) -> Type:
    """The type that iterations are counted in: that of the variable, at least 32 bits wide."""
    if loop.type.pointers or loop.type.dims or loop.reference is not None:
        return LONG
    name = loop.type.name
    if name in _NARROW or name == "unsigned short":
        return INT
    if name == "auto" and isinstance(loop.first, Literal):
        return Type(loop.first.type_name)
    return Type(name) if name in _INTEGERS else LONG


def read_loop(node: Statement, scope: Variables) -> Loop | None:
    """The loop that ``node`` is; None if it is no loop that OpenMP could share out."""
    if isinstance(node, ForRange):
        return _range_loop(node, scope)
    if not isinstance(node, For):
        return None
    start = _start(node, scope)
    if start is None or node.condition is None or node.step is None:
        return None
    name, type_, first = start
    step = _step(node.step, name)
    test = _test(node.condition, name)
    if step is None or test is None:
        return None
    op, bound = test
    trips = _trips(op, first, bound, step)
    return Loop(node.line, name, type_, first, step, trips, node.body)


def _start(node: For, scope: Variables) -> tuple[str, Type, Expression] | None:
    match node.init:
        case Declare(variables=(variable, *_)):
            first = variable.init
            if first is None and variable.ctor_args and len(variable.ctor_args) == 1:
                first = variable.ctor_args[0]
            return None if first is None else (variable.name, variable.type, first)
        case Evaluate(expression=Assign(op="=", target=Name(name=name), value=first)):
            return name, scope[name].type if name in scope else INT, first
        case None:
            match node.condition:
                case Binary(left=Name(name=name)) if name in scope:
                    return name, scope[name].type, Name(node.line, name)
    return None


def _named(node: Expression, name: str) -> bool:
    while isinstance(node, Cast):
        node = node.operand
    return isinstance(node, Name) and node.name == name


def _step(node: Expression, name: str) -> Expression | None:
    match node:
        case Update(op=op, target=target) if _named(target, name):
            return literal(node.line, 1 if op == "++" else -1)
        case Assign(op="+=", target=target, value=value) if _named(target, name):
            return value
        case Assign(op="-=", target=target, value=value) if _named(target, name):
            return minus(literal(node.line, 0), value)
        case Assign(op="=", target=target, value=Binary(op=op, left=left, right=right)):
            if _named(target, name) and op == "+":
                if _named(left, name):
                    return right
                return left if _named(right, name) else None
            if _named(target, name) and op == "-" and _named(left, name):
                return minus(literal(node.line, 0), right)
        case Binary(op=",", left=left, right=right):
            return _step(left, name) or _step(right, name)
    return None


def _test(node: Expression, name: str) -> tuple[str, Expression] | None:
    if not isinstance(node, Binary):
        return None
    if node.op == "&&":
        return _test(node.left, name) or _test(node.right, name)
    if node.op in _MIRRORED:
        if _named(node.left, name):
            return node.op, node.right
        if _named(node.right, name):
            return _MIRRORED[node.op], node.left
    return None


def _trips(op: str, first: Expression, bound: Expression, step: Expression) -> Expression:
    """How often the loop runs, for a step in the direction that the test asks for."""
    backwards = _is_negative(step) or (op in (">", ">=") and known(step) is None)
    distance = minus(first, bound) if backwards else minus(bound, first)
    stride = _negated(step) if backwards else step
    if op in ("<=", ">="):
        return ratio(plus(distance, stride), stride)
    if op == "!=":
        return ratio(distance, stride)
    one = literal(step.line, 1)
    return ratio(minus(plus(distance, stride), one) if known(stride) != 1 else distance, stride)


def _is_negative(step: Expression) -> bool:
    number = known(step)
    if number is not None:
        return number < 0
    return isinstance(step, Binary) and step.op == "-" and known(step.left) == 0


def _negated(step: Expression) -> Expression:
    if isinstance(step, Binary) and step.op == "-" and known(step.left) == 0:
        return step.right
    return minus(literal(step.line, 0), step)


def _range_loop(node: ForRange, scope: Variables) -> Loop:
    """Each element by its number; arrays have their bound's, other ranges ``size()`` elements."""
    line = node.line
    declared = scope.get(node.range.name) if isinstance(node.range, Name) else None
    size: Expression = Call(line, Member(line, node.range, "size"), ())
    if declared is not None and declared.type.dims and declared.type.dims[0] is not None:
        size = declared.type.dims[0]
    zero, one = literal(line, 0), literal(line, 1)
    name = node.variable.name
    return Loop(
        line, name, LONG, zero, one, size, node.body, element=node.range, reference=node.variable
    )


def nest(node: Statement, depth: int, scope: Variables) -> list[Loop]:
    """Up to ``depth`` loops, each the only statement of the one before."""
    found: list[Loop] = []
    current: Statement | None = node
    while current is not None and len(found) < depth:
        loop = read_loop(inner(current), scope)
        if loop is None:
            break
        found.append(loop)
        current = loop.body
    return found


def inner(node: Statement) -> Statement:
    """The statement itself, out of the blocks and transparent directives around it."""
    while True:
        if isinstance(node, Block) and len(node.body) == 1:
            node = node.body[0]
        elif isinstance(node, Directed) and node.body is not None and _is_transparent(node):
            node = node.body
        else:
            return node


def _is_transparent(node: Directed) -> bool:
    return set(node.directive.constructs) <= {"simd", "unroll", "tile", "assume"}

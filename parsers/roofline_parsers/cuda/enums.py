"""Enumerations."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_core.program.expressions import Binary, Expression, Literal, Unary
from roofline_core.program.types import Type
from roofline_parsers.cuda.found import ScanResult
from roofline_parsers.cuda.grammar import COMMENT, ERROR, Node, kind, token
from roofline_parsers.cuda.lowering import Lowering, expression
from roofline_parsers.cuda.scopes import DeclarationScope, KnownNames
from roofline_parsers.cuda.type_names import plain_type, type_of

ENUMERATORS = kind("enumerator_list")
_ENUMERATOR = kind("enumerator")
_COLON = token(":")
_CLASS_WORDS = frozenset([token("class"), token("struct")])


def read_enum(
    lo: Lowering,
    found: ScanResult,
    known: KnownNames,
    node: Node,
    name: str,
    scope: DeclarationScope,
    depth: int,
) -> dict[str, Expression | int]:
    """Adds the enumerators: as ``E::A`` and, unless it is an ``enum class``, as ``A``.

    Gives those that the scope around it may name as ``A``.
    """
    plain: dict[str, Expression | int] = {}
    numbers: list[int] = []
    scoped = is_scoped(node)
    if name:
        known.types.add(name)
    for label, value in enumerators_of(lo, node, depth):
        if name:
            found.enumerators[f"{scope.prefix}{name}::{label}"] = value
        if not scoped:
            found.enumerators[scope.prefix + label] = plain[label] = value
        known.values.add(label)
        if isinstance(value, int):
            numbers.append(value)
    if name:
        fixed = _underlying(lo, node, depth)
        found.enums[scope.prefix + name] = fixed or plain_type(_wide_enough(numbers, scoped))
    return plain


def is_scoped(node: Node) -> bool:
    """Whether an enumeration is an ``enum class``, whose enumerators need its name."""
    return any(child.kind_id in _CLASS_WORDS for child in node.children)


def enumerators_of(lo: Lowering, node: Node, depth: int) -> Iterator[tuple[str, Expression | int]]:
    """The names and values of an enumeration, in order; the value is an int where it is one."""
    value: Expression | int = -1
    for items in node.children:
        if items.kind_id != ENUMERATORS:
            continue
        for item in items.children:
            if item.kind_id != _ENUMERATOR:
                continue
            parts = [c for c in item.named_children if c.kind_id not in (COMMENT, ERROR)]
            if not parts:
                continue
            written = expression(lo, parts[1], depth) if len(parts) > 1 else None
            value = _successor(value) if written is None else _constant(written)
            yield lo.text(parts[0]), value


def _wide_enough(values: list[int], scoped: bool) -> str:
    """The integer type under an enumeration that fixes none, as GCC and Clang choose it."""
    low, high = min(values, default=0), max(values, default=0)
    if scoped or (low >= -(1 << 31) and high < 1 << 31):
        return "int"
    if low >= 0 and high < 1 << 32:
        return "unsigned int"
    return "long" if low < 0 or high < 1 << 63 else "unsigned long"


def _underlying(lo: Lowering, node: Node, depth: int) -> Type | None:
    """The type that ``: type`` fixes; None where nothing does."""
    after_colon = False
    for child in node.children:
        if child.kind_id == ENUMERATORS:
            break
        if after_colon and child.is_named and child.kind_id not in (COMMENT, ERROR):
            return type_of(lo, child, depth)
        after_colon = after_colon or child.kind_id == _COLON
    return None


def _constant(value: Expression) -> Expression | int:
    match value:
        case Literal(value=int(number)):
            return number
        case Unary(op="-", operand=Literal(value=int(number))):
            return -number
    return value


def _successor(value: Expression | int) -> Expression | int:
    if isinstance(value, int):
        return value + 1
    if isinstance(value, Binary) and value.op == "+" and isinstance(value.right, Literal):
        count = value.right.value
        if isinstance(count, int):
            return Binary(value.line, "+", value.left, Literal(value.line, count + 1, "int"))
    return Binary(value.line, "+", value, Literal(value.line, 1, "int"))

"""Specifiers, which stand before declarators: ``static const unsigned``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from roofline_core.program.expressions import Expression
from roofline_core.program.types import Type
from roofline_parsers.cuda.grammar import (
    COMMA_TOKEN,
    COMMENT,
    DECLARATOR_NAMES,
    DECLARATORS,
    ERROR,
    FIELD_IDENTIFIER,
    IDENTIFIER,
    INIT_DECLARATOR,
    LAUNCH_BOUNDS,
    OPERATOR_CAST,
    TYPE_IDENTIFIER,
    TYPE_QUALIFIER,
    Node,
    kind,
    token,
)
from roofline_parsers.cuda.lowering import TYPES, Lowering, expression
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.cuda.type_names import type_of

_STORAGE = kind("storage_class_specifier")
_EXPLICIT = kind("explicit_function_specifier")
_ALIGNAS = kind("alignas_qualifier")
_WORD_QUALIFIERS = {
    token(word): word
    for word in (
        "__global__",
        "__device__",
        "__host__",
        "__forceinline__",
        "__noinline__",
        "virtual",
    )
}
_BY_NAME: Final = (
    (re.compile(r"(?:^|_)(?:KERNEL|GLOBAL)$"), "__global__"),
    (re.compile(r"(?:^|_)(?:DEVICE|HD)(?:_|$)|^H?DI$"), "__device__"),
    (re.compile(r"(?:^|_)(?:HOST|HD)(?:_|$)|^HDI$"), "__host__"),
)
"""What parts of the names of macros stand for that projects make of qualifiers."""
_BARE_NAMES = frozenset([IDENTIFIER, FIELD_IDENTIFIER])
_STOPS = (
    frozenset([INIT_DECLARATOR, OPERATOR_CAST, COMMA_TOKEN, token(";"), token("="), token(":")])
    | DECLARATORS
    | DECLARATOR_NAMES
)


@dataclass(slots=True)
class Specifiers:
    """The specifiers of a declaration."""

    type: Type | None = None
    """The base type; None for a constructor or conversion operator."""
    type_node: Node | None = None
    qualifiers: set[str] = field(default_factory=set)
    launch_bounds: tuple[Expression, ...] = ()
    align: Expression | None = None
    const: bool = False
    """By ``const``, or by ``constexpr``: of a function that says nothing of what it returns."""
    const_written: bool = False
    volatile: bool = False
    rest: int = 0
    """Index of the first child that is no specifier."""


def read_specifiers(lo: Lowering, children: list[Node], depth: int) -> Specifiers:
    """Reads the specifiers at the start of a declaration's children, in any order."""
    out = Specifiers()
    for index, child in enumerate(children):
        kind_id = child.kind_id
        if kind_id == TYPE_QUALIFIER:
            _qualifier(lo, child, out, depth)
        elif kind_id == _STORAGE:
            out.qualifiers.add(lo.text(child))
        elif kind_id == _EXPLICIT:
            out.qualifiers.add("explicit")
        elif kind_id in _WORD_QUALIFIERS:
            out.qualifiers.add(_WORD_QUALIFIERS[kind_id])
        elif out.type_node is None and kind_id in TYPES and kind_id not in _BARE_NAMES:
            out.type_node = child
            out.type = type_of(lo, child, depth)
        elif kind_id == LAUNCH_BOUNDS:
            out.launch_bounds = tuple(
                expression(lo, item, depth)
                for item in child.named_children
                if item.kind_id != COMMENT
            )
        elif kind_id == ERROR and child.named_child_count:
            _misplaced(lo, child, out, depth)
        elif kind_id in _STOPS:
            out.rest = index
            break
    else:
        out.rest = len(children)
    if out.type is not None and (out.const or out.volatile):
        out.type = _qualified(out.type, out.const, out.volatile)
    return out


def _qualified(base: Type, const: bool, volatile: bool) -> Type:
    return Type(
        base.name,
        base.args,
        base.pointers,
        base.reference,
        const or base.const,
        base.restrict,
        volatile or base.volatile,
        base.dims,
        base.scope_args,
        base.rvalue,
        tagged=base.tagged,
    )


def _qualifier(lo: Lowering, node: Node, out: Specifiers, depth: int) -> None:
    inner = node.children[0] if node.child_count else node
    if inner.kind_id == _ALIGNAS:
        values = [child for child in inner.named_children if child.kind_id != COMMENT]
        out.align = expression(lo, values[0], depth) if values else None
        return
    word = lo.text(node)
    if word == "const":
        out.const = out.const_written = True
    elif word == "volatile":
        out.volatile = True
    else:
        out.const = out.const or word == "constexpr"
        out.qualifiers.add(word)


def _misplaced(lo: Lowering, error: Node, out: Specifiers, depth: int) -> None:
    """Correct ``HOST_DEVICE float f()``, in which an undefined macro was taken for the type.

    The macro's name may say what it stands for: ``LIB_KERNEL void k()`` is a kernel.
    """
    child = next((each for each in error.named_children if each.kind_id in TYPES), None)
    if out.type_node is None or child is None:
        return
    if out.type_node.kind_id == TYPE_IDENTIFIER:
        macro = lo.text(out.type_node)
        out.qualifiers.add(macro)
        if macro.isupper():
            out.qualifiers.update(q for pattern, q in _BY_NAME if pattern.search(macro))
    out.type_node = child
    out.type = type_of(lo, child, depth)


def is_behind_macro(source: ParserInput, error: Node, before: Node | None) -> bool:
    """Whether an error of the tree is the type behind an undefined macro, which is read."""
    if before is None or before.kind_id != TYPE_IDENTIFIER:
        return False
    macro = source.names[before.start_byte : before.end_byte]
    return macro.isupper() and any(each.kind_id in TYPES for each in error.named_children)

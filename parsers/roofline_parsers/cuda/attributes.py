"""What attributes ask for of classes, fields and typedefs: an alignment, packing, a shared place.

They are spelt ``__attribute__((aligned(16)))`` or ``[[gnu::aligned(16)]]``; the preprocessor makes
``alignas`` of those that stand where the grammar takes no attribute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roofline_core.program.expressions import Call, Expression, Literal, Name
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_parsers.cuda.grammar import ARGUMENTS, ATTRIBUTE, COMMENT, Node, kind
from roofline_parsers.cuda.lowering import Lowering, expression

_LARGEST_ALIGNMENT_BYTES = 16
"""The bytes that ``aligned`` without a number means on x86-64 and on GPUs."""
_DECLARATION = kind("attribute_declaration")
ATTRIBUTES = frozenset([ATTRIBUTE, _DECLARATION])
"""Nodes that hold a list of attributes."""
_ON_FIELDS = {"packed": "packed", "no_unique_address": "no_unique_address"}
"""Attributes of fields that the model keeps, with the qualifiers that say so."""


def read_attributes(
    lo: Lowering, node: Node, depth: int
) -> tuple[Expression | None, frozenset[str]]:
    """What a list of attributes asks for: an alignment in bytes, and their words."""
    align: Expression | None = None
    words: set[str] = set()
    for word, argument in _attributes(lo, node, depth):
        words.add(word)
        if word == "aligned":
            align = argument or Literal(lo.line_of(node), _LARGEST_ALIGNMENT_BYTES, "int")
    return align, frozenset(words)


def _attributes(lo: Lowering, node: Node, depth: int) -> Iterator[tuple[str, Expression | None]]:
    """The words of attributes, without underscores and namespaces, with their first arguments."""
    for listed in node.named_children:
        if node.kind_id == _DECLARATION:
            words = [c for c in listed.named_children if c.kind_id not in (ARGUMENTS, COMMENT)]
            given = [c for c in listed.named_children if c.kind_id == ARGUMENTS]
            arguments = given[0].named_children if given else []
            if words:
                value = expression(lo, arguments[0], depth) if arguments else None
                yield lo.text(words[-1]).strip("_"), value
            continue
        for item in listed.named_children:
            asked = expression(lo, item, depth)
            name = asked.callee if isinstance(asked, Call) else asked
            arguments_given = asked.args if isinstance(asked, Call) else ()
            if isinstance(name, Name):
                yield name.name.strip("_"), next(iter(arguments_given), None)


def read_alignment(lo: Lowering, children: Sequence[Node], depth: int) -> Expression | None:
    """The alignment that attributes among the parts of a declaration ask for, in bytes."""
    align: Expression | None = None
    for child in children:
        if child.kind_id in ATTRIBUTES:
            align = read_attributes(lo, child, depth)[0] or align
    return align


def aligned(target: Type, align: Expression | None) -> Type:
    """What a typedef stands for, with the alignment that it asks for."""
    return target if align is None else replace(target, align=align)


def with_attributes(lo: Lowering, node: Node, fields: list[Variable], depth: int) -> list[Variable]:
    """The fields with what attributes before and after them ask for."""
    for child in node.children:
        if child.kind_id in ATTRIBUTES:
            align, words = read_attributes(lo, child, depth)
            more = {_ON_FIELDS[word] for word in words if word in _ON_FIELDS}
            fields = [
                replace(field, align=align or field.align, qualifiers=field.qualifiers | more)
                for field in fields
            ]
    return fields

"""Unroll requests: ``#pragma unroll 4`` and the attributes that stand for it."""

from __future__ import annotations

import math
import re

from roofline_core.program.expressions import Expression, Literal, Name
from roofline_parsers.cuda.grammar import ARGUMENTS, COMMENT, Node, kind
from roofline_parsers.cuda.literals import parse_number
from roofline_parsers.cuda.lowering import Lowering, expression
from roofline_parsers.cuda.snippets import parse_expression

_UNROLL = re.compile(
    r"(?:#\s*pragma\s+)?(?:GCC\s+|clang\s+loop\s+)?(no)?unroll(?:_and_jam)?\b\s*(.*)", re.DOTALL
)
_ATTRIBUTE = kind("attribute")

Unroll = Expression | int | None
"""A factor: 0 asks for full unrolling, 1 for none; None asks for nothing."""


def parse_unroll(text: str, line: int) -> Unroll:
    """The factor that ``#pragma unroll ...`` asks for; None if the pragma is another.

    A name or an expression stays one.
    """
    match = _UNROLL.match(text.strip())
    if match is None:
        return None
    factor = match.group(2).strip()
    while factor.startswith("(") and factor.endswith(")"):
        factor = factor[1:-1].strip()
    if match.group(1) or factor == "disable":
        return 1
    if not factor or factor in ("enable", "full"):
        return 0
    number = parse_number(factor)
    if number is not None:
        return int(number[0]) if math.isfinite(number[0]) else None
    return Name(line, factor) if factor.isidentifier() else parse_expression(factor, line)


def attribute_unroll(lo: Lowering, node: Node, depth: int) -> Unroll:
    """The factor that ``[[unroll(n)]]`` asks for; None if the attributes are others."""
    for attribute in node.children:
        if attribute.kind_id != _ATTRIBUTE:
            continue
        name = lo.text(attribute.children[0])
        if name not in ("unroll", "nounroll"):
            continue
        for child in attribute.children:
            values = [c for c in child.named_children if c.kind_id != COMMENT]
            if child.kind_id == ARGUMENTS and values:
                value = expression(lo, values[0], depth)
                if isinstance(value, Literal) and isinstance(value.value, int):
                    return value.value
                return value
        return 0 if name == "unroll" else 1
    return None

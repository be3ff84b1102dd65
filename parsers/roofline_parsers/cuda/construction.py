"""Values made in place: initializer lists, ``dim3{1, 2}`` and ``new``."""

from __future__ import annotations

from dataclasses import replace

from roofline_core.program.expressions import Construct, Expression, InitList, New
from roofline_core.program.types import Type
from roofline_parsers.cuda.declarators import read_declarator
from roofline_parsers.cuda.expressions import arguments
from roofline_parsers.cuda.grammar import ARGUMENTS, COMMENT, ERROR, INITIALIZER_LIST, Node, kind
from roofline_parsers.cuda.lowering import MAX_DEPTH, Lowering, expression, reads_expression
from roofline_parsers.cuda.type_names import plain_type, type_of

_NEW_DECLARATOR = kind("new_declarator")


@reads_expression("initializer_list")
def _initializer_list(lo: Lowering, node: Node, depth: int) -> Expression:
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    line = lo.line_of(node)
    return InitList(line, arguments(lo, node, depth + 1))


@reads_expression("initializer_pair")
def _initializer_pair(lo: Lowering, node: Node, depth: int) -> Expression:
    return expression(lo, node.children[-1], depth)


@reads_expression("compound_literal_expression")
def _compound_literal(lo: Lowering, node: Node, depth: int) -> Expression:
    """``dim3{1, 2}``, ``(float4){...}``; without a type it is a list."""
    line = lo.line_of(node)
    children = [c for c in node.children if c.is_named and c.kind_id not in (COMMENT, ERROR)]
    given = arguments(lo, children[-1], depth + 1) if depth < MAX_DEPTH else ()
    if len(children) < 2 or children[0].start_byte == children[0].end_byte:
        return InitList(line, given)
    return Construct(line, type_of(lo, children[0], depth), given)


@reads_expression("new_expression")
def _new(lo: Lowering, node: Node, depth: int) -> Expression:
    line = lo.line_of(node)
    target: Type | None = None
    count: Expression | None = None
    dims: tuple[Expression | None, ...] = ()
    args: tuple[Expression, ...] = ()
    for child in node.children:
        kind_id = child.kind_id
        if kind_id == _NEW_DECLARATOR:
            count, dims = _new_bounds(lo, child, depth)
        elif kind_id in (ARGUMENTS, INITIALIZER_LIST):
            if target is not None:  # before the type it is the placement
                args = arguments(lo, child, depth + 1) if depth < MAX_DEPTH else ()
        elif child.is_named and kind_id not in (COMMENT, ERROR):
            if target is None:
                target = type_of(lo, child, depth)
            else:
                target = read_declarator(lo, child, target, depth).type
    target = target or plain_type("auto")
    if dims:
        target = replace(target, dims=dims)
    stars = lo.source.new_pointers.get(node.start_byte)
    if stars:
        target = replace(target, pointers=target.pointers + stars)
    return New(line, target, count, args)


def _new_bounds(
    lo: Lowering, node: Node | None, depth: int
) -> tuple[Expression | None, tuple[Expression | None, ...]]:
    """The number of elements in ``new T[n][4]``, and the bounds of each."""
    bounds: list[Expression | None] = []
    while node is not None:
        named = [c for c in node.named_children if c.kind_id not in (COMMENT, ERROR)]
        inner = next((c for c in named if c.kind_id == _NEW_DECLARATOR), None)
        sizes = [c for c in named if c.kind_id != _NEW_DECLARATOR]
        bounds.append(expression(lo, sizes[0], depth) if sizes else None)
        node = inner
    return bounds[0], tuple(bounds[1:])

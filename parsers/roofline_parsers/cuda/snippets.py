"""Expressions parsed on their own: from pragmas, macros and declarations that are none."""

from __future__ import annotations

from pathlib import Path

from roofline_core.program.expressions import Call, Expression, Unknown
from roofline_parsers.cuda.directive_forms import DirectiveForms
from roofline_parsers.cuda.grammar import DECLARATION, INIT_DECLARATOR, Node
from roofline_parsers.cuda.lowering import Lowering, expression
from roofline_parsers.cuda.source import ParserInput


def parse_expression(text: str, line: int = 0) -> Expression:
    """The expression that ``text`` is, on ``line``; ``Unknown`` if it is none."""
    source = _source(" ".join(text.split()), line, Path())
    node = _initializer(source.parse().root_node)
    if node is None:
        return Unknown(line, text)
    return expression(Lowering(source, set(), set()), node, 0)


def parse_arguments(lo: Lowering, node: Node, depth: int) -> tuple[Expression, ...] | None:
    """The arguments that ``(a * b, c)``, taken for parameters, are; None if they cannot be read.

    What ``lo`` knows about names is known here.
    """
    source = _source("f" + lo.text(node), lo.line_of(node), lo.source.path, lo.source.directives)
    value = _initializer(source.parse().root_node)
    if value is None:
        return None
    inner = Lowering(source, lo.types, lo.values, lo.prefix)
    inner.local_types = lo.local_types
    inner.local_values = lo.local_values
    inner.problems = lo.problems
    call = expression(inner, value, depth)
    return call.args if isinstance(call, Call) else None


def _source(
    text: str, line: int, path: Path, directives: DirectiveForms | None = None
) -> ParserInput:
    raw = b"int x = " + text.encode() + b";"
    return ParserInput(path, raw, raw, first_line=line, directives=directives)


def _initializer(root: Node) -> Node | None:
    children = root.children
    if root.has_error or len(children) != 1 or children[0].kind_id != DECLARATION:
        return None
    declarators = [c for c in children[0].children if c.kind_id == INIT_DECLARATOR]
    return declarators[0].children[-1] if len(declarators) == 1 else None

"""Expressions that stand alone: in a pragma, a macro's replacement text, a command line."""

from __future__ import annotations

from pathlib import Path

from roofline_lsp.kernel.expressions import Expression, Unknown
from roofline_lsp.parsers.cuda.grammar import DECLARATION, INIT_DECLARATOR, Node
from roofline_lsp.parsers.cuda.lowering import Lowering, expression
from roofline_lsp.parsers.cuda.source import SourceText


def parse_expression(text: str, line: int = 0) -> Expression:
    """The expression that ``text`` is, on ``line``; ``Unknown`` if it is none."""
    raw = b"int x = " + " ".join(text.split()).encode() + b";"
    source = SourceText(Path(), raw, raw, first_line=line)
    node = _initializer(source.parse().root_node)
    return (
        Unknown(line, text) if node is None else expression(Lowering(source, set(), set()), node, 0)
    )


def _initializer(root: Node) -> Node | None:
    children = root.children
    if root.has_error or len(children) != 1 or children[0].kind_id != DECLARATION:
        return None
    declarators = [c for c in children[0].children if c.kind_id == INIT_DECLARATOR]
    return declarators[0].children[-1] if len(declarators) == 1 else None

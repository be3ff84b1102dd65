"""Parts of a text that may be left out, or give way to a part of themselves.

What remains need not compile; it is for a search for the smallest text that still does something.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tree_sitter import Node

from roofline_parsers.cuda.grammar import parse

_LISTS: Final = frozenset((
    "translation_unit", "declaration_list", "field_declaration_list", "compound_statement",
    "case_statement", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif",
    "linkage_specification",
))  # fmt: skip
"""Nodes whose named children stand one after the other."""
_BLOCK: Final = "compound_statement"
_NAMES: Final = frozenset(("identifier", "namespace_identifier", "type_identifier"))
_PARTS: Final = {
    "if_statement": ("consequence", "alternative"),
    "for_statement": ("body",),
    "while_statement": ("body",),
    "do_statement": ("body",),
    "conditional_expression": ("consequence", "alternative"),
    "binary_expression": ("left", "right"),
    "parenthesized_expression": (),
    "cast_expression": ("value",),
    "unary_expression": ("argument",),
}
"""Nodes that may give way to these fields of theirs; without any, to their only named child."""


class Cut(NamedTuple):
    """The bytes of a text from ``start`` to ``end``, and what may stand in their place."""

    start: int
    end: int
    put: bytes = b""


def removable(text: bytes) -> tuple[tuple[Cut, ...], ...]:
    """Declarations and statements by depth, the outermost first; those of one depth are disjoint.

    Raises ParseBudgetError.
    """
    levels: dict[int, list[Cut]] = {}
    for node, depth in _nodes(parse(text).root_node):
        parent = node.parent
        if parent is None or parent.type not in _LISTS or not node.is_named:
            continue
        if node.type not in _NAMES and node.type != "comment":
            levels.setdefault(depth, []).append(Cut(node.start_byte, node.end_byte))
    return tuple(tuple(levels[depth]) for depth in sorted(levels))


def replaceable(text: bytes) -> tuple[Cut, ...]:
    """Statements and expressions with a part that may stand for the whole.

    A block in a block may be what it holds, and ``else`` may go with what it does. That which
    leaves out most comes first. Raises ParseBudgetError.
    """
    found = [cut for node, _ in _nodes(parse(text).root_node) for cut in _replacements(text, node)]
    return tuple(sorted(found, key=lambda cut: (cut.start + len(cut.put) - cut.end, cut.start)))


def applied(text: bytes, cuts: tuple[Cut, ...]) -> bytes:
    """The text with disjoint cuts made."""
    pieces: list[bytes] = []
    end = 0
    for cut in sorted(cuts):
        pieces += (text[end : cut.start], cut.put)
        end = cut.end
    return b"".join((*pieces, text[end:]))


def errors_in(text: bytes) -> int:
    """How many places of a text the grammar cannot read. Raises ParseBudgetError."""
    nodes = (node for node, _ in _nodes(parse(text).root_node))
    return sum(node.is_error or node.is_missing for node in nodes)


def _nodes(root: Node) -> Iterator[tuple[Node, int]]:
    """All nodes, each before its children, with how many lists they stand in."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        inner = depth + (node.type in _LISTS)
        waiting += [(child, inner) for child in reversed(node.children)]


def _replacements(text: bytes, node: Node) -> Iterator[Cut]:
    if node.type == "else_clause":
        yield Cut(node.start_byte, node.end_byte)
    if node.type == _BLOCK and node.parent is not None and node.parent.type == _BLOCK:
        inside = text[node.start_byte + 1 : node.end_byte - 1]
        yield Cut(node.start_byte, node.end_byte, inside.strip())
    fields = _PARTS.get(node.type)
    if fields is None:
        return
    parts = [node.child_by_field_name(name) for name in fields]
    if not fields and len(node.named_children) == 1:
        parts = [node.named_children[0]]
    for part in parts:
        if part is not None:
            inner = part.named_children[-1:] if part.type == "else_clause" else [part]
            for each in inner:
                put = text[each.start_byte : each.end_byte]
                yield Cut(node.start_byte, node.end_byte, put)

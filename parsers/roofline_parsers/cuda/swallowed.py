"""Parsing a part of a file on its own, and functions that stand inside others."""

from __future__ import annotations

from bisect import bisect_right

from roofline_core.program.records import record
from roofline_parsers.cuda.found import FunctionExtent, ScanResult
from roofline_parsers.cuda.grammar import (
    COMPOUND,
    ERROR,
    FUNCTION,
    FUNCTION_DECLARATOR,
    TEMPLATE,
    Node,
    ParseBudget,
    Tree,
    parse,
)
from roofline_parsers.cuda.pieces import Pieces
from roofline_parsers.cuda.scan import Scan
from roofline_parsers.cuda.scopes import DeclarationScope
from roofline_parsers.cuda.source import ParserInput


@record(frozen=True, slots=True)
class PieceScan:
    """The declarations of a part of the text."""

    found: ScanResult
    extents: list[FunctionExtent]
    """The functions' extents, in offsets of the whole text."""
    broken: bool
    """Whether the part has errors of its own."""


def read_piece(scan: Scan, pieces: Pieces, begin: int, end: int, budget: ParseBudget) -> PieceScan:
    """Parses and scans a part of the text, closing the braces that it leaves open.

    Raises ParseBudgetError where ``budget`` is spent.
    """
    whole = scan.source
    row = bisect_right(whole.line_starts, begin) - 1
    column = begin - whole.line_starts[row]
    source = ParserInput(
        whole.path,
        whole.source,
        b" " * column + pieces.balanced(begin, end),
        whole.changed_lines,
        whole.macros,
        row + whole.first_line,
        whole.dialect,
        whole.directives,
    )
    shift = begin - column
    inner = Scan(source, scan.known)
    tree = source.tree = parse(source.text, budget=budget)
    inner.read_all(tree.root_node.children, DeclarationScope(pieces.prefix(begin)), 0)
    inner.read_local_classes(tree)
    recover_swallowed(inner, tree, pieces, shift)
    extents = [
        FunctionExtent(e.start + shift, e.body + shift, e.end + shift, e.function, e.scope)
        for e in inner.extents
    ]
    return PieceScan(inner.found, extents, tree.root_node.has_error)


def recover_swallowed(scan: Scan, tree: Tree, pieces: Pieces, shift: int = 0) -> None:
    """Reads functions that stand inside another's body, where a brace is missing.

    ``shift`` is what to add to the tree's offsets to get those of ``pieces``.
    """
    stack: list[tuple[Node, bool]] = [(tree.root_node, False)]
    while stack:
        node, in_body = stack.pop()
        for child in node.children:
            inside = in_body or child.kind_id == COMPOUND
            if in_body and _is_function(child):
                start = _templated(child).start_byte
                if not any(e.start <= start < e.body for e in scan.extents):
                    scan.read_all(
                        [child], DeclarationScope(pieces.prefix(child.start_byte + shift)), 0
                    )
            if child.has_error or child.kind_id == ERROR:
                stack.append((child, inside))


def _is_function(node: Node) -> bool:
    """Whether a node is a function's definition, perhaps a template, and no use of a macro."""
    node = _templated(node)
    return node.kind_id == FUNCTION and node.children[0].kind_id != FUNCTION_DECLARATOR


def _templated(node: Node) -> Node:
    """The declaration after ``template <...>``."""
    for _ in range(8):
        if node.kind_id != TEMPLATE:
            break
        node = node.children[-1]
    return node

"""Functions that a syntax error hid from the scan."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from roofline_lsp.kernel.program import Problem, Severity
from roofline_lsp.parsers.cuda.found import Extent, Found
from roofline_lsp.parsers.cuda.grammar import (
    COMPOUND,
    ERROR,
    FUNCTION,
    FUNCTION_DECLARATOR,
    TEMPLATE,
    Node,
    Tree,
)
from roofline_lsp.parsers.cuda.pieces import GLOBAL, Pieces
from roofline_lsp.parsers.cuda.scan import Scan
from roofline_lsp.parsers.cuda.scopes import Scope
from roofline_lsp.parsers.cuda.source import SourceText

_TEMPLATE_BEFORE = re.compile(rb"\btemplate\s*<[^;{}]*[^;{}\s<][^;{}]*>\s*$")
_LOOK_BACK = 400
"""Bytes before ``__global__`` in which its ``template <...>`` may stand."""


def recover(scan: Scan, tree: Tree) -> list[Problem]:
    """Adds to the scan the functions that errors hid; problems name the kernels still lost."""
    broken = tree.root_node.has_error
    text = scan.source.text
    if not broken and all(_is_read(scan, match.start()) for match in GLOBAL.finditer(text)):
        return []
    pieces = Pieces(text)
    if broken:
        _forget_untemplated(scan)
    problems = []
    for anchor in pieces.anchors if broken else sorted(pieces.kernels):
        if not pieces.is_definition(anchor) or _is_found(scan, tree, pieces, anchor):
            continue
        if not _reparse(scan, pieces, anchor) and anchor in pieces.kernels:
            message = "a kernel starts here but could not be read"
            line = _line(scan, anchor)
            problems.append(Problem(Severity.ERROR, message, scan.source.path, line))
    if broken:
        _recover_swallowed(scan, tree, pieces)
    return problems


def _recover_swallowed(scan: Scan, tree: Tree, pieces: Pieces, shift: int = 0) -> None:
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
                    scan.read_all([child], Scope(pieces.prefix(child.start_byte + shift)), 0)
            if child.has_error or child.kind_id == ERROR:
                stack.append((child, inside))


def _is_function(node: Node) -> bool:
    """Whether a node is a function's definition, perhaps a template, and no use of a macro."""
    node = _templated(node)
    return node.kind_id == FUNCTION and node.children[0].kind_id != FUNCTION_DECLARATOR


def _templated(node: Node) -> Node:
    """What stands after ``template <...>``."""
    for _ in range(8):
        if node.kind_id != TEMPLATE:
            break
        node = node.children[-1]
    return node


def _forget_untemplated(scan: Scan) -> None:
    """Drops kernels that an error cut off from their ``template <...>``: they count as lost."""
    for extent in list(scan.extents):
        if extent.function.is_kernel and not extent.scope.own_lists:
            before = scan.source.text[max(0, extent.start - _LOOK_BACK) : extent.start]
            if _TEMPLATE_BEFORE.search(before):
                scan.extents.remove(extent)
                scan.found.functions = [f for f in scan.found.functions if f is not extent.function]


def _line(scan: Scan, offset: int) -> int:
    return bisect_right(scan.source.line_starts, offset) - 1 + scan.source.first_line


def _is_read(scan: Scan, offset: int) -> bool:
    """Whether an offset stands in the header of a function or kernel that was found."""
    if any(extent.start <= offset < extent.body for extent in scan.extents):
        return True
    line = _line(scan, offset)
    methods = (method for struct in scan.found.structs for method in struct.methods)
    return any(m.is_kernel and m.span.line <= line <= m.name_span.line for m in methods)


def _is_found(scan: Scan, tree: Tree, pieces: Pieces, anchor: int) -> bool:
    """Whether the function or class of an anchor was found.

    A header in which another function seems to begin has taken this one in by an error. One whose
    body seems to hold others, or in which the grammar met errors, is left to be read again.
    """
    if anchor in pieces.classes:
        line = _line(scan, anchor)
        return any(struct.line == line for struct in scan.found.structs)
    around = [extent for extent in scan.extents if extent.start <= anchor < extent.body]
    if not around:
        return _is_read(scan, anchor)
    is_kernel = anchor in pieces.kernels
    for extent in around:
        if pieces.first_anchor(extent.start, extent.body) != anchor:
            continue
        if extent.function.is_kernel is not is_kernel or pieces.holds(extent.body, extent.end):
            continue
        node = tree.root_node.descendant_for_byte_range(extent.start, extent.end - 1)
        return node is None or not node.has_error
    return False


def _reparse(scan: Scan, pieces: Pieces, anchor: int) -> bool:
    """Parses what begins at an anchor on its own, closing what is left open.

    Up to the next anchor if it is found so, else up to its closing brace. What was read of it
    before is replaced, unless it has errors on its own too.
    """
    limit = pieces.after(anchor)
    boundary = pieces.boundary(anchor)
    closing = pieces.closing(anchor, limit)
    tried = dict.fromkeys(
        ((boundary, limit), (boundary, closing), (pieces.head(anchor), closing), (anchor, closing))
    )
    old = next(
        (
            extent
            for extent in scan.extents
            if extent.start <= anchor < extent.body
            and pieces.first_anchor(extent.start, extent.body) == anchor
            and extent.function.is_kernel is (anchor in pieces.kernels)
        ),
        None,
    )
    spoiled = old is not None and not pieces.holds(old.body, old.end)
    for begin, end in tried:
        inner = _read_piece(scan, pieces, begin, end)
        if not _has_anchor(inner, pieces, anchor) or (spoiled and inner.broken):
            continue
        if old is not None:
            scan.extents.remove(old)
            scan.found.functions = [f for f in scan.found.functions if f is not old.function]
        _add(scan, inner)
        return True
    return old is not None


@dataclass(frozen=True, slots=True)
class _Piece:
    """What was read of a part of the text."""

    found: Found
    extents: list[Extent]
    """In offsets of the whole text."""
    broken: bool


def _read_piece(scan: Scan, pieces: Pieces, begin: int, end: int) -> _Piece:
    """Parses and scans a part of the text."""
    whole = scan.source
    row = bisect_right(whole.line_starts, begin) - 1
    column = begin - whole.line_starts[row]
    source = SourceText(
        whole.path,
        whole.source,
        b" " * column + pieces.balanced(begin, end),
        whole.changed_lines,
        whole.macros,
        row + whole.first_line,
        whole.dialect,
    )
    shift = begin - column
    inner = Scan(source, scan.known)
    tree = source.parse()
    inner.read_all(tree.root_node.children, Scope(pieces.prefix(begin)), 0)
    inner.read_local_classes(tree)
    _recover_swallowed(inner, tree, pieces, shift)
    extents = [
        Extent(e.start + shift, e.body + shift, e.end + shift, e.function, e.scope)
        for e in inner.extents
    ]
    return _Piece(inner.found, extents, tree.root_node.has_error)


def _has_anchor(piece: _Piece, pieces: Pieces, anchor: int) -> bool:
    """Whether the function or class of an anchor is in a piece."""
    if anchor in pieces.classes:
        return bool(piece.found.structs)
    is_kernel = anchor in pieces.kernels
    return any(
        e.function.is_kernel is is_kernel and e.start <= anchor < e.body for e in piece.extents
    )


def _add(scan: Scan, piece: _Piece) -> None:
    """Adds to a scan what it does not have."""
    functions = {(f.qualified_name, f.span.line) for f in scan.found.functions}
    structs = {(s.qualified_name, s.line) for s in scan.found.structs}
    scan.found.functions += [
        f for f in piece.found.functions if (f.qualified_name, f.span.line) not in functions
    ]
    scan.found.structs += [
        s for s in piece.found.structs if (s.qualified_name, s.line) not in structs
    ]
    scan.extents += piece.extents

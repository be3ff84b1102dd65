"""Kernels that a syntax error hid from the scan."""

from __future__ import annotations

import re
from bisect import bisect_right

from roofline_lsp.kernel.program import Problem, Severity
from roofline_lsp.parsers.cuda.found import Extent
from roofline_lsp.parsers.cuda.grammar import (
    COMMENT,
    COMPOUND,
    ERROR,
    FUNCTION,
    FUNCTION_DECLARATOR,
    TEMPLATE,
    Node,
    Tree,
    kind,
)
from roofline_lsp.parsers.cuda.scan import Scan
from roofline_lsp.parsers.cuda.scopes import Scope
from roofline_lsp.parsers.cuda.source import SourceText

_GLOBAL = re.compile(rb"__global__(?!\w)")
_BRACE = re.compile(
    rb"""[{}]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/""", re.DOTALL
)
_BOUNDARY = re.compile(rb"[;{}]|^[ \t]*#[^\n]*$", re.MULTILINE)
_TEMPLATE_BEFORE = re.compile(rb"\btemplate\s*<[^;{}]*[^;{}\s<][^;{}]*>\s*$")
_HEADER_END = re.compile(rb"[;{]")
_TEXT_KINDS = frozenset(
    [COMMENT, kind("string_content"), kind("raw_string_content"), kind("preproc_arg")]
)
_LOOK_BACK = 400
"""Bytes before ``__global__`` in which its ``template <...>`` may stand."""


def recover(scan: Scan, tree: Tree) -> list[Problem]:
    """Adds to the scan the functions that errors hid; problems name the kernels still lost."""
    if tree.root_node.has_error:
        _recover_swallowed(scan, tree)
        _forget_untemplated(scan)
    lost = _lost_kernels(scan, tree)
    if not lost:
        return []
    problems = []
    for index, start in enumerate(lost):
        if not _is_lost(scan, start):
            continue
        limit = lost[index + 1] if index + 1 < len(lost) else len(scan.source.text)
        following = _GLOBAL.search(scan.source.text, start + 1)
        if following is not None:
            limit = min(limit, following.start())
        if not _is_definition(scan.source.text, start, limit):
            continue
        if not _reparse(scan, start, limit):
            row = bisect_right(scan.source.line_starts, start) - 1
            problems.append(
                Problem(
                    Severity.ERROR,
                    "a kernel starts here but could not be read",
                    scan.source.path,
                    row + scan.source.first_line,
                )
            )
    return problems


def _recover_swallowed(scan: Scan, tree: Tree) -> None:
    """Reads functions that stand inside another's body, where a brace is missing."""
    stack: list[tuple[Node, bool]] = [(tree.root_node, False)]
    while stack:
        node, in_body = stack.pop()
        for child in node.children:
            inside = in_body or child.kind_id == COMPOUND
            if in_body and _is_function(child):
                scan.read_all([child], Scope(), 0)
            if child.has_error or child.kind_id == ERROR:
                stack.append((child, inside))


def _is_function(node: Node) -> bool:
    """Whether a node is a function's definition, perhaps a template, and no use of a macro."""
    for _ in range(8):
        if node.kind_id != TEMPLATE:
            break
        node = node.children[-1]
    return node.kind_id == FUNCTION and node.children[0].kind_id != FUNCTION_DECLARATOR


def _forget_untemplated(scan: Scan) -> None:
    """Drops kernels that an error cut off from their ``template <...>``: they count as lost."""
    for extent in list(scan.extents):
        if extent.function.is_kernel and not extent.scope.own_lists:
            before = scan.source.text[max(0, extent.start - _LOOK_BACK) : extent.start]
            if _TEMPLATE_BEFORE.search(before):
                scan.extents.remove(extent)
                scan.found.functions = [f for f in scan.found.functions if f is not extent.function]


def _lost_kernels(scan: Scan, tree: Tree) -> list[int]:
    """Offsets of ``__global__`` in code that is no found function's header."""
    found = []
    for match in _GLOBAL.finditer(scan.source.text):
        if _is_lost(scan, match.start()):
            leaf = tree.root_node.descendant_for_byte_range(match.start(), match.end())
            if leaf is None or leaf.kind_id not in _TEXT_KINDS:
                found.append(match.start())
    return found


def _is_lost(scan: Scan, offset: int) -> bool:
    return not any(extent.start <= offset < extent.body for extent in scan.extents)


def _is_definition(text: bytes, start: int, limit: int) -> bool:
    """Whether a ``{`` comes before any ``;``: a prototype has nothing to lose."""
    match = _HEADER_END.search(text, start, limit)
    return match is not None and match.group() == b"{"


def _reparse(scan: Scan, start: int, limit: int) -> bool:
    """Parses from one ``__global__`` to the next on its own, closing what is left open."""
    whole = scan.source
    text = whole.text
    begin = start
    for match in _BOUNDARY.finditer(text, max(0, start - _LOOK_BACK), start):
        begin = match.end()
    if begin == start:
        begin = max(0, start - _LOOK_BACK)
    row = bisect_right(whole.line_starts, begin) - 1
    column = begin - whole.line_starts[row]
    piece, closed = _balanced(text[begin:limit])
    source = SourceText(
        whole.path,
        whole.source,
        b" " * column + piece,
        whole.changed_lines,
        whole.macros,
        row + whole.first_line,
        whole.dialect,
    )
    inner = Scan(source, scan.known)
    tree = source.parse()
    inner.run(tree)
    _recover_swallowed(inner, tree)
    shift = begin - column
    kernels = [f for f in inner.found.functions if f.is_kernel]
    if not kernels:
        return False
    taken = {(f.qualified_name, f.span.line) for f in scan.found.functions}
    for function in inner.found.functions:
        if (function.qualified_name, function.span.line) not in taken:
            scan.found.functions.append(function)
    scan.found.structs += inner.found.structs
    for extent in inner.extents:
        start, body, end = (at + shift for at in (extent.start, extent.body, extent.end))
        scan.extents.append(Extent(start, body, end, extent.function, extent.scope))
    return closed or bool(kernels)


def _balanced(piece: bytes) -> tuple[bytes, bool]:
    """The piece with the closing braces that it lacks; whether it lacked none."""
    depth = 0
    for match in _BRACE.finditer(piece):
        if match.group() == b"{":
            depth += 1
        elif match.group() == b"}":
            depth = max(0, depth - 1)
    return piece + b"}" * depth, depth == 0

"""Functions that a syntax error hid from the scan.

Where a bracket is missing the grammar may take the rest of a file into one function. So after an
error the file is also cut where functions seem to begin (``pieces.py``), each piece is parsed on
its own, and what the pieces hold that the scan does not have is added.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from roofline_core.program.units import Problem, Severity
from roofline_parsers.cuda.found import FunctionExtent
from roofline_parsers.cuda.grammar import ParseBudget, ParseBudgetError, Tree
from roofline_parsers.cuda.pieces import GLOBAL, Pieces
from roofline_parsers.cuda.scan import Scan
from roofline_parsers.cuda.swallowed import PieceScan, read_piece, recover_swallowed

_TEMPLATE_BEFORE = re.compile(rb"\btemplate\s*<[^;{}]*[^;{}\s<][^;{}]*>\s*$")
_LOOK_BACK = 400
"""Bytes before ``__global__`` in which its ``template <...>`` may stand."""
_MOST_STEPS = 4_000
"""Steps of the parser that the pieces of one text may take together: a text of 1.6 MB whose macros
the grammar cannot read takes 3,250. A limit on the work: in broken code each step costs five times
what it does elsewhere.
"""


def recover(scan: Scan, tree: Tree) -> list[Problem]:
    """Adds to the scan the functions that errors hid; problems name the kernels still lost."""
    broken = tree.root_node.has_error
    text = scan.source.text
    if not broken and _all_read(scan, [match.start() for match in GLOBAL.finditer(text)]):
        return []
    recovery = _Recovery(scan, Pieces(text))
    if broken:
        _forget_untemplated(scan)
        lost = recovery.add_missing(recovery.pieces.anchors)
        recovery.read_spoiled(tree)
        recover_swallowed(scan, tree, recovery.pieces)
    else:
        lost = recovery.add_missing(sorted(recovery.pieces.kernels))
    message = "a kernel starts here but could not be read"
    path = scan.source.path
    problems = [Problem(Severity.ERROR, message, path, _line(scan, anchor)) for anchor in lost]
    if recovery.gave_up_at is not None:
        message = "too much broken code for one file: what its errors hide is not read from here on"
        line = _line(scan, recovery.gave_up_at)
        problems.append(Problem(Severity.WARNING, message, path, line))
    return problems


class _Recovery:
    """One file's anchors, compared with what its scan found."""

    def __init__(self, scan: Scan, pieces: Pieces) -> None:
        self.scan = scan
        self.pieces = pieces
        self.added: set[int] = set()
        """Anchors of what pieces held."""
        self.gave_up_at: int | None = None
        """The first anchor for which no step was left."""
        self._budget = ParseBudget(_MOST_STEPS)

    def add_missing(self, anchors: list[int]) -> list[int]:
        """Adds what was not found at all; gives the anchors of kernels that are still lost."""
        lost = []
        for anchor in anchors:
            if not self.pieces.is_definition(anchor) or self._is_found(anchor):
                continue
            piece = self._read(anchor, self.pieces.after(anchor))
            if piece is not None:
                self._add(piece)
                self.added.add(anchor)
            elif anchor in self.pieces.kernels:
                lost.append(anchor)
        return lost

    def read_spoiled(self, tree: Tree) -> None:
        """Reads again what has errors or reaches over the next function, up to where that begins.

        What has errors on its own too is left as it is.
        """
        known = [anchor for anchor in self.pieces.anchors if self._is_found(anchor)]
        for anchor in known:
            extent = self._extent(anchor)
            if extent is None:
                continue
            limit = self.pieces.after(anchor, known)
            reaches = extent.end > limit or (
                anchor in self.added and limit != self.pieces.after(anchor)
            )
            if not reaches and (anchor in self.added or not _has_error(tree, extent)):
                continue
            piece = self._read(anchor, limit)
            if piece is not None and (reaches or not piece.broken):
                self.scan.extents.remove(extent)
                functions = self.scan.found.functions
                self.scan.found.functions = [f for f in functions if f is not extent.function]
                self._add(piece)

    def _is_found(self, anchor: int) -> bool:
        """Whether the function or class of an anchor was found."""
        if anchor in self.pieces.classes:
            line = _line(self.scan, anchor)
            return any(struct.line == line for struct in self.scan.found.structs)
        if any(extent.start <= anchor < extent.body for extent in self.scan.extents):
            return self._extent(anchor) is not None
        return _is_read(self.scan, anchor)

    def _extent(self, anchor: int) -> FunctionExtent | None:
        """Where the function of an anchor was found.

        A header in which another function seems to begin has taken this one in by an error.
        """
        return self._owner(self.scan.extents, anchor)

    def _owner(self, extents: list[FunctionExtent], anchor: int) -> FunctionExtent | None:
        is_kernel = anchor in self.pieces.kernels
        for extent in extents:
            if not extent.start <= anchor < extent.body or extent.function.is_kernel != is_kernel:
                continue
            anchors = self.pieces.anchors
            if anchors[bisect_left(anchors, extent.start)] == anchor:
                return extent
        return None

    def _read(self, anchor: int, limit: int) -> PieceScan | None:
        """Parses what begins at an anchor on its own; None if its function is not there."""
        pieces = self.pieces
        is_class = anchor in pieces.classes
        if self.gave_up_at is not None:
            return None
        if not (is_class or anchor in pieces.kernels or pieces.is_named(anchor)):
            return None
        boundary, closing = pieces.boundary(anchor), pieces.closing(anchor, limit)
        head = pieces.head(anchor)
        for begin, end in dict.fromkeys(
            ((boundary, limit), (boundary, closing), (head, closing), (anchor, closing))
        ):
            try:
                piece = read_piece(self.scan, pieces, begin, end, self._budget)
            except ParseBudgetError:
                self.gave_up_at = anchor
                return None
            if piece.found.structs if is_class else self._owner(piece.extents, anchor):
                return piece
        return None

    def _add(self, piece: PieceScan) -> None:
        """Adds what the scan does not have."""
        found = self.scan.found
        functions = {(f.qualified_name, f.span.line) for f in found.functions}
        structs = {(s.qualified_name, s.line) for s in found.structs}
        found.functions += [
            f for f in piece.found.functions if (f.qualified_name, f.span.line) not in functions
        ]
        found.structs += [
            s for s in piece.found.structs if (s.qualified_name, s.line) not in structs
        ]
        self.scan.extents += piece.extents


def _has_error(tree: Tree, extent: FunctionExtent) -> bool:
    node = tree.root_node.descendant_for_byte_range(extent.start, max(extent.start, extent.end - 1))
    return node is not None and node.has_error


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


def _all_read(scan: Scan, offsets: list[int]) -> bool:
    """Whether every offset stands in a header that was found; most are looked up in order."""
    headers = sorted((extent.start, extent.body) for extent in scan.extents)
    starts = [start for start, _ in headers]
    for offset in offsets:
        index = bisect_right(starts, offset) - 1
        if (index < 0 or offset >= headers[index][1]) and not _is_read(scan, offset):
            return False
    return True


def _is_read(scan: Scan, offset: int) -> bool:
    """Whether an offset stands in the header of a function or kernel that was found."""
    if any(extent.start <= offset < extent.body for extent in scan.extents):
        return True
    line = _line(scan, offset)
    methods = (method for struct in scan.found.structs for method in struct.methods)
    return any(m.is_kernel and m.span.line <= line <= m.name_span.line for m in methods)

"""Each line's share of the quantity that decides its kernel's class, for hints and heat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofline_analysis.report.report import KernelReport, LedgerLine
from roofline_core.program.precision import Precision
from roofline_lsp.formats.line_shares import decisive, line_amount
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.text.ridges import NAMES


@dataclass(frozen=True, slots=True)
class LineShare:
    """A line's share of the operations or bytes that its kernel's class rests on."""

    line: int
    """The 1-based line in the current document."""
    resource: str
    """``DRAM`` or a precision: ``INT``."""
    share: float
    """The share, 0 to 1."""
    kernel: KernelReport
    ledger: tuple[LedgerLine, ...]
    """The line's operations and bytes in that kernel."""


def line_shares(view: View) -> list[LineShare]:
    """The lines with a share of what decides the class, in order; edited lines are left out.

    For a line that several kernels run, it is the kernel in which the share is largest.
    """
    found: dict[int, LineShare] = {}
    for kernel in view.report.kernels:
        for share in _of_kernel(kernel, view):
            known = found.get(share.line)
            if known is None or known.share < share.share:
                found[share.line] = share
    return [found[line] for line in sorted(found)]


def _of_kernel(kernel: KernelReport, view: View) -> Iterator[LineShare]:
    lines: dict[int, list[LedgerLine]] = {}
    for entry in kernel.prediction.ledger:
        line = view.line_map.to_new(entry.line) if entry.path == view.report.path else None
        if line is not None:
            lines.setdefault(line, []).append(entry)
    precision = decisive(kernel.prediction, view.analysis.gpu)
    resource = "DRAM" if precision is None else NAMES[precision]
    for line, entries in lines.items():
        share = _share(kernel, entries, precision)
        if share > 0:
            yield LineShare(line, resource, share, kernel, tuple(entries))


def _share(kernel: KernelReport, entries: list[LedgerLine], precision: Precision | None) -> float:
    prediction = kernel.prediction
    whole = prediction.dram_bytes if precision is None else prediction.operations(precision)
    own = sum(line_amount(entry, precision) for entry in entries)
    return min(own / whole, 1.0) if whole else 0.0

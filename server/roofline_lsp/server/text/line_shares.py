"""Each line's share of the quantity that decides its kernel's class, for hints and heat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofline_analysis.report.report import GpuUsed, KernelReport, LedgerLine, Verdict
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.text.ridges import NAMES, line_operations, ridges


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
    resource = _decisive(kernel, view.analysis.gpu)
    for line, entries in lines.items():
        share = _share(kernel, entries, resource)
        if share > 0:
            yield LineShare(line, resource, share, kernel, tuple(entries))


def _decisive(kernel: KernelReport, gpu: GpuUsed) -> str:
    """What decides a kernel's class: bytes, or the operations most above their ridge."""
    found = ridges(kernel.prediction, gpu)
    if kernel.prediction.verdict is Verdict.COMPUTE_BOUND and found:
        return NAMES[found[0].precision]
    return "DRAM"


def _share(kernel: KernelReport, entries: list[LedgerLine], resource: str) -> float:
    prediction = kernel.prediction
    if resource == "DRAM":
        whole = prediction.dram_bytes
        own = sum(entry.dram_read_bytes + entry.dram_write_bytes for entry in entries)
    else:
        precision = next(each for each, name in NAMES.items() if name == resource)
        whole = prediction.operations(precision)
        own = sum(line_operations(entry, precision) for entry in entries)
    return min(own / whole, 1.0) if whole else 0.0

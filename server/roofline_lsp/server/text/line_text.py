"""The hover on a line of a kernel: the line's share of the kernel's work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from roofline_analysis.report.report import GpuUsed, KernelReport, LedgerLine, Verdict
from roofline_core.program.precision import operations_of
from roofline_core.program.units import Dialect
from roofline_core.text.units import scaled
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.text.figures import count, percent
from roofline_lsp.server.text.measured_text import line_heat
from roofline_lsp.server.text.ridges import NAMES, OPERATION_UNITS, ridges

_NUMBER: Final = re.compile(r"[<>]?\d[\d,.]*(?:%| [kMGTPEZY]\b)?")
_SIZES: Final = {prefix: 1000.0**power for power, prefix in enumerate("kMGTPEZY", 1)}


def line_text(
    shares: Iterable[tuple[KernelReport, Sequence[LedgerLine]]], gpu: GpuUsed, style: MarkupStyle
) -> str | None:
    """The cost of one source line in each kernel that runs it; None if it has none."""
    blocks = [_line_block(kernel, lines, gpu, style) for kernel, lines in shares]
    return style.page(*blocks) or None


def share_words(kernel: KernelReport, line: LedgerLine, gpu: GpuUsed) -> str:
    """``15% of INT``: the largest share of a kernel's work on a line; empty where it has none."""
    prediction = kernel.prediction
    shares = [
        (operations_of(line, ridge.precision) / ridge.operations, NAMES[ridge.precision])
        for ridge in ridges(prediction, gpu)
    ]
    if prediction.dram_bytes:
        shares.append((line.dram_bytes / prediction.dram_bytes, "DRAM"))
    # Of equal shares the first, which is nearest to its ridge.
    most, name = max(shares, key=lambda each: round(each[0], 2), default=(0.0, ""))
    return f"{percent(most)} of {name}" if most > 0 else ""


def _line_block(
    kernel: KernelReport, lines: Sequence[LedgerLine], gpu: GpuUsed, style: MarkupStyle
) -> str | None:
    prediction = kernel.prediction
    read, written = (
        sum(line.dram_read_bytes for line in lines),
        sum(line.dram_write_bytes for line in lines),
    )
    shares = [
        (f"{NAMES[precision]} operations", scaled(own, OPERATION_UNITS[precision]), own / whole)
        for precision in (ridge.precision for ridge in ridges(prediction, gpu))
        if (whole := prediction.operations(precision))
        and (own := sum(operations_of(line, precision) for line in lines))
    ]
    moved = prediction.dram_bytes
    if read + written and moved:
        direction = "" if read and written else " read" if read else " written"
        traffic = (
            "DRAM traffic",
            scaled(read + written, "B") + direction,
            (read + written) / moved,
        )
        shares.insert(0 if prediction.verdict is Verdict.BANDWIDTH_BOUND else len(shares), traffic)
    notes = list(dict.fromkeys(note for line in lines for note in line.notes))
    heat = line_heat(kernel.measured, lines) if kernel.measured is not None else None
    if not shares and not notes and heat is None:
        return None
    return style.page(
        _line_answer(shares, kernel, style),
        heat,
        style.table(
            [
                ["This line", "Amount", "Share"],
                *([what, amount, percent(part)] for what, amount, part in shares),
            ]
        )
        if len(shares) > 1
        else None,
        _times(max(line.executions for line in lines), notes, style),
    )


def _line_answer(
    shares: Sequence[tuple[str, str, float]], kernel: KernelReport, style: MarkupStyle
) -> str:
    openmp = kernel.dialect is Dialect.OPENMP
    name = style.prose(f"the {kernel.title}") if openmp else style.code(kernel.base_name)
    if not shares:
        return f"No operations and no DRAM traffic of {name}"
    # The resource that decides comes first, unless the line hardly uses it.
    what, amount, part = next((share for share in shares if share[2] >= 0.01), shares[0])
    return f"{style.bold(f'{percent(part)} of the {what}')} of {name}: {amount}"


def _times(executions: float, notes: Sequence[str], style: MarkupStyle) -> str | None:
    parts = [style.prose(note) for note in _folded(notes)]
    if executions:
        parts.insert(0, f"Runs {count(executions)} times")
    return " · ".join(parts) or None


def _folded(notes: Sequence[str]) -> list[str]:
    """Notes that differ in their number alone as one: ``loop: 2 to 14 trips, unrolled``.

    Loops that are unrolled leave such notes of each of their copies.
    """
    numbers: dict[str, list[str]] = {}
    for note in notes:
        number = _NUMBER.search(note)
        rest = _NUMBER.sub("\0", note, count=1)
        numbers.setdefault(rest, []).append(number[0] if number else "")
    found = []
    for rest, each in numbers.items():
        ordered = sorted(set(each), key=_value)
        many = len(ordered) > 1
        found.append(rest.replace("\0", f"{ordered[0]} to {ordered[-1]}" if many else ordered[0]))
    return found


def _value(number: str) -> float:
    digits = number.strip("<>%").replace(",", "")
    bare, _, prefix = digits.partition(" ")
    return float(bare or 0) * _SIZES.get(prefix, 1.0)

"""Each source line's share of the quantity that its kernel's class rests on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roofline_analysis.report.report import GpuUsed, LedgerLine, Prediction, Verdict
from roofline_core.program.precision import Precision, operations_of


def decisive(prediction: Prediction, gpu: GpuUsed) -> Precision | None:
    """The operations most above their ridge of what is compute-bound; None: DRAM bytes decide."""
    if prediction.verdict is not Verdict.COMPUTE_BOUND:
        return None
    ratios = {}
    for precision, ridge in gpu.ridges.items():
        intensity = prediction.intensity(precision)
        if intensity is not None and ridge:
            ratios[precision] = intensity / ridge
    return max(ratios, key=lambda each: ratios[each], default=None)


def line_amount(line: LedgerLine, precision: Precision | None) -> float:
    """A line's operations of a precision; None: its DRAM bytes."""
    if precision is None:
        return line.dram_bytes
    return operations_of(line, precision)


def shares(prediction: Prediction, gpu: GpuUsed) -> Mapping[tuple[Path, int], float]:
    """By file and line the share, above 0 and at most 1, of what ``decisive`` names."""
    precision = decisive(prediction, gpu)
    whole = prediction.dram_bytes if precision is None else prediction.operations(precision)
    if not whole:
        return {}
    found: dict[tuple[Path, int], float] = {}
    for line in prediction.ledger:
        own = line_amount(line, precision) / whole
        if own > 0:
            key = (line.path, line.line)
            found[key] = min(1.0, found.get(key, 0.0) + own)
    return found

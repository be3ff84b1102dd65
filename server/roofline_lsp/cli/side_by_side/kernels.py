"""One kernel in full: what was predicted beside what was measured, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofline_analysis.report.report import GpuUsed, LedgerLine, Prediction
from roofline_analysis.report.verdict_words import time_in_short
from roofline_core.text.table import aligned
from roofline_core.text.units import (
    UNKNOWN,
    dimensions,
    duration,
    exact,
    percent,
    ratio_text,
    scaled,
)
from roofline_lsp.cli.side_by_side.details import details_lines, launch_lines, place
from roofline_lsp.cli.side_by_side.ridges import ridge_lines
from roofline_study.dataset import MeasuredKernel
from roofline_study.evaluate import EvaluationError
from roofline_study.judge import Judgement
from roofline_study.quantities import COUNTS, measured, predicted

TOP_LINES = 12
"""The most ledger lines, and the most pieces of evidence, that are shown."""

_LABELS = {
    "sp_flops": ("SP operations", ""),
    "dp_flops": ("DP operations", ""),
    "int_ops": ("INT operations", ""),
    "dram_bytes": ("DRAM bytes", "B"),
}
_LEDGER_HEADS = {
    "sp_flops": "SP",
    "dp_flops": "DP",
    "hp_flops": "HP",
    "int_ops": "INT",
    "tensor_flops": "tensor",
    "dram_read_bytes": "read",
    "dram_write_bytes": "written",
}


def matching(rows: Sequence[MeasuredKernel], pattern: str) -> tuple[MeasuredKernel, ...]:
    """The rows with the pattern in their kernel's name or, as ``program:kernel``, in both.

    Raises EvaluationError where there is none.
    """
    found = tuple(row for row in rows if pattern in row.name)
    if not found:
        raise EvaluationError(f"no kernel of the data set has '{pattern}' in its program:kernel")
    return found


def explain(judgement: Judgement, gpu: GpuUsed, *, sources: Path | None = None) -> str:
    """A block of text; paths in it are relative to ``sources`` where they are below it."""
    row, prediction = judgement.row, judgement.prediction
    root = sources / row.program if sources is not None else None
    lines = [row.name, *(f"  {line}" for line in _verdict_lines(judgement))]
    if judgement.failure:
        lines.append(f"  {judgement.failure}")
    args = UNKNOWN if row.args is None else " ".join(row.args) or "none"
    lines.append(
        f"  profiled: grid {dimensions(row.grid)}, block {dimensions(row.block)}, arguments {args}"
    )
    details = judgement.details
    if details is not None:
        lines += [f"  {line}" for line in launch_lines(details, root)]
    lines += ["", *_quantity_table(judgement)]
    lines += ["", *ridge_lines(judgement, gpu)]
    if prediction is not None:
        lines += _unknown_lines(prediction, root)
    if details is not None:
        lines += details_lines(details)
    if prediction is not None:
        lines += _prediction_lines(prediction, root)
    return "\n".join(lines) + "\n"


def _verdict_lines(judgement: Judgement) -> list[str]:
    prediction, verdict = judgement.prediction, judgement.verdict
    shown = verdict.value if verdict is not None else UNKNOWN
    label = judgement.row.label
    text = f"predicted {shown}"
    if label is not None:
        outcome = "RIGHT" if judgement.correct else "WRONG"
        text = f"{outcome}: measured {label.value}, {text}"
    if prediction is None:
        return [text]
    limit = time_in_short(prediction)
    details = [f"time: {limit}"] if limit else []
    details += [
        f"{precision.title} {verdict.value}"
        for precision, verdict in prediction.precision_verdicts.items()
    ]
    details += [prediction.regime] if prediction.regime else []
    if prediction.occupancy is not None:
        details.append(f"occupancy {percent(prediction.occupancy)}")
    first = f"{text} with confidence {prediction.confidence:.2f}"
    return [first, ", ".join(details)] if details else [first]


def _quantity_table(judgement: Judgement) -> list[str]:
    rows = [["", "predicted", "measured", "ratio"]]
    for quantity in COUNTS:
        there, here = measured(judgement, quantity), predicted(judgement, quantity)
        ratio = ratio_text(here / there) if here is not None and there else ""
        if quantity == "time_ns":
            rows.append(["time", duration(here), duration(there), ratio])
            continue
        label, unit = _LABELS[quantity]
        rows.append([label, scaled(here, unit), scaled(there, unit), ratio])
    prediction = judgement.prediction
    if prediction is not None:
        rows.append(["  read", scaled(prediction.dram_read_bytes, "B")])
        rows.append(["  written", scaled(prediction.dram_write_bytes, "B")])
    return aligned(rows, right=(1, 2, 3), indent="  ")


def _unknown_lines(prediction: Prediction, root: Path | None) -> list[str]:
    if not prediction.unknowns:
        return []
    texts = []
    for unknown in prediction.unknowns:
        where = f"  [{place(unknown.path, unknown.line, root)}]" if unknown.path else ""
        assumed = exact(unknown.assumed)
        texts.append(f"    {unknown.name}: {unknown.why}; assumed {assumed}{where}")
    return ["", f"  unknowns ({len(prediction.unknowns)})", *dict.fromkeys(texts)]


def _prediction_lines(prediction: Prediction, root: Path | None) -> list[str]:
    lines = []
    if prediction.ledger:
        total = len(prediction.ledger)
        lines += ["", f"  ledger, largest first ({min(total, TOP_LINES)} of {total} lines)"]
        lines += _ledger_table(prediction.ledger, root)
    if prediction.evidence:
        lines += ["", "  evidence"]
        lines += [
            f"    {place(item.path, item.line, root)}: {item.what}"
            + (f" {scaled(item.amount)}" if item.amount is not None else "")
            for item in prediction.evidence[:TOP_LINES]
        ]
    return lines


def _ledger_table(ledger: Sequence[LedgerLine], root: Path | None) -> list[str]:
    """The lines with the largest share of any one quantity of the kernel."""
    totals = {name: sum(getattr(line, name) for line in ledger) for name in _LEDGER_HEADS}
    used = [name for name in _LEDGER_HEADS if totals[name]]

    def weight(line: LedgerLine) -> float:
        """The line's largest share of the kernel in any quantity; 0 without any."""
        return max((getattr(line, name) / totals[name] for name in used), default=0.0)

    def cell(line: LedgerLine, name: str) -> str:
        """The amount with its unit; a dash for 0."""
        amount = getattr(line, name)
        return scaled(amount, "B" if name.endswith("bytes") else "") if amount else "-"

    rows = [["line", *(_LEDGER_HEADS[name] for name in used), "executions", "notes"]]
    for line in sorted(ledger, key=weight, reverse=True)[:TOP_LINES]:
        amounts = [cell(line, name) for name in used]
        where, notes = place(line.path, line.line, root), "; ".join(line.notes)
        rows.append([where, *amounts, scaled(line.executions), notes])
    return aligned(rows, right=range(1, len(used) + 2), indent="    ")

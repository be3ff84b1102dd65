"""A table of kernels for spreadsheets and notebooks: a line a kernel, unknown numbers empty."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from roofline_analysis.report.report import KernelReport
from roofline_core.program.precision import Precision
from roofline_lsp.formats.paths import shown_path
from roofline_lsp.formats.rounding import rounded
from roofline_lsp.formats.strangers import cell
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult


def render(result: CheckResult, _style: ColourStyle) -> str:
    """Comma-separated with a head; times in nanoseconds, bytes and operations of one launch."""
    rows = [_row(kernel) for file in result.report.files for kernel in file.kernels]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(_row(None)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _row(kernel: KernelReport | None) -> Mapping[str, object]:
    """The cells of a kernel; of None the columns alone."""
    prediction = kernel.prediction if kernel is not None else None
    limit = prediction.time_limit if prediction is not None else None
    names = {
        "path": "" if kernel is None else cell(shown_path(kernel.path)),
        "line": "" if kernel is None else kernel.name_span.line,
        "kernel": "" if kernel is None else cell(kernel.title),
        "dialect": "" if kernel is None else kernel.dialect.value,
        "launches": "" if kernel is None else len(kernel.launches),
    }
    if prediction is None or kernel is None:
        return dict.fromkeys((*names, *_VERDICT, *_COUNTS, "findings"), "")
    verdict = kernel.verdict
    judged = (
        verdict.value if verdict is not None else "",
        _number(prediction.confidence),
        prediction.source.value,
        limit.resource.value if limit is not None else "",
        _number(prediction.time_ns),
        cell(" ".join(prediction.time_depends_on)),
    )
    counts = (
        *(_number(prediction.operations(each)) for each in Precision),
        _number(prediction.dram_bytes),
        _number(prediction.dram_read_bytes),
        _number(prediction.dram_write_bytes),
        *(_number(prediction.intensity(each)) for each in Precision),
        _number(prediction.occupancy),
    )
    return {
        **names,
        **dict(zip(_VERDICT, judged, strict=True)),
        **dict(zip(_COUNTS, counts, strict=True)),
        "findings": cell(" ".join(dict.fromkeys(each.code for each in kernel.findings))),
    }


_VERDICT = ("class", "confidence", "source", "time_goes_to", "time_ns", "time_depends_on")
_COUNTS = (
    *(f"{each.value}_{'ops' if each is Precision.INT else 'flops'}" for each in Precision),
    "dram_bytes",
    "dram_read_bytes",
    "dram_write_bytes",
    *(f"{each.value}_ai" for each in Precision),
    "occupancy",
)


def _number(value: float | None) -> float | int | str:
    number = rounded(value)
    return "" if number is None else number

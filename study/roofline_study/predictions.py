"""Predictions written as a CSV table, one row per kernel, and read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from roofline_analysis.report.report import Verdict
from roofline_core.program.errors import RooflineError
from roofline_core.text.units import exact
from roofline_study.breakdown import status_of
from roofline_study.judge import Judgement
from roofline_study.quantities import COUNTS

PREDICTION_COLUMNS = (
    "program", "kernel", "label", "predicted", "confidence", *COUNTS, "notes", "assumed", "gpu",
)  # fmt: skip
"""The columns of the file. An unknown value is an empty cell; ``assumed`` holds a ``Status``."""

_NEEDED = ("program", "kernel", "predicted", *COUNTS)


class PredictionsError(RooflineError):
    """A file of predictions that cannot be read; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """One row of the table: the prediction for a kernel."""

    verdict: Verdict | None
    counts: Mapping[str, float | None]
    """The predicted counts by name of ``COUNTS``; None if unknown."""


def as_csv(judgements: tuple[Judgement, ...]) -> str:
    """One row per kernel in the data set's order, under ``PREDICTION_COLUMNS``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(PREDICTION_COLUMNS)
    for item in judgements:
        writer.writerow(_row(item))
    return out.getvalue()


def read_predictions(path: Path) -> dict[str, Predicted]:
    """The rows of a table by ``key_of`` their names, as ``as_csv`` wrote them, now or earlier.

    Of several launches of a kernel on one GPU the last one is kept.

    Raises PredictionsError: the file cannot be read, a column is missing or a value is no number.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
            if missing:
                raise PredictionsError(f"{path}:1: the header lacks the column '{missing[0]}'")
            return {
                key_of(f"{row['program']}:{row['kernel']}", row.get("gpu")): _read(
                    path, reader, row
                )
                for row in reader
            }
    except OSError as error:
        raise PredictionsError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise PredictionsError(f"{path}: not valid CSV: {error}") from None


def key_of(name: str, gpu: str | None) -> str:
    """What a kernel is found by: ``program:kernel``, after the GPU where rows name theirs."""
    return f"{gpu}:{name}" if gpu else name


def _row(item: Judgement) -> list[str]:
    prediction, verdict = item.prediction, item.verdict
    notes = [item.failure] if item.failure else []
    if prediction is not None:
        notes += [
            f"assumed {unknown.name} = {exact(unknown.assumed)} ({unknown.why})"
            for unknown in prediction.unknowns
        ]
    counts = [getattr(prediction, name) if prediction is not None else None for name in COUNTS]
    return [
        item.row.program,
        item.row.kernel,
        "" if item.row.label is None else item.row.label.value,
        verdict.value if verdict is not None else "",
        f"{prediction.confidence:.4f}" if prediction is not None else "",
        *("" if count is None else f"{count:.10g}" for count in counts),
        "; ".join(notes),
        status_of(item).value,
        item.row.gpu or "",
    ]


def _read(path: Path, reader: csv.DictReader[str], row: Mapping[str, str | None]) -> Predicted:
    try:
        verdict = Verdict(text) if (text := row["predicted"]) else None
        counts = {name: float(text) if (text := row[name]) else None for name in COUNTS}
    except ValueError as error:
        raise PredictionsError(f"{path}:{reader.line_num}: {error}") from None
    return Predicted(verdict, counts)

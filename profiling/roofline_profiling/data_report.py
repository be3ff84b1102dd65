"""A validation as JSON and as CSV, for programs; docs/measurements.md lists the keys."""

from __future__ import annotations

import csv
import io
import json
import math

from roofline_analysis.report.report import Verdict
from roofline_profiling.error_terms import TERMS
from roofline_profiling.measurement import CLASSED, Measurement
from roofline_profiling.text_report import note_of
from roofline_profiling.validate import LaunchComparison, Validation
from roofline_study import json_report

_INTENSITIES = tuple(f"{precision.value}_ai" for precision in CLASSED)
QUANTITIES = (*TERMS, *_INTENSITIES)

CSV_COLUMNS = (
    "program", "kernel", "gpu", "args", "grid", "block",
    "measured_class", "predicted_class", "right", "stale", "emulated", "deciding", "off",
    *(f"{kind}_{name}" for name in QUANTITIES for kind in ("measured", "predicted", "ratio")),
    "note", "origin",
)  # fmt: skip

Row = dict[str, object]


def as_json(validation: Validation) -> str:
    """Every launch, and under ``evaluation`` what ``evaluate --format json`` prints of them."""
    evaluated = validation.evaluation
    content = {
        "tool": "roofline-lsp --validate",
        "gpu": {"name": validation.gpu.name, "clock": validation.gpu.clock},
        "accuracy": validation.accuracy,
        "launches": [_launch(each) for each in validation.comparisons],
        "problems": list(validation.problems),
        "evaluation": (
            json.loads(json_report.as_json(evaluated)) if evaluated.judgements else None
        ),
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(validation: Validation) -> str:
    """One row per launch under ``CSV_COLUMNS``; an unknown value is an empty cell."""
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for comparison in validation.comparisons:
        row = _identity(comparison)
        for name, values in _quantities(comparison).items():
            row |= {f"{kind}_{name}": value for kind, value in values.items()}
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return out.getvalue()


def _launch(comparison: LaunchComparison) -> Row:
    return {**_identity(comparison), "quantities": _quantities(comparison)}


def _identity(comparison: LaunchComparison) -> Row:
    launch, gap = comparison.measurement, comparison.gap
    return {
        "program": launch.program,
        "kernel": launch.kernel,
        "gpu": launch.gpu,
        "args": None if launch.args is None else " ".join(launch.args),
        "grid": launch.grid,
        "block": launch.block,
        "measured_class": _class(comparison.measured),
        "predicted_class": _class(comparison.predicted),
        "right": comparison.right,
        "stale": comparison.stale,
        "emulated": launch.emulated,
        "deciding": gap.deciding.value if gap is not None and gap.deciding is not None else None,
        "off": gap.off if gap is not None else None,
        "note": note_of(comparison) or None,
        "origin": launch.origin,
    }


def _quantities(comparison: LaunchComparison) -> dict[str, Row]:
    """By name: the measured and the predicted number, and predicted over measured."""
    found: dict[str, Row] = {}
    for name in QUANTITIES:
        there, here = _measured(comparison.measurement, name), _predicted(comparison, name)
        ratio = here / there if here is not None and there else None
        found[name] = {"measured": there, "predicted": here, "ratio": _finite(ratio)}
    return found


def _measured(launch: Measurement, name: str) -> float | None:
    if name in _INTENSITIES:
        return _finite(launch.intensity(CLASSED[_INTENSITIES.index(name)]))
    value = launch.moved_bytes if name == "dram_bytes" else getattr(launch, name)
    return _finite(value)


def _predicted(comparison: LaunchComparison, name: str) -> float | None:
    prediction = comparison.prediction
    if prediction is None:
        return None
    if name in _INTENSITIES:
        return _finite(prediction.intensity(CLASSED[_INTENSITIES.index(name)]))
    return _finite(getattr(prediction, name))


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _class(verdict: Verdict | None) -> str | None:
    return verdict.value if verdict is not None else None


def _cell(value: object) -> object:
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else value

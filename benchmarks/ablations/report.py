"""The table, as text, Markdown or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from ablations.figures import SHARES, Worth, pairs_of, time_error
from ablations.model import Unswitched
from ablations.running import ProgramOutcome
from ablations.scoring import FOLDS, Row, languages
from ablations.table import lines_named
from roofline_core.text.table import aligned
from roofline_study.dataset import MeasuredKernel
from roofline_study.metrics import Confusion, quantity_error

Outcomes = Mapping[str, ProgramOutcome]
Format = Callable[[Sequence[Row], Sequence[Unswitched], Outcomes, Sequence[MeasuredKernel]], str]

_NAMES: Final = {"cuda": "CUDA", "omp": "OpenMP", "all": "both"}
_NOTE: Final = (
    "Figures with the heuristic less those without it. + is better with it, but for lines, asked,"
    " programs and CPU s; * marks a difference whose 95% interval leaves out 0."
)
_LEGEND: Final[Mapping[str, str]] = {
    "heuristic": "what is switched off: a module of the analysis, or a function or constant of one",
    "without it": "what the analysis does instead",
    "lines": "lines of code that would go with it, comments included",
    "asked": "times that the analysis of these programs came to it",
    "programs": "programs in which it made a difference to any number; only they were judged anew",
    "BA": "balanced accuracy of the class, in percentage points",
    "classes": "kernels whose class is right with it alone (+), and without it alone (-)",
    "SP, DP, INT 10%": "share of the kernels with such operations whose number of them is predicted"
    " within 10% of the measured one, in points",
    "bytes 2x": "share of the kernels whose DRAM bytes are predicted within twice or half",
    "log error": "by how much it lowers the mean |ln(predicted / measured)| of operations and"
    " bytes, in hundredths: 1 is 1% nearer",
    "time": "by how much it lowers the median error of the time, in points",
    "CPU s": "seconds of processor time that it adds to the judging of all programs; of a loaded"
    " machine, so that less than 10 mean nothing",
    "held out": "BA both, where other programs decide whether the heuristic is kept, and of ten"
    " such decisions how many kept it",
}


def as_text(
    rows: Sequence[Row],
    unswitched: Sequence[Unswitched],
    base: Outcomes,
    measured: Sequence[MeasuredKernel],
) -> str:
    """Columns of plain text."""
    table = [_header(measured), *(_cells(row) for row in rows)]
    lines = aligned(table, right=range(2, len(table[0])))
    lines += ["", *(f"{each.name}: {_without(each)}" for each in unswitched)]
    lines += ["", *(f"{head}: {what}" for head, what in _LEGEND.items())]
    return "\n".join([_baseline(base, measured), _NOTE, "", *lines]) + "\n"


def as_markdown(
    rows: Sequence[Row],
    unswitched: Sequence[Unswitched],
    base: Outcomes,
    measured: Sequence[MeasuredKernel],
) -> str:
    """A table of Markdown."""
    header = _header(measured)
    body = [header, ["---", "---", *["--:"] * (len(header) - 2)], *(_cells(row) for row in rows)]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in body]
    lines += ["", *(f"- `{each.name}`: {_without(each)}" for each in unswitched)]
    legend = [f"- **{head}**: {what}" for head, what in _LEGEND.items()]
    return "\n".join([_baseline(base, measured), "", _NOTE, "", *legend, "", *lines]) + "\n"


def as_json(
    rows: Sequence[Row],
    unswitched: Sequence[Unswitched],
    base: Outcomes,
    measured: Sequence[MeasuredKernel],
) -> str:
    """Everything, intervals included; worths are shares, not points."""
    found = [
        {
            **asdict(row),
            "switch": {"name": row.switch.name, "instead": row.switch.instead},
            "targets": [each.target for each in row.switch.replacements],
        }
        for row in rows
    ]
    made: dict[str, Any] = {
        "baseline": _figures(base, measured),
        "switches": found,
        "unswitched": [asdict(each) for each in unswitched],
    }
    return json.dumps(made, indent=2) + "\n"


FORMATS: Final[Mapping[str, Format]] = {
    "text": as_text,
    "markdown": as_markdown,
    "json": as_json,
}


def _header(measured: Sequence[MeasuredKernel]) -> list[str]:
    return [
        *("heuristic", "without it", "lines", "asked", "programs"),
        *(f"BA {_NAMES.get(name, name)}" for name in languages(measured)),
        *(
            "classes",
            "SP 10%",
            "DP 10%",
            "INT 10%",
            "bytes 2x",
            "log error",
            "time",
            "CPU s",
            "held out",
        ),
    ]


def _cells(row: Row) -> list[str]:
    held = row.cross_validated
    failed = f", {len(row.failed)} failed" if row.failed else ""
    return [
        row.switch.name,
        row.switch.instead + failed,
        str(row.lines),
        f"{row.calls:,}" if row.calls else "never",
        str(row.programs),
        *(_points(worth) for worth in row.balanced_accuracy.values()),
        f"+{row.verdicts.better} -{row.verdicts.worse}",
        *(_points(row.shares[name]) for name in SHARES),
        _points(row.counts),
        _signed(row.time_error, 1),
        _signed(-row.cpu_s, 0),
        f"{_points(Worth(held.gain, None))} ({held.kept}/{FOLDS})",
    ]


def _points(worth: Worth) -> str:
    if worth.value is None:
        return "none"
    return _signed(100 * worth.value, 2) + ("*" if worth.clear else "")


def _signed(number: float, digits: int) -> str:
    text = f"{number:+.{digits}f}"
    return "0" if float(text) == 0 else text


def _without(each: Unswitched) -> str:
    return f"not switchable ({lines_named(each.module)} lines): {each.why}"


def _figures(base: Outcomes, measured: Sequence[MeasuredKernel]) -> dict[str, Any]:
    """Of the run with nothing switched off."""
    pairs = pairs_of(base, {}, measured)
    balanced = {
        name: Confusion.of(
            (pair.row.label, pair.with_it.verdict)
            for pair in pairs
            if name in ("all", pair.row.language)
        ).balanced_accuracy
        for name in languages(measured)
    }
    errors = {
        quantity: quantity_error(
            [(float(getattr(p.row, quantity)), p.with_it.counts[quantity]) for p in pairs]
        )
        for quantity in ("sp_flops", "dp_flops", "int_ops", "dram_bytes")
    }
    return {
        "kernels": len(pairs),
        "programs": len(base),
        "balanced_accuracy": balanced,
        "sp_within_10_percent": errors["sp_flops"].within_10_percent,
        "dp_within_10_percent": errors["dp_flops"].within_10_percent,
        "int_within_10_percent": errors["int_ops"].within_10_percent,
        "bytes_within_2x": errors["dram_bytes"].within_2x,
        "time_error": time_error(pairs, with_it=True),
        "cpu_s": sum(outcome.cpu_s for outcome in base.values()),
    }


def _baseline(base: Outcomes, measured: Sequence[MeasuredKernel]) -> str:
    held = _figures(base, measured)
    balanced = ", ".join(
        f"{_NAMES.get(name, name)} {_share(value)}"
        for name, value in held["balanced_accuracy"].items()
    )
    return (
        f"{held['kernels']} kernels of {held['programs']} programs, nothing switched off:"
        f" balanced accuracy {balanced};"
        f" SP within 10% {_share(held['sp_within_10_percent'])},"
        f" DP within 10% {_share(held['dp_within_10_percent'])},"
        f" INT within 10% {_share(held['int_within_10_percent'])},"
        f" bytes within 2x {_share(held['bytes_within_2x'])};"
        f" median error of time {held['time_error']:.0f}%; {held['cpu_s']:.0f} s of CPU time"
    )


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"

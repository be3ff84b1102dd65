"""Records as JSON: what comes back equals what was encoded, and a text can name nothing else."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from roofline_analysis.api import analyze_paths
from roofline_analysis.report.report import FileReport
from roofline_core.program.units import Problem, Severity, Span
from roofline_core.settings import Settings
from roofline_lsp.batch.record_json import DamagedError, RecordJson

EXAMPLES = Path(__file__).parents[2] / "examples"
REPORTS = RecordJson(FileReport)


def test_reports_come_back_equal() -> None:
    settings = Settings(gpu="A100", what_if=("H100", "MI300X"))
    paths = sorted(EXAMPLES.rglob("*.c[uplh]*"))
    reports = list(analyze_paths(paths, settings))
    assert sum(len(report.kernels) for report in reports) > 12
    assert any(kernel.findings for report in reports for kernel in report.kernels)
    for report in reports:
        text = REPORTS.encoded(report)
        back = REPORTS.decoded(text)
        assert back == report
        assert repr(back) == repr(report)  # types too: 1 is not 1.0
        assert REPORTS.encoded(back) == text


@pytest.mark.parametrize(
    "message", ["", "\0\x1b[31m", "\ud800 half a character", 'quotes " and \\', "[4]", "é" * 1000]
)
def test_any_text_comes_back(message: str) -> None:
    problem = Problem(Severity.WARNING, message, Path("a/../ä.cu"), 3)
    assert REPORTS.decoded(REPORTS.encoded(problem)) == problem


@pytest.mark.parametrize("number", [0.1 + 0.2, 5e-324, 1.7e308, math.inf, -math.inf, -0.0, 2**70])
def test_any_number_comes_back(number: float) -> None:
    back = REPORTS.decoded(REPORTS.encoded((number,)))
    assert repr(back) == repr((number,))


def test_what_is_no_number_comes_back() -> None:
    (back,) = REPORTS.decoded(REPORTS.encoded((math.nan,)))
    assert math.isnan(back)


def test_what_is_no_record_is_not_encoded() -> None:
    with pytest.raises(TypeError, match="a value of object has no place in a record"):
        REPORTS.encoded((object(),))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[",
        "[99999]",
        "[-1]",
        '["os.system", "true"]',
        "[4]",
        "[4, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
        "[[]]",
        "[2, 1]",
        "[2, [0, 1, 2, 3]]",
        "[1]",
        "[1, [0]]",
        "[" * 100_000,
        "[0, " * 900 + "1" + "]" * 900,
    ],
)
def test_damage_is_told_as_such(text: str) -> None:
    try:
        REPORTS.decoded(text)
    except DamagedError:
        return
    assert text.startswith("[0, ")  # deep, but a value


def test_a_text_names_no_class_that_was_not_given() -> None:
    spans = RecordJson(Span)
    number = json.loads(REPORTS.encoded(Problem(Severity.NOTE, "x", Path())))[0]
    assert number > 4
    with pytest.raises(DamagedError):
        spans.decoded(f"[{number}, 1]")

"""Expressions within expressions cost as much as there are of them, and no text exhausts the stack.

How much is evaluated is counted: a walk of a kernel that evaluates its expressions again at each
level reaches the limit, and says so.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.device.interpreter import expressions
from roofline_analysis.report.report import FileReport
from roofline_core.program.units import Severity
from roofline_core.settings import Settings
from roofline_lsp import analyze

from .texts import FORMS, in_kernel, nested, nested_on_host, runs

DEPTH = 22
MOST_EXPRESSIONS = 20_000
"""Twice at each of 22 levels would be 4 million."""


def report_of(text: str) -> FileReport:
    path = Path("/none/text.cu")
    return analyze(text.encode(), path, Settings(gpu="RTX 3080"), reader=lambda _: None)


def names_of(report: FileReport) -> list[str]:
    return [kernel.base_name for kernel in report.kernels]


@pytest.mark.parametrize("form", FORMS)
def test_each_level_of_an_expression_is_evaluated_once(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expressions, "MAX_EXPRESSIONS", MOST_EXPRESSIONS)
    for base in ("a", "s"):
        report = report_of(nested(FORMS[form], base, DEPTH))
        assert names_of(report) == ["plain", "odd"]
        assert not [p for p in report.problems if "too long" in p.message]
        assert names_of(report_of(nested_on_host(FORMS[form], base, DEPTH))) == ["plain"]


def test_a_kernel_with_too_many_expressions_is_followed_as_far_as_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(expressions, "MAX_EXPRESSIONS", 100)
    report = report_of(in_kernel("x[0] = a" + " + x[b]" * 40 + ";" + "x[1] = a;" * 20))
    messages = [p.message for p in report.problems]
    assert "the kernel is too long to be followed to its end" in messages
    assert names_of(report) == ["plain", "odd"]
    plain, odd = report.kernels
    assert plain.prediction.verdict is not None
    assert odd.prediction.sight is not None
    assert odd.prediction.sight.missing


@pytest.mark.parametrize("name", runs(1))
def test_runs_of_tokens_leave_the_kernel_beside_them(name: str) -> None:
    for length in (40, 3_000):
        report = report_of(runs(length)[name]())
        internal = [p for p in report.problems if "internal error" in p.message]
        assert not internal
        assert report.kernels or any(p.severity is Severity.ERROR for p in report.problems)


def test_the_costs_of_increments_and_their_places_are_as_for_one() -> None:
    """``++`` of an increment changes the variable twice, and reads memory once."""
    once = report_of(in_kernel("x[a] = x[b];")).kernels[1]
    twice = report_of(in_kernel("int i = a; ++ ++i; x[i] = x[b];")).kernels[1]
    assert once.prediction.dram_bytes == twice.prediction.dram_bytes

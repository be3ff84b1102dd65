from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from roofline_analysis.report.report import Report
from roofline_lsp.formats.full import render
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult

GOLDEN = Path(__file__).parent / "golden" / "report.full"
"""Renewed by ``python -m pytest tests/formats/update_golden.py``."""


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_the_report_is_as_it_was(report: Report) -> None:
    assert render(CheckResult(report), ColourStyle()) == GOLDEN.read_text(encoding="utf-8")


def test_a_report_without_files_still_closes(empty: Report) -> None:
    assert render(CheckResult(empty), ColourStyle()).splitlines()[-1] == (
        "0 files, 0 kernels: 0 CB, 0 BB, 0 undecided; 0 problems"
    )


def test_colour_changes_nothing_but_colour(report: Report) -> None:
    coloured = render(CheckResult(report), ColourStyle(colour=True))
    assert "\x1b[33mBB\x1b[0m" in coloured
    assert "\x1b[32mCB\x1b[0m" in coloured
    assert "\x1b[31merror\x1b[0m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == render(CheckResult(report), ColourStyle())


def test_only_a_terminal_that_wants_colour_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert ColourStyle.of_stream(Terminal()).colour
    assert not ColourStyle.of_stream(StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not ColourStyle.of_stream(Terminal()).colour
    monkeypatch.setenv("NO_COLOR", "")
    assert ColourStyle.of_stream(Terminal()).colour
    monkeypatch.setenv("TERM", "dumb")
    assert not ColourStyle.of_stream(Terminal()).colour


def test_an_unknown_that_counts_twice_is_told_once(report: Report) -> None:
    file = report.files[0]
    loop = file.kernels[1]
    twice = replace(loop.prediction, unknowns=loop.prediction.unknowns * 4)
    changed = replace(file, kernels=(file.kernels[0], replace(loop, prediction=twice)))
    text = render(CheckResult(replace(report, files=(changed, *report.files[1:]))), ColourStyle())
    assert text == render(CheckResult(report), ColourStyle())


def test_why_it_is_another_gpu_is_said(report: Report) -> None:
    noted = replace(report, gpu=replace(report.gpu, note="none was found"))
    assert render(CheckResult(noted), ColourStyle()).splitlines()[1] == "none was found"

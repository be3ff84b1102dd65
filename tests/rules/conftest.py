"""Programs analysed from text, and their findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import FileReport
from roofline_core.settings import Settings

PATH = Path("/nowhere/main.cu")

Analyse = Callable[..., FileReport]


@pytest.fixture
def analyse() -> Analyse:
    """Gives the report of a program of one file."""

    def analysed(text: str, path: Path = PATH, **settings: object) -> FileReport:
        given = Settings(**settings)  # type: ignore[arg-type]
        return analyze(text.encode(), path, given, reader=lambda _: None)

    return analysed

"""What analyses leave behind in a worker that is sent one edit after the other."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from roofline_analysis.language.type_system import TypeSystem
from roofline_core.settings import Settings
from roofline_lsp.server.worker.api_analyser import ApiAnalyser
from roofline_lsp.server.worker.jobs import Analyse, Overlay
from roofline_lsp.server.worker.main import Worker
from roofline_lsp.server.worker.memory import Garbage

EXAMPLE = Path(__file__).parents[2] / "examples" / "stencil2d.cu"


@pytest.fixture
def _collector() -> Iterator[None]:
    """The collector as a worker has it, and again as it was."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, 20, 100)
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.usefixtures("_collector")
def test_edits_without_a_pause_leave_few_analyses() -> None:
    worker, text = Worker(ApiAnalyser()), EXAMPLE.read_bytes()
    garbage = Garbage()
    for number in range(60):
        edited = text.replace(b"1;", b"%d;" % (number + 2), 1)
        worker.do(Overlay(EXAMPLE, edited))
        outcome = worker.do(Analyse(number, EXAMPLE, edited, Settings(), findings=True))
        assert outcome is not None
        garbage.after_a_job()
    # An analysis has two, which only the collector frees: 120 of them without it.
    left = sum(isinstance(each, TypeSystem) for each in gc.get_objects())
    assert 0 < left <= 2 * (60 // 8 + 60 % 8 + 1)

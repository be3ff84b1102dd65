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
from roofline_parsers.preprocess.result import PreprocessedFile

EXAMPLE = Path(__file__).parents[2] / "examples" / "stencil2d.cu"


@pytest.fixture
def _collector() -> Iterator[None]:
    """No collector while a test runs, and nothing that earlier tests left to it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    gc.collect()


def _count(kind: type[object]) -> int:
    return sum(isinstance(each, kind) for each in gc.get_objects())


@pytest.mark.usefixtures("_collector")
def test_an_analysis_is_freed_without_the_collector() -> None:
    """Its types know its files and its kernels; nothing that they refer to refers to them."""
    worker, text = Worker(ApiAnalyser()), EXAMPLE.read_bytes()
    types, files = _count(TypeSystem), _count(PreprocessedFile)
    for number in range(30):
        edited = text.replace(b"1;", b"%d;" % (number + 2), 1)
        worker.do(Overlay(EXAMPLE, edited))
        outcome = worker.do(Analyse(number, EXAMPLE, edited, Settings(), findings=True))
        assert outcome is not None
    assert 0 < _count(TypeSystem) - types <= 2
    assert 0 < _count(PreprocessedFile) - files <= 4

"""Kernels planned from texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_core.settings import merge
from roofline_study.llmperf import regression
from roofline_study.llmperf.corpus import KernelFile
from roofline_study.llmperf.kernels import PlannedKernel, Refused, Samples, plan_file
from roofline_study.llmperf.regimes import LaidOutFor
from roofline_study.llmperf.sampling import Strategy

SAMPLES = Samples(
    machine=LaidOutFor(units=16),
    by_strategy={Strategy.IQR: 3, Strategy.UNIFORM: 1, Strategy.IMPORTANCE: 1},
    simple=2,
    most_items=1 << 12,
)


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regressions of a few trees, which take a tenth of the time."""
    monkeypatch.setattr(regression, "_TREES", 12)
    monkeypatch.setattr(regression, "_ROUNDS", 40)
    monkeypatch.setattr(regression, "_RATE", 0.2)


Plan = Callable[..., list[PlannedKernel | Refused]]


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Plans the kernels of a text."""

    def made(text: str, samples: Samples = SAMPLES) -> list[PlannedKernel | Refused]:
        path = tmp_path / "kernels.cl"
        path.write_text(text)
        return plan_file(KernelFile(tmp_path, path), replace(merge(), gpu="RTX 3080"), samples)

    return made

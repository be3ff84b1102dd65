"""Published figures, read from ``published.toml``, which names their source."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from roofline_advisor.pricing import Price
from roofline_study.metrics import Confusion


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model's accuracies in percent, None where the paper has none."""

    name: str
    price: Price
    rq1: float | None
    rq1_thought: float | None
    """RQ1 with a chain of thought."""
    rq2: float | None
    rq3: float | None


@dataclass(frozen=True, slots=True)
class PublishedTuning:
    """RQ4: a fine-tuned model on the kernels that were held back."""

    name: str
    answers: int
    confusion: Confusion
    """In percent of the answers."""


@dataclass(frozen=True, slots=True)
class PublishedCount:
    """Floating-point operations of one launch that question decomposition came to."""

    program: str
    measured_flops: float
    estimated_flops: float

    @property
    def off_percent(self) -> float:
        """100 |estimated - measured| / measured."""
        return 100 * abs(self.estimated_flops / self.measured_flops - 1)


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """All that is shown of a paper."""

    source: str
    kernels: int
    """How many RQ2 and RQ3 asked about."""
    models: tuple[PublishedModel, ...]
    fine_tuned: tuple[PublishedTuning, ...]
    decomposed: tuple[PublishedCount, ...]


@cache
def published() -> PublishedFigures:
    """The figures of the study that this room makes again."""
    path = resources.files("roofline_study.papers") / "published.toml"
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    return PublishedFigures(
        held["source"],
        held["kernels"],
        tuple(map(_model, held["models"])),
        tuple(map(_tuning, held["fine_tuned"])),
        tuple(PublishedCount(**each) for each in held["decomposed"]),
    )


def _model(held: dict[str, Any]) -> PublishedModel:
    price = Price(held["input"], held["output"])
    figures = [held.get(name) for name in ("rq1", "rq1_thought", "rq2", "rq3")]
    return PublishedModel(held["name"], price, *figures)


def _tuning(held: dict[str, Any]) -> PublishedTuning:
    cells = {name: held[name] for name in ("cb_as_cb", "cb_as_bb", "bb_as_cb", "bb_as_bb")}
    return PublishedTuning(held["name"], held["answers"], Confusion(**cells))

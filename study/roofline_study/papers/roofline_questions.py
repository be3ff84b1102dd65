"""RQ1: questions about rooflines with given numbers, and the arithmetic that answers them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from roofline_analysis.report.report import Verdict
from roofline_study.papers.class_words import word_of

_BANDWIDTHS_GBS = (40, 4000)
_PEAKS_GFLOPS = (200, 100_000)
_DISTANCES = (1.2, 30.0)
"""By which factor intensities are above or below the balance point."""
_EFFICIENCIES = (0.2, 0.95)
"""The share of what its roof allows that a program reaches."""
_SHOWN = re.compile(
    r"peak bandwidth of (?P<bandwidth>[\d.]+) GB/s .*peak performance of (?P<peak>[\d.]+) GFLOP/s"
    r".*intensity of (?P<intensity>[\d.]+) FLOP/byte",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class RooflineCase:
    """A GPU and a program on it, with the decimals that are shown."""

    bandwidth_gbs: Decimal
    peak_gflops: Decimal
    intensity: Decimal
    """FLOP per byte."""
    performance_gflops: Decimal

    @property
    def verdict(self) -> Verdict:
        """Compute-bound above the balance point; decimals are compared, nothing is rounded."""
        above = self.intensity * self.bandwidth_gbs > self.peak_gflops
        return Verdict.COMPUTE_BOUND if above else Verdict.BANDWIDTH_BOUND

    def text(self) -> str:
        """The question."""
        return (
            f"A GPU has a peak bandwidth of {self.bandwidth_gbs} GB/s and a peak performance of"
            f" {self.peak_gflops} GFLOP/s. A program that runs on it has an arithmetic intensity of"
            f" {self.intensity} FLOP/byte and reaches {self.performance_gflops} GFLOP/s. By the"
            " roofline model, is the program compute-bound or bandwidth-bound?"
        )

    def thought(self) -> str:
        """The steps to the answer, as an example shows them."""
        balance = self.peak_gflops / self.bandwidth_gbs
        above = self.verdict is Verdict.COMPUTE_BOUND
        return (
            f"The balance point of the GPU is {self.peak_gflops} / {self.bandwidth_gbs} ="
            f" {balance:.4g} FLOP/byte. The program's {self.intensity} FLOP/byte are"
            f" {'above' if above else 'not above'} it, so {'computing' if above else 'bandwidth'}"
            " limits it."
        )


def answered(question: str) -> Verdict | None:
    """The answer by arithmetic, from the text of a question; None for a text of another form.

    It is exact by construction: the question gives every number that decides.
    """
    found = _SHOWN.search(question)
    if found is None:
        return None
    bandwidth, peak, intensity = map(Decimal, found.group("bandwidth", "peak", "intensity"))
    return RooflineCase(bandwidth, peak, intensity, Decimal(0)).verdict


def roofline_cases(count: int, seed: str) -> tuple[RooflineCase, ...]:
    """So many cases, of every two one of each class, in random order. Equal seeds, equal cases."""
    source = random.Random(seed)
    made: list[RooflineCase] = []
    while len(made) < count:
        pair = list(Verdict)
        source.shuffle(pair)
        made += [_case(source, verdict) for verdict in pair]
    return tuple(made[:count])


def examples_text(cases: tuple[RooflineCase, ...], *, thought: bool) -> str:
    """Solved examples below each other."""
    return "\n\n".join("\n".join(_example(case, thought=thought)) for case in cases)


def _example(case: RooflineCase, *, thought: bool) -> Iterator[str]:
    yield f"Question: {case.text()}"
    if thought:
        yield f"Reason: {case.thought()}"
    yield f"Answer: {word_of(case.verdict)}"


def _case(source: random.Random, verdict: Verdict) -> RooflineCase:
    """A case of a class; drawn again where rounding puts it on the other side."""
    while True:
        bandwidth = _rounded(_between(source, *_BANDWIDTHS_GBS), 1)
        peak = _rounded(_between(source, *_PEAKS_GFLOPS), 1)
        distance = _between(source, *_DISTANCES)
        balance = float(peak) / float(bandwidth)
        above = verdict is Verdict.COMPUTE_BOUND
        intensity = _rounded(balance * distance if above else balance / distance, 2)
        roof = min(float(peak), float(intensity) * float(bandwidth))
        reached = _rounded(roof * source.uniform(*_EFFICIENCIES), 2)
        case = RooflineCase(bandwidth, peak, intensity, reached)
        if intensity > 0 and reached > 0 and case.verdict is verdict:
            return case


def _between(source: random.Random, low: float, high: float) -> float:
    """A number whose logarithm is evenly spread."""
    return float(low * (high / low) ** source.random())


def _rounded(number: float, decimals: int) -> Decimal:
    return Decimal(f"{number:.{decimals}f}")

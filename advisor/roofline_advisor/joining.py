"""One verdict from what was measured, what was computed and what the model says.

1. A measured class decides.
2. Otherwise the model is one more witness beside the static analysis. The static verdict is right
   with the probability that is its confidence; the majority of the model's votes, however many, is
   right with the probability ``trust``; both are taken to err independently, so the odds multiply:

       odds(CB) = static odds x (trust / (1 - trust)) ** (+1 for CB, -1 for BB, 0 for a tie)

   The class with odds above 1 is the verdict, and its probability the confidence. So the model can
   overturn a static verdict only where that is less sure than ``trust``.
3. What disagrees with the verdict is said, never dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from roofline_analysis.report.report import ModelOpinion, Prediction, PredictionSource, Verdict
from roofline_core.program.records import record
from roofline_core.settings import AdvisorSettings

_SUREST = 0.999


@record(frozen=True, slots=True)
class Joined:
    """The verdict that counts."""

    verdict: Verdict | None
    confidence: float
    source: PredictionSource
    """What it rests on: of static and model, what would have given it alone."""
    disagreeing: tuple[PredictionSource, ...]
    """Those with another verdict."""


def majority(votes: Sequence[Verdict | None]) -> Verdict | None:
    """What most votes say, None for a tie or no vote."""
    counts = Counter(vote for vote in votes if vote is not None)
    compute, bandwidth = counts[Verdict.COMPUTE_BOUND], counts[Verdict.BANDWIDTH_BOUND]
    if compute == bandwidth:
        return None
    return Verdict.COMPUTE_BOUND if compute > bandwidth else Verdict.BANDWIDTH_BOUND


def join(
    static: Verdict | None,
    confidence: float,
    model: Verdict | None,
    trust: float,
    measured: Verdict | None = None,
) -> Joined:
    """The verdict by the rule of this module."""
    said = {
        PredictionSource.MEASURED: measured,
        PredictionSource.STATIC: static,
        PredictionSource.LLM: model,
    }
    verdict: Verdict | None
    if measured is not None:
        verdict, sure, source = measured, 1.0, PredictionSource.MEASURED
    else:
        odds = _odds(static, confidence) * _odds(model, trust)
        verdict = _of_odds(odds)
        sure = max(odds, 1 / odds) / (1 + max(odds, 1 / odds)) if verdict is not None else 0.5
        source = (
            PredictionSource.STATIC if verdict is static or model is None else PredictionSource.LLM
        )
    others = tuple(each for each, one in said.items() if one is not None and one is not verdict)
    return Joined(verdict, sure, source, others)


def _odds(verdict: Verdict | None, probability: float) -> float:
    """The odds of CB that one witness gives."""
    if verdict is None:
        return 1.0
    sure = min(max(probability, 1 - _SUREST), _SUREST)
    odds = sure / (1 - sure)
    return odds if verdict is Verdict.COMPUTE_BOUND else 1 / odds


def _of_odds(odds: float) -> Verdict | None:
    if abs(odds - 1) < 1e-9:
        return None
    return Verdict.COMPUTE_BOUND if odds > 1 else Verdict.BANDWIDTH_BOUND


def worth_asking(prediction: Prediction, settings: AdvisorSettings) -> bool:
    """Whether the static verdict is so unsure that the model is asked without being told to."""
    below = settings.ask_below
    return prediction.confidence < below or (prediction.verdict is None and below > 0)


def opinion_of(
    votes: Sequence[Verdict | None],
    reasons: Sequence[str],
    *,
    model: str,
    protocol: str,
    static: Verdict | None,
    confidence: float,
    trust: float,
) -> ModelOpinion:
    """What the model says of a kernel, beside the static verdict."""
    verdict = majority(votes)
    joined = join(static, confidence, verdict, trust)
    agreeing = [reason for vote, reason in zip(votes, reasons, strict=True) if vote is verdict]
    return ModelOpinion(
        verdict=verdict,
        votes=sum(vote is verdict for vote in votes),
        of_votes=len(votes),
        reason=(agreeing or [*reasons, ""])[0],
        model=model,
        protocol=protocol,
        joined=joined.verdict,
        joined_confidence=joined.confidence,
        joined_source=joined.source,
    )

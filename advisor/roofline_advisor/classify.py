"""Asking for a kernel's class: as many votes as wanted, joined with the static verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from roofline_advisor.asking import Answer, Asker, Listener
from roofline_advisor.joining import opinion_of
from roofline_advisor.protocols import ClassificationCase, questions, vote
from roofline_analysis.report.report import ModelOpinion


async def classify(
    asker: Asker, case: ClassificationCase, listener: Listener | None = None
) -> ModelOpinion:
    """What the model says of a kernel. Raises AdvisorError."""
    asked = [questions(case, sample) for sample in range(case.settings.advisor.votes)]
    flat = [request for requests in asked for request in requests]
    tasks = [asyncio.ensure_future(asker.ask(request, listener)) for request in flat]
    try:
        answers = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
    return opinion(case, answers)


def opinion(case: ClassificationCase, answers: Sequence[Answer]) -> ModelOpinion:
    """What the answers to the questions of all votes, in order, come to."""
    each = len(answers) // case.settings.advisor.votes
    values: list[dict[str, Any]] = [answer.value for answer in answers]
    votes = [vote(case, values[at : at + each]) for at in range(0, len(values), each)]
    prediction = case.kernel.prediction
    return opinion_of(
        [one.verdict for one in votes],
        [one.reason for one in votes],
        model=case.settings.advisor.model,
        protocol=case.settings.advisor.protocol,
        static=prediction.verdict,
        confidence=prediction.confidence,
        trust=case.settings.advisor.trust,
    )

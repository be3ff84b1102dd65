"""Questions asked of one model; what is kept is not asked again, what comes is kept at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from roofline_advisor.asking import Answer, Asker
from roofline_advisor.batches import ask_all
from roofline_advisor.errors import HOPELESS, AdvisorError, Fault
from roofline_advisor.pricing import Preview, estimated_tokens, preview
from roofline_advisor.request import Request
from roofline_advisor.usage import Usage
from roofline_study.papers.kept_answers import AnswerStore, KeptAnswer

ANSWERED = frozenset({Fault.OFF_SCHEMA, Fault.MALFORMED, Fault.REFUSED, Fault.TRUNCATED})
"""Faults of a reply that did come: they are kept as answers, and count as wrong ones."""

Show = Callable[[int, int], None]
"""Called with the number of finished questions and of all."""


@dataclass(frozen=True, slots=True)
class StudyQuestion:
    """A request with what it is about."""

    study: str
    item: str
    trial: int
    request: Request


@dataclass(frozen=True, slots=True)
class Interview:
    """What is known of some questions."""

    answers: tuple[KeptAnswer | None, ...]
    """In the order of the questions; None where there is no answer."""
    failures: Mapping[str, int]
    """Why questions that were asked have no answer, and how many for each reason."""


def kept(questions: Sequence[StudyQuestion], store: AnswerStore) -> Interview:
    """The answers that are kept; nothing is asked. Raises StudyError."""
    return Interview(tuple(store.get(each.request) for each in questions), {})


async def asked(
    questions: Sequence[StudyQuestion],
    store: AnswerStore,
    asker: Asker,
    show: Show = lambda _, __: None,
) -> Interview:
    """Ask what is not kept, one by one or, from ``batch_from`` questions on, as a batch.

    A fault that would also stop every other question ends the asking; what was answered stays kept.
    Raises StudyError where answers cannot be kept.
    """
    held = kept(questions, store)
    missing = [q for q, answer in zip(questions, held.answers, strict=True) if answer is None]
    recorder = _Recorder(store, len(questions) - len(missing), len(questions), show)
    if len(missing) >= asker.settings.batch_from:
        await _in_a_batch(missing, asker, recorder)
    elif missing:
        await _one_by_one(missing, asker, recorder)
    return Interview(kept(questions, store).answers, recorder.failures)


def cost_ahead(
    model: str, questions: Sequence[StudyQuestion], store: AnswerStore | None, batch_from: int
) -> Preview:
    """What asking a model would cost at most, by the length of the texts.

    What is kept costs nothing. Raises StudyError.
    """
    missing = [
        each.request for each in questions if store is None or store.get(each.request) is None
    ]
    return preview(
        model,
        sum(map(estimated_tokens, missing)),
        sum(request.max_tokens for request in missing),
        requests=len(missing),
        counted=False,
        batch=len(missing) >= batch_from,
    )


class _Recorder:
    """Keeps answers as they come, and counts what fails."""

    def __init__(self, store: AnswerStore, done: int, total: int, show: Show) -> None:
        self.failures: dict[str, int] = {}
        self._store = store
        self._done = done
        self._total = total
        self._show = show

    def take(
        self, question: StudyQuestion, answer: Answer | AdvisorError, *, batch: bool = False
    ) -> None:
        """Keep an answer, or count the failure, and show that one more is done."""
        made = _record(question, answer, batch=batch)
        if made is None:
            self.failures[str(answer)] = self.failures.get(str(answer), 0) + 1
        else:
            self._store.put(question.request, made)
        self._done += 1
        self.show(0)

    def show(self, more: int) -> None:
        """``more`` are finished at the endpoint, which has not given them out yet."""
        self._show(self._done + more, self._total)


def _record(
    question: StudyQuestion, answer: Answer | AdvisorError, *, batch: bool
) -> KeptAnswer | None:
    """None for a question that the model did not answer."""
    about = (question.study, question.item, question.trial, question.request.model)
    if isinstance(answer, Answer):
        return KeptAnswer(*about, answer.value, None, None, answer.usage, batch)
    if answer.fault not in ANSWERED:
        return None
    usage = answer.usage or Usage(0, 0)
    return KeptAnswer(*about, None, answer.fault.value, answer.said, usage, batch)


async def _one_by_one(
    questions: Sequence[StudyQuestion], asker: Asker, recorder: _Recorder
) -> None:
    free = asyncio.Semaphore(asker.settings.concurrency)
    hopeless: AdvisorError | None = None

    async def one(question: StudyQuestion) -> None:
        """Ask a question; after a hopeless error the others fail by it unasked."""
        nonlocal hopeless
        async with free:
            try:
                answer: Answer | AdvisorError = hopeless or await asker.ask(question.request)
            except AdvisorError as error:
                hopeless = error if error.fault in HOPELESS else hopeless
                answer = error
            recorder.take(question, answer)

    tasks = [asyncio.ensure_future(one(question)) for question in questions]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _in_a_batch(
    questions: Sequence[StudyQuestion], asker: Asker, recorder: _Recorder
) -> None:
    requests = [question.request for question in questions]
    try:
        answers = await ask_all(asker, requests, lambda done, _: recorder.show(done))
    except AdvisorError as error:
        answers = [error] * len(questions)
    for question, answer in zip(questions, answers, strict=True):
        recorder.take(question, answer, batch=True)

"""Models asked for a study: settings, cost before asking, progress, what failed."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from roofline_advisor.asking import Asker, Spent
from roofline_core.settings import AdvisorSettings, Layer, validate
from roofline_core.text.units import counted
from roofline_lsp.cli.llm import check_on
from roofline_lsp.cli.options import ORIGIN, resolved, turned_on
from roofline_lsp.cli.output import write
from roofline_lsp.cli.progress import ProgressBar
from roofline_study.papers.errors import StudyError
from roofline_study.papers.interview import Interview, StudyQuestion, asked, cost_ahead, kept
from roofline_study.papers.kept_answers import AnswerStore, KeptAnswer, answers_csv

MakeQuestions = Callable[[AdvisorSettings], Sequence[StudyQuestion]]
"""The questions of a study to the model of some settings."""

_KEPT_DAYS = 365.0
_MOST_MB = 1000.0
"""Of batches handed in and replies to a study, beside its answers."""
_NAMES = (
    *("base_url", "budget_tokens", "max_output_tokens", "batch_from"),
    *("effort", "structure"),
)


@dataclass(frozen=True, slots=True)
class ModelInterview:
    """What is known of one model's answers."""

    model: str
    questions: tuple[StudyQuestion, ...]
    answers: tuple[KeptAnswer | None, ...]
    """In the order of the questions."""

    @property
    def held(self) -> tuple[KeptAnswer, ...]:
        """The answers that there are."""
        return tuple(answer for answer in self.answers if answer is not None)

    @property
    def missing(self) -> int:
        """Questions without an answer."""
        return len(self.answers) - len(self.held)


def advisor_settings(options: argparse.Namespace) -> AdvisorSettings:
    """The person's own settings, with those of the command line.

    Raises SettingsError, AdvisorError where a settings file forbids asking, and StudyError where
    answers would not be kept.
    """
    given = {name.replace("_", "-"): getattr(options, name) for name in _NAMES}
    given = {name: value for name, value in given.items() if value is not None}
    layers: list[Layer] = [validate({"advisor": given}, origin=ORIGIN, folder=Path())]
    if options.ask:
        layers.append(turned_on())
    settings = resolved(Path.cwd(), *layers)
    if options.ask:
        check_on(settings)
        if options.results is None:
            raise StudyError("'--ask' needs '--results DIR', where every answer is kept")
    return settings.advisor


def interviews(
    options: argparse.Namespace, settings: AdvisorSettings, make: MakeQuestions
) -> list[ModelInterview]:
    """Each model's answers, asked where ``--ask`` says so, else those that are kept.

    Tells on standard error what asking costs, before it, and what failed. Raises StudyError.
    """
    names = options.model or [settings.model]
    models = [replace(settings, model=name, **_notes(options.results)) for name in names]
    asked_of = {each: tuple(make(each)) for each in models}
    if options.prompts is not None:
        write(_prompts(asked_of[models[0]]), options.prompts, data=True)
    if options.results is None:
        for each, questions in asked_of.items():
            _tell_cost(each, questions, None)
        return []
    store = AnswerStore(options.results)
    for each, questions in asked_of.items():
        _tell_cost(each, questions, store)
    found = (
        asyncio.run(_asked(asked_of, store, show=not options.no_progress))
        if options.ask
        else {each: kept(questions, store) for each, questions in asked_of.items()}
    )
    made = []
    for each, interview in found.items():
        for why, count in interview.failures.items():
            _tell(f"no answer of {each.model} to {counted(count, 'question')}: {why}")
        made.append(ModelInterview(each.model, asked_of[each], interview.answers))
    _write_raw(made, store, options.results)
    return made


def _notes(results: Path | None) -> dict[str, Any]:
    """Settings that keep with the answers what was handed in as a batch, to collect it later."""
    if results is None:
        return {}
    return {"cache_dir": results / "asked", "cache_days": _KEPT_DAYS, "cache_mb": _MOST_MB}


def _write_raw(made: Sequence[ModelInterview], store: AnswerStore, results: Path) -> None:
    """The answers of a study as one file that people can read, and import again."""
    questions = [question for each in made for question in each.questions]
    study = questions[0].study
    answers = store.of_study(study, [question.request for question in questions])
    if answers:
        write(answers_csv(answers), results / f"{study}-answers.csv")


async def _asked(
    asked_of: Mapping[AdvisorSettings, tuple[StudyQuestion, ...]],
    store: AnswerStore,
    *,
    show: bool,
) -> dict[AdvisorSettings, Interview]:
    """One model after the other, within one budget."""
    spent = Spent()
    found = {}
    with ProgressBar(sys.stderr, enabled=show) as bar:
        for settings, questions in asked_of.items():
            asker = Asker(settings, _tell, spent)
            try:
                progress = partial(_show, bar, settings.model)
                found[settings] = await asked(questions, store, asker, progress)
            finally:
                await asker.close()
    return found


def _show(bar: ProgressBar, model: str, done: int, total: int) -> None:
    bar.show(done, total, model)


def _tell_cost(
    settings: AdvisorSettings, questions: Sequence[StudyQuestion], store: AnswerStore | None
) -> None:
    ahead = cost_ahead(settings.model, questions, store, settings.batch_from)
    if ahead.requests:
        _tell(f"{settings.model}: {ahead.text()}")


def _prompts(questions: Sequence[StudyQuestion]) -> str:
    """One line a question: what it is about, and its texts as they would be sent."""
    lines = []
    for each in questions:
        if each.trial == 0:
            texts = {"system": each.request.system, "user": each.request.turns[0].text}
            lines.append(json.dumps({"item": each.item, **texts}, ensure_ascii=False) + "\n")
    return "".join(lines)


def _tell(text: str) -> None:
    print(f"roofline-lsp: {text}", file=sys.stderr, flush=True)

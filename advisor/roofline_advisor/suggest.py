"""Suggestions: asked for, checked, judged again, and asked for anew with what the checks found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from roofline_advisor import prompts
from roofline_advisor.advice import Advice, KernelName, Rejected, Suggestion
from roofline_advisor.asking import Asker
from roofline_advisor.bench import Bench, Reading
from roofline_advisor.checks import check, check_words
from roofline_advisor.compiling import Compiler
from roofline_advisor.edits import RejectedError, applied, located
from roofline_advisor.request import Request, Turn
from roofline_advisor.schema import Schema, obj
from roofline_advisor.scoring import effect
from roofline_advisor.trying import tried
from roofline_advisor.words import one_line
from roofline_analysis.report.report import GpuUsed, KernelReport
from roofline_analysis.report.verdict_words import time_words
from roofline_core.settings import Settings
from roofline_core.text.units import duration, percent

MOST_SUGGESTIONS = 6
_SLOWER = 0.98
"""A speed-up below this is a slow-down."""

_TEXT: Schema = {"type": "string", "maxLength": 2000}
_CODE: Schema = {"type": "string", "maxLength": 20_000}
_LINE: Schema = {"type": "integer", "minimum": 1, "maximum": 10_000_000}
_EDIT = obj(first_line=_LINE, last_line=_LINE, original=_CODE, replacement=_CODE)
SUGGESTIONS: Schema = obj(
    suggestions={
        "type": "array",
        "maxItems": MOST_SUGGESTIONS,
        "items": obj(
            title=_TEXT,
            why=_TEXT,
            expected_effect=_TEXT,
            edits={"type": "array", "minItems": 1, "maxItems": 20, "items": _EDIT},
        ),
    }
)


Tell = Callable[[str], None]
"""Told in a few words what is being done."""


@dataclass(frozen=True, slots=True)
class SuggestionTask:
    """A kernel of a text to be made faster."""

    bench: Bench
    text: str
    name: KernelName
    settings: Settings
    reading: Reading
    kernel: KernelReport

    @classmethod
    def of(cls, bench: Bench, text: str, name: KernelName) -> SuggestionTask:
        """Reads the program; blocks. Raises AdvisorError where there is no such kernel."""
        reading = bench.read(text.encode())
        return cls(bench, text, name, bench.settings, reading, reading.kernel(name))

    def request(self, turns: Sequence[Turn] = ()) -> Request:
        """The question, with the rounds before."""
        first = Turn("user", question(self.reading, self.kernel, self.bench.gpu, self.settings))
        advisor = self.settings.advisor
        return Request.of(
            advisor,
            prompts.constant("suggest"),
            (first, *turns),
            SUGGESTIONS,
            continues=advisor.rounds > 1,
        )


def question(reading: Reading, kernel: KernelReport, gpu: GpuUsed, settings: Settings) -> str:
    """What is said of the kernel."""
    prediction = kernel.prediction
    verdict = "undecided" if prediction.verdict is None else prediction.verdict.value
    limit = time_words(prediction) or "what decides its time is not known"
    said = (
        "## Class\n"
        f"{verdict} (the analysis is {percent(prediction.confidence)} sure); {limit};"
        f" about {duration(prediction.time_ns)} a launch. Suggest what helps this class."
    )
    return prompts.joined(
        (
            prompts.hardware(gpu),
            prompts.launch(kernel, settings),
            said,
            prompts.evidence(kernel, gpu),
            prompts.source(reading, settings.advisor.max_source_chars, numbered=True),
        )
    )


class _ReplyProgress:
    """Tells of the reply as it comes."""

    def __init__(self, tell: Tell, round_: str) -> None:
        self._tell = tell
        self._round = round_
        self._told = 0

    def text(self, characters: int) -> None:
        """Tell that the model thinks (0 characters), or every 200 characters that it writes."""
        if characters == 0:
            self._tell(f"{self._round}the model thinks")
        elif characters - self._told >= 200 or not self._told:
            self._told = characters
            self._tell(f"{self._round}the model writes, {characters} characters")

    def waiting(self, why: str, seconds: float) -> None:
        """Tell why another attempt follows, and in how many seconds."""
        self._tell(f"{self._round}{why}; another attempt in {seconds:.0f} s")


async def suggest(asker: Asker, task: SuggestionTask, tell: Tell) -> Advice:
    """Ask in rounds and check what comes. Raises AdvisorError if the first answer fails."""
    run = _Run(asker, task, tell)
    most = task.settings.advisor.rounds
    turns: list[Turn] = []
    rounds = 0
    while rounds < most:
        shown = f"round {rounds + 1} of {most}: " if most > 1 else ""
        tell(f"{shown}asking {task.settings.advisor.model}")
        try:
            answer = await asker.ask(task.request(turns), _ReplyProgress(tell, shown))
        except Exception:
            if run.suggestions:
                break  # what the rounds before gave stands
            raise
        rounds += 1
        if not answer.cached:
            run.tokens += answer.usage.total
        outcomes = [await run.judge(each, shown) for each in answer.value["suggestions"]]
        if all(outcome.accepted for outcome in outcomes):
            break
        turns += [
            Turn("assistant", json.dumps(answer.value)),
            Turn("user", _told(outcomes)),
        ]
    return run.advice(rounds)


@dataclass(frozen=True, slots=True)
class _Outcome:
    title: str
    accepted: bool
    said: str


class _Run:
    """What the rounds have brought so far."""

    def __init__(self, asker: Asker, task: SuggestionTask, tell: Tell) -> None:
        self._task = task
        self._tell = tell
        self._compiler = Compiler(task.bench.path, task.kernel.dialect, task.settings)
        self._texts: set[str] = set()
        self.suggestions: list[Suggestion] = []
        self._rejected: list[Rejected] = []
        self.tokens = 0

    async def judge(self, given: dict[str, Any], shown: str) -> _Outcome:
        """Check one suggestion and keep it if all holds."""
        title = one_line(given["title"]) or "without a title"
        self._tell(f"{shown}checking '{title}'")
        try:
            found = await self._checked(title, given)
        except RejectedError as error:
            self._rejected.append(Rejected(title, str(error)))
            return _Outcome(title, False, f"rejected: {error}")
        if found is None:
            return _Outcome(title, True, "already known")
        self.suggestions.append(found)
        return _Outcome(title, True, f"holds; {found.effect.text()}; {found.compiled}")

    async def _checked(self, title: str, given: dict[str, Any]) -> Suggestion | None:
        task = self._task
        edits = located(task.text, given["edits"])
        text = applied(task.text, edits)
        if text in self._texts:
            return None
        self._texts.add(text)
        check_words(task.text, text)
        after = await asyncio.to_thread(task.bench.read, text.encode())
        kernel = check(task.reading, after, task.name)
        found = effect(task.kernel, kernel, dict(task.bench.gpu.ridges))
        if found.speedup is not None and found.speedup < _SLOWER:
            raise RejectedError(f"the static model expects it to be slower: {found.text()}")
        compiled = await self._compiler.check(task.text.encode(), text.encode())
        tested = await tried(task.bench.path, text.encode(), task.settings)
        return Suggestion(
            title,
            one_line(given["why"]),
            one_line(given["expected_effect"]),
            edits,
            found,
            compiled,
            tested,
        )

    def advice(self, rounds: int) -> Advice:
        """The best first; of those with equal times the one that moves less."""
        ranked = sorted(
            self.suggestions,
            key=lambda each: (
                each.effect.time_after_ns or float("inf"),
                each.effect.dram_after_bytes or float("inf"),
            ),
        )
        kept = {each.title for each in ranked}
        rejected = [each for each in self._rejected if each.title not in kept]
        last = {each.title: each for each in rejected}
        name = self._task.kernel.title
        return Advice(name, tuple(ranked), tuple(last.values()), rounds, self.tokens)


def _told(outcomes: Sequence[_Outcome]) -> str:
    """The next round's question."""
    lines = [f"{at}. '{each.title}': {each.said}" for at, each in enumerate(outcomes, 1)]
    return (
        "The checks found:\n"
        + "\n".join(lines)
        + "\n\nSuggest again: mended forms of what was rejected where they are worth it, and what"
        " else helps. Edits are to the original file, as numbered above. Do not repeat what holds."
    )

"""What a model may reply: edits and classes, whose values are exchanged and spoiled."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, Final, cast

from roofline_advisor import protocols, suggest
from roofline_advisor.checks import check_words
from roofline_advisor.edits import RejectedError, applied, located
from roofline_advisor.joining import opinion_of
from roofline_advisor.protocols import ClassificationCase
from roofline_advisor.schema import Schema, problem
from roofline_advisor.words import hidden_character, one_line
from roofline_analysis.api import gpu_used
from roofline_analysis.report.report import GpuUsed, Verdict
from roofline_core.settings import Settings

from .guard import FaultError
from .json_texts import spoiled_text

REPLACED: Final = (
    *("", "    x[i] = 0;", "a\nb", "a\r\nb\r\n", "#define A", "asm(x)", "\u202e", " 3| int i;"),
    *("_Pragma(1)", "x" * 20_001, "#pragma unroll 4", "\f", "??=if", "%:if", "\\\n"),
)

Reply = tuple[str, Sequence[bytes]]
"""Which question, and the texts of what answers it."""


def reply(chance: random.Random, source: str) -> Reply:
    """A question's name, and replies to it."""
    asked = chance.choice(("suggest", "suggest", "suggest", "class", "counts"))
    if asked == "suggest":
        found = [_suggestion(chance, source) for _ in range(chance.randint(0, 7))]
        return asked, (spoiled_text(chance, {"suggestions": found}),)
    if asked == "class":
        votes = range(chance.randint(1, 5))
        return asked, [spoiled_text(chance, _vote(chance)) for _ in votes]
    amounts = (0, 1, 3.5, 1e24, 2e24, -1, 5e-324, 10**23, 10**30)
    counts = {name: chance.choice(amounts) for name in ("sp_flops", "dp_flops", "int_ops")}
    moved = {name: chance.choice(amounts) for name in ("read_bytes", "written_bytes")}
    return asked, [spoiled_text(chance, {"reason": "x", **each}) for each in (counts, moved)]


def _vote(chance: random.Random) -> dict[str, object]:
    return {"reason": chance.choice(("It moves more.", "\u202e\x1b[2J", "")), "class": "CB"}


def _suggestion(chance: random.Random, source: str) -> dict[str, object]:
    """Edits of lines that stand in the source, and of some that do not."""
    lines, edits = source.split("\n"), []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        first = chance.randint(1, len(lines))
        last = min(first + chance.choice((0, 0, 1, 4)), len(lines))
        quoted = lines[first - 1 : last]
        if chance.random() < 0.2:
            quoted = [f"{at:4}| {line}" for at, line in enumerate(quoted, first)]
        original = chance.choice(("\n", "\n", "\r\n", " \n")).join(quoted)
        edits.append(
            {
                "first_line": first + chance.choice((0, 0, 0, 1, -1, 9)),
                "last_line": last,
                "original": original,
                "replacement": chance.choice((*REPLACED, original, original + " ")),
            }
        )
    return {"title": "Less.", "why": "x", "expected_effect": "\x07y", "edits": edits}


def check_reply(found: Reply, source: str, gpu: GpuUsed) -> None:
    """Raise FaultError for what a reply may not come to."""
    asked, texts = found
    if asked == "suggest":
        value = _conforming(texts[0], suggest.SUGGESTIONS)
        for each in () if value is None else value["suggestions"]:
            _check_suggestion(each, source)
        return
    forms = (protocols.OPERATIONS, protocols.BYTES) if asked == "counts" else (protocols.CLASS,) * 5
    answers = []
    for text, form in zip(texts, forms, strict=False):
        answer = _conforming(text, form)
        if answer is None:
            return
        answers.append(answer)
    _check_votes([answers] if asked == "counts" else [[each] for each in answers], gpu)


def _conforming(text: bytes, schema: Schema) -> dict[str, Any] | None:
    """The value of a text, None where it is refused with a reason."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    said = problem(value, schema)
    if said == "":
        raise FaultError("refused without a reason")
    return None if said is not None else cast(dict[str, Any], value)


def _check_suggestion(said: Mapping[str, Any], source: str) -> None:
    for name in ("title", "why", "expected_effect"):
        words = one_line(said[name])
        if hidden_character(words) is not None or "\n" in words:
            raise FaultError(f"{name} {words!r} is not harmless")
    try:
        edits = located(source, said["edits"])
        after = applied(source, edits)
        check_words(source, after)
    except RejectedError as error:
        if not str(error):
            raise FaultError("rejected without a reason") from None
        return
    if after == source or hidden_character(after) not in (None, hidden_character(source)):
        raise FaultError("an edit that changes nothing, or brings a hidden character")
    lines, changed = source.split("\n"), after.split("\n")
    first, last = edits[0].first_line - 1, len(lines) - edits[-1].last_line
    if lines[:first] != changed[:first] or lines[::-1][:last] != changed[::-1][:last]:
        raise FaultError("a line outside of the edits is another")


def _check_votes(voted: Sequence[Sequence[dict[str, Any]]], gpu: GpuUsed) -> None:
    """The votes, each of the answers that it consists of, and the opinion that they come to."""
    case = cast(ClassificationCase, SimpleNamespace(gpu=gpu))
    votes = [protocols.vote(case, answers) for answers in voted]
    opinion = opinion_of(
        [each.verdict for each in votes],
        [each.reason for each in votes],
        model="m",
        protocol="p",
        static=Verdict.COMPUTE_BOUND,
        confidence=0.75,
        trust=0.8,
    )
    if not 0.5 <= opinion.joined_confidence <= 1 or hidden_character(opinion.reason) is not None:
        raise FaultError(f"{opinion}")


@cache
def gpu(name: str) -> GpuUsed:
    """What is known of a GPU."""
    return gpu_used(Settings(gpu=name))

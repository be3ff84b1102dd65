"""Questions asked through the real SDK: once each, whatever comes back, and kept at once."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from roofline_advisor.asking import Asker
from roofline_advisor.request import Request, Turn
from roofline_advisor.usage import Usage
from roofline_core.settings import AdvisorSettings
from roofline_study.papers.answer_reading import class_given, model_answers
from roofline_study.papers.classification import ONE_WORD
from roofline_study.papers.errors import StudyError
from roofline_study.papers.interview import StudyQuestion, asked, cost_ahead, kept
from roofline_study.papers.kept_answers import AnswerStore, KeptAnswer
from roofline_study.papers.scores import Subject
from tests.advisor.fake_api import Body, FakeApi, fails, message, says

from .conftest import BB, CB

COMPUTE = says({"answer": "Compute"})
USED = Usage(1000, 200, 30, 70)


@pytest.fixture
def settings(api: FakeApi, tmp_path: Path) -> AdvisorSettings:
    """No reply is kept but by the study itself."""
    api.default = COMPUTE
    return AdvisorSettings(
        enabled=True, model="claude-opus-5", base_url=api.url, retries=0, batch_from=1000,
        cache_days=0.0, concurrency=2, max_output_tokens=300, cache_dir=tmp_path / "replies",
    )  # fmt: skip


@pytest_asyncio.fixture
async def asker(settings: AdvisorSettings) -> AsyncIterator[Asker]:
    made = Asker(settings)
    yield made
    await made.close()


@pytest.fixture
def store(tmp_path: Path) -> AnswerStore:
    return AnswerStore(tmp_path / "results")


def questions(settings: AdvisorSettings, count: int) -> list[StudyQuestion]:
    return [
        StudyQuestion(
            "rq2",
            f"p{at}-cuda:k",
            0,
            Request.of(settings, "system", (Turn("user", f"Question {at}"),), ONE_WORD),
        )
        for at in range(count)
    ]


async def test_every_question_is_asked_once(
    api: FakeApi, settings: AdvisorSettings, asker: Asker, store: AnswerStore
) -> None:
    held = questions(settings, 5)
    assert kept(held, store).answers == (None,) * 5
    shown: list[tuple[int, int]] = []
    found = await asked(held[:3], store, asker, lambda done, of: shown.append((done, of)))
    assert len(api.asked()) == 3
    assert shown == [(1, 3), (2, 3), (3, 3)]
    found = await asked(held, store, asker, lambda done, of: shown.append((done, of)))
    assert len(api.asked()) == 5
    assert shown[3:] == [(4, 5), (5, 5)]
    assert found.failures == {}
    assert found.answers[0] == KeptAnswer(
        *("rq2", "p0-cuda:k", 0, "claude-opus-5", {"answer": "Compute"}, None, None),
        *(USED, False),
    )
    assert kept(held, store) == found


@pytest.mark.parametrize(
    ("reply", "fault", "said", "verdict"),
    [
        (says({}, raw_text="Bandwidth"), "malformed", "Bandwidth", BB),
        (says({}, raw_text=""), "malformed", "", None),
        (says({"class": "Compute"}), "off schema", '{"class": "Compute"}', CB),
        (says({"answer": "Compute"}, stop_reason="refusal"), "refused", None, None),
        (says({"answer": "Compute"}, stop_reason="max_tokens"), "truncated", None, None),
    ],
)
async def test_what_cannot_be_used_is_kept_as_it_came(
    api: FakeApi,
    settings: AdvisorSettings,
    asker: Asker,
    store: AnswerStore,
    *,
    reply: object,
    fault: str,
    said: str | None,
    verdict: object,
) -> None:
    api.default = reply  # type: ignore[assignment]
    held = questions(settings, 1)
    (answer,) = (await asked(held, store, asker)).answers
    assert answer is not None
    assert (answer.value, answer.fault, answer.usage) == (None, fault, USED)
    assert answer.said == (said if said is not None else json.dumps({"answer": "Compute"}))
    assert class_given(answer) is verdict
    assert asker.spent.tokens == USED.total
    await asked(held, store, asker)
    assert len(api.asked()) == 1


async def test_what_was_not_answered_is_asked_again(
    api: FakeApi, settings: AdvisorSettings, asker: Asker, store: AnswerStore
) -> None:
    api.script.extend([fails(500, "api_error"), COMPUTE, fails(500, "api_error")])
    held = questions(settings, 3)
    found = await asked(held, store, asker)
    assert sum(answer is None for answer in found.answers) == 2
    assert list(found.failures.values()) == [2]
    found = await asked(held, store, asker)
    assert None not in found.answers
    assert len(api.asked()) == 5


async def test_a_fault_that_would_stop_all_is_met_once(
    api: FakeApi, settings: AdvisorSettings, store: AnswerStore
) -> None:
    api.default = fails(401, "authentication_error")
    asker = Asker(replace(settings, concurrency=1))
    found = await asked(questions(settings, 6), store, asker)
    await asker.close()
    assert len(api.asked()) == 1
    assert found.answers == (None,) * 6
    ((why, count),) = found.failures.items()
    assert (count, "401" in why) == (6, True)


async def test_the_budget_ends_the_asking(
    api: FakeApi, settings: AdvisorSettings, store: AnswerStore
) -> None:
    asker = Asker(replace(settings, budget_tokens=3000, concurrency=1))
    held = questions(settings, 6)
    found = await asked(held, store, asker)
    await asker.close()
    # Each answer takes 1300 tokens, and a question may take 300 and its text.
    assert len(api.asked()) == 3
    assert sum(answer is not None for answer in found.answers) == 3
    assert "the budget of 3000 tokens does not do" in next(iter(found.failures))


async def test_many_questions_are_one_batch(
    api: FakeApi, settings: AdvisorSettings, store: AnswerStore
) -> None:
    def result(_: str, params: Body) -> Body:
        if "Question 2" in json.dumps(params["messages"]):
            return {"type": "errored", "error": {"type": "error", "error": {
                "type": "api_error", "message": "no"}}}  # fmt: skip
        content = [{"type": "text", "text": '{"answer": "Bandwidth"}'}]
        return {"type": "succeeded", "message": message(params, content, "end_turn")}

    api.batch_results = result
    api.batch_looks = 0
    asker = Asker(replace(settings, batch_from=3))
    held = questions(settings, 4)
    found = await asked(held, store, asker)
    assert api.asked() == []
    assert [answer is None for answer in found.answers] == [False, False, True, False]
    answer = found.answers[0]
    assert answer is not None
    assert (answer.batch, answer.value) == (True, {"answer": "Bandwidth"})
    # What the batch did not answer is one question, and so asked by itself.
    await asked(held, store, asker)
    assert [body["messages"][0]["content"][0]["text"] for body in api.asked()] == ["Question 2"]
    await asker.close()


async def test_an_answer_that_cannot_be_kept_ends_the_study(
    api: FakeApi, settings: AdvisorSettings, store: AnswerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    asker = Asker(replace(settings, concurrency=1))
    with pytest.raises(StudyError, match="an answer cannot be kept: No space left on device"):
        await asked(questions(settings, 3), store, asker)
    await asker.close()
    assert len(api.asked()) == 1


async def test_a_folder_that_cannot_be_read_is_told_before_anything_is_asked(
    api: FakeApi, settings: AdvisorSettings, asker: Asker, tmp_path: Path
) -> None:
    (tmp_path / "answers").write_text("a file")
    with pytest.raises(StudyError, match="cannot be read: Not a directory; see '--results'"):
        await asked(questions(settings, 3), AnswerStore(tmp_path), asker)
    assert api.requests == []


async def test_cost_ahead_counts_what_is_missing(
    settings: AdvisorSettings, asker: Asker, store: AnswerStore
) -> None:
    held = questions(settings, 4)
    ahead = cost_ahead("claude-opus-5", held, store, 1000)
    tokens = 4 * int((len("system") + len("Question 0")) / 3)
    assert (ahead.requests, ahead.input_tokens, ahead.most_output_tokens) == (4, tokens, 1200)
    assert ahead.most_cost == pytest.approx((5 * tokens + 25 * 1200) / 1e6)
    half = cost_ahead("claude-opus-5", held, store, 4)
    assert half.most_cost == pytest.approx((ahead.most_cost or 0) / 2)
    await asked(held[:3], store, asker)
    assert cost_ahead("claude-opus-5", held, store, 1000).requests == 1


async def test_answers_become_a_row(
    settings: AdvisorSettings, asker: Asker, store: AnswerStore
) -> None:
    held = questions(settings, 2)
    more = [replace(held[0], trial=1, request=replace(held[0].request, sample=1)), *held]
    subjects = {each.item: Subject(each.item, each.item, CB) for each in held}
    found = await asked([more[0], more[1]], store, asker)
    row = model_answers("m", more, (*found.answers, None), subjects)
    assert row.given == {subjects[held[0].item]: [CB, CB]}
    # 2 x (1100 tokens in at 5 $ and 200 out at 25 $ for 10^6)
    assert row.cost_dollars == pytest.approx(2 * (1100 * 5 + 200 * 25) / 1e6)
    assert row.price is not None
    nothing = model_answers("m", more, (None, None, None), subjects)
    assert (nothing.given, nothing.cost_dollars) == ({}, None)

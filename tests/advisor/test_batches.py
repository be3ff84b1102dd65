"""Batches: handed in, followed, collected, and collected again after an interruption."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from roofline_advisor.asking import Answer
from roofline_advisor.batches import ask_all
from roofline_advisor.errors import AdvisorError, Fault
from roofline_advisor.request import Request, Turn
from roofline_advisor.schema import obj
from roofline_core.settings import AdvisorSettings

from .fake_api import Body, FakeApi, message

SCHEMA = obj(answer={"type": "integer"})


def requests(advisor: AdvisorSettings, count: int) -> list[Request]:
    return [
        Request.of(advisor, "You count.", (Turn("user", f"How many {at}?"),), SCHEMA)
        for at in range(count)
    ]


def answers(_: str, params: Body) -> Body:
    """The number in the question; 2 is off the schema, 3 fails, 4 expires, 5 is cut."""
    at = int(params["messages"][0]["content"][0]["text"].split()[-1][:-1])
    if at == 3:
        error = {"type": "error", "error": {"type": "api_error", "message": "no"}}
        return {"type": "errored", "error": error}
    if at == 4:
        return {"type": "expired"}
    value = {"answer": "two"} if at == 2 else {"answer": at}
    stop = "max_tokens" if at == 5 else "end_turn"
    content = [{"type": "text", "text": json.dumps(value)}]
    return {"type": "succeeded", "message": message(params, content, stop)}


async def test_each_question_has_its_answer(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.batch_results = answers
    api.batch_looks = 3
    asker = make_asker()
    shown: list[tuple[int, int]] = []
    got = await ask_all(
        asker, requests(advisor, 6), lambda *now: shown.append(now), look_every_s=0.01
    )
    assert [each.value["answer"] for each in got[:2] if isinstance(each, Answer)] == [0, 1]
    faults = [each.fault for each in got[2:] if isinstance(each, AdvisorError)]
    assert faults == [Fault.OFF_SCHEMA, Fault.SERVER, Fault.SERVER, Fault.TRUNCATED]
    paid = [each.usage is not None for each in got[2:] if isinstance(each, AdvisorError)]
    assert paid == [True, False, False, True]
    assert asker.spent.tokens == 4 * 1300
    assert shown == [(0, 6), (0, 6), (6, 6)]
    (handed_in,) = [each for each in api.requests if each.method == "POST"]
    assert len(handed_in.body["requests"]) == 6
    assert handed_in.body["requests"][0]["params"] == requests(advisor, 1)[0].parameters()
    assert "stream" not in handed_in.body["requests"][0]["params"]
    # What is kept is not asked again, what failed is.
    api.requests.clear()
    again = await ask_all(make_asker(), requests(advisor, 4), look_every_s=0.01)
    assert [isinstance(each, Answer) for each in again] == [True, True, False, False]
    (handed_in,) = [each for each in api.requests if each.method == "POST"]
    assert len(handed_in.body["requests"]) == 2


async def test_a_run_that_is_ended_is_taken_up_by_the_next(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.batch_results = answers
    api.batch_looks = 10**6
    first = asyncio.ensure_future(ask_all(make_asker(), requests(advisor, 2), look_every_s=0.01))
    async with asyncio.timeout(180):
        while len(api.requests) < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    api.batch_looks = 0
    got = await ask_all(make_asker(), requests(advisor, 2), look_every_s=0.01)
    assert all(isinstance(each, Answer) for each in got)
    assert len([each for each in api.requests if each.method == "POST"]) == 1


def _looked_at(api: FakeApi, handed_in: int) -> bool:
    """Whether so many batches were handed in, and the last one was looked at since."""
    methods = "".join(each.method for each in api.requests)
    return methods.count("POST") == handed_in and "GET" in methods.rpartition("POST")[2]


async def test_a_batch_that_is_gone_is_forgotten(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.batch_results = answers
    api.batch_looks = 0
    asker = make_asker()
    first = asyncio.ensure_future(ask_all(asker, requests(advisor, 2), look_every_s=0.01))
    await first
    api.batch_looks = 10**6
    asker = make_asker()
    second = asyncio.ensure_future(
        ask_all(asker, requests(advisor, 3)[2:] + requests(advisor, 7)[6:], look_every_s=0.01)
    )
    async with asyncio.timeout(180):
        while not _looked_at(api, handed_in=2):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    second.cancel()
    api._batches.clear()
    wanted = requests(advisor, 3)[2:] + requests(advisor, 7)[6:]
    with pytest.raises(AdvisorError):
        await ask_all(make_asker(), wanted, look_every_s=0.01)
    api.batch_looks = 0
    got = await ask_all(make_asker(), wanted, look_every_s=0.01)
    assert isinstance(got[1], Answer)


async def test_off_means_off(api: FakeApi, make_asker: Any, advisor: AdvisorSettings) -> None:
    with pytest.raises(AdvisorError, match="advisor is off"):
        await ask_all(make_asker(enabled=False), requests(advisor, 2))
    assert api.requests == []


async def test_a_batch_keeps_within_the_budget(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    def cheap(_: str, params: Body) -> Body:
        content = [{"type": "text", "text": json.dumps({"answer": 1})}]
        return {"type": "succeeded", "message": message(params, content, "end_turn")}

    api.batch_results = cheap
    asker = make_asker(budget_tokens=9000)
    asked = [replace(each, max_tokens=2000) for each in requests(advisor, 12)]
    got = await ask_all(asker, asked, look_every_s=0.01)
    handed_in = [len(each.body["requests"]) for each in api.requests if each.method == "POST"]
    assert handed_in == [4, 1, 1]  # 2000 tokens and a few each at most, and 1300 in the end
    assert asker.spent.tokens <= 9000
    assert asker.spent.reserved == 0
    faults = [each.fault for each in got if isinstance(each, AdvisorError)]
    assert faults == [Fault.BUDGET] * (12 - sum(handed_in))
    assert len(faults) < 12

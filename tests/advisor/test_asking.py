"""Questions that the real SDK puts to a fake endpoint, and everything that can go wrong."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import Any

import anthropic
import pytest

from roofline_advisor import client
from roofline_advisor.asking import Asker
from roofline_advisor.errors import AdvisorError, Fault
from roofline_advisor.request import Request, Turn
from roofline_advisor.schema import obj
from roofline_core.settings import AdvisorSettings

from .conftest import KEY
from .fake_api import FakeApi, disconnects, fails, fails_in_stream, page, says

SCHEMA = obj(answer={"type": "integer", "minimum": 0})
SECRET = "static_float_nobody_should_log_this"


def request(advisor: AdvisorSettings, text: str = "How many?", sample: int = 0) -> Request:
    return Request.of(advisor, "You count.", (Turn("user", f"{text} {SECRET}"),), SCHEMA, sample)


async def failure(asker: Asker, asked: Request) -> AdvisorError:
    with pytest.raises(AdvisorError) as caught:
        await asker.ask(asked)
    return caught.value


@pytest.mark.parametrize("structure", ["output", "tool"])
async def test_an_answer_with_its_tokens(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings, structure: Any
) -> None:
    api.default = says({"answer": 42})
    asker = make_asker()
    answer = await asker.ask(request(replace(advisor, structure=structure)))
    assert answer.value == {"answer": 42}
    assert not answer.cached
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (1000, 200)
    assert asker.spent.tokens == answer.usage.total == 1300


async def test_what_goes_over_the_wire(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.default = says({"answer": 1})
    await make_asker().ask(request(replace(advisor, effort="low")))
    (received,) = api.requests
    body = received.body
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert body["stream"] is True
    assert body["model"] == "claude-test"
    assert body["max_tokens"] == 16_000
    kept = {"type": "ephemeral"}
    assert body["system"] == [{"type": "text", "text": "You count.", "cache_control": kept}]
    (turn,) = body["messages"]
    text = f"How many? {SECRET}"
    assert turn == {"role": "user", "content": [{"type": "text", "text": text}]}
    assert body["output_config"]["effort"] == "low"
    schema = body["output_config"]["format"]["schema"]
    assert schema["properties"]["answer"] == {"type": "integer", "description": "{minimum: 0}"}
    assert schema["additionalProperties"] is False


async def test_a_tool_that_must_be_called(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.default = says({"answer": 1})
    await make_asker().ask(request(replace(advisor, structure="tool")))
    (body,) = api.asked()
    assert body["tool_choice"] == {"type": "tool", "name": "answer"}
    (tool,) = body["tools"]
    assert tool["strict"] is True
    assert tool["input_schema"]["required"] == ["answer"]
    assert "output_config" not in body


async def test_what_is_shown_is_what_is_sent(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.default = says({"answer": 1})
    asked = request(advisor)
    await make_asker().ask(asked)
    (body,) = api.asked()
    assert {name: value for name, value in body.items() if name != "stream"} == asked.parameters()
    shown = asked.shown()
    assert "You count." in shown
    assert f"How many? {SECRET}" in shown
    assert '"additionalProperties": false' in shown
    assert KEY not in shown


FAILURES: list[tuple[Any, Fault, str]] = [
    (fails(401, "authentication_error"), Fault.DENIED, "ANTHROPIC_API_KEY"),
    (fails(402, "billing_error", "top up"), Fault.DENIED, "payment or credit (402): top up; see"),
    (fails(402, "invalid_request_error"), Fault.DENIED, "lacks payment or credit (402)"),
    (fails(403, "permission_error"), Fault.DENIED, "no permission for this endpoint or the model"),
    (fails(403, "permission_error", "not for you"), Fault.DENIED, "'claude-test' (403): not for"),
    (fails(404, "not_found_error", "model: x"), Fault.REQUEST, "'advisor.model'"),
    (fails(400, "invalid_request_error", "bad effort"), Fault.REQUEST, "(400): bad effort"),
    (fails(413, "request_too_large"), Fault.REQUEST, "'advisor.max-source-chars'"),
    (fails(429, "rate_limit_error", retry_after="33"), Fault.RATE, "says to wait 33 s"),
    (fails(429, "rate_limit_error"), Fault.RATE, "limits the rate (429)"),
    (fails(500, "api_error"), Fault.SERVER, "failed (500)"),
    (fails(503, "api_error"), Fault.SERVER, "failed (503)"),
    (fails(529, "overloaded_error"), Fault.OVERLOADED, "overloaded (529)"),
    (fails_in_stream("overloaded_error"), Fault.OVERLOADED, "overloaded"),
    (fails_in_stream("rate_limit_error"), Fault.RATE, "limits the rate"),
    (page, Fault.MALFORMED, "not of the protocol"),
    (disconnects, Fault.UNREACHABLE, "cannot be reached"),
    (says({"answer": 1}, stop_reason="max_tokens"), Fault.TRUNCATED, "max-output-tokens"),
    (says({}, stop_reason="refusal"), Fault.REFUSED, "refuses"),
    (says({}, stop_reason="model_context_window_exceeded"), Fault.TRUNCATED, "max-source-chars"),
    (says({"answer": 1}, cut_after=0), Fault.INTERRUPTED, "broke off"),
    (says({}, raw_text="I think it is 42."), Fault.MALFORMED, "not JSON"),
    (says({}, raw_text=""), Fault.MALFORMED, "empty"),
    (says({"answer": "42"}), Fault.OFF_SCHEMA, "'reply.answer' must be of type integer"),
    (says({"answer": -1}), Fault.OFF_SCHEMA, "'reply.answer' is out of range"),
    (says({"answer": 1, "more": 2}), Fault.OFF_SCHEMA, "'more'"),
    (says({}), Fault.OFF_SCHEMA, "lacks 'answer'"),
    (says([1]), Fault.OFF_SCHEMA, "must be of type object"),
]


@pytest.mark.parametrize(("behaviour", "fault", "words"), FAILURES)
async def test_a_failure_is_told_in_a_sentence(
    api: FakeApi,
    make_asker: Any,
    advisor: AdvisorSettings,
    caplog: pytest.LogCaptureFixture,
    behaviour: Any,
    fault: Fault,
    words: str,
) -> None:
    api.default = behaviour
    asker = make_asker()
    with caplog.at_level(logging.DEBUG):
        error = await failure(asker, request(advisor))
    assert (error.fault, words in str(error)) == (fault, True), str(error)
    assert "\n" not in str(error)
    for text in (str(error), caplog.text):
        assert KEY not in text
        assert SECRET not in text
    # What failed is not kept: the next question is asked.
    api.default = says({"answer": 7})
    assert (await asker.ask(request(advisor))).value == {"answer": 7}


@pytest.mark.parametrize(
    ("behaviour", "fault"),
    [
        (says({"answer": 1}, cut_after=0), Fault.INTERRUPTED),
        (says({"answer": 1}, stop_reason="max_tokens"), Fault.TRUNCATED),
        (says({}, raw_text='{"answer": }'), Fault.MALFORMED),
        (says({"answer": "1"}), Fault.OFF_SCHEMA),
    ],
)
async def test_failures_of_a_tool(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings, behaviour: Any, fault: Fault
) -> None:
    api.default = behaviour
    assert (await failure(make_asker(), request(replace(advisor, structure="tool")))).fault is fault


async def test_an_endpoint_that_hangs_and_one_that_stalls(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    asker = make_asker(timeout_s=0.5)
    for behaviour in (api.hangs, api.stalls):
        api.default = behaviour
        error = await failure(asker, request(advisor))
        assert error.fault is Fault.TIMEOUT
        assert "within 0.5 s; see 'advisor.timeout-s'" in str(error)


async def test_importing_the_sdk_is_not_what_times_out(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = client._connect

    def slow(settings: AdvisorSettings) -> anthropic.AsyncAnthropic:
        time.sleep(3)
        return connect(settings)

    monkeypatch.setattr(client, "_connect", slow)
    api.default = says({"answer": 4})
    answer = await make_asker(timeout_s=2.5).ask(request(advisor))
    assert answer.value == {"answer": 4}


@pytest.mark.parametrize(
    ("key", "held"),
    [
        (f"{KEY}\n", "a line break"),
        (f"sk-first\r\n{KEY}", "a line break"),
        (f"{KEY}\x1b", "a control character"),
        (f"{KEY}\u2013", "a character that is not ASCII"),
    ],
)
@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
async def test_a_key_that_no_request_can_carry(
    api: FakeApi,
    make_asker: Any,
    advisor: AdvisorSettings,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    key: str,
    held: str,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv(name, key)
    error = await failure(make_asker(), request(advisor))
    assert error.fault is Fault.NO_KEY
    assert str(error).startswith(f"the key holds {held}, so nothing was sent")
    assert str(error).endswith(f" in {name}")
    assert KEY not in str(error)
    assert api.requests == []


def test_an_assertion_of_the_sdk_is_not_called_by_its_name(advisor: AdvisorSettings) -> None:
    error = client._translated(AssertionError(), advisor)
    assert error is not None
    assert error.fault is Fault.MALFORMED
    assert "AssertionError" not in str(error)
    assert "not of the protocol (events are missing)" in str(error)


async def test_no_route(make_asker: Any, advisor: AdvisorSettings) -> None:
    # A port that was open a moment ago and is closed now.
    with_port = FakeApi()
    url = with_port.url
    with_port.close()
    asker = make_asker(base_url=url)
    error = await failure(asker, request(replace(advisor, base_url=url)))
    assert error.fault is Fault.UNREACHABLE
    assert url in str(error)


async def test_no_key(
    make_asker: Any, advisor: AdvisorSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    error = await failure(make_asker(), request(advisor))
    assert error.fault is Fault.NO_KEY
    assert "ANTHROPIC_API_KEY" in str(error)


async def test_nothing_is_sent_while_the_advisor_is_off(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    asker = make_asker(enabled=False)
    error = await failure(asker, request(advisor))
    assert error.fault is Fault.OFF
    assert "'advisor.enabled'" in str(error)
    with pytest.raises(AdvisorError):
        await asker.count_tokens(request(advisor))
    assert api.requests == []


class Notes:
    def __init__(self) -> None:
        self.characters: list[int] = []
        self.pauses: list[tuple[str, float]] = []

    def text(self, characters: int) -> None:
        self.characters.append(characters)

    def waiting(self, why: str, seconds: float) -> None:
        self.pauses.append((why, seconds))


async def test_another_attempt_after_the_pause_that_the_endpoint_names(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.script.extend(
        [
            fails(429, "rate_limit_error", retry_after="0.05"),
            fails(529, "overloaded_error", retry_after="0"),
            says({"answer": 5}),
        ]
    )
    notes = Notes()
    answer = await make_asker(retries=2).ask(request(advisor), notes)
    assert answer.value == {"answer": 5}
    assert [seconds for _, seconds in notes.pauses] == [0.05, 0.0]
    assert "limits the rate" in notes.pauses[0][0]
    assert notes.characters[-1] == len('{"answer": 5}')
    assert len(api.asked()) == 3


async def test_attempts_end(api: FakeApi, make_asker: Any, advisor: AdvisorSettings) -> None:
    api.default = fails(500, "api_error", retry_after="0")
    assert (await failure(make_asker(retries=3), request(advisor))).fault is Fault.SERVER
    assert len(api.asked()) == 4


async def test_what_another_attempt_cannot_mend_is_not_tried_again(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.default = fails(401, "authentication_error")
    await failure(make_asker(retries=3), request(advisor))
    assert len(api.asked()) == 1


async def test_a_pause_beyond_the_limit_is_not_waited_for(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.default = fails(429, "rate_limit_error", retry_after="3600")
    started = time.monotonic()
    error = await failure(make_asker(retries=5), request(advisor))
    assert error.fault is Fault.RATE
    assert "3600 s" in str(error)
    assert time.monotonic() - started < 15
    assert len(api.asked()) == 1


async def test_a_reply_is_kept_for_other_askers_until_the_question_changes(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.default = says({"answer": 3})
    await make_asker().ask(request(advisor))
    second = make_asker()
    again = await second.ask(request(advisor))
    assert again.cached
    assert again.value == {"answer": 3}
    assert second.spent.tokens == 0
    assert len(api.asked()) == 1
    others = [
        request(advisor, "How few?"),
        request(advisor, sample=1),
        request(replace(advisor, model="claude-other")),
        request(replace(advisor, effort="high")),
        request(replace(advisor, max_output_tokens=999)),
        request(replace(advisor, structure="tool")),
    ]
    for other in others:
        assert not (await second.ask(other)).cached
    assert len(api.asked()) == 1 + len(others)


def test_a_key_tells_nothing_and_is_the_same_everywhere(advisor: AdvisorSettings) -> None:
    key = request(advisor).key()
    assert key == request(advisor).key()
    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")


async def test_equal_requests_in_flight_are_one(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.default = says({"answer": 9}, delay_s=0.2)
    asker = make_asker()
    answers = await asyncio.gather(*(asker.ask(request(advisor)) for _ in range(5)))
    assert [answer.value for answer in answers] == [{"answer": 9}] * 5
    assert len(api.asked()) == 1
    assert asker.spent.tokens == 1300


async def test_one_who_gives_up_does_not_take_the_answer_from_others(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.default = says({"answer": 9}, delay_s=0.3)
    asker = make_asker()
    one, other = (asyncio.ensure_future(asker.ask(request(advisor))) for _ in range(2))
    await until(lambda: len(api.asked()) == 1)
    one.cancel()
    assert (await other).value == {"answer": 9}
    assert one.cancelled()


async def test_when_all_give_up_the_request_ends(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.default = api.stalls
    asker = make_asker()
    task = asyncio.ensure_future(asker.ask(request(advisor)))
    await until(lambda: len(api.asked()) == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(api.dropped.is_set)
    api.default = says({"answer": 2})
    assert (await asker.ask(request(advisor))).value == {"answer": 2}


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (says({}, raw_text="Forty-two."), "Forty-two."),
        (says({"answer": "42"}), '{"answer": "42"}'),
        (says({"answer": 4}, stop_reason="max_tokens"), '{"answer": 4}'),
        (says({"answer": 4}, stop_reason="refusal"), '{"answer": 4}'),
    ],
)
async def test_what_cannot_be_used_was_said_and_paid_for(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings, reply: Any, said: str
) -> None:
    api.default = reply
    asker = make_asker()
    error = await failure(asker, request(advisor))
    assert error.said == said
    assert said not in str(error)
    assert error.usage is not None
    assert error.usage.total == asker.spent.tokens == 1300


async def test_no_more_requests_at_a_time_than_wanted(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    under_way, most = 0, 0
    quick = says({"answer": 1}, delay_s=0.05)

    def behave(handler: Any, body: Any) -> None:
        nonlocal under_way, most
        with api.lock:
            under_way += 1
            most = max(most, under_way)
        quick(handler, body)
        with api.lock:
            under_way -= 1

    api.default = behave
    asker = make_asker(concurrency=2)
    await asyncio.gather(*(asker.ask(request(advisor, sample=at)) for at in range(6)))
    assert most == 2


async def test_the_budget(api: FakeApi, make_asker: Any, advisor: AdvisorSettings) -> None:
    api.default = says({"answer": 1})
    most = advisor.max_output_tokens + 100
    asker = make_asker(budget_tokens=most)
    await asker.ask(request(advisor))
    error = await failure(asker, request(advisor, sample=1))
    assert error.fault is Fault.BUDGET
    assert f"the budget of {most} tokens" in str(error)
    assert (await asker.ask(request(advisor))).cached  # what is kept costs nothing
    assert len(api.asked()) == 1


@pytest.mark.parametrize("concurrency", [1, 8])
async def test_requests_under_way_keep_within_the_budget(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings, concurrency: int
) -> None:
    api.default = says({"answer": 1})
    asker = make_asker(budget_tokens=3000, max_output_tokens=1000, concurrency=concurrency)
    asked = [replace(request(advisor, sample=at), max_tokens=1000) for at in range(20)]
    answers = await asyncio.gather(*map(asker.ask, asked), return_exceptions=True)
    faults = {each.fault for each in answers if isinstance(each, AdvisorError)}
    assert faults == {Fault.BUDGET}
    assert asker.spent.tokens <= 3000
    assert asker.spent.reserved == 0
    assert len(api.asked()) == 2  # 1300 tokens each


async def test_tokens_are_counted_by_the_endpoint(
    api: FakeApi, make_asker: Any, advisor: AdvisorSettings
) -> None:
    api.counted = 4321
    assert await make_asker().count_tokens(request(advisor)) == 4321
    (received,) = api.requests
    assert received.path.startswith("/v1/messages/count_tokens")
    assert "max_tokens" not in received.body


async def until(condition: Any) -> None:
    async with asyncio.timeout(180):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)

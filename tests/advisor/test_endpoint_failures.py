"""Each failure of a model's endpoint against each command that asks it, through the real SDK.

A person is told in one sentence, in time; nothing wrong is kept; the static report is what it is
without a model.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any, Final

import pytest

from roofline_advisor.cache import ReplyCache
from roofline_core.settings import AdvisorSettings
from roofline_lsp.cli.main import main

from .conftest import KEY
from .fake_api import (
    Behaviour,
    Body,
    FakeApi,
    Handler,
    disconnects,
    fails,
    fails_in_stream,
    message,
    page,
    says,
)
from .kernels import SOURCE

TIMEOUT_S: Final = 3.0
LONGEST_S: Final = 20.0
"""In time, on a machine that does other things besides."""
HOSTILE: Final = (
    "\x1b]0;owned\x07\x1b[31m\u202e[click](command:x) <img src=x>\r\nroofline-lsp: fine"
)


def raw(data: bytes, kind: str = "text/event-stream", status: int = 200) -> Behaviour:
    """An answer of these bytes."""
    return lambda handler, _: handler.raw(status, data, kind)


def redirects(handler: Handler, _: Body) -> None:
    """Sends the client elsewhere, where a key must not go."""
    handler.raw(307, b"", "text/plain", location="http://127.0.0.1:9/v1/messages")


def shorter_than_it_says(handler: Handler, _: Body) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "100000")
    handler.end_headers()
    handler.wfile.write(b'{"id": ')
    handler.close_connection = True


def unzippable(handler: Handler, _: Body) -> None:
    handler.raw(200, b"\x1f\x8bnot really", "text/event-stream", content_encoding="gzip")


def not_http(handler: Handler, _: Body) -> None:
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")
    handler.close_connection = True


def begins_twice(handler: Handler, body: Body) -> None:
    handler.start_stream()
    for _ in range(2):
        handler.event("message_start", message=message(body, [], None))


def ends_at_once(handler: Handler, _: Body) -> None:
    handler.start_stream()


def never_ends(handler: Handler, body: Body) -> None:
    """Goes on and on, quickly."""
    handler.start_stream()
    handler.event("message_start", message=message(body, [], None))
    handler.event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    while True:
        delta = {"type": "text_delta", "text": "x" * 1_000}
        handler.event("content_block_delta", index=0, delta=delta)
        time.sleep(0.01)


FAILURES: Final[dict[str, Behaviour]] = {
    "400": fails(400, "invalid_request_error"),
    "401": fails(401, "authentication_error"),
    "402": fails(402, "billing_error"),
    "403": fails(403, "permission_error"),
    "404": fails(404, "not_found_error"),
    "408": fails(408, "timeout_error"),
    "409": fails(409, "conflict"),
    "413": fails(413, "request_too_large"),
    "418": fails(418, "teapot"),
    "429": fails(429, "rate_limit_error"),
    "429 for a year": fails(429, "rate_limit_error", retry_after="31536000"),
    "429 for NaN": fails(429, "rate_limit_error", retry_after="nan"),
    "500": fails(500, "api_error"),
    "502 of a proxy": raw(b"<html>Bad Gateway</html>", "text/html", 502),
    "503": fails(503, "api_error"),
    "529": fails(529, "overloaded_error"),
    "a hostile error": fails(400, "invalid_request_error", HOSTILE + f" {KEY}"),
    "a captive portal": page,
    "a redirection": redirects,
    "no HTTP": not_http,
    "a closed connection": disconnects,
    "shorter than it says": shorter_than_it_says,
    "not zipped": unzippable,
    "an empty stream": ends_at_once,
    "a stream of nonsense": raw(b"event: message_start\ndata: {{{\n\n"),
    "no UTF-8": raw(b"event: message_start\ndata: \xff\xfe\xfd\n\n"),
    "a stream that begins twice": begins_twice,
    "overloaded in the stream": fails_in_stream("overloaded_error"),
    "an unknown error in the stream": fails_in_stream("weird_error"),
    "broken off": says({"reason": "It adds a lot of numbers.", "class": "CB"}, cut_after=1),
    "another schema": says({"answer": 42}),
    "no JSON": says(None, raw_text="I think it is compute-bound."),
    "deep JSON": says(None, raw_text="[" * 50_000),
    "NaN": says(None, raw_text='{"reason": NaN, "class": NaN}'),
    "wrong types": says({"reason": [], "class": {}, "suggestions": "x"}),
    "too long": says({"reason": "x", "class": "CB"}, stop_reason="max_tokens"),
    "a refusal": says({"reason": "x", "class": "CB"}, stop_reason="refusal"),
    "an unknown end": says({"reason": "x" * 50, "cla": "CB"}, stop_reason="weird"),
    "an endless stream": never_ends,
}
COMMANDS: Final = {
    "check": ("--check", "rows.cu", "--llm", "all", "--no-progress"),
    "advise": ("advise", "rows.cu"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api: FakeApi) -> Path:
    """A project, and a person's own file that names the endpoint."""
    own = tmp_path / "config" / "roofline-lsp"
    own.mkdir(parents=True)
    (own / "roofline.toml").write_text(
        f'[advisor]\nenabled = true\nbase-url = "{api.url}"\nmodel = "claude-test"\nretries = 0\n'
        f"compile = false\ntimeout-s = {TIMEOUT_S}\n"
    )
    (tmp_path / "p").mkdir()
    monkeypatch.chdir(tmp_path / "p")
    monkeypatch.setenv("NO_COLOR", "1")
    Path("rows.cu").write_text(SOURCE)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("failure", [*FAILURES, "hangs", "stalls"])
def test_a_failure_is_told_and_nothing_is_lost(
    failure: str, command: str, folder: Path, api: FakeApi, capsys: pytest.CaptureFixture[str]
) -> None:
    static = _static_report(capsys)
    api.default = FAILURES[failure] if failure in FAILURES else getattr(api, failure)
    started = time.monotonic()
    code = main(list(COMMANDS[command]))
    took_s = time.monotonic() - started
    captured = capsys.readouterr()
    both = captured.out + captured.err
    assert took_s < LONGEST_S
    assert len(api.asked()) >= 1
    assert code in (0, 1, 2)
    for word in ("Traceback", "internal error", KEY, "\x1b", "\u202e", "object at 0x"):
        assert word not in both
    if command == "check":
        assert _without_the_model(captured.out) == static
        assert code == 0
    told = [line for line in both.splitlines() if _is_about_the_model(line)]
    assert told, both
    assert all(len(line) < 600 for line in told)
    assert not re.search(r"(?m)^roofline-lsp: fine", both)
    assert ReplyCache(AdvisorSettings()).info().entries == 0
    assert Path("rows.cu").read_text() == SOURCE


def _static_report(capsys: pytest.CaptureFixture[str]) -> str:
    main(["--check", "rows.cu", "--no-progress"])
    return _without_the_model(capsys.readouterr().out)


def _without_the_model(report: str) -> str:
    lines = report.splitlines()
    return "\n".join(line for line in lines if not re.match(r"\s+model\b", line)).strip()


def _is_about_the_model(line: str) -> bool:
    return any(
        word in line for word in ("model", "endpoint", "key", "request", "answer", "account")
    )


def test_there_are_enough_of_them() -> None:
    assert len(FAILURES) >= 30


def test_a_reply_that_is_right_is_kept(folder: Path, api: FakeApi, capsys: Any) -> None:
    """The check that nothing is kept can fail."""
    api.default = says({"reason": "It adds a lot of numbers.", "class": "CB"})
    assert main(list(COMMANDS["check"])) == 0
    assert "It adds a lot" in capsys.readouterr().out
    assert ReplyCache(AdvisorSettings()).info().entries == 1

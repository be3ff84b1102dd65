"""A Messages API on loopback that does what each test tells it to; the real SDK talks to it."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: Body


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: FakeApi

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        self._answer(json.loads(self.rfile.read(length) or b"{}"))

    def do_GET(self) -> None:
        self._answer({})

    def _answer(self, body: Body) -> None:
        api = self.api
        headers = {name.lower(): value for name, value in self.headers.items()}
        api.requests.append(Received(self.command, self.path, headers, body))
        try:
            if self.path.startswith("/v1/messages/batches"):
                api.batches(self, body)
            elif self.path.startswith("/v1/messages/count_tokens"):
                self.json(200, {"input_tokens": api.counted})
            else:
                with api.lock:
                    behaviour = api.script.popleft() if api.script else api.default
                behaviour(self, body)
        except (BrokenPipeError, ConnectionResetError):
            api.dropped.set()

    # ---- What behaviours are made of

    def json(self, status: int, value: Any, **headers: str) -> None:
        self.raw(status, json.dumps(value).encode(), "application/json", **headers)

    def raw(self, status: int, data: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def start_stream(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()

    def event(self, name: str, **data: Any) -> None:
        text = json.dumps({"type": name, **data})
        self.wfile.write(f"event: {name}\ndata: {text}\n\n".encode())
        self.wfile.flush()


Behaviour = Callable[[Handler, Body], None]


def message(body: Body, content: list[Body], stop_reason: str | None) -> Body:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "claude-test"),
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1000,
            "output_tokens": 200,
            "cache_creation_input_tokens": 30,
            "cache_read_input_tokens": 70,
        },
    }


def says(
    value: Any,
    *,
    stop_reason: str | None = "end_turn",
    delay_s: float = 0.0,
    cut_after: int | None = None,
    raw_text: str | None = None,
    thinks: bool = False,
) -> Behaviour:
    """Streams a value as structured output, or as the tool's input where a tool is given."""

    def behave(handler: Handler, body: Body) -> None:
        text = json.dumps(value) if raw_text is None else raw_text
        tool = bool(body.get("tools"))
        stop = "tool_use" if tool and stop_reason == "end_turn" else stop_reason
        block: Body = (
            {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": {}}
            if tool
            else {"type": "text", "text": ""}
        )
        pieces = [text[at : at + 40] for at in range(0, len(text), 40)]
        handler.start_stream()
        handler.event("message_start", message=message(body, [], None))
        index = 0
        if thinks:
            thought = {"type": "thinking", "thinking": "", "signature": ""}
            handler.event("content_block_start", index=0, content_block=thought)
            delta = {"type": "thinking_delta", "thinking": "Let me see."}
            handler.event("content_block_delta", index=0, delta=delta)
            delta = {"type": "signature_delta", "signature": "x"}
            handler.event("content_block_delta", index=0, delta=delta)
            handler.event("content_block_stop", index=0)
            index = 1
        handler.event("content_block_start", index=index, content_block=block)
        for at, piece in enumerate(pieces):
            if cut_after is not None and at >= cut_after:
                return
            delta = (
                {"type": "input_json_delta", "partial_json": piece}
                if tool
                else {"type": "text_delta", "text": piece}
            )
            handler.event("content_block_delta", index=index, delta=delta)
            time.sleep(delay_s)
        handler.event("content_block_stop", index=index)
        handler.event(
            "message_delta",
            delta={"stop_reason": stop, "stop_sequence": None, "stop_details": None},
            usage={"output_tokens": 200},
        )
        handler.event("message_stop")

    return behave


def fails(status: int, kind: str, text: str = "no", **headers: str) -> Behaviour:
    """An answer with an error status."""

    def behave(handler: Handler, _: Body) -> None:
        error = {"type": "error", "error": {"type": kind, "message": text}}
        handler.json(status, error, **headers)

    return behave


def fails_in_stream(kind: str) -> Behaviour:
    """An error event after the stream has begun."""

    def behave(handler: Handler, body: Body) -> None:
        handler.start_stream()
        handler.event("message_start", message=message(body, [], None))
        handler.event("error", error={"type": kind, "message": "no"})

    return behave


def page(handler: Handler, _: Body) -> None:
    """What a captive portal answers."""
    handler.raw(200, b"<html><body>Please log in</body></html>", "text/html")


def disconnects(handler: Handler, _: Body) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True
    handler.connection.close()


class FakeApi:
    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.script: deque[Behaviour] = deque()
        self.default: Behaviour = says({})
        self.lock = threading.Lock()
        self.counted = 1234
        self.released = threading.Event()
        self.dropped = threading.Event()
        """A client went away while it was answered."""
        self.batch_looks = 1
        """How often a batch is looked at before it has ended."""
        self.batch_results: Callable[[str, Body], Body] = lambda name, _: {"type": "expired"}
        self._batches: dict[str, list[Body]] = {}
        handler = type("Bound", (Handler,), {"api": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def asked(self) -> list[Body]:
        """The bodies of the questions."""
        return [each.body for each in self.requests if each.path.split("?")[0] == "/v1/messages"]

    def hangs(self, handler: Handler, _: Body) -> None:
        """Answers nothing until the test is over."""
        self.released.wait(60)

    def stalls(self, handler: Handler, body: Body) -> None:
        """Begins a stream and then says no more."""
        handler.start_stream()
        handler.event("message_start", message=message(body, [], None))
        for _ in range(600):
            if self.released.wait(0.05):
                return
            handler.wfile.write(b": ping\n\n")
            handler.wfile.flush()

    def batches(self, handler: Handler, body: Body) -> None:
        """The Batches API."""
        parts = handler.path.split("?")[0].split("/")[4:]
        if handler.command == "POST" and not parts:
            name = f"msgbatch_{len(self._batches) + 1}"
            self._batches[name] = body["requests"]
            handler.json(200, self._batch(name))
        elif parts[1:] == ["results"]:
            lines = [
                {
                    "custom_id": each["custom_id"],
                    "result": self.batch_results(each["custom_id"], each["params"]),
                }
                for each in reversed(self._batches[parts[0]])
            ]
            data = "".join(json.dumps(line) + "\n" for line in lines).encode()
            handler.raw(200, data, "application/x-jsonl")
        elif parts and parts[0] in self._batches:
            self.batch_looks -= 1
            handler.json(200, self._batch(parts[0]))
        else:
            fails(404, "not_found_error")(handler, body)

    def _batch(self, name: str) -> Body:
        ended = self.batch_looks <= 0
        count = len(self._batches[name])
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {
                "processing": 0 if ended else count,
                "succeeded": count if ended else 0,
                "errored": 0,
                "canceled": 0,
                "expired": 0,
            },
            "created_at": "2026-01-01T00:00:00Z",
            "expires_at": "2026-01-02T00:00:00Z",
            "ended_at": "2026-01-01T00:01:00Z" if ended else None,
            "results_url": f"{self.url}/v1/messages/batches/{name}/results" if ended else None,
        }

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def serving() -> Iterator[FakeApi]:
    api = FakeApi()
    try:
        yield api
    finally:
        api.close()

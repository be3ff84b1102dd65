"""The protocol byte by byte: what no well-behaved client sends."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

SERVER = [sys.executable, str(Path(__file__).with_name("fake_server.py"))]
URI = "file:///nowhere/k.cu"
KERNEL = "__global__ void k(int n) {\n}\n"


class Wire:
    """A server process and its pipes."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.sent: IO[bytes] = self.process.stdin
        self.received: IO[bytes] = self.process.stdout
        self.notifications: list[dict[str, Any]] = []
        self._killer = threading.Timer(180, self.process.kill)
        self._killer.start()

    def send(self, **message: Any) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def raw(self, body: bytes) -> None:
        self.sent.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.sent.flush()

    def message(self) -> dict[str, Any]:
        length = 0
        while (header := self.received.readline()) != b"\r\n":
            assert header, "the server is gone"
            name, value = header.split(b":")
            assert name in {b"Content-Length", b"Content-Type"}, header
            if name == b"Content-Length":
                length = int(value)
        found: dict[str, Any] = json.loads(self.received.read(length))
        return found

    def answer(self, number: int) -> dict[str, Any]:
        """The response with an id; what comes before it is kept."""
        while True:
            message = self.message()
            if message.get("id") == number and "method" not in message:
                return message
            self.notifications.append(message)

    def request(self, number: int, method: str, params: Any) -> dict[str, Any]:
        self.send(id=number, method=method, params=params)
        return self.answer(number)

    def end(self) -> int:
        self.request(900, "shutdown", None)
        self.send(method="exit")
        return self.process.wait()

    def stop(self) -> None:
        self._killer.cancel()
        self.process.kill()
        self.process.wait()
        self.sent.close()
        self.received.close()


@pytest.fixture
def wire() -> Iterator[Wire]:
    connection = Wire()
    connection.request(0, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    connection.send(method="initialized", params={})
    yield connection
    connection.stop()


def open_kernel(wire: Wire) -> None:
    item = {"uri": URI, "languageId": "cuda", "version": 1, "text": KERNEL}
    wire.send(method="textDocument/didOpen", params={"textDocument": item})


def lens_count(wire: Wire, number: int) -> int:
    answer = wire.request(number, "textDocument/codeLens", {"textDocument": {"uri": URI}})
    return len(answer["result"])


def test_malformed_requests_are_answered_with_errors(wire: Wire) -> None:
    bad: list[tuple[str, Any]] = [
        ("textDocument/hover", {"textDocument": 7}),
        ("textDocument/hover", None),
        ("textDocument/hover", {"textDocument": {"uri": URI}}),
        ("roofline/report", {}),
        ("no/suchMethod", {}),
    ]
    for number, (method, params) in enumerate(bad, 1):
        assert "error" in wire.request(number, method, params), (method, params)
    open_kernel(wire)
    assert lens_count(wire, 50) == 1
    shown = [found for found in wire.notifications if found["method"] == "window/showMessage"]
    assert shown == []
    assert wire.end() == 0


def test_nonsense_does_not_end_the_server(wire: Wire) -> None:
    for body in (b"{", b"[]", b"null", b"\xff\xfe", b'{"jsonrpc": "1.0", "id": 3}', b"7"):
        wire.raw(body)
    wire.send(method="textDocument/didChange", params={"textDocument": {}})
    wire.send(method="$/unknown", params={"x": 1})
    wire.send(id=77, result=None)
    open_kernel(wire)
    assert lens_count(wire, 1) == 1
    assert wire.end() == 0


def test_headers_of_other_kinds(wire: Wire) -> None:
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "textDocument/codeLens"}
        | {"params": {"textDocument": {"uri": URI}}}
    ).encode()
    wire.sent.write(
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
        b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    )
    wire.sent.flush()
    assert wire.answer(1)["result"] == []


def test_requests_after_shutdown_do_no_harm(wire: Wire) -> None:
    open_kernel(wire)
    wire.request(1, "shutdown", None)
    params = {"textDocument": {"uri": URI}}
    error = wire.request(2, "textDocument/codeLens", params)["error"]
    assert (error["code"], error["message"]) == (-32600, "'textDocument/codeLens' after 'shutdown'")
    wire.send(method="exit")
    assert wire.process.wait() == 0


@pytest.mark.parametrize("header", [b"Content-Length: x\r\n\r\n", b"y" * 9_000])
def test_a_wrong_header_ends_the_session(wire: Wire, header: bytes) -> None:
    wire.sent.write(header)
    wire.sent.flush()
    assert wire.process.wait() == 1


def test_a_hover_is_null_where_there_is_nothing_to_say(wire: Wire) -> None:
    open_kernel(wire)
    position = {"line": 2, "character": 0}  # After the kernel.
    params = {"textDocument": {"uri": URI}, "position": position}
    assert wire.request(1, "textDocument/hover", params)["result"] is None
    far = {"textDocument": {"uri": URI}, "position": {"line": 10**9, "character": 10**9}}
    assert wire.request(2, "textDocument/hover", far)["result"] is None

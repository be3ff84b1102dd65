"""Sessions of the language server in this process, whose client sends what no client should."""

from __future__ import annotations

import asyncio
import io
import json
import random
import threading
from functools import cache
from pathlib import Path
from typing import Any, Final

from cattrs import Converter
from pygls.io_ import run_async
from pygls.protocol import default_converter

from roofline_lsp.server.session import handlers
from roofline_lsp.server.session.app import RooflineServer
from roofline_lsp.server.session.headers import CheckedHeaders
from roofline_lsp.server.worker.api_analyser import ApiAnalyser
from roofline_lsp.server.worker.jobs import Analysed, Failed, JobOutcome
from roofline_lsp.server.worker.main import Worker
from roofline_lsp.server.worker.process import WorkerProcess

from .guard import FaultError
from .mutations import mutated
from .settings_files import json_settings, json_value

URI: Final = "file:///none/k.cu"
LAST: Final = 1_000_000
"""The number of the request that must be answered whatever came before it."""
ANSWER_S: Final = 120.0
REQUESTS: Final = (
    *("hover", "codeLens", "diagnostic", "inlayHint", "codeAction", "definition", "completion"),
)
OWN: Final = ("report", "lineHeat", "gpus", "whatIf", "explain", "compare", "none")
NOTIFICATIONS: Final = (
    *("textDocument/didChange", "textDocument/didClose", "textDocument/didSave"),
    *("workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration", "$/cancelRequest"),
    *("workspace/didChangeWorkspaceFolders", "$/setTrace", "textDocument/didOpen", "no/such"),
)
NONSENSE: Final = (
    *(b"{", b"[]", b"null", b"7", b"\xff\xfe", b'{"jsonrpc": "1.0", "id": 3}', b'"x"', b"{}"),
    *(b'{"jsonrpc": "2.0", "id": [], "method": "textDocument/hover"}', b'{"id": 5}', b"[" * 5_000),
    *(b'{"jsonrpc": "2.0", "id": 1e400, "method": "x"}', b'{"jsonrpc": "2.0", "method": {}}'),
    *(b'{"jsonrpc": "2.0", "result": 1, "id": "?"}', b'{"jsonrpc": "2.0", "error": 1, "id": 1}'),
)
WRONG_HEADERS: Final = (
    *(b"Content-Length: -1\r\n\r\n", b"Content-Length: 0\r\n\r\n", b"content-length: 5\r\n\r\n"),
    *(b"Content-Length: " + b"9" * 31 + b"\r\n\r\n", b"Content-Length:\r\n", b"\r\n", b"x" * 9_000),
)


@cache
def _converter() -> Converter:
    """One for all sessions: each new one compiles its functions for messages, for 35 ms."""
    made: Converter = default_converter()  # type: ignore[no-untyped-call]
    return made


class InProcessWorker(WorkerProcess):
    """Does its jobs where it is."""

    def __init__(self) -> None:
        super().__init__()
        self._worker = Worker(ApiAnalyser())

    def start(self) -> None:
        """There is no process."""

    async def _do(self, job: Any) -> Any:
        await asyncio.sleep(0)
        outcome = self._worker.do(job)
        assert isinstance(outcome, JobOutcome)
        if isinstance(outcome.value, Failed) and not outcome.value.expected:
            raise FaultError(f"job failed: {outcome.value.message}")
        if isinstance(outcome.value, Analysed):
            for problem in outcome.value.report.problems:
                if problem.message.startswith("internal error"):
                    raise FaultError(problem.message)
        return outcome.value


class Written:
    """Where the server's messages go."""

    def __init__(self) -> None:
        self.answers: list[object] = []
        self.last = asyncio.Event()

    def write(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        if "method" not in message:
            self.answers.append(message.get("id"))
            if self.answers[-1] == LAST:
                self.last.set()

    def close(self) -> None:
        """Nothing to do."""


class Stream:
    """What the client sends, its headers checked as a server's are."""

    def __init__(self, data: bytes) -> None:
        self._checked = CheckedHeaders(io.BytesIO(data))

    async def readline(self) -> bytes:
        await asyncio.sleep(0)
        return self._checked.readline()

    async def readexactly(self, n: int) -> bytes:
        return self._checked.read(n)


def session_bytes(chance: random.Random, text: bytes) -> bytes:
    """What a client sends in one session, with a last request that is well-formed."""
    document = {"uri": URI, "languageId": "cuda", "version": 1}
    document["text"] = text.decode("utf-8", "replace")
    frames = [
        frame(0, "initialize", {"processId": None, "rootUri": None, "capabilities": _can(chance)}),
        frame(None, "initialized", {}),
        frame(None, "textDocument/didOpen", {"textDocument": document}),
    ]
    for number in range(1, chance.randint(2, 12)):
        frames.append(_random_frame(chance, number))
    frames.append(frame(LAST, "textDocument/codeLens", {"textDocument": {"uri": URI}}))
    return b"".join(frames)


def message_bytes(chance: random.Random) -> tuple[bytes, bool]:
    """A short session about a text without code, whose messages may be spoiled.

    With it whether its last request must be answered: behind a wrong header nothing is.
    """
    document = {"uri": URI, "languageId": "cuda", "version": 1, "text": "int n;\n"}
    frames = [
        frame(0, "initialize", {"processId": None, "rootUri": None, "capabilities": _can(chance)}),
        frame(None, "initialized", {}),
        frame(None, "textDocument/didOpen", {"textDocument": document}),
    ]
    is_answered = True
    for number in range(1, chance.choice((2, 2, 3, 4))):
        made = _random_frame(chance, number)
        if chance.random() < 0.4:
            made = _headed(mutated(chance, made.partition(b"\r\n\r\n")[2], ()) or b"0")
        elif chance.random() < 0.05:
            made, is_answered = chance.choice(WRONG_HEADERS) + made, False
        frames.append(made)
    frames.append(frame(LAST, "textDocument/codeLens", {"textDocument": {"uri": URI}}))
    return b"".join(frames), is_answered


def _can(chance: random.Random) -> dict[str, object]:
    kinds = chance.sample(["utf-8", "utf-16", "utf-32"], chance.randint(0, 3))
    return {"general": {"positionEncodings": kinds}} if kinds else {}


def frame(number: object, method: str, params: object) -> bytes:
    """A request's message with its header; a notification's where ``number`` is None."""
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    return _headed(json.dumps(message).encode())


def _headed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _random_frame(chance: random.Random, number: int) -> bytes:
    match chance.randrange(8):
        case 0:
            return _headed(chance.choice(NONSENSE))
        case 1:
            return _headed(chance.randbytes(chance.randint(1, 30)))
        case 2 | 3:
            method = chance.choice(NOTIFICATIONS)
            return frame(None, method, _params(chance, method))
        case 4:
            method = "roofline/" + chance.choice(OWN)
        case _:
            method = "textDocument/" + chance.choice(REQUESTS)
    found: object = chance.choice((number, number, f"r{number}", 2**40, "", -1, 1.5))
    return frame(found, method, _params(chance, method))


def _params(chance: random.Random, method: str) -> object:
    """Parameters of the method's form, of which something is often exchanged."""
    if method == "workspace/didChangeConfiguration":
        settings = json_settings(chance)
        settings.pop("advisor", None)
        return {"settings": {"roofline": settings}}
    params: dict[str, object] = {
        "textDocument": {"uri": URI, "version": 2},
        "position": _place(chance),
        "range": {"start": _place(chance), "end": _place(chance)},
        "context": {"diagnostics": []},
        "id": chance.randint(0, 9),
        "changes": [],
        "event": {"added": [], "removed": []},
        "value": "off",
    }
    if "didChange" in method:
        change = {"text": chance.choice(("}", "{", "", "\n", "\r", "é😀", "#if 1\n", "a<"))}
        at = {"start": _place(chance), "end": _place(chance)}
        params["contentChanges"] = [{**change, "range": at} if chance.random() < 0.8 else change]
    if chance.random() < 0.4:
        params[chance.choice(list(params))] = json_value(chance)
    if chance.random() < 0.1:
        return json_value(chance)
    return params


def _place(chance: random.Random) -> dict[str, int]:
    numbers = (0, 1, 2, 3, 5, 8, 13, 2**31 - 1)
    return {"line": chance.choice(numbers), "character": chance.choice(numbers)}


def run_session(data: bytes, *, is_answered: bool = True) -> None:
    """Serve a session of these bytes. Raises FaultError if the last request has no answer.

    Unless it ``is_answered`` the session is only to end.
    """
    with asyncio.Runner() as runner:
        runner.run(_served(data, is_answered=is_answered))


async def _served(data: bytes, *, is_answered: bool) -> None:
    faults: list[str] = []

    def note(_: object, context: dict[str, Any]) -> None:
        faults.append(f"{context.get('message')}: {context.get('exception')!r}")

    asyncio.get_running_loop().set_exception_handler(note)
    server = RooflineServer("0", InProcessWorker(), None, converter_factory=_converter)
    written = Written()
    server.settings.set_folder(Path("/none"))
    handlers.register(server)
    server.protocol.set_writer(written)
    try:
        async with asyncio.timeout(ANSWER_S):
            await run_async(threading.Event(), Stream(data), server.protocol)
            if is_answered:
                await written.last.wait()
    except TimeoutError:
        raise FaultError("the session has no end, or its last request no answer") from None
    finally:
        server.end()
        await asyncio.sleep(0)
    if faults or written.answers.count(LAST) > 1:
        raise FaultError(f"faults {faults}, the last request is answered more than once")

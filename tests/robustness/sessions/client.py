"""A server process as its client sees it: what was sent, what was asked, what came back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final

Message = dict[str, Any]

SERVER: Final = (sys.executable, "-m", "tests.robustness.sessions.server")
ROOT: Final = Path(__file__).parents[3]
ANSWER_S: Final = 300.0
"""So long an answer is waited for before it counts as missing."""
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class ServerGoneError(Exception):
    """The server ended although nobody asked it to."""


class ServerUnderTest:
    """A server over stdio. Requests are sent without waiting; their answers are kept by number."""

    def __init__(self, folder: Path, encoding: str, *words: str) -> None:
        """Start and initialize a server for a folder; ``words`` are those of ``server.py``."""
        self.requests = 0
        self.messages: list[str] = []
        """What it showed or logged."""
        self._answers: dict[int, Message] = {}
        self._open: set[int] = set()
        self._gone = False
        self._heard = threading.Condition()
        self._process = subprocess.Popen(
            (*SERVER, *words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=os.environ | {"HOME": str(folder.parent), "XDG_CACHE_HOME": str(folder.parent)},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        threading.Thread(target=self._listen, daemon=True).start()
        can = {
            "general": {"positionEncodings": [encoding]},
            "textDocument": {"hover": {"contentFormat": ["markdown"]}, "diagnostic": {}},
        }
        params = {"processId": os.getpid(), "rootUri": folder.as_uri(), "capabilities": can}
        chosen = self.ask("initialize", params)["result"]["capabilities"]["positionEncoding"]
        assert chosen == encoding, chosen
        self.tell("initialized", {})

    # ---- Messages

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> int:
        """Send a request; its number."""
        self.requests += 1
        number = self.requests
        with self._heard:
            self._open.add(number)
        self._send({"id": number, "method": method, "params": params})
        return number

    def cancel(self, number: int) -> None:
        """Say that an answer is not wanted any more. The protocol still demands one."""
        self.tell("$/cancelRequest", {"id": number})

    def answer(self, number: int) -> Message:
        """Wait for the answer to a request. Raises TimeoutError and ServerGoneError."""
        with self._heard:
            if not self._heard.wait_for(lambda: number in self._answers or self._gone, ANSWER_S):
                raise TimeoutError(f"request {number} has no answer")
            if number not in self._answers:
                raise ServerGoneError
            return self._answers.pop(number)

    def ask(self, method: str, params: Any) -> Message:
        """Send a request and wait for its answer."""
        return self.answer(self.request(method, params))

    def settle(self) -> int:
        """Wait for all answers; how many are missing."""
        with self._heard:
            self._heard.wait_for(lambda: not self._open or self._gone, ANSWER_S)
            self._answers.clear()
            return len(self._open)

    def stop(self) -> int:
        """End the session in order; the exit status, -1 if the server had to be killed."""
        try:
            self.ask("shutdown", None)
            self.tell("exit", None)
            return self._process.wait(30)
        except (ServerGoneError, TimeoutError, subprocess.TimeoutExpired, OSError):
            return -1
        finally:
            self._process.kill()
            self._process.wait()
            self._stdin.close()

    # ---- What it costs

    def memory_mb(self) -> float:
        """Resident memory of the server and its workers, as far as the system tells."""
        return sum(_resident_mb(each) for each in self.processes())

    def cpu_s(self) -> float:
        """Processor time of the server and its workers so far."""
        return sum(_cpu_s(each) for each in self.processes())

    def processes(self) -> list[int]:
        """The server's process and those below it."""
        return _with_children(self._process.pid)

    # ---- The pipe

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        try:
            self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._stdin.flush()
        except BrokenPipeError:
            raise ServerGoneError from None

    def _listen(self) -> None:
        while (message := _received(self._stdout)) is not None:
            if "method" in message:
                self._asked(message)
                continue
            with self._heard:
                self._open.discard(message["id"])
                self._answers[message["id"]] = message
                self._heard.notify_all()
        with self._heard:
            self._gone = True
            self._heard.notify_all()

    def _asked(self, message: Message) -> None:
        if "id" in message:
            self._send({"id": message["id"], "result": None})
        elif message["method"] in {"window/logMessage", "window/showMessage"}:
            self.messages.append(message["params"]["message"])


def _received(stream: IO[bytes]) -> Message | None:
    """The next message; None at the end of the stream."""
    length = 0
    while (header := stream.readline()) != b"\r\n":
        if not header:
            return None
        name, _, value = header.partition(b":")
        if name == b"Content-Length":
            length = int(value)
    found: Message = json.loads(stream.read(length))
    return found


def _with_children(process: int) -> list[int]:
    found = [process]
    for each in found:
        for listing in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += map(int, listing.read_text().split())
            except OSError:
                continue
    return found


def _resident_mb(process: int) -> float:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _cpu_s(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


def idle_cpu_s(server: ServerUnderTest, seconds: float) -> float:
    """The processor time that a server takes while nothing is sent to it."""
    before = server.cpu_s()
    time.sleep(seconds)
    return server.cpu_s() - before


def item(uri: str, text: str, version: int) -> Message:
    """The parameters that open a document."""
    document = {"uri": uri, "languageId": language(uri), "version": version, "text": text}
    return {"textDocument": document}


def language(uri: str) -> str:
    """The language that an editor tells of a file by its suffix."""
    suffix = uri.rpartition(".")[2]
    return {"cl": "opencl", "hip": "hip", "c": "c"}.get(
        suffix, "cuda-cpp" if suffix in {"cu", "cuh"} else "cpp"
    )


def changes(uri: str, version: int, content: Sequence[Message]) -> Message:
    """The parameters that change a document."""
    return {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(content)}

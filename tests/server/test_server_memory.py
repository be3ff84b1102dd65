"""What the server's own process keeps does not grow with the number of messages."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from pygls.io_ import run_async

from roofline_lsp.server.session import handlers
from roofline_lsp.server.session.app import RooflineServer
from tests.robustness.fuzzing.frames import URI, InProcessWorker, Stream, Written, frame

OPENED = {"uri": URI, "languageId": "cuda", "version": 1, "text": "int n;\n"}


def _messages(edits: int) -> bytes:
    """A session with so many edits, and of requests as many that are answered and cancelled."""
    document = {"uri": URI}
    frames = [
        frame(0, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
        frame(None, "initialized", {}),
        frame(None, "textDocument/didOpen", {"textDocument": OPENED}),
    ]
    for number in range(1, edits + 1):
        change = {"text": f"int n{number};\n"}
        versioned = {"uri": URI, "version": number + 1}
        told = {"textDocument": versioned, "contentChanges": [change]}
        frames.append(frame(None, "textDocument/didChange", told))
        frames.append(frame(number, "textDocument/codeLens", {"textDocument": document}))
        if number % 3 == 0:
            frames.append(frame(None, "$/cancelRequest", {"id": number}))
    frames.append(frame(None, "textDocument/didSave", {"textDocument": document}))
    frames.append(frame(None, "workspace/didChangeConfiguration", {"settings": {}}))
    frames.append(frame(1_000_000, "textDocument/codeLens", {"textDocument": document}))
    return b"".join(frames)


def test_nothing_is_kept_of_messages_that_were_handled() -> None:
    async def served(data: bytes) -> tuple[list[object], list[object]]:
        server = RooflineServer("0", InProcessWorker(), None)
        written = Written()
        server.settings.set_folder(Path("/none"))
        handlers.register(server)
        server.protocol.set_writer(written)
        try:
            async with asyncio.timeout(60):
                await run_async(threading.Event(), Stream(data), server.protocol)
                await written.last.wait()
            for _ in range(200):
                if server.protocol._request_futures:
                    await asyncio.sleep(0.01)
        finally:
            server.end()
        return written.answers, list(server.protocol._request_futures)

    with asyncio.Runner() as runner:
        answers, kept = runner.run(served(_messages(40)))
    assert sorted(each for each in answers if isinstance(each, int)) == [*range(41), 1_000_000]
    assert kept == []

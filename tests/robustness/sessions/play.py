"""One session: random edits, requests, cancels and reloads, and what a fresh server says beside."""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .client import ServerUnderTest, changes, idle_cpu_s, item
from .edits import EditedText, random_edit
from .projects import EditedProject, copied
from .server import RENEWALS, TEXT

BURST: Final = 25
"""Edits between two comparisons."""
ENCODINGS: Final = ("utf-16", "utf-16", "utf-8", "utf-32")
MOST_OPEN: Final = 3
TRIES: Final = 12
"""So often the edited document is asked again, for what comes late, before it counts as another."""
TRIES_WHILE_BROKEN: Final = 4
IDLE_S: Final = 3.0
QUIET_S: Final = 12.0
"""So long without work a server has given back what memory it can: new workers come after 10 s."""
LONGEST_WORK_S: Final = 90.0
"""So long it is waited for that."""


@dataclass(slots=True)
class Played:
    """What came of a session."""

    project: str
    edits: int = 0
    requests: int = 0
    cancelled: int = 0
    compared: int = 0
    renewals: int = 0
    """How often new workers took over."""
    late: int = 0
    """Comparisons that agreed only when they were made again."""
    wrong_texts: int = 0
    unanswered: int = 0
    differences: list[str] = field(default_factory=list)
    while_broken: int = 0
    """Comparisons that differ while a text has syntax errors, whose function alone is read."""
    messages: list[str] = field(default_factory=list)
    warm_mb: float = 0.0
    """After a quarter of the edits, with the texts as they were at the beginning."""
    end_mb: float = 0.0
    idle_cpu_s: float = 0.0
    exit_status: int = -1
    took_s: float = 0.0
    """From the first edit to the last comparison."""

    @property
    def is_fine(self) -> bool:
        """Whether the server kept to all that a session asks of it, but for its memory."""
        wrong = self.wrong_texts or self.unanswered or self.differences
        return not wrong and self.exit_status == 0


@dataclass(frozen=True, slots=True)
class Length:
    """How long a session goes on, and how fast."""

    edits: int
    seconds: float = math.inf
    """No burst begins after these."""
    is_human: bool = False
    """Whether an edit comes each 0.5 to 2 s, and letters faster; else as fast as they are sent."""
    is_renewing: bool = False
    """Whether new workers follow at each rest, however little the old ones grew."""

    def done(self, edits: int, took_s: float) -> float:
        """The share of a session that is over."""
        return max(edits / self.edits if self.edits else 1.0, took_s / self.seconds)


class Play:
    """A session under way."""

    def __init__(
        self,
        seed: str,
        project: EditedProject,
        others: Sequence[str],
        folder: Path,
        *,
        is_human: bool = False,
        is_renewing: bool = False,
    ) -> None:
        # Not of the session's own random numbers: its edits are the same at each pace.
        self._pace = random.Random(f"pace {seed}") if is_human else None
        self.result = Played(project.folder.name)
        self._chance = chance = random.Random(f"session {seed}")
        self._others = others
        self._folder = copied(project, folder / "work" / project.folder.name)
        encoding = chance.choice(ENCODINGS)
        self._encoding = encoding
        self.edited = ServerUnderTest(self._folder, encoding, *["--renewing"] * is_renewing)
        self._fresh = ServerUnderTest(self._folder, encoding, "--fresh")
        names = chance.sample(project.files, min(len(project.files), MOST_OPEN))
        self._texts = {self._uri(name): self._from_disk(name) for name in names}
        self._originals = {uri: text.text for uri, text in self._texts.items()}
        self._versions = dict.fromkeys(self._texts, 0)
        self._asked: list[int] = []
        for uri in self._texts:
            self._open(uri)

    def burst(self, edits: int) -> None:
        """Edit one document and ask about it meanwhile."""
        uri = self._chance.choice(list(self._texts))
        if self._chance.random() < 0.3:
            self._tell(uri, [self._texts[uri].whole(self._originals[uri])])
        made = 0
        while made < edits:
            sent = random_edit(self._chance, self._texts[uri], self._others)
            for content in sent:
                self._tell(uri, content)
                self._ask_something(uri)
                self._pause(0.08, 0.3)
            self._pause(0.5, 2.0)
            made += max(len(sent), 1)
        self.result.edits += made
        if self._chance.random() < 0.25:
            self._reload(uri)

    def _pause(self, least_s: float, most_s: float) -> None:
        if self._pace is not None:
            time.sleep(self._pace.uniform(least_s, most_s))

    def compare(self) -> None:
        """Hold all documents to the client's texts and to a fresh server's answers."""
        self.result.unanswered += self.edited.settle()
        for uri, text in self._texts.items():
            self._fresh.tell("textDocument/didOpen", item(uri, text.text, 1))
        broken = any(self._is_broken(uri) for uri in self._texts)
        for uri, text in self._texts.items():
            kept = self.edited.ask(TEXT, _document(uri))["result"]
            kept = bytes.fromhex(kept).decode()
            if kept != text.text:
                self.result.wrong_texts += 1
                self._differs(uri, TEXT, {}, kept, text.text)
            self._compare(uri, broken=broken)
        for uri in self._texts:
            self._fresh.tell("textDocument/didClose", _document(uri))

    def restore(self) -> None:
        """Give all documents the texts that they had at the beginning."""
        for uri, text in self._texts.items():
            self._tell(uri, [text.whole(self._originals[uri])])

    def end(self) -> None:
        """Ask about memory and idleness, and end both servers."""
        wait_until_quiet(self.edited)
        self.result.renewals = self.edited.ask(RENEWALS, None)["result"]
        self.result.idle_cpu_s = idle_cpu_s(self.edited, IDLE_S)
        self.result.end_mb = self.edited.memory_mb()
        self.result.unanswered += self.edited.settle()
        self.result.requests = self.edited.requests
        self.result.messages = [each for each in self.edited.messages if "Error" in each]
        self.result.exit_status = self.edited.stop()
        self._fresh.stop()

    # ---- Editing

    def _uri(self, name: str) -> str:
        return (self._folder / name).as_uri()

    def _from_disk(self, name: str) -> EditedText:
        text = (self._folder / name).read_bytes().decode("utf-8", "replace")
        return EditedText(text, self._encoding)

    def _open(self, uri: str) -> None:
        self._versions[uri] += 1
        opened = item(uri, self._texts[uri].text, self._versions[uri])
        self.edited.tell("textDocument/didOpen", opened)

    def _tell(self, uri: str, content: list[dict[str, Any]]) -> None:
        self._versions[uri] += 1
        told = changes(uri, self._versions[uri], content)
        self.edited.tell("textDocument/didChange", told)

    def _ask_something(self, uri: str) -> None:
        chance = self._chance
        if chance.random() < 0.3:
            self._asked.append(self.edited.request(*self._question(uri)))
        if self._asked and chance.random() < 0.15:
            self.edited.cancel(self._asked.pop(chance.randrange(len(self._asked))))
            self.result.cancelled += 1
        if chance.random() < 0.1:
            time.sleep(chance.choice((0.01, 0.1, 0.4)))

    def _reload(self, uri: str) -> None:
        """Close and open a document: as it is, as its file is, or after the file was written."""
        path = self._folder / uri.rpartition("/")[2]
        saves, keeps = self._chance.random() < 0.3, self._chance.random() < 0.5
        if saves:
            path.write_bytes(self._texts[uri].text.encode())
            self.edited.tell("textDocument/didSave", _document(uri))
        self.edited.tell("textDocument/didClose", _document(uri))
        self._ask_something(uri)
        if not keeps:
            self._texts[uri] = self._from_disk(path.name)
        self._open(uri)

    # ---- Asking

    def _question(self, uri: str) -> tuple[str, dict[str, Any]]:
        text, chance = self._texts[uri], self._chance
        method = chance.choice(
            (
                *("textDocument/hover", "textDocument/hover", "textDocument/codeLens"),
                *("textDocument/diagnostic", "textDocument/inlayHint", "textDocument/codeAction"),
                *("roofline/report", "roofline/lineHeat", "roofline/explain"),
            )
        )
        asked = _document(uri)
        place = text.position(text.place(chance))
        if method in {"textDocument/hover", "roofline/explain"}:
            asked["position"] = place
        elif method in {"textDocument/inlayHint", "textDocument/codeAction"}:
            asked["range"] = {"start": place, "end": place}
            asked["context"] = {"diagnostics": []}
        return method, asked

    def _questions(self, uri: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """What is compared: all that is said of a document, and hovers at names and elsewhere."""
        asked = _document(uri)
        text, chance = self._texts[uri], self._chance
        end = text.position(len(text.text))
        yield "textDocument/diagnostic", asked
        yield "textDocument/codeLens", asked
        yield (
            "textDocument/inlayHint",
            {**asked, "range": {"start": {"line": 0, "character": 0}, "end": end}},
        )
        yield "roofline/report", asked
        yield "roofline/lineHeat", asked
        places = [
            text.outside_ends(at)
            for sign in ("__global__ void ", "<<<", "__kernel void ")
            if (at := text.text.find(sign) + len(sign)) >= len(sign)
        ]
        for at in (*places, *(text.place(chance) for _ in range(3))):
            yield "textDocument/hover", {**asked, "position": text.position(at)}

    def _is_broken(self, uri: str) -> bool:
        """Whether a fresh server finds errors of syntax in a document."""
        found = self._fresh.ask("textDocument/diagnostic", _document(uri))
        said = [each["message"] for each in found["result"]["items"]]
        return any(each.startswith(_BROKEN) or each.endswith(" missing") for each in said)

    def _compare(self, uri: str, *, broken: bool) -> None:
        for method, asked in self._questions(uri):
            self.result.compared += 1
            here: dict[str, Any] = {}
            there: dict[str, Any] = {}
            for number in range(TRIES_WHILE_BROKEN if broken else TRIES):
                here = self.edited.ask(method, asked)
                there = self._fresh.ask(method, asked)
                same = _lasting(here.get("result")) == _lasting(there.get("result"))
                if same and "error" not in here:
                    self.result.late += number > 0
                    break
                time.sleep(0.1 * number)
            else:
                # Asked again: the first answer may have come before the text was analysed.
                now_broken = broken or any(self._is_broken(each) for each in self._texts)
                if now_broken and "error" not in here:
                    self.result.while_broken += 1
                else:
                    self._differs(uri, method, asked, _told(here), _told(there))

    def _differs(self, uri: str, method: str, *told: Any) -> None:
        asked, here, there = told
        first, second = _apart(str(here), str(there))
        self.result.differences.append(
            f"{method} of {uri.rpartition('/')[2]} at {asked.get('position')}:\n"
            f"  edited {first!r}\n  fresh  {second!r}"
        )

    def state(self) -> Iterator[tuple[str, str]]:
        """The names and texts of the documents as they are."""
        for uri, text in self._texts.items():
            yield uri.rpartition("/")[2], text.text


_BROKEN: Final = ("syntax error", "comment without an end")
_SINCE_SAVED: Final = re.compile(r"(?: \| |  \n)[^|\n]* since saved")


def _lasting(answer: Any) -> Any:
    """An answer without what edits did since the text was saved, which a fresh server cannot know.

    >>> _lasting(["107 µs: DRAM, 67.1 MB | 12.6 µs -> 107 µs since saved"])
    ['107 µs: DRAM, 67.1 MB']
    """
    if isinstance(answer, str):
        return _SINCE_SAVED.sub("", answer)
    if isinstance(answer, dict):
        return {key: _lasting(each) for key, each in answer.items()}
    return [_lasting(each) for each in answer] if isinstance(answer, list) else answer


def wait_until_quiet(server: ServerUnderTest) -> None:
    """Wait until a server has done nothing for a while: it then takes no more than it keeps."""
    deadline = time.monotonic() + LONGEST_WORK_S
    since, before = time.monotonic(), server.cpu_s()
    while time.monotonic() < min(since + QUIET_S, deadline):
        time.sleep(1.0)
        if (now := server.cpu_s()) != before:
            since, before = time.monotonic(), now


def _document(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}}


def _told(message: dict[str, Any]) -> Any:
    return message.get("error") or message.get("result")


def _apart(first: str, second: str) -> tuple[str, str]:
    """What is around the first place where two texts differ, of both."""
    pairs = enumerate(zip(first, second, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))
    start = max(at - 200, 0)
    return first[start : at + 300], second[start : at + 300]


def played(
    seed: str,
    project: EditedProject,
    others: Sequence[str],
    folder: Path,
    length: Length,
) -> Iterator[Play]:
    """Play a session; it is given out after each comparison, and at its end."""
    play = Play(
        seed, project, others, folder, is_human=length.is_human, is_renewing=length.is_renewing
    )
    try:
        play.compare()
        started = time.monotonic()
        while (done := length.done(play.result.edits, time.monotonic() - started)) < 1.0:
            play.burst(min(BURST, length.edits - play.result.edits))
            play.compare()
            if not play.result.warm_mb and done >= 0.25:
                play.restore()
                play.compare()
                wait_until_quiet(play.edited)
                play.result.warm_mb = play.edited.memory_mb()
            yield play
        play.restore()
        play.compare()
        play.result.took_s = time.monotonic() - started
    finally:
        play.end()
    yield play

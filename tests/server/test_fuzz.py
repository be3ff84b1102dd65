"""Random edits against a running server: it lives on and has the text that the client has."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import pytest
from lsprotocol import types

PIECES = [
    "__global__ void k(int n) {\n  x[i] = 1;\n}\n",
    "k<<<1, 2>>>(3);",
    "}",
    "{",
    "\n",
    "\r\n",
    "\r",
    "é",
    "😀",
    "\f",
    '"',
    "/*",
    "*/",
    "// PROBLEM",
    "template <",
    "#if 1\n",
    "",
]


class Reference:
    """A text edited in UTF-16 units of its whole."""

    def __init__(self, text: str) -> None:
        self.text = text

    def position(self, chance: random.Random) -> tuple[types.Position, int]:
        """A random place, as a position and as an offset in the text."""
        offset = chance.randint(0, len(self.text))
        if self.text[offset - 1 : offset + 1] == "\r\n":
            offset -= 1
        line = self.text[:offset].replace("\r\n", "\n").replace("\r", "\n")
        before = line.rpartition("\n")[2]
        return types.Position(line.count("\n"), len(before.encode("utf-16-le")) // 2), offset

    def edit(self, chance: random.Random) -> types.TextDocumentContentChangeEvent:
        new = "".join(chance.choices(PIECES, k=chance.randint(0, 2)))
        if chance.random() < 0.05:
            self.text = new
            return types.TextDocumentContentChangeWholeDocument(new)
        places = sorted([self.position(chance), self.position(chance)], key=lambda place: place[1])
        (start, first), (end, last) = places
        if last - first > 20:
            end, last = start, first
        self.text = self.text[:first] + new + self.text[last:]
        return types.TextDocumentContentChangePartial(types.Range(start, end), new)


@pytest.mark.parametrize("server", ["fake", "real"])
async def test_random_edits(start_session: Any, server: str) -> None:
    chance = random.Random(20250801)
    session = await start_session("vscode", server=server)
    reference = Reference(PIECES[0] + "int main() { " + PIECES[1] + " }\n")
    uri = session.open("fuzz.cu", reference.text)
    for step in range(150):
        session.change(uri, *(reference.edit(chance) for _ in range(chance.randint(1, 3))))
        if step % 10 == 0:
            place, _ = reference.position(chance)
            await session.hover(uri, place.line, place.character)
        if step % 25 == 0:
            await session.lenses(uri)
            await session.pulled(uri)
    if server == "fake":
        at = types.Position(0, 0)
        change = types.TextDocumentContentChangePartial(types.Range(at, at), "// CHECKSUM\n")
        session.change(uri, change)
        whole = (change.text + reference.text).encode()
        found = [item.message for item in await session.pulled(uri)]
        assert hashlib.sha256(whole).hexdigest() in found
    session.replace(uri, PIECES[0])
    assert len(await session.lenses(uri)) == 1
    assert session.client.error is None
    assert session.client.messages == []

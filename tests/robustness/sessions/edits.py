"""A text as an editor has it, and random edits of it as editors send them.

It is the reference that the server's text is held to, so it shares no code with the server.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

_END: Final = re.compile(r"\r\n|\r|\n")
_CODECS: Final = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
_PIECES: Final = (
    *("{", "}", "(", ")", ";", "\n", "\r\n", "\r", "\f", '"', "'", "/*", "*/", "//", "\\\n", "\t"),
    *(
        "é",
        "😀",
        "\U0001d6fc",
        "\u2028",
        "/* 😀 größe */",
        "#if 0\n",
        "#if 1\n",
        "#endif\n",
        "#else\n",
        "#",
    ),
    *("template <", "<<<1, 32>>>", "threadIdx.x", "__shared__ float tile[256];\n", "return;\n"),
    *("for (int q = 0; q < 1000; q++) {\n", "if (q > 3) {\n", "__syncthreads();\n", "float"),
    *("#define N 1024\n", '#include "check.cuh"\n', "#pragma unroll\n", "double z = 1.0 / 3.0;\n"),
    "__global__ void added(float *x, int n) { x[threadIdx.x + blockIdx.x * 64] *= 2.0f; } // 😀\n",
    "added<<<4096, 256>>>(nullptr, 1 << 20);\n",
)
_FUNCTION: Final = re.compile(r"^[A-Za-z_][^;{}#]*\)\s*\{", re.MULTILINE)
_NUMBER: Final = re.compile(r"(?<![\w.])\d[\w.]*")
_NUMBERS: Final = ("0", "1", "7", "32", "256", "1024", "1 << 20", "1.5f", "0x7fffffff", "1e30")

Change = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Replaced:
    """One change of the text: what stood at an offset, and what stands there now."""

    at: int
    old: str
    new: str


class EditedText:
    """The text of an open document, and how it came about."""

    def __init__(self, text: str, encoding: str) -> None:
        """``encoding`` is that of columns: utf-8, utf-16 or utf-32."""
        self.text = text
        self._codec, self._unit_bytes = _CODECS[encoding]
        self._done: list[Replaced] = []
        self._undone: list[Replaced] = []

    def position(self, offset: int) -> Change:
        """A place that is not inside a line's end, as the client names it."""
        start, line = 0, 0
        for end in _END.finditer(self.text, 0, offset):
            start, line = end.end(), line + 1
        column = len(self.text[start:offset].encode(self._codec)) // self._unit_bytes
        return {"line": line, "character": column}

    def place(self, chance: random.Random) -> int:
        """A random offset that a position can name."""
        return self.outside_ends(chance.randint(0, len(self.text)))

    def outside_ends(self, offset: int) -> int:
        """The offset, or the one before if it is between a carriage return and its line feed."""
        return offset - 1 if self.text[max(offset - 1, 0) : offset + 1] == "\r\n" else offset

    def replace(self, start: int, end: int, new: str) -> Change:
        """Put ``new`` in the place of a part, which is widened to what positions can name."""
        start = self.outside_ends(start)
        end = max(end, start)
        if self.outside_ends(end) != end:
            end += 1
        change = {
            "range": {"start": self.position(start), "end": self.position(end)},
            "text": new,
        }
        self._done.append(Replaced(start, self.text[start:end], new))
        self._undone.clear()
        self.text = self.text[:start] + new + self.text[end:]
        return change

    def whole(self, text: str) -> Change:
        """Put another text in the place of all."""
        self._done.append(Replaced(0, self.text, text))
        self._undone.clear()
        self.text = text
        return {"text": text}

    def undo(self) -> Change | None:
        """Take the last change back, by sending the whole text as some editors do."""
        if not self._done:
            return None
        last = self._done.pop()
        self._undone.append(last)
        self.text = self.text[: last.at] + last.old + self.text[last.at + len(last.new) :]
        return {"text": self.text}

    def redo(self) -> Change | None:
        """Make the change again that was last taken back."""
        if not self._undone:
            return None
        last = self._undone.pop()
        self._done.append(last)
        self.text = self.text[: last.at] + last.new + self.text[last.at + len(last.old) :]
        return {"text": self.text}


def random_edit(
    chance: random.Random, text: EditedText, others: Sequence[str]
) -> list[list[Change]]:
    """One edit: the notifications that tell of it, each with its changes in order."""
    return chance.choice(_EDITS)(chance, text, others)


def _piece(chance: random.Random, text: EditedText, _: Sequence[str]) -> list[list[Change]]:
    at = text.place(chance)
    return [[text.replace(at, at, chance.choice(_PIECES))]]


def _typed(chance: random.Random, text: EditedText, _: Sequence[str]) -> list[list[Change]]:
    """Characters one by one, each with its own notification, some of them deleted again."""
    at, sent = text.place(chance), []
    for letter in chance.choice(_PIECES)[:12]:
        before = len(text.text)
        sent.append([text.replace(at, at, letter)])
        at += len(text.text) - before
        if chance.random() < 0.15 and letter not in "\r\n":
            sent.append([text.replace(at - 1, at, "")])
            at -= 1
    return sent


def _deleted(chance: random.Random, text: EditedText, _: Sequence[str]) -> list[list[Change]]:
    at = text.place(chance)
    return [[text.replace(at, min(at + chance.choice((1, 1, 2, 30, 400)), len(text.text)), "")]]


def _several(chance: random.Random, text: EditedText, _: Sequence[str]) -> list[list[Change]]:
    """Several cursors: changes in one notification, from the end of the text to its beginning."""
    places = sorted({text.place(chance) for _ in range(chance.randint(2, 5))}, reverse=True)
    new = chance.choice(_PIECES)
    return [[text.replace(at, at, new) for at in places]]


def _numbered(chance: random.Random, text: EditedText, _: Sequence[str]) -> list[list[Change]]:
    found = [each.span() for each in _NUMBER.finditer(text.text)]
    if not found:
        return []
    start, end = chance.choice(found)
    return [[text.replace(start, end, chance.choice(_NUMBERS))]]


def _moved(chance: random.Random, text: EditedText, _: Sequence[str]) -> list[list[Change]]:
    """A whole function cut out and put elsewhere, or put there twice."""
    starts = list(_FUNCTION.finditer(text.text))
    if not starts:
        return []
    found = chance.choice(starts)
    end = _closing(text.text, found.end())
    body = text.text[found.start() : end]
    sent = [] if chance.random() < 0.3 else [[text.replace(found.start(), end, "")]]
    to = chance.choice(
        [0, len(text.text), *(each.start() for each in _FUNCTION.finditer(text.text))]
    )
    return [*sent, [text.replace(to, to, body + "\n")]]


def _closing(text: str, at: int) -> int:
    """The offset behind the brace that closes what is open at an offset."""
    depth = 1
    for found in re.finditer(r"[{}]", text[at:]):
        depth += 1 if found[0] == "{" else -1
        if not depth:
            return at + found.end()
    return len(text)


def _pasted(chance: random.Random, text: EditedText, others: Sequence[str]) -> list[list[Change]]:
    other, at = chance.choice(others), text.place(chance)
    start = chance.randint(0, len(other))
    return [[text.replace(at, at, other[start : start + chance.choice((10, 80, 600))])]]


def _line_ends(chance: random.Random, text: EditedText, _: Sequence[str]) -> list[list[Change]]:
    return [[text.whole(_END.sub(chance.choice(("\n", "\r\n", "\r")), text.text))]]


def _undone(chance: random.Random, text: EditedText, _: Sequence[str]) -> list[list[Change]]:
    step = chance.choice((text.undo, text.undo, text.redo))
    return [[made] for _ in range(chance.choice((1, 1, 3, 8))) if (made := step()) is not None]


Edit = Callable[[random.Random, EditedText, Sequence[str]], list[list[Change]]]
_EDITS: Final[tuple[Edit, ...]] = (
    *(_typed, _typed, _typed, _piece, _piece, _deleted, _deleted, _several, _numbered, _numbered),
    *(_moved, _moved, _pasted, _line_ends, _undone, _undone),
)

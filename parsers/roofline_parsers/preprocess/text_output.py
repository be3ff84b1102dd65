"""The output of one file as it grows: plain text with its macros expanded."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum

from roofline_parsers.preprocess.expansion import (
    Expander,
    ExpansionBudgetError,
    UnterminatedInvocationError,
)
from roofline_parsers.preprocess.scanning import find_names
from roofline_parsers.preprocess.structure import Chunk, opaque_spans
from roofline_parsers.preprocess.tokens import OPAQUE, merges, words_of

MAX_EXPANSION_BYTES = 4 << 20
"""What macros and spliced headers may add to one file."""
_MAX_PENDING_BYTES = 1 << 14
_MAX_PENDING_CHUNKS = 8
_BRACE = re.compile(rb"\{|\}|" + OPAQUE.pattern)


class _Unterminated(Enum):
    """What to do with an invocation that the text at hand does not end."""

    WAIT = "wait for more text"
    KEEP = "leave it as it is"


class TextOutput:
    """Collects the pieces of the output, each line where it stood in the source.

    An invocation that a directive interrupts is held back until its end is seen.
    """

    def __init__(self, expander: Expander, report: Callable[[str, int], None]) -> None:
        """``report`` takes a problem's message and 1-based line."""
        self.pieces: list[bytes] = []
        self.changed_lines: set[int] = set()
        self._expander = expander
        self._report = report
        self._bytes_left = MAX_EXPANSION_BYTES
        self._exhausted = False
        self._held = b""
        self._held_line = 0
        self._held_chunks = 0

    def add_blank(self, newlines: bytes) -> None:
        """Adds empty lines."""
        if self._held:
            self._held += newlines
        else:
            self.pieces.append(newlines)

    def add_line(self, text: bytes, newlines: bytes) -> None:
        """Adds one line that macros do not touch, and empty lines after it."""
        self.pieces.append(b"\n" + text + newlines)

    @property
    def holding(self) -> bool:
        """Whether the text so far ends inside an invocation."""
        return bool(self._held)

    def spend(self, size: int) -> bool:
        """Whether that many bytes may still be added; if so, they count as added."""
        self._bytes_left -= size
        return self._bytes_left >= 0

    def add_chunk(self, chunk: Chunk) -> None:
        """Adds text that stands between two directives."""
        if chunk.changed_lines:
            self.changed_lines |= chunk.changed_lines
        if self._held:
            self._resume(chunk)
            return
        names = self._names_in(chunk.words)
        if names:
            self._expand(chunk.text, chunk.line, names, chunk.opaque, _Unterminated.WAIT)
        else:
            self.pieces.append(chunk.text)

    def flush(self) -> None:
        """Gives up on an invocation that is still open."""
        if self._held:
            text, line = self._held, self._held_line
            self._held = b""
            names = self._names_in(words_of(text))
            self._expand(text, line, names, opaque_spans(text), _Unterminated.KEEP)

    def _resume(self, chunk: Chunk) -> None:
        text, line = self._held + chunk.text, self._held_line
        self._held_chunks += 1
        patient = len(text) < _MAX_PENDING_BYTES and self._held_chunks < _MAX_PENDING_CHUNKS
        self._held = b""
        names = self._names_in(words_of(text))
        policy = _Unterminated.WAIT if patient else _Unterminated.KEEP
        self._expand(text, line, names, opaque_spans(text), policy)

    def _names_in(self, words: frozenset[bytes]) -> set[bytes]:
        """The macros among the words."""
        macros = self._expander.macros
        if self._exhausted:
            return set()
        if len(words) < len(macros):
            return macros.keys() & words
        return set(words.intersection(macros))

    def _expand(
        self,
        text: bytes,
        line: int,
        names: set[bytes],
        opaque: tuple[list[int], list[int]],
        policy: _Unterminated,
    ) -> None:
        last = 0
        counted = 0
        for start, name in find_names(text, names, opaque):
            if start < last:
                continue
            line += text.count(b"\n", counted, start)
            counted = start
            end = start + len(name)
            try:
                expansion = self._expander.object_text(name)
                if expansion is None:
                    expansion, end = self._invoke(text, start, end, line)
            except UnterminatedInvocationError:
                patient = policy is _Unterminated.WAIT and len(text) - start < _MAX_PENDING_BYTES
                if patient and not _leaves_block(text, end):
                    self.pieces.append(text[last:start])
                    self._hold(text[start:], line)
                    return
                self._report(f"macro {_show(name)} is used without a closing parenthesis", line)
                continue
            except ExpansionBudgetError:
                self._exhaust(line)
                break
            if expansion is None:
                continue
            if not self.spend(len(expansion)):
                self._exhaust(line)
                break
            self._emit(text, last, start, end, expansion)
            newlines = text.count(b"\n", start, end)
            self.changed_lines.update(range(line, line + newlines + 1))
            last = end
        self.pieces.append(text[last:])

    def _invoke(self, text: bytes, start: int, end: int, line: int) -> tuple[bytes | None, int]:
        self._expander.line = line
        result = self._expander.expand_at(text, start, end)
        if self._expander.complaints:
            for complaint in self._expander.complaints[:1]:
                self._report(complaint, line)
            self._expander.complaints.clear()
        return result or (None, end)

    def _emit(self, text: bytes, last: int, start: int, end: int, expansion: bytes) -> None:
        """Adds the text up to an invocation, and its expansion, kept apart from its neighbours."""
        before = text[max(0, start - 1) : start]
        if start == last and self.pieces:
            before = self.pieces[-1][-1:]
        newlines = b"\n" * text.count(b"\n", start, end)
        after = newlines[:1] or text[end : end + 1]
        if merges(before, expansion or after):
            expansion = b" " + expansion
        if merges(expansion[-1:], after):
            expansion += b" "
        self.pieces += (text[last:start], expansion, newlines)

    def _hold(self, text: bytes, line: int) -> None:
        if self._held_line != line:
            self._held_chunks = 0
        self._held = text
        self._held_line = line

    def _exhaust(self, line: int) -> None:
        self._exhausted = True
        self._report("macros expand to more text than any real program's; the rest stays", line)


def _leaves_block(text: bytes, start: int) -> bool:
    """Whether more braces are closed than opened: no argument list goes on after its block."""
    depth = 0
    for found in _BRACE.finditer(text, start):
        brace = found[0]
        depth += (brace == b"{") - (brace == b"}")
        if depth < 0:
            return True
    return False


def _show(name: bytes) -> str:
    return repr(name.decode("utf-8", "replace"))

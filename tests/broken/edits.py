"""Edits that break a source, and which of its kernels each must leave alone.

A source is divided into top-level constructs by counting brackets in its text, comments and
literals left out: each ends with a ``;`` or ``}`` outside all brackets. What a namespace or
``extern "C"`` encloses counts as top level; a directive is a construct of its own.

The rule: a kernel stays, with its name and on its line, if its construct lies wholly before the
first that the edit touches, or after the last that it touches with another construct in between.
An edit that C's own rules let reach further touches all that it reaches: a comment opened, or
one that lost its end, up to the next ``*/``; a changed directive other than a pragma, everything
after it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"""R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|//(?:\\\n|[^\n])*|/\*.*?\*/"""
    rb"""|^[ \t]*\#(?:\\\r?\n|/\*.*?\*/|[^\n])*|[A-Za-z_]\w*|\.?\d[\w.]*|<<<|>>>|[^\s\w]""",
    re.DOTALL | re.MULTILINE,
)
_TRANSPARENT = re.compile(rb'(?:\bnamespace\b[\s\w:]*|\bextern\s*"C(?:\+\+)?"\s*)\Z')
_PRAGMA = re.compile(rb"\s*\#\s*pragma\b")
_LAUNCH = re.compile(rb"<<<[^;]*?>>>\s*\([^;]*?\)\s*;", re.DOTALL)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes ``start`` to ``end`` of a source replaced by ``text``."""

    kind: str
    start: int
    end: int
    text: bytes = b""

    def apply(self, source: bytes) -> bytes:
        """The source after the edit."""
        return source[: self.start] + self.text + source[self.end :]


@dataclass(frozen=True, slots=True)
class Layout:
    """A source's tokens and its top-level constructs."""

    source: bytes
    tokens: tuple[tuple[int, int], ...]
    ends: tuple[int, ...]
    """Where each construct ends; the next begins there. The last is the end of the source."""
    directives: tuple[tuple[int, int], ...]
    """Those that decide what other lines mean; pragmas are not among them."""
    pragmas: tuple[tuple[int, int], ...]

    def construct(self, offset: int) -> int:
        """The index of the construct that a byte stands in."""
        return min(bisect_right(self.ends, offset), len(self.ends) - 1)

    def reach(self, edit: Edit) -> tuple[int, int]:
        """The first and last construct that an edit touches."""
        first = self.construct(edit.start)
        start = self.ends[first - 1] if first else 0
        end = max(edit.end, edit.start + 1)
        gone = self.source[edit.start : edit.end]
        if edit.kind == "opened comment" or gone.count(b"*/") > edit.text.count(b"*/"):
            closing = self.source.find(b"*/", edit.end)
            end = closing + 2 if closing >= 0 else end
        if any(a < end and edit.start < b for a, b in self.directives):
            end = len(self.source)
        # An edit at the very start of a construct may also change how the one before ends.
        return first - (not self.source[start : edit.start].strip()), self.construct(end - 1)

    def nearness(self, edit: Edit, offset: int) -> str:
        """``spared`` if the kernel whose name stands at ``offset`` must stay.

        ``next`` if its construct follows what the edit touches at once, ``touched`` if it is
        touched itself.
        """
        first, last = self.reach(edit)
        place = self.construct(offset)
        if place < first or (place > last + 1 and edit.kind != "prefix"):
            return "spared"
        return "next" if place == last + 1 else "touched"


def layout(source: bytes) -> Layout:
    """Divides a source that is not broken."""
    tokens: list[tuple[int, int]] = []
    ends: list[int] = []
    directives: list[tuple[int, int]] = []
    pragmas: list[tuple[int, int]] = []
    open_brackets: list[bool] = []
    """Of each open bracket, whether what it encloses counts as top level."""
    begin = 0
    for found in _TOKEN.finditer(source):
        start, end = found.span()
        text = found.group()
        tokens.append((start, end))
        if text.lstrip()[:1] == b"#":
            (pragmas if _PRAGMA.match(text) else directives).append((start, end))
            if all(open_brackets):
                ends += [start, end] if start > begin else [end]
                begin = end
            continue
        if text in (b"(", b"[", b"{"):
            inside = all(open_brackets)
            transparent = text == b"{" and inside and _TRANSPARENT.search(source, begin, start)
            open_brackets.append(bool(transparent))
            if transparent:
                ends.append(end)
                begin = end
        elif text in (b")", b"]", b"}"):
            was_top = bool(open_brackets) and open_brackets.pop()
            if all(open_brackets) and text == b"}" and (was_top or _ends_here(source, end)):
                ends.append(end)
                begin = end
        elif text == b";" and all(open_brackets):
            ends.append(end)
            begin = end
    if not ends or ends[-1] < len(source):
        ends.append(len(source))
    return Layout(source, tuple(tokens), tuple(ends), tuple(directives), tuple(pragmas))


def _ends_here(source: bytes, end: int) -> bool:
    """Whether a ``}`` ends a construct: a class goes on to its ``;``."""
    return source[end:].lstrip()[:1] not in (b";", b",", b"=", b"*", b")")


def prefixes(plan: Layout) -> Iterator[Edit]:
    """The source cut off at the end of each token."""
    for _, end in plan.tokens:
        yield Edit("prefix", end, len(plan.source))


def deleted_characters(plan: Layout) -> Iterator[Edit]:
    """Each bracket, semicolon, comma and quote gone."""
    for start, end in plan.tokens:
        text = plan.source[start:end]
        if len(text) == 1 and text in b"{}()[];,":
            yield Edit(f"deleted {text.decode()}", start, end)
        elif text[:1] in (b'"', b"'"):
            yield Edit("deleted quote", start, start + 1)
            yield Edit("deleted quote", end - 1, end)


def lines(plan: Layout) -> list[tuple[int, int]]:
    """Where each line that is not empty starts and ends, its newline included."""
    return [found.span() for found in _LINE.finditer(plan.source) if found.group().strip()]


def changed_lines(plan: Layout) -> Iterator[Edit]:
    """Each line gone, doubled, or swapped with the one after it."""
    spans = lines(plan)
    for index, (start, end) in enumerate(spans):
        yield Edit("deleted line", start, end)
        text = plan.source[start:end]
        again = text if text.endswith(b"\n") else b"\n" + text
        yield Edit("doubled line", start, end, text + again)
        if index + 1 < len(spans):
            after = spans[index + 1]
            second = plan.source[slice(*after)]
            swapped = second + plan.source[end : after[0]] + text
            yield Edit("swapped lines", start, after[1], swapped)


def half_typed(plan: Layout) -> Iterator[Edit]:
    """Launches and directives that stop at each of their words, the rest of the line gone."""
    for launch in _LAUNCH.finditer(plan.source):
        for start, end in plan.tokens:
            if launch.start() <= start and end <= launch.end():
                yield Edit("half-typed launch", end, launch.end())
    for start, end in (*plan.directives, *plan.pragmas):
        for word in re.finditer(rb"\w+|[(),]", plan.source[start:end]):
            yield Edit("half-typed directive", start + word.end(), end)


def opened(plan: Layout) -> Iterator[Edit]:
    """A comment, literal or bracket opened and not closed, before each token."""
    for start, _ in plan.tokens:
        yield Edit("opened comment", start, start, b"/*")
        for text in (b'"', b"'", b"{", b"(", b"<<<"):
            yield Edit(f"opened {text.decode()}", start, start, text)


def all_edits(plan: Layout) -> Iterator[Edit]:
    """Every edit of every kind."""
    for kind in (prefixes, deleted_characters, changed_lines, half_typed, opened):
        yield from kind(plan)

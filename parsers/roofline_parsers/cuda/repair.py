"""Same-length changes to text that let the grammar read what it would stumble over.

Every offset and line stays what it was. The preprocessor rewrites what concerns lines and
attributes; here are spellings that the grammar has under another name or not at all. Each change
is tried only if its bytes occur.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from roofline_core.program.records import record
from roofline_parsers.preprocess.tokens import OPAQUE

# Each begins with letters that are looked for fast, and looks behind them for what stands before.
_RESTRICT = re.compile(rb"__restrict(?<!\w__restrict)\b")
_FRIEND = re.compile(rb"friend(?<!\wfriend)(\s+)inline\b|inline(?<!\winline)(\s+)friend\b")
_LATE_FRIEND = re.compile(
    rb"(__(?<!\w__)(?:host|device|forceinline)__\s+"
    rb"(?:__(?:host|device|forceinline)__\s+)*)friend\b"
)
_CONST = re.compile(rb"__const(?<!\w__const)(?:__)?\b")
_TYPEOF = re.compile(rb"__typeof(?<!\w__typeof)(?:__)?\b")
_SHORT_TYPEOF = re.compile(rb"\btypeof\s*\([^()]*(?:\([^()]*\)[^()]*)*\)")
_NEW_POINTER = re.compile(
    rb"new(?<!\wnew)\s+(const\s+)?(?:(?:un)?signed\s+|long\s+|short\s+|struct\s+)*"
    rb"[A-Za-z_][\w:]*(?:<[^<>;{}]*>)?(\s*\*[\s*]*)"
)
_MEMBER_STAR = re.compile(rb"::\s*\*(?!/)")
_CLASS = rb"[A-Za-z_]\w*(?:<[^<>;{}]*(?:<[^<>;{}]*>[^<>;{}]*)*>)?"
_POINTER_TO_MEMBER = re.compile(
    rb"((?:::)?(?<!\w)(?:" + _CLASS + rb"::)*" + _CLASS + rb"\s*::\s*)\*(?!/)|" + OPAQUE.pattern
)
_CLASS_MACRO = re.compile(
    rb"(class(?<!\wclass)|struct(?<!\wstruct)|union(?<!\wunion))(\s+[A-Z][A-Z0-9_]{2,}(?:\s*\([^(){};]*\))?)"
    rb"(?=\s+[A-Za-z_][\w:]*(?:<[^<>;{}]*>)?\s*(?:final\s*)?(?::(?!:)|\{))"
)
"""``class API Name {``, where nothing defines the macro: it would be taken for the class's name."""
_ATTRIBUTES = re.compile(rb"(?:\[\[[^][]*\]\]\s*){32,}")
"""More attributes in a row than any declaration has: the parser takes the square of their number.
"""
OF_MEMBER: Final = b"\v"
"""The blank that stands before the ``*`` of a pointer to a member, in place of ``Class::``."""
_VISIBLE = re.compile(rb"[^\n]")


@record(frozen=True, slots=True)
class Repaired:
    """Text that the grammar reads with fewer errors."""

    text: bytes
    new_pointers: Mapping[int, int]
    """Levels of ``*`` taken out of ``new T*[n]``, by the offset of ``new``."""


def _blank(text: bytes) -> bytes:
    return _VISIBLE.sub(b" ", text)


def _typeof_to_auto(match: re.Match[bytes]) -> bytes:
    return b"auto" + _blank(match.group()[4:])


def _friend_first(match: re.Match[bytes]) -> bytes:
    before = match.group(1)
    return b"friend " + before[:-1] if before.endswith(b" ") else match.group()


def _without_class(match: re.Match[bytes]) -> bytes:
    """The star of ``Class::*`` alone, after a mark; comments and literals as they are."""
    named = match.group(1)
    return match.group() if named is None else _blank(named)[:-1] + OF_MEMBER + b"*"


def repair(text: bytes) -> Repaired:
    """A text of the same length and lines, with what had to be taken out of it."""
    if text.count(b"]]") >= 32:
        text = _ATTRIBUTES.sub(lambda m: _blank(m.group()), text)
    if b"__restrict" in text:
        text = _RESTRICT.sub(b"restrict  ", text)
    text = _CLASS_MACRO.sub(lambda m: m.group(1) + _blank(m.group(2)), text)
    if b"friend" in text:
        text = _FRIEND.sub(lambda m: m.group().replace(b"inline", b"      "), text)
        text = _LATE_FRIEND.sub(_friend_first, text)
    if b"__const" in text:
        text = _CONST.sub(lambda m: b"const".ljust(len(m.group())), text)
    if b"typeof" in text:
        text = _TYPEOF.sub(lambda m: b"decltype".ljust(len(m.group())), text)
        text = _SHORT_TYPEOF.sub(_typeof_to_auto, text)
    if b"::" in text and _MEMBER_STAR.search(text):
        text = _POINTER_TO_MEMBER.sub(_without_class, text)
    new_pointers: dict[int, int] = {}
    if b"new " in text:

        def take_pointers(match: re.Match[bytes]) -> bytes:
            """Blank the stars of ``new T*[n]``, and note how many there were."""
            whole, base = match.group(), match.start()
            new_pointers[base] = match.group(2).count(b"*")
            if match.group(1):
                start, end = match.start(1) - base, match.end(1) - base
                whole = whole[:start] + _blank(match.group(1)) + whole[end:]
            return whole[: match.start(2) - base] + _blank(match.group(2))

        text = _NEW_POINTER.sub(take_pointers, text)
    return Repaired(text, new_pointers)

"""Same-length changes to text that let the grammar read what it would stumble over.

Every offset, line and column stays what it was. The preprocessor rewrites what concerns lines and
attributes; here are spellings that the grammar has under another name. Each change is tried only
if its bytes occur.
"""

from __future__ import annotations

import re

_RESTRICT = re.compile(rb"\b__restrict\b")
_FRIEND = re.compile(rb"\bfriend(\s+)inline\b|\binline(\s+)friend\b")
_CONST = re.compile(rb"\b(?:__const__|__const)\b")
_TYPEOF = re.compile(rb"\b(?:__typeof__|__typeof)\b")
_SHORT_TYPEOF = re.compile(rb"\btypeof\s*\([^()]*(?:\([^()]*\)[^()]*)*\)")


def _typeof_to_auto(match: re.Match[bytes]) -> bytes:
    whole = match.group()
    return b"auto" + re.sub(rb"[^\n]", b" ", whole[4:])


def repair(text: bytes) -> bytes:
    """A text of the same length and lines that the grammar reads with fewer errors."""
    if b"__restrict" in text:
        text = _RESTRICT.sub(b"restrict  ", text)
    if b"friend" in text:
        text = _FRIEND.sub(lambda m: m.group().replace(b"inline", b"      "), text)
    if b"__const" in text:
        text = _CONST.sub(lambda m: b"const".ljust(len(m.group())), text)
    if b"typeof" in text:
        text = _TYPEOF.sub(lambda m: b"decltype".ljust(len(m.group())), text)
        text = _SHORT_TYPEOF.sub(_typeof_to_auto, text)
    return text

"""Text and bytes taken from a file as the C and C++ libraries take them. No value here is guessed.

C11 (N1570), 7.21.6.2 for ``fscanf``; C++17, [istream] for streams.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from roofline_core.program.records import record

_SPACE: Final = re.compile(rb"[ \t\n\v\f\r]*")
_DIRECTIVE: Final = re.compile(
    r"(?P<space>\s+)"
    r"|%(?P<skip>\*?)(?P<width>\d*)(?P<length>hh|h|ll|l|z|j|t|L|q)?"
    r"(?P<kind>[diouxXfFeEgGaAscpn%]|\[\^?\]?[^\]]*\])"
    r"|(?P<literal>[^%\s]+|%)"
)
_REAL: Final = rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_SCANNED_REAL: Final = (
    rb"[+-]?(?:0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][+-]?\d*)?"
    rb"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d*)?)"
)
"""Of ``scanf``, which also takes an exponent without digits."""
_HEX: Final = rb"[+-]?(?:0[xX][0-9a-fA-F]*|[0-9a-fA-F]+)"
_PATTERNS: Final = {
    kind: re.compile(pattern)
    for kinds, pattern in (
        ("du", rb"[+-]?\d+"),
        ("i", rb"[+-]?(?:0[xX][0-9a-fA-F]*|0[0-7]*|[1-9]\d*)"),
        ("o", rb"[+-]?[0-7]+"),
        ("xXp", _HEX),
        ("fFeEgGaA", _SCANNED_REAL),
        (">", _REAL),
        ("s", rb"[^ \t\n\v\f\r]+"),
    )
    for kind in kinds
}
_SIGNED: Final = {
    "hh": "signed char", "h": "short", "": "int", "l": "long", "ll": "long long", "q": "long long",
    "z": "long", "j": "long", "t": "long",
}  # fmt: skip
_REALS: Final = {"l": "double", "L": "long double"}
MOST_TEXT: Final = 2**16
"""The longest string in bytes that is kept as one. A limit on the work."""
_MOST_DIGITS: Final = 400
"""A longer number is not read."""


class PastKnownError(Exception):
    """What is read lies beyond the bytes of the file that are known."""


@dataclass(slots=True)
class Cursor:
    """A place in a file of which the first bytes are known."""

    data: bytes
    size: int
    """Bytes of the whole file, at least those of ``data``."""
    position: int = 0
    ended: bool = False
    """Whether something was asked for at the end of the file, as ``feof`` says."""

    def at_end(self) -> bool:
        """Whether nothing follows; raises where what follows is not known."""
        if self.position >= self.size:
            self.ended = True
            return True
        if self.position >= len(self.data):
            raise PastKnownError
        return False

    def match(self, pattern: re.Pattern[bytes], width: int | None = None) -> bytes:
        """Take what a pattern matches here; empty if nothing does."""
        stop = len(self.data) if width is None else min(len(self.data), self.position + width)
        found = pattern.match(self.data, self.position, stop)
        if found is None:
            return b""
        if found.end() == len(self.data) and (width is None or found.end() < self.position + width):
            if self.size > len(self.data):
                raise PastKnownError
            self.ended = True
        self.position = found.end()
        return found[0]

    def skip_space(self) -> None:
        """Pass white space."""
        self.match(_SPACE)

    def take(self, count: int) -> bytes:
        """The next bytes, fewer at the end; raises if some are not known, having passed them."""
        start = self.position
        stop = max(start, min(start + count, self.size))
        self.ended = self.ended or start + count > self.size
        self.position = stop
        if stop > len(self.data):
            raise PastKnownError
        return self.data[start:stop]

    def line(self, most: int | None = None, end: bytes = b"\n") -> bytes:
        """The bytes to the end of the line, its end included; empty at the end of the file."""
        if self.at_end():
            return b""
        limit = len(self.data) if most is None else min(len(self.data), self.position + most)
        found = self.data.find(end, self.position, limit)
        stop = limit if found < 0 else found + 1
        if found < 0 and (most is None or limit < self.position + most):
            if self.size > len(self.data):
                raise PastKnownError
            self.ended = True
        taken = self.data[self.position : stop]
        self.position = stop
        return taken


@record(frozen=True, slots=True)
class Taken:
    """What one conversion took."""

    number: int | float | None
    """None of text, and of a number too long to be read."""
    text: bytes | None
    """None of a number."""
    type_name: str
    """The C type that the conversion stores."""
    terminated: bool = False
    """Whether a zero is stored behind the text: by all conversions of text but ``%c``."""


@record(frozen=True, slots=True)
class Scanned:
    """What one call of ``fscanf`` took."""

    values: tuple[Taken, ...]
    """In the order of its pointers."""
    result: int
    """What the call returns: values stored, ``%n`` left out; -1 at the end of the file."""


def scan(cursor: Cursor, format_: str) -> Scanned:
    """Take what a format asks for, up to the first thing that does not match."""
    start, values, stored = cursor.position, list[Taken](), 0
    for part in _DIRECTIVE.finditer(format_):
        kind = part["kind"] or ""
        if part["space"]:
            cursor.skip_space()
            continue
        if kind == "n":
            values.append(Taken(cursor.position - start, None, _SIGNED[part["length"] or ""]))
            continue
        if kind not in ("", "c") and kind[0] != "[":
            cursor.skip_space()
        literal = "%" if kind == "%" else part["literal"]
        if literal:
            if not _passed(cursor, literal.encode()):
                break
            continue
        if cursor.at_end():
            break
        taken = _converted(cursor, kind, part["length"] or "", int(part["width"] or 0))
        if taken is None:
            return Scanned(tuple(values), stored)
        if not part["skip"]:
            values.append(taken)
            stored += 1
    else:
        return Scanned(tuple(values), stored)
    return Scanned(tuple(values), stored or (-1 if cursor.at_end() else 0))


def _passed(cursor: Cursor, literal: bytes) -> bool:
    for byte in literal:
        if cursor.at_end() or cursor.data[cursor.position] != byte:
            return False
        cursor.position += 1
    return True


def _converted(cursor: Cursor, kind: str, length: str, width: int) -> Taken | None:
    """What one conversion takes; None if nothing matches."""
    if kind == "c":
        taken = cursor.take(width or 1)
        return Taken(None, taken, "char")
    pattern = _set_pattern(kind) if kind[0] == "[" else _PATTERNS[kind]
    taken = cursor.match(pattern, width or None)
    if not taken:
        return None
    if kind == "s" or kind[0] == "[":
        return Taken(None, taken, "char", terminated=True)
    if kind in "fFeEgGaA":
        number = _real_number(taken)
        return None if number is None else Taken(number, None, _REALS.get(length, "float"))
    base = {"i": 0, "o": 8, "x": 16, "X": 16, "p": 16}.get(kind, 10)
    name = _SIGNED[length]
    type_name = name if kind in "di" else "unsigned " + name.removeprefix("signed ")
    return Taken(whole_number(taken, base), None, type_name)


def _real_number(digits: bytes) -> float | None:
    """The number that digits write; None where they write none, as ``0x`` does not."""
    text = digits.decode()
    if "x" in text.lower():
        try:
            return float.fromhex(re.sub(r"[pP][+-]?$", "", text))
        except (ValueError, OverflowError):
            return 0.0 if "." in text else None
    return float(re.sub(r"[eE][+-]?$", "", text))


def whole_number(digits: bytes, base: int) -> int | None:
    """The number that digits write, base 0 by their prefix as in C; None if they are too many."""
    if len(digits) > _MOST_DIGITS:
        return None
    plain = digits.lstrip(b"+-").lower()
    if base == 0:
        base = 16 if plain.startswith(b"0x") else 8 if plain.startswith(b"0") else 10
    if plain == b"0x":
        return 0
    try:
        return int(digits, base)
    except ValueError:
        return None


def _set_pattern(kind: str) -> re.Pattern[bytes]:
    """The pattern of ``[a-z]`` or ``[^...]``."""
    negated = kind.startswith("[^")
    inner = kind[2 if negated else 1 : -1].encode()
    escaped = b"".join(b"-" if byte == 45 else b"\\x%02x" % byte for byte in inner)
    if escaped.startswith(b"-") or escaped.endswith(b"-"):
        escaped = b"\\-" + escaped.strip(b"-")
    try:
        return re.compile(b"[" + (b"^" if negated else b"") + escaped + b"]+", re.DOTALL)
    except re.error:
        return re.compile(rb"(?!)")


def extract_number(cursor: Cursor, type_name: str) -> int | float | None:
    """A number as ``>>`` takes it into a variable of a type; None if none stands there."""
    cursor.skip_space()
    if cursor.at_end():
        return None
    real = type_name in ("float", "double", "long double")
    taken = cursor.match(_PATTERNS[">" if real else "d"])
    if not taken:
        return None
    return float(taken) if real else whole_number(taken, 10)


def extract_word(cursor: Cursor) -> bytes:
    """The characters up to white space, white space before them passed; empty at the end."""
    cursor.skip_space()
    return b"" if cursor.at_end() else cursor.match(_PATTERNS["s"])


def text_of_bytes(data: bytes) -> str:
    """Characters of a C string, up to its end."""
    data = data.partition(b"\0")[0]
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def bytes_of_text(text: str) -> bytes:
    """The bytes of a string, as a program holds them."""
    return text.encode("utf-8", "surrogateescape")

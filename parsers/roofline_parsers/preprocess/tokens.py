"""Lexical patterns of C and C++, on bytes.

Repeated groups begin with bytes that the run before them cannot hold, so a failed match has
nothing to try again: time is linear in the input. Patterns that search have alternatives that
each begin with a literal byte, as only then does ``re`` skip ahead quickly.
"""

from __future__ import annotations

import re

_WORD_BYTES = rb"\w$\x80-\xff"
_NEWLINE = rb"\\[ \t]*\r?\n"
"""A continuation; like compilers, this allows blanks after the backslash."""
_ESCAPE = rb"\\(?:\r\n|[\s\S])"
_STRING_TAIL = rb'[^"\\\n]*(?:' + _ESCAPE + rb'[^"\\\n]*)*"'
_CHARACTER_TAIL = rb"(?:[^'\\\n]|" + _ESCAPE + rb"){1,16}'"
_COMMENT = (
    rb"/(?:\*[^*]*\*+(?:[^/*][^*]*\*+)*/|\*[\s\S]*"
    rb"|/[^\n\\]*(?:\\(?:[ \t]*\r?\n|.)?[^\n\\]*)*)"
)
_SHORT_COMMENT = rb"/\*[^*\n]*\*+(?:[^/*\n][^*\n]*\*+)*/"
_NUMBER = rb"\.?\d(?:[eEpP][+-]|'\w|[\w.$\x80-\xff])*"
_IDENTIFIER = rb"[A-Za-z_$\x80-\xff][" + _WORD_BYTES + rb"]*"


def _raw_tail(group: bytes) -> bytes:
    """A raw string literal after its opening quote; one without an end takes all that follows."""
    end = rb"(?P=" + group + rb')"'
    mark = rb"(?P<" + group + rb'>[^()\\\s"]{0,16})'
    return mark + rb"\((?:[^)]*(?:\)(?!" + end + rb")[^)]*)*\)" + end + rb"|[\s\S]*)"


def _prefixed(quote: bytes, prefixes: tuple[bytes, ...]) -> bytes:
    """Just after a quote: that one of the prefixes, or nothing if b"", stands before it."""
    return (
        rb"(?:"
        + rb"|".join(
            rb"(?<=[^" + _WORD_BYTES + rb"]" + prefix + quote + rb")" for prefix in prefixes
        )
        + rb")"
    )


WORD_BYTES = frozenset(
    byte for byte in range(256) if re.match(rb"[" + _WORD_BYTES + rb"]", bytes([byte]))
)
_ONLY_WORDS = bytes(byte if byte in WORD_BYTES else ord(" ") for byte in range(256))


def words_of(text: bytes) -> frozenset[bytes]:
    """Identifiers and numbers, also those in comments and literals: quick and generous."""
    return frozenset(text.translate(_ONLY_WORDS).split())


IDENTIFIER = re.compile(_IDENTIFIER)

NUMBER = re.compile(_NUMBER)
"""A preprocessing number, which may hold what looks like a name: ``1.e5``, ``0x1Fu``."""

_LITERAL = rb'(?:u8|[uUL])?(?:"' + _STRING_TAIL + rb"|'" + _CHARACTER_TAIL + rb")"

TOKEN = re.compile(
    rb"((?:\s+|"
    + _COMMENT
    + rb')+)|(?:u8|[uUL])?R"'
    + _raw_tail(b"mark")
    + rb"|"
    + _LITERAL
    + rb"|"
    + _IDENTIFIER
    + rb"|"
    + _NUMBER
    + rb"|\#\#|[\s\S]"
)
"""One token; ``lastindex`` 1 is white space. Punctuators come a byte at a time, but for ``##``."""

SINGLE_TOKEN = re.compile(
    _IDENTIFIER
    + rb"|"
    + _NUMBER
    + rb"|"
    + _LITERAL
    + rb"|<<=|>>=|<=>|\.\.\.|->\*|[-+*/%&|^=!<>]=|\+\+|--|<<|>>|&&|\|\||->|::|\#\#|\.\*"
)
"""What pasting two tokens may give."""

_OPAQUE = (
    _COMMENT
    + rb'|"(?:'
    + _prefixed(rb'"', (rb"R", rb"[LuU]R", rb"u8R"))
    + _raw_tail(b"raw")
    + rb"|"
    + _STRING_TAIL
    + rb")|'"
    + _prefixed(rb"'", (rb"", rb"[LuU]", rb"u8"))
    + _CHARACTER_TAIL
)
OPAQUE = re.compile(_OPAQUE)
"""Comments and literals, in a text that begins with neither."""

_SPACES = rb"[ \t\f\v]*(?:" + _SHORT_COMMENT + rb"[ \t\f\v]*)*"
_REST = (
    rb"[^\n/\\\"']*(?:(?:\\(?:[ \t]*\r?\n|.)?|"
    + _COMMENT
    + rb'|"'
    + _STRING_TAIL
    + rb"|'"
    + _CHARACTER_TAIL
    + rb"|[\"'/])[^\n/\\\"']*)*"
)
DIRECTIVE_START = re.compile(rb"\n[ \t\f\v]*(?:" + _SHORT_COMMENT + rb"[ \t\f\v]*)*\#")
"""Where a directive may begin, from the newline before it; quick to search for."""

DIRECTIVE = re.compile(
    rb"\n(?<!\\\n)(?<!\\\r\n)"
    + _SPACES
    + rb"\#"
    + _SPACES
    + rb"(?P<keyword>\w*)(?P<rest>"
    + _REST
    + rb")"
)
"""A directive with its continuation lines, from the newline before it to the one after it."""

CONTINUATION = re.compile(_NEWLINE)
CONTINUED_LINE = re.compile(rb"(?m)^[^\n]*\\[ \t]*\r?\n(?:[^\n]*\\[ \t]*\r?\n)*[^\n]*")
"""A line that continues, with all lines it continues on."""

_LITERAL_OR_COMMENT = re.compile(
    rb"(" + _COMMENT + rb')|"' + _STRING_TAIL + rb"|'" + _CHARACTER_TAIL
)


def strip_comments(text: bytes) -> bytes:
    """Replaces each comment by a space and leaves literals alone."""
    if b"/*" not in text and b"//" not in text:
        return text
    return _LITERAL_OR_COMMENT.sub(lambda found: b" " if found[1] else found[0], text)


def join_lines(text: bytes) -> bytes:
    """Takes backslash-newline pairs out."""
    return CONTINUATION.sub(b"", text) if b"\\" in text else text


def lex(text: bytes) -> list[bytes]:
    """The tokens of a text; each run of blanks and comments is one space."""
    return [b" " if found.lastindex == 1 else found[0] for found in TOKEN.finditer(text)]


_AFTER_WORD = WORD_BYTES | frozenset(b"\"'.")
_PAIRS = frozenset(
    (pair[0], pair[1])
    for pair in b"++ -- << >> && || == != += -= *= /= %= &= |= ^= <= >= -> :: // /* ## .. .* <: <% "
    b"%: :> .0 .1 .2 .3 .4 .5 .6 .7 .8 .9".split()
)


def merges(left: bytes, right: bytes) -> bool:
    """Whether the last byte of one token and the first of the next would read as one token."""
    if not left or not right:
        return False
    last, first = left[-1], right[0]
    return first in _AFTER_WORD if last in WORD_BYTES else (last, first) in _PAIRS

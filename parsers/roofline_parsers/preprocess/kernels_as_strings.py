"""A kernel file that is written so that C++ can include the file as a string.

Such a file is one raw string literal, or several; of OpenCL C also the argument of a macro that
makes a string of it. What it holds stands where it will be compiled, so only the wrapping is
taken away: every byte that is left keeps its line and column.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from roofline_core.program.units import OPENCL_SUFFIXES

_SKIPPED: Final = rb"(?:\s|//[^\n]*(?:\n|\Z)|/\*.*?\*/)*+"
"""Space and comments."""
_RAW: Final = re.compile(_SKIPPED + rb'(?:u8|[uUL])?R"(?P<mark>[^\s()\\"]{0,16})\(', re.DOTALL)
_CALL: Final = re.compile(_SKIPPED + rb"(?P<name>[A-Za-z_]\w*)\s*\(", re.DOTALL)
_CLOSED: Final = re.compile(rb"\)\s*;?\s*\Z")
_TRAILING: Final = re.compile(rb"//[^\n]*\s*\Z|/\*[^*]*(?:\*(?!/)[^*]*)*\*/\s*\Z")
_KERNEL: Final = b"__global__"
_NO_MACROS: Final = frozenset((b"__attribute__", b"__attribute", b"_Pragma"))
_NEW_LINE: Final = re.compile(rb'(?P<text>"(?:[^"\\\n]|\\.)*")|\\n', re.DOTALL)
_VISIBLE: Final = re.compile(rb"[^\s]")


def is_string(path: Path, source: bytes) -> bool:
    """Whether a file that C++ includes is a kernel file that becomes a string there."""
    if path.suffix.lower() in OPENCL_SUFFIXES:
        return unwrapped(source) is not source
    return run_time_source(source) is not source


def run_time_source(source: bytes) -> bytes:
    """The text of a CUDA or HIP file that is compiled at run time, without the raw string it is.

    The same text if it is none, or if there is no kernel in it.
    """
    if _RAW.match(source) is None or _KERNEL not in source:
        return source
    return _without_literals(source)


def unwrapped(source: bytes) -> bytes:
    r"""The text of a kernel file with blanks for what wraps it; the same text if nothing does.

    ``source`` and the result have the same length and the same lines. A raw string that never
    ends reaches to the end of the file. In a macro's argument ``\n`` outside quotes, which gives
    the string its line ends around directives, is blank, too.
    """
    if _RAW.match(source) is not None:
        return _without_literals(source)
    call = _CALL.match(source)
    if call is None or call["name"] in _NO_MACROS:
        return source
    end = _CLOSED.search(_without_last_comments(source))
    if end is None or not _is_argument(source[call.end() : end.start()]):
        return source
    inner = _NEW_LINE.sub(lambda found: found[0] if found["text"] else b"  ", source)
    start = call.start("name")
    return (
        inner[:start]
        + _blank(inner[start : call.end()])
        + inner[call.end() : end.start()]
        + _blank(inner[end.start() : end.end()])
        + inner[end.end() :]
    )


def _without_literals(source: bytes) -> bytes:
    """The text between the delimiters of raw strings that follow one another."""
    parts, at = [], 0
    while (start := _RAW.match(source, at)) is not None:
        opening = start.start("mark") - 2
        close = b")" + start["mark"] + b'"'
        end = source.find(close, start.end())
        end = len(source) if end < 0 else end
        parts += [source[at:opening], _blank(source[opening : start.end()])]
        parts += [source[start.end() : end], _blank(source[end : end + len(close)])]
        at = end + len(close)
    return b"".join((*parts, source[at:]))


def _without_last_comments(source: bytes) -> bytes:
    while (found := _TRAILING.search(source)) is not None:
        source = source[: found.start()].rstrip()
    return source


def _is_argument(inner: bytes) -> bool:
    """Whether the parenthesis that was opened first is closed by none before the last."""
    depth = 0
    for byte in re.findall(rb"[()]", re.sub(_COMMENT_OR_TEXT, b"", inner)):
        depth += 1 if byte == b"(" else -1
        if depth < 0:
            return False
    return b"{" in inner


_COMMENT_OR_TEXT: Final = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL
)


def _blank(text: bytes) -> bytes:
    return _VISIBLE.sub(b" ", text)

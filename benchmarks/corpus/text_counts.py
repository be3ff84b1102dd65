"""Kernels, launches and target directives counted in text alone, with no parser's help.

These are what the front ends are compared with, so nothing here is shared with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_HIDDEN = re.compile(
    rb"""R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/"""
    rb"""|^[ \t]*\#[^\n]*""",
    re.DOTALL | re.MULTILINE,
)
_KERNEL = re.compile(rb"\b__global__\b[^;{]*\{")
_LAUNCH = re.compile(
    rb"<<<|<<[ ]<(?!<)"
    rb"|\b(?:cuda|hip)(?:Launch(?:Cooperative)?Kernel(?:Ex|ExC|GGL|_GGL)?)\s*\("
    rb"|\b(?:cu|hipModule|hipExt)Launch(?:Cooperative)?Kernel(?:GGL|Ex)?\s*\("
)
_PRAGMA = re.compile(rb"^[ \t]*\#[ \t]*pragma[ \t]+(omp\b[^\n]*)", re.MULTILINE)
_CONTINUED = re.compile(rb"\\[ \t]*\r?\n")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TARGET = re.compile(rb"omp\s+target\b(?!\s+(?:(?:data|enter|exit|update)\b))")


def plain(text: bytes) -> bytes:
    """The text with comments and directives blanked, and strings made words."""

    def hide(match: re.Match[bytes]) -> bytes:
        """A string or character as letters, anything else blank; line breaks stay."""
        hidden = match.group()
        return re.sub(rb"[^\n]", b"s" if hidden[:1] in b"R\"'" else b" ", hidden)

    return _HIDDEN.sub(hide, text)


def kernel_lines(text: bytes) -> Iterator[int]:
    """The lines of ``plain`` text on which a kernel with a body starts."""
    for match in _KERNEL.finditer(text):
        yield text.count(b"\n", 0, match.start()) + 1


def launch_lines(text: bytes) -> Iterator[int]:
    """The lines of ``plain`` text with a launch: ``<<<`` or a call that launches.

    A declaration of such a function is counted too; it has no argument list of values, so a type
    before the name tells it apart.
    """
    for match in _LAUNCH.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()].rstrip()
        declared = match.group()[:1] != b"<" and re.search(rb"(?<!return)[\w>*]$", before)
        if not declared:
            yield text.count(b"\n", 0, match.start()) + 1


def makes_kernel(pragma: bytes) -> bool:
    """Whether a pragma's text, ``omp target ...``, offloads the statement after it.

    ``target data``, ``target enter data``, ``target exit data``, ``target update`` and ``declare
    target`` do not.
    """
    return _TARGET.match(b" ".join(_COMMENT.sub(b" ", pragma).split())) is not None


def source_target_lines(source: bytes) -> Iterator[int]:
    """The lines of a source on which a directive that makes a kernel starts.

    Continued lines are joined. Those in comments are left out; those that conditions take out are
    not, nor those in headers that nothing includes.
    """
    commentless = re.sub(
        rb"""R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/""",
        lambda found: found[0] if found[0][:1] in b'R"' else re.sub(rb"[^\n]", b" ", found[0]),
        source,
        flags=re.DOTALL,
    )
    joined = _CONTINUED.sub(lambda found: b" " * (len(found[0]) - 1) + b"\v", commentless)
    for match in _PRAGMA.finditer(joined):
        if makes_kernel(match[1].replace(b"\v", b" ")):
            yield source.count(b"\n", 0, match.start(1)) + 1

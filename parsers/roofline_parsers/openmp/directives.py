"""OpenMP directives, from the text of a pragma."""

from __future__ import annotations

import re
from typing import Final

from roofline_core.program.directives import Clause, Directive
from roofline_parsers.openmp.clauses import closing, read_clauses

_PRAGMA: Final = re.compile(r"\s*(?:#\s*pragma\s+)?omp\b")
_WORD: Final = re.compile(r"\s*([A-Za-z_]\w*)")
_COMMENT: Final = re.compile(r"//.*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LONG: Final = (
    *(("target", "enter", "data"), ("target", "exit", "data"), ("target", "data")),
    *(("target", "update"), ("begin", "declare", "target"), ("end", "declare", "target")),
    *(("begin", "declare", "variant"), ("end", "declare", "variant"), ("declare", "target")),
    *(("declare", "simd"), ("declare", "reduction"), ("declare", "mapper")),
    *(("declare", "variant"), ("cancellation", "point")),
)
"""Names of several words, longer ones first."""
_COMBINED: Final = frozenset(
    (
        *("target", "teams", "distribute", "parallel", "for", "simd", "loop", "sections"),
        *("master", "masked", "taskloop"),
    )
)
"""Constructs that may stand beside others in one directive."""
DECLARATIVE: Final = frozenset(
    (
        *(" ".join(name) for name in _LONG if "declare" in name),
        *("allocate", "assumes", "metadirective", "nothing", "requires", "threadprivate"),
    )
)
"""Directives that nothing is executed for."""
STANDALONE: Final = frozenset(
    (
        *("barrier", "cancel", "cancellation point", "depobj", "error", "flush", "interop"),
        *("scan", "target enter data", "target exit data", "target update", "taskwait"),
        *("taskyield",),
    )
)
"""Directives that are statements of their own."""
_WITH_BODY: Final = frozenset(
    (
        *("assume", "atomic", "critical", "dispatch", "ordered", "scope", "section", "single"),
        *("target data", "task", "taskgroup", "tile", "unroll"),
    )
)
_ARGUMENTS: Final = frozenset(
    (
        *("allocate", "critical", "declare mapper", "declare reduction", "declare simd"),
        *("declare target", "declare variant", "depobj", "flush", "threadprivate"),
    )
)
"""Directives that may have parentheses directly after their name, kept as a clause of that name."""


def read_directive(text: str, line: int) -> Directive | None:
    """The directive that ``#pragma omp ...`` is, ``#pragma`` optional; None for any other text."""
    start = _PRAGMA.match(text)
    return None if start is None else read_omp(text[start.end() :], line)


def read_omp(text: str, line: int) -> Directive | None:
    """The directive of the text after ``omp``; None if it names none that is known."""
    text = " ".join(_without_comments(text).replace("\\\n", " ").split())
    constructs: list[str] = []
    position = 0
    while True:
        name, end = _construct(text, position)
        if name is None or (constructs and name not in _COMBINED):
            break
        constructs.append(name)
        position = end
        if name not in _COMBINED:
            break
    if not constructs:
        return None
    clauses: tuple[Clause, ...] = ()
    rest = text[position:].lstrip()
    if constructs[-1] in _ARGUMENTS and rest.startswith("("):
        end = closing(rest, 0)
        clauses = read_clauses(f"{constructs[-1].replace(' ', '_')}{rest[: end + 1]}", line)
        clauses = tuple(Clause(constructs[-1], c.modifiers, c.items) for c in clauses)
        rest = rest[end + 1 :]
    return Directive(line, tuple(constructs), clauses + read_clauses(rest, line))


def _without_comments(text: str) -> str:
    return _COMMENT.sub(" ", text) if "/" in text else text


def _construct(text: str, position: int) -> tuple[str | None, int]:
    """The construct named at ``position``, and where its name ends."""
    words: list[tuple[str, int]] = []
    while len(words) < 3:
        found = _WORD.match(text, words[-1][1] if words else position)
        if found is None:
            break
        words.append((found[1], found.end()))
    if not words:
        return None, position
    spelled = tuple(word for word, _ in words)
    for name in _LONG:
        if spelled[: len(name)] == name:
            return " ".join(name), words[len(name) - 1][1]
    word, end = words[0]
    if word == "do":
        word = "for"
    known = word in _COMBINED or word in STANDALONE or word in DECLARATIVE or word in _WITH_BODY
    return (word, end) if known else (None, position)

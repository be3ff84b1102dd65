"""The clauses of an OpenMP directive, from text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from roofline_core.program.directives import Clause, Section
from roofline_core.program.expressions import Expression, Index, Literal, Name
from roofline_parsers.cuda import snippets

_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_OPENING: Final = {"(": ")", "[": "]", "{": "}"}
_KINDS: Final = frozenset(("bind", "default", "defaultmap", "order", "proc_bind"))
"""Clauses that hold words alone."""
_SCHEDULES: Final = frozenset(("dist_schedule", "schedule"))
"""Clauses of a word and, after a comma, a chunk."""
_MODIFIED: Final = frozenset(
    (
        *("affinity", "allocate", "depend", "device", "doacross", "from", "grainsize", "if"),
        *("in_reduction", "lastprivate", "map", "num_tasks", "reduction", "task_reduction", "to"),
    )
)
"""Clauses that may have modifiers before a colon."""
_TRAILING: Final = frozenset(("aligned", "linear"))
"""Clauses that have a step or an alignment after a colon."""
_SINGLE: Final = frozenset(
    (
        *("collapse", "device", "filter", "final", "full", "grainsize", "hint", "if", "nowait"),
        *("num_tasks", "num_threads", "ordered", "partial", "priority", "safelen", "simdlen"),
        *("thread_limit",),
    )
)
"""Clauses of one expression, in which a comma separates nothing."""
_CONDITION: Final = re.compile(r"[a-z][a-z ]*")


def read_clauses(text: str, line: int) -> tuple[Clause, ...]:
    """The clauses in ``text``; what is no clause is passed over."""
    return tuple(_clause(name, inside, line) for name, inside in _pieces(text))


def _pieces(text: str) -> Iterator[tuple[str, str | None]]:
    """Each clause's name and what stands in its parentheses; a missing ``)`` ends with the text."""
    position = 0
    while True:
        found = _WORD.search(text, position)
        if found is None:
            return
        position = found.end()
        start = position
        while text[start : start + 1].isspace():
            start += 1
        if text[start : start + 1] != "(":
            yield found[0], None
            continue
        position = closing(text, start)
        yield found[0], text[start + 1 : position].strip()
        position += 1


def closing(text: str, start: int) -> int:
    """Where the bracket at ``start`` is closed; the text's end if it is not."""
    waiting: list[str] = []
    position = start
    while position < len(text):
        character = text[position]
        if character in "\"'":
            quoted = _QUOTED.match(text, position)
            position = quoted.end() if quoted else position + 1
            continue
        if character in _OPENING:
            waiting.append(_OPENING[character])
        elif waiting and character == waiting[-1]:
            waiting.pop()
            if not waiting:
                return position
        position += 1
    return len(text)


def split(text: str, separator: str) -> list[str]:
    """Parts of ``text`` between separators outside of brackets; ``::`` is no colon."""
    parts: list[str] = []
    start = position = 0
    while position < len(text):
        character = text[position]
        if character in "([{\"'":
            quoted = _QUOTED.match(text, position)
            position = quoted.end() if quoted else closing(text, position) + 1
            continue
        if text.startswith("::", position):
            position += 2
            continue
        if character == separator:
            parts.append(text[start:position].strip())
            start = position + 1
        position += 1
    parts.append(text[start:].strip())
    return parts


def _clause(name: str, inside: str | None, line: int) -> Clause:
    if not inside:
        return Clause(name)
    if name in _KINDS:
        words = tuple(word for part in split(inside, ":") for word in split(part, ",") if word)
        return Clause(name, words)
    if name in _SCHEDULES:
        *before, rest = split(inside, ":")
        kind, *chunk = split(rest, ",")
        modifiers = [word for part in before for word in split(part, ",")]
        return Clause(name, (*modifiers, kind), _items(chunk, line))
    if name == "num_teams":
        return Clause(name, (), _items(split(inside, ":"), line))
    modifiers = []
    if name in _MODIFIED:
        modifiers, inside = _modifiers(name, inside)
    elif name in _TRAILING:
        inside, *modifiers = split(inside, ":")
    listed = [inside] if name in _SINGLE else split(inside, ",")
    return Clause(name, tuple(modifiers), _items(listed, line))


def _modifiers(name: str, inside: str) -> tuple[list[str], str]:
    before, *after = split(inside, ":")
    if not after or "?" in before:
        return [], inside
    if name in ("if", "device") and not _CONDITION.fullmatch(before.replace("_", " ")):
        return [], inside
    rest = inside[inside.index(before) + len(before) :].lstrip()
    return [word for word in split(before, ",") if word], rest.removeprefix(":").strip()


def _items(parts: list[str], line: int) -> tuple[Expression, ...]:
    return tuple(_item(part, line) for part in parts if part)


def _item(text: str, line: int) -> Expression:
    """A variable, an expression or an array section ``x[0:n][a:b]``."""
    if text.isidentifier():
        return Name(line, text)
    if text.isdecimal():
        return Literal(line, int(text), "int")
    start = _trailing_brackets(text)
    groups = list(_groups(text[start:]))
    if not start or not any(len(split(group, ":")) > 1 for group in groups):
        return snippets.parse_expression(text, line)
    value = _item(text[:start].strip(), line)
    for group in groups:
        bounds = split(group, ":")
        if len(bounds) == 1:
            value = Index(line, value, _item(group, line))
        else:
            first, length = (_item(bound, line) if bound else None for bound in bounds[:2])
            value = Section(line, value, first, length)
    return value


def _trailing_brackets(text: str) -> int:
    """Where the subscripts begin that the text ends with; its length if it ends with none."""
    start = len(text)
    position = 0
    while position < len(text):
        character = text[position]
        if character == "[":
            start = min(start, position)
            position = closing(text, position) + 1
        elif character in "({":
            start = len(text)
            position = closing(text, position) + 1
        else:
            if not character.isspace():
                start = len(text)
            position += 1
    return start


def _groups(text: str) -> Iterator[str]:
    position = text.find("[")
    while position >= 0:
        end = closing(text, position)
        yield text[position + 1 : end].strip()
        position = text.find("[", end)

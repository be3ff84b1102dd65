"""Changes of settings files that keep all the rest: comments, order, style."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from roofline_core.program.records import record
from roofline_core.settings.files import TABLE

_KEY: Final = re.compile(r"^[ \t]*(?:defines|\"defines\"|'defines')[ \t]*=[ \t]*\[", re.MULTILINE)
_HEADER: Final = re.compile(r"^[ \t]*\[.*$", re.MULTILINE)
_OWN_TABLE: Final = re.compile(
    rf"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*[\"']?{TABLE}[\"']?[ \t]*\][ \t]*(?:#.*)?$", re.MULTILINE
)
_ARRAY: Final = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<end>\])|(?P<comma>,)"
    r"|(?P<value>\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')|(?P<space>\s+)"
)


@record(frozen=True, slots=True)
class Insertion:
    """A text to insert."""

    line: int
    """From 0."""
    column: int
    """Characters of the line before it."""
    text: str


def insert_define(text: str, macro: str, *, shared: bool) -> tuple[Insertion, ...] | None:
    """The insertions that add a macro to ``defines`` of a settings file.

    ``shared``: the file is a ``pyproject.toml``, whose settings stand in a table. None where it is
    not plain where to insert: the text is not TOML, say, or has the macro.
    """
    before = _defines(text, shared)
    if before is None or macro in before:
        return None
    start, end = _region(text, shared)
    if start is None:
        return None
    key = _KEY.search(text, start, end)
    made = _in_array(text, key.end(), macro) if key else _new_key(text, start, end, macro)
    if made is None:
        return None
    changed = text
    for at, new in reversed(made):
        changed = changed[:at] + new + changed[at:]
    return _insertions(text, made) if _only_adds(text, changed, macro, shared) else None


def _only_adds(before: str, after: str, macro: str, shared: bool) -> bool:
    """Whether the settings are what they were but for the macro."""
    old, new = settings_table(before, shared), settings_table(after, shared)
    if old is None or new is None:
        return False
    wanted = {**old, "defines": [*old.get("defines", []), macro]}
    return new == wanted and without_settings(before, shared) == without_settings(after, shared)


def _loaded(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def settings_table(text: str, shared: bool) -> Mapping[str, Any] | None:
    """The settings of a file's text; None where there are none, or it is not TOML."""
    loaded: object = _loaded(text)
    for key in ("tool", TABLE) if shared else ():
        loaded = loaded.get(key) if isinstance(loaded, Mapping) else None
    return loaded if isinstance(loaded, Mapping) else None


def without_settings(text: str, shared: bool) -> object:
    """A ``pyproject.toml`` without the table."""
    loaded = _loaded(text)
    if loaded is not None and shared:
        loaded["tool"].pop(TABLE)
        return loaded
    return None


def _defines(text: str, shared: bool) -> list[str] | None:
    found = settings_table(text, shared)
    held = None if found is None else found.get("defines", [])
    return held if isinstance(held, list) else None


def _region(text: str, shared: bool) -> tuple[int | None, int]:
    """Where the settings' own keys stand; no beginning where there is no such place."""
    start = 0
    if shared:
        table = _OWN_TABLE.search(text)
        if table is None:
            return None, 0
        start = min(table.end() + 1, len(text))
    following = _HEADER.search(text, start)
    while following is not None and _inside_array(text, start, following.start()):
        following = _HEADER.search(text, following.end())
    return start, following.start() if following else len(text)


def _inside_array(text: str, start: int, end: int) -> bool:
    """Whether a line that begins with a bracket is an array's, not a table's header."""
    return _loaded(text[start:end]) is None


def _in_array(text: str, start: int, macro: str) -> list[tuple[int, str]] | None:
    """Insertions, by place, of an element behind the last of an array."""
    at, last, comma = start, None, None
    while True:
        token = _ARRAY.match(text, at)
        if token is None:
            return None
        at = token.end()
        if token["value"]:
            last, comma = token, None
        elif token["comma"]:
            comma = token
        elif token["end"]:
            break
    if last is None:
        return [(start, f'"{macro}"')]
    behind = (comma or last).end()
    line_end = text.find("\n", behind)
    if line_end < 0 or line_end >= at:
        return [(behind, f' "{macro}",' if comma else f', "{macro}"')]
    newline = "\r\n" if text[line_end - 1] == "\r" else "\n"
    line_end -= len(newline) - 1
    line_start = text.rfind("\n", 0, last.start()) + 1
    indent = re.match(r"[ \t]*", text[line_start:])
    new = f'{newline}{indent[0] if indent else ""}"{macro}"{"," if comma else ""}'
    return [(line_end, new)] if comma else [(behind, ","), (line_end, new)]


def _new_key(text: str, start: int, end: int, macro: str) -> list[tuple[int, str]]:
    """The insertion of a line behind the last setting."""
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f'defines = ["{macro}"]'
    at, place = start, start
    for held in text[start:end].splitlines(keepends=True):
        at += len(held)
        if held.strip() and not held.lstrip().startswith("#"):
            place = at
    if place and text[place - 1] != "\n":
        return [(place, f"{newline}{line}{newline}")]
    return [(place, f"{line}{newline}")]


def _insertions(text: str, made: list[tuple[int, str]]) -> tuple[Insertion, ...]:
    found = []
    for at, new in made:
        before = text[:at]
        line = before.count("\n")
        found.append(Insertion(line, at - (before.rfind("\n") + 1), new))
    return tuple(found)

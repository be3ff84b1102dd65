"""Argument sets, which are profiles of settings files, added, changed, renamed and taken away.

Only lines of the profile change: comments, order and style of all others stay.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from roofline_core.program.records import record
from roofline_core.settings.edit import settings_table, without_settings
from roofline_core.settings.files import TABLE

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_ARGS: Final = re.compile(r"[ \t]*(?:args|\"args\"|'args')[ \t]*=")
_OWN: Final = ("args", "kernels")
"""What an argument set has of a profile; the profile's other settings stay."""


@record(frozen=True, slots=True)
class ArgumentSet:
    """A command line and sizes under a name."""

    name: str
    args: str
    """The command line; empty for none."""
    sizes: Mapping[str, Mapping[str, object]]
    """By pattern of kernels' names what is stated of them, as a settings file has it."""


def change_profile(
    text: str, old: str | None, new: ArgumentSet | None, *, shared: bool
) -> str | None:
    """A settings file's text with a profile changed.

    ``old`` is the profile's present name, None to add one; ``new`` is what it becomes, None to take
    it away. ``shared``: the file is a ``pyproject.toml``, whose settings stand in a table. None
    where the profile is not written so that its lines alone can be changed, as in inline tables.
    """
    before = settings_table(text, shared)
    if before is None:
        return None
    wanted = _wanted(before, old, new)
    if wanted is None:
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").splitlines(keepends=True)
    prefix = (*(("tool", TABLE) if shared else ()), "profiles")
    held = before.get("profiles", {}).get(old, {}) if old is not None else {}
    changed = "".join(_changed(lines, prefix, old, new, held))
    same = without_settings(changed, shared) == without_settings(text, shared)
    if not same or settings_table(changed, shared) != wanted:
        return None
    return changed.replace("\n", newline)


def _wanted(
    before: Mapping[str, Any], old: str | None, new: ArgumentSet | None
) -> Mapping[str, Any] | None:
    """The settings after the change; None where they are not of the shape of settings."""
    profiles = before.get("profiles", {})
    if not isinstance(profiles, Mapping) or not isinstance(profiles.get(old, {}), Mapping):
        return None
    rest = {name: table for name, table in profiles.items() if name != old}
    if new is not None:
        held = profiles.get(old, {})
        table = {key: value for key, value in held.items() if key not in _OWN}
        if new.args:
            table["args"] = held["args"] if _says(held.get("args"), new.args) else new.args
        if new.sizes:
            table["kernels"] = {pattern: dict(sizes) for pattern, sizes in new.sizes.items()}
        rest[new.name] = table
    after = {key: value for key, value in before.items() if key != "profiles"}
    return {**after, "profiles": rest} if rest or before.get("profiles") == {} else after


def _says(held: object, args: str) -> bool:
    """Whether a command line of the file is this one."""
    if isinstance(held, str):
        return held == args
    return isinstance(held, list) and shlex.join(map(str, held)) == args


def _changed(
    lines: Sequence[str],
    prefix: tuple[str, ...],
    old: str | None,
    new: ArgumentSet | None,
    held: Mapping[str, Any],
) -> Iterator[str]:
    own = (*prefix, old)
    keep_sizes = new is not None and held.get("kernels", {}) == new.sizes
    sections = list(_sections(lines))
    mine = [at for at, (path, _) in enumerate(sections) if old is not None and _below(path, own)]
    for at, (path, part) in enumerate(sections):
        if at not in mine:
            yield from part
            continue
        body, gap = _split(part)
        if new is not None:
            yield from _section(path, body, own, new, held, keep_sizes=keep_sizes)
        if at == mine[-1]:
            if new is not None and not keep_sizes:
                yield from _size_sections((*prefix, new.name), new.sizes)
            yield from gap if new is not None else _without_blank(gap)
        elif keep_sizes or "".join(gap).strip():
            yield from gap
    if old is None and new is not None:
        yield from _end(lines)
        yield f"[{_header((*prefix, new.name))}]\n"
        if new.args:
            yield _args_line(new.args)
        yield from _size_sections((*prefix, new.name), new.sizes)


def _section(
    path: Sequence[str],
    body: Sequence[str],
    own: Sequence[str | None],
    new: ArgumentSet,
    held: Mapping[str, Any],
    *,
    keep_sizes: bool,
) -> Iterator[str]:
    """A section of a changed profile, its header first."""
    inside = path[len(own) :]
    if inside[:1] == ("kernels",) and not keep_sizes:
        return
    head, *rest = body
    if path[len(own) - 1] != new.name:
        head = f"[{_header((*path[: len(own) - 1], new.name, *inside))}]{head[_end_of(head) :]}"
    yield head if head.endswith("\n") else f"{head}\n"
    if inside or _says(held.get("args"), new.args):
        yield from rest
        return
    if new.args:
        yield _args_line(new.args)
    yield from (line for line in rest if _ARGS.match(line) is None)


def _end_of(head: str) -> int:
    """Where the bracket of a header ends; what follows may be a comment."""
    ends = (at + 1 for at, char in enumerate(head) if char == "]")
    return next((end for end in ends if _path(head[:end]) is not None), len(head))


def _sections(lines: Sequence[str]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The lines before the first header, then those of each header, with the header's path."""
    path: tuple[str, ...] = ()
    part: list[str] = []
    for line in lines:
        found = _path(line)
        if found is not None:
            yield path, part
            path, part = found, []
        part.append(line)
    yield path, part


def _path(line: str) -> tuple[str, ...] | None:
    """The keys of a table's header; None for other lines."""
    if not line.lstrip(" \t").startswith("["):
        return None
    try:
        table: Any = tomllib.loads(line)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    path = []
    while isinstance(table, dict) and table:
        ((key, table),) = table.items()
        path.append(key)
    return tuple(path)


def _below(path: Sequence[str], own: Sequence[str | None]) -> bool:
    return tuple(path[: len(own)]) == tuple(own)


def _split(part: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """A section's own lines, and the blank lines and comments between them and the next header."""
    end = len(part)
    while end > 1 and (not part[end - 1].strip() or part[end - 1].lstrip().startswith("#")):
        end -= 1
    return part[:end], part[end:]


def _without_blank(gap: Sequence[str]) -> Sequence[str]:
    """One blank line less, where the section before it is gone."""
    return gap[1:] if gap and not gap[0].strip() else gap


def _end(lines: Sequence[str]) -> Iterator[str]:
    """What comes between the end of a file and a new section."""
    if lines and not lines[-1].endswith("\n"):
        yield "\n"
    if lines and lines[-1].strip():
        yield "\n"


def _args_line(args: str) -> str:
    return f"args = {json.dumps(args, ensure_ascii=False)}\n"


def _size_sections(path: Sequence[str], sizes: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    for pattern, stated in sizes.items():
        yield f"\n[{_header((*path, 'kernels', pattern))}]\n"
        for name, value in stated.items():
            yield f"{_key(name)} = {json.dumps(value, ensure_ascii=False)}\n"


def _header(path: Sequence[str]) -> str:
    return ".".join(map(_key, path))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)

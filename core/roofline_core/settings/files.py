"""Settings files: finding the one that holds for a path, and reading it."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from roofline_core.program.regular_files import read_regular_file
from roofline_core.settings.errors import SettingsError, suggestion
from roofline_core.settings.validate import Layer, validate

OWN_FILE = "roofline.toml"
SHARED_FILE = "pyproject.toml"
TABLE = "roofline-lsp"
"""``[tool.roofline-lsp]`` of ``pyproject.toml``, and all of ``roofline.toml``, are settings."""

_MOST_BYTES = 1_000_000
_MOST_DOTS = 1_000
"""In one line: a dotted key takes memory by the square of its parts."""
_POSITION = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\s*$")


def locate(start: Path) -> Path | None:
    """The settings file of the nearest folder at or above ``start``, a file or a folder.

    In one folder ``roofline.toml`` goes before a ``pyproject.toml`` with a ``[tool.roofline-lsp]``
    table; a ``pyproject.toml`` without the table is passed over. Raises SettingsError where a
    ``pyproject.toml`` that mentions the table is malformed.
    """
    start = start.absolute()
    for folder in (start, *start.parents):
        own = folder / OWN_FILE
        if own.is_file():
            return own
        shared = folder / SHARED_FILE
        if shared.is_file() and _has_table(shared):
            return shared
    return None


def personal_file() -> Path:
    """Where a person's own settings for all projects stand, whether there are any or not.

    Below ``XDG_CONFIG_HOME`` (on Windows ``APPDATA``), else below ``~/.config``.
    """
    base = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "roofline-lsp" / OWN_FILE


def load_personal() -> Layer | None:
    """A person's own settings, weaker than a project's. Raises SettingsError."""
    path = personal_file()
    return load(path, shared=False) if path.is_file() else None


def load(path: Path, *, shared: bool = True) -> Layer:
    """Read a settings file. Relative paths in it are relative to its folder.

    ``shared``: it is a project's, so that it may not turn the advisor on or direct it. Raises
    SettingsError: the file cannot be read, is not TOML (with line and column), or sets something
    wrong.
    """
    values: object = _parse(path)
    origin = str(path)
    if path.name == SHARED_FILE:
        for key in ("tool", TABLE):
            values = values.get(key, {}) if isinstance(values, Mapping) else values
        origin = f"{path} [tool.{TABLE}]"
    if not isinstance(values, Mapping):
        raise SettingsError(f"{path}: 'tool.{TABLE}' must be a table, not {values!r}")
    if path.name != SHARED_FILE and "tool" in values:
        raise SettingsError(
            f"{path}: there is no setting 'tool'; "
            f"in {OWN_FILE} settings stand at the top, not in [tool.{TABLE}]"
        )
    return validate(values, origin=origin, folder=path.absolute().parent, shared=shared)


def _has_table(path: Path) -> bool:
    try:
        tool = _parse(path).get("tool")
    except SettingsError:
        # A broken file of some other project in a folder far above is not this run's business.
        if TABLE.encode() in _bytes(path):
            raise
        return False
    return isinstance(tool, Mapping) and TABLE in tool


def _bytes(path: Path) -> bytes:
    try:
        return read_regular_file(path, _MOST_BYTES)
    except OSError as error:
        if path.name == SHARED_FILE:
            return b""
        near = _near_names(path) if isinstance(error, FileNotFoundError) else ""
        raise SettingsError(f"{path}: cannot be read: {error.strerror}{near}") from None


def _near_names(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    return suggestion(path.name, names)


def _parse(path: Path) -> Mapping[str, object]:
    raw = _bytes(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise SettingsError(f"{path}:{line}:{column}: not UTF-8 text") from None
    for number, written in enumerate(text.split("\n"), 1):
        if written.count(".") > _MOST_DOTS:
            raise SettingsError(f"{path}:{number}: more than {_MOST_DOTS:,} dots in one line")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _malformed(path, text, str(error)) from None
    except RecursionError:
        raise SettingsError(f"{path}: values are nested too deeply") from None


def _malformed(path: Path, text: str, message: str) -> SettingsError:
    found = _POSITION.search(message)
    if found is None:
        return SettingsError(f"{path}: not valid TOML: {message}")
    if found[1] is not None:
        line, column = int(found[1]), int(found[2])
    else:
        line = text.count("\n") + 1
        column = len(text) - (text.rfind("\n") + 1) + 1
    return SettingsError(f"{path}:{line}:{column}: not valid TOML: {message[: found.start()]}")

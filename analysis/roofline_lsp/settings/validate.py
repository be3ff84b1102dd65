"""From keys and values of unknown shape to checked settings."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from roofline_lsp.settings.errors import SettingsError, suggestion
from roofline_lsp.settings.model import CLOCKS

KeyStyle = Literal["kebab", "camel"]
"""How keys are spelt: ``include-dirs`` in files, ``includeDirs`` in an editor's JSON."""

_MACRO = re.compile(r"[A-Za-z_]\w*(=.*)?", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Layer:
    """Checked settings of one origin, to be merged over those of weaker origins."""

    origin: str
    """Where they come from, for messages: a file's path, ``initialization options``."""
    values: Mapping[str, object]
    """By field name of ``Settings``; a field that the origin does not set is absent."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands, to name it in a message and to resolve paths by."""

    origin: str
    key: str
    folder: Path

    def wrong(self, expected: str, given: object, hint: str = "") -> SettingsError:
        return SettingsError(
            f"{self.origin}: '{self.key}' must be {expected}, not {_shown(given)}{hint}"
        )


def validate(
    values: Mapping[str, object], *, origin: str, folder: Path, style: KeyStyle = "kebab"
) -> Layer:
    """Check keys and values, and give them the types of ``Settings``.

    ``folder`` is what relative paths are relative to. A value of None (JSON's null) leaves its key
    unset. Raises SettingsError, naming origin, key, what was given and the nearest valid choice.
    """
    fields = {_spelt(name, style): name for name in _CHECKS}
    checked: dict[str, object] = {}
    for key, value in values.items():
        name = fields.get(key)
        if name is None:
            hint = suggestion(key, fields) or f"; the settings are {', '.join(fields)}"
            raise SettingsError(f"{origin}: there is no setting '{key}'{hint}")
        if value is not None:
            checked[name] = _CHECKS[name](value, _Place(origin, key, folder))
    return Layer(origin, checked)


def setting_names(style: KeyStyle) -> tuple[str, ...]:
    """Every key, spelt for a file or for an editor's JSON."""
    return tuple(_spelt(name, style) for name in _CHECKS)


def _spelt(name: str, style: KeyStyle) -> str:
    if style == "kebab":
        return name.replace("_", "-")
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _shown(given: object) -> str:
    if isinstance(given, str):
        return f"'{given}'"
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, Mapping):
        return "a table"
    return "a list" if isinstance(given, list) else str(given)


def _text(value: object, place: _Place) -> str:
    if not isinstance(value, str) or not value.strip():
        raise place.wrong("a text that is not empty", value)
    return value


def _texts(value: object, place: _Place) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise place.wrong("a list of texts", value)
    for item in value:
        if not isinstance(item, str):
            raise place.wrong("a list of texts", item, " in it")
    return tuple(value)


def _texts_by_pattern(value: object, place: _Place) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise place.wrong("a table of patterns, each with a list of texts", value)
    return tuple((str(pattern), _texts(given, place)) for pattern, given in value.items())


def _clock(value: object, place: _Place) -> str:
    if value not in CLOCKS:
        hint = suggestion(value, CLOCKS) if isinstance(value, str) else ""
        raise place.wrong("'base' or 'boost'", value, hint)
    return str(value)


def _args(value: object, place: _Place) -> tuple[str, ...]:
    if not isinstance(value, str):
        return _texts(value, place)
    try:
        return tuple(shlex.split(value))
    except ValueError as error:
        reason = str(error).lower()
        raise place.wrong("a command line that a shell can read", value, f" ({reason})") from None


def _defines(value: object, place: _Place) -> tuple[str, ...]:
    macros = _texts(value, place)
    for macro in macros:
        if _MACRO.fullmatch(macro) is None:
            raise place.wrong("a list of NAME or NAME=VALUE", macro, " in it")
    return macros


def _amount(value: object, place: _Place) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise place.wrong("a number of at least 0", value)
    return float(value)


def _path(value: object, place: _Place) -> Path:
    return place.folder / Path(_text(value, place)).expanduser()


def _paths(value: object, place: _Place) -> tuple[Path, ...]:
    return tuple(_path(item, place) for item in _texts(value, place))


_CHECKS: Mapping[str, Callable[[object, _Place], object]] = {
    "gpu": _text,
    "clock": _clock,
    "args": _args,
    "defines": _defines,
    "include_dirs": _paths,
    "compile_commands": _path,
    "background_gbs": _amount,
    "background_period_ms": _amount,
    "exclude": _texts,
    "select": _texts,
    "ignore": _texts,
    "per_file_ignores": _texts_by_pattern,
}
"""By field of ``Settings``, all of them."""

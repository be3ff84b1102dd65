"""From keys and values of unknown shape to checked settings."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from roofline_core.program.records import record
from roofline_core.settings.advisor import (
    EFFORTS,
    MOST_ROUNDS,
    MOST_VOTES,
    PROTOCOLS,
    SHAREABLE,
    STRUCTURES,
)
from roofline_core.settings.errors import SettingsError, suggestion
from roofline_core.settings.model import CLOCKS, COMPILERS, VERDICT_RULES
from roofline_core.settings.own_gpus import CEILING_KINDS, OwnGpu, read_own_gpu

KeyStyle = Literal["kebab", "camel"]
"""How keys are spelt: ``include-dirs`` in files, ``includeDirs`` in an editor's JSON."""

_MOST = sys.float_info.max
"""An integer may be larger than this, and still below infinity."""
_MOST_BITS_SHOWN = 128
"""Python writes out no integer of some thousand digits."""
_MOST_THREADS = 2**32 - 1
_MOST_WHOLE = 10**15
_MACRO = re.compile(r"[A-Za-z_]\w*(?:\([\w\s,.]*\))?(=.*)?", re.ASCII | re.DOTALL)


@record(frozen=True, slots=True)
class Layer:
    """Checked settings of one origin, to be merged over those of weaker origins."""

    origin: str
    """Where they come from, for messages: a file's path, ``initialization options``."""
    values: Mapping[str, object]
    """By field name of ``Settings``; a field that the origin does not set is absent.

    ``advisor`` is a mapping of the same kind; ``profiles`` has one for each name.
    """
    shared: bool = False
    """Whether the origin is a project's file."""
    warnings: tuple[str, ...] = ()
    """What it sets in vain."""


@record(frozen=True, slots=True)
class _Place:
    """Where a value stands, to name it in a message and to resolve paths by."""

    origin: str
    key: str
    folder: Path
    style: KeyStyle
    shared: bool
    """Whether the origin is a project's file."""
    warnings: list[str]

    def wrong(self, expected: str, given: object, hint: str = "") -> SettingsError:
        """The error that names the place, what it must hold and what it was given."""
        return SettingsError(
            f"{self.origin}: '{self.key}' must be {expected}, not {_shown(given)}{hint}"
        )


def validate(
    values: Mapping[str, object],
    *,
    origin: str,
    folder: Path,
    style: KeyStyle = "kebab",
    shared: bool = False,
) -> Layer:
    """Check keys and values, and give them the types of ``Settings``.

    ``folder`` is what relative paths are relative to. A value of None (JSON's null) leaves its key
    unset. ``shared`` tells a project's file from a person's own choice; where that turns the
    advisor on or directs it, there is a warning and it has no effect. Raises SettingsError, naming
    origin, key, what was given and the nearest valid choice.
    """
    place = _Place(origin, "", folder, style, shared, [])
    checked = _checked(values, place, _CHECKS)
    return Layer(origin, checked, shared, tuple(place.warnings))


def _checked(values: Mapping[str, object], place: _Place, checks: _Checks) -> dict[str, object]:
    """The values of one table; ``place.key`` is the table's."""
    fields = {_spelt(name, place.style): name for name in checks}
    inside = f"{place.key}." if place.key else ""
    checked: dict[str, object] = {}
    for key, value in values.items():
        name = fields.get(key)
        if name is None:
            hint = suggestion(key, fields) or f"; the settings are {', '.join(fields)}"
            raise SettingsError(f"{place.origin}: there is no setting '{inside}{key}'{hint}")
        if value is not None:
            checked[name] = checks[name](value, replace(place, key=f"{inside}{key}"))
    return checked


def setting_names(style: KeyStyle, table: str | None = None) -> tuple[str, ...]:
    """Every key, or every key of a table, spelt for a file or for an editor's JSON."""
    return tuple(_spelt(name, style) for name in (_CHECKS if table is None else _TABLES[table]))


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
    if isinstance(given, int) and given.bit_length() > _MOST_BITS_SHOWN:
        return f"an integer of {given.bit_length()} bits"
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


_CONTRACT_KEYS = ("expect", "budget", "assume")


def _contracts(value: object, place: _Place) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Of tables by pattern, the statements: ``{"gemm*": {"expect": "BB"}}``."""
    if not isinstance(value, Mapping):
        raise place.wrong("a table of tables, one for a pattern of kernels' names", value)
    return tuple(
        (str(pattern), tuple(_statements(table, replace(place, key=f"{place.key}.{pattern}"))))
        for pattern, table in value.items()
    )


def _statements(table: object, place: _Place) -> Iterator[str]:
    if not isinstance(table, Mapping):
        raise place.wrong("a table with 'expect', 'budget' or 'assume'", table)
    for key, given in table.items():
        here = replace(place, key=f"{place.key}.{key}")
        if key not in _CONTRACT_KEYS:
            hint = (
                suggestion(str(key), _CONTRACT_KEYS) or f"; there are {', '.join(_CONTRACT_KEYS)}"
            )
            raise SettingsError(f"{place.origin}: there is no setting '{here.key}'{hint}")
        texts = (given,) if isinstance(given, str) else _texts(given, here)
        yield from (f"{key} {text.strip()}" for text in texts)


_DIMENSIONS = ("grid", "block")
_SIZE_NAME = re.compile(r"[A-Za-z_]\w*(?:\[\d+\])?", re.ASCII)


def _kernels(value: object, place: _Place) -> tuple[tuple[str, str], ...]:
    """Of tables by pattern, what a comment would state: ``n = 4096, grid = (256, 1, 1)``."""
    if not isinstance(value, Mapping):
        raise place.wrong("a table of tables, one for a pattern of kernels' names", value)
    return tuple(
        (str(pattern), _sizes(table, replace(place, key=f"{place.key}.{pattern}")))
        for pattern, table in value.items()
    )


def _sizes(table: object, place: _Place) -> str:
    if not isinstance(table, Mapping) or not table:
        raise place.wrong("a table of numbers, such as { n = 4096, grid = [256, 1, 1] }", table)
    parts = []
    for name, given in table.items():
        here = replace(place, key=f"{place.key}.{name}")
        if name == "argv":
            raise SettingsError(
                f"{place.origin}: '{here.key}' is of the whole program: set 'args', or"
                " 'per-program-args'"
            )
        if _SIZE_NAME.fullmatch(str(name)) is None:
            raise SettingsError(
                f"{place.origin}: '{here.key}' is no name: write a parameter, \"argv[1]\", 'grid'"
                " or 'block'"
            )
        shown = _dimensions(given, here) if name in _DIMENSIONS else _size(given, here)
        parts.append(f"{name} = {shown}")
    return ", ".join(parts)


def _size(value: object, place: _Place) -> str:
    """A number, or a text such as ``64Ki``, which is read as in a comment."""
    if isinstance(value, str) and value.strip() and not any(each in value for each in ",=;\n"):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= _MOST:
        raise place.wrong("a number, or a text such as '64Ki'", value)
    return str(value)


def _dimensions(value: object, place: _Place) -> str:
    given = value if isinstance(value, list) else [value]
    whole = [each for each in given if isinstance(each, int) and not isinstance(each, bool)]
    if not 1 <= len(given) <= 3 or len(whole) != len(given) or min(whole) < 1:
        raise place.wrong("one to three whole numbers of at least 1", value)
    if max(whole) > _MOST_THREADS:
        raise place.wrong(f"one to three whole numbers of at most {_MOST_THREADS}", max(whole))
    return f"({', '.join(map(str, whole))})"


def _args_by_pattern(value: object, place: _Place) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise place.wrong("a table of patterns, each with a command line", value)
    return tuple(
        (str(pattern), _args(given, replace(place, key=f"{place.key}.{pattern}")))
        for pattern, given in value.items()
    )


_NOT_IN_PROFILES = ("advisor", "profiles", "settings_profile")


def _profiles(value: object, place: _Place) -> dict[str, Mapping[str, object]]:
    """By name, the checked settings of a profile."""
    if not isinstance(value, Mapping):
        raise place.wrong("a table of tables, one a profile", value)
    checks = {name: check for name, check in _CHECKS.items() if name not in _NOT_IN_PROFILES}
    found: dict[str, Mapping[str, object]] = {}
    for name, table in value.items():
        here = replace(place, key=f"{place.key}.{name}")
        if not isinstance(table, Mapping):
            raise here.wrong("a table of settings", table)
        found[str(name)] = _checked(table, here, checks)
    return found


def _clock(value: object, place: _Place) -> str:
    if value not in CLOCKS:
        hint = suggestion(value, CLOCKS) if isinstance(value, str) else ""
        raise place.wrong("'base' or 'boost'", value, hint)
    return str(value)


def _ceilings(value: object, place: _Place) -> str:
    if value not in CEILING_KINDS:
        hint = suggestion(value, CEILING_KINDS) if isinstance(value, str) else ""
        raise place.wrong("'spec' or 'measured'", value, hint)
    return str(value)


def _names(value: object, place: _Place) -> tuple[str, ...]:
    """A list of names, or a text with commas between them."""
    if isinstance(value, str):
        value = [name for name in value.split(",") if name.strip()]
    return tuple(dict.fromkeys(_text(name.strip(), place) for name in _texts(value, place)))


def _gpus(value: object, place: _Place) -> tuple[OwnGpu, ...]:
    if not isinstance(value, Mapping):
        raise place.wrong("a table of tables, one a GPU", value)
    found = []
    for name, table in value.items():
        here = replace(place, key=f"{place.key}.{name}")
        if not isinstance(table, Mapping):
            raise here.wrong("a table", table)
        found.append(_own_gpu(str(name), table, here))
    return tuple(found)


def _own_gpu(name: str, table: Mapping[str, object], place: _Place) -> OwnGpu:
    def wrong(key: str, expected: str, given: object) -> SettingsError:
        """The error of one key of the GPU's table."""
        return replace(place, key=f"{place.key}.{key}").wrong(expected, given)

    file = table.get("file")
    if place.shared and isinstance(file, str) and not _is_below(place.folder / file, place.folder):
        raise wrong("file", "a file below the folder of the project's settings", file)
    return read_own_gpu(name, table, place.folder, lambda key: _spelt(key, place.style), wrong)


def _is_below(path: Path, folder: Path) -> bool:
    """Whether a path leads below a folder, links followed."""
    return Path(os.path.realpath(folder)) in Path(os.path.realpath(path)).parents


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
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST:
        raise place.wrong("a number of at least 0", value)
    return float(value)


def _path(value: object, place: _Place) -> Path:
    return place.folder / Path(_text(value, place)).expanduser()


def _paths(value: object, place: _Place) -> tuple[Path, ...]:
    return tuple(_path(item, place) for item in _texts(value, place))


def _flag(value: object, place: _Place) -> bool:
    if not isinstance(value, bool):
        raise place.wrong("true or false", value)
    return value


def _whole(least: int, most: int | None = None) -> _Check:
    span = f"of at least {least}" if most is None else f"from {least} to {most}"

    def check(value: object, place: _Place) -> int:
        """The value as it is. Raises SettingsError unless it is an integer in the span."""
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise place.wrong(f"a whole number {span}", value)
        if value > (_MOST_WHOLE if most is None else most):
            raise place.wrong(f"a whole number from {least} to {most or _MOST_WHOLE}", value)
        return value

    return check


def _share(value: object, place: _Place) -> float:
    number = _amount(value, place) if value != 0 else 0.0
    if number > 1.0:
        raise place.wrong("a number from 0 to 1", value)
    return number


def _seconds(value: object, place: _Place) -> float:
    if (number := _amount(value, place)) == 0.0:
        raise place.wrong("a number above 0", value)
    return number


def _one_of(choices: Sequence[str]) -> _Check:
    def check(value: object, place: _Place) -> str:
        """The choice. Raises SettingsError for any other value, with the nearest choice."""
        if value not in choices:
            hint = suggestion(value, choices) if isinstance(value, str) else ""
            quoted = ", ".join(f"'{choice}'" for choice in choices)
            raise place.wrong(f"one of {quoted}", value, hint)
        return str(value)

    return check


def _address(value: object, place: _Place) -> str:
    text = _text(value, place)
    if re.fullmatch(r"https?://[^\s/@]+[^\s@]*", text) is None:
        raise place.wrong("an address such as 'https://gateway.example' without a password", value)
    return text


def _advisor(value: object, place: _Place) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise place.wrong("a table", value)
    if place.shared:
        value = {key: each for key, each in value.items() if not _is_in_vain(key, each, place)}
    return _checked(value, place, _ADVISOR_CHECKS)


def _is_in_vain(key: str, value: object, place: _Place) -> bool:
    """Whether a project's file sets what is a person's own choice, which is warned of."""
    own = {_spelt(name, place.style) for name in _ADVISOR_CHECKS if name not in SHAREABLE}
    turned_on = key == "enabled" and value is True
    if key in own or turned_on:
        place.warnings.append(
            f"{place.origin}: '{place.key}.{key}' cannot be set{' to true' if turned_on else ''} in"
            " a project's file, which whoever wrote the sources could have written, and is ignored;"
            " set it in your editor or in your own settings file"
        )
    return key in own or turned_on


_Check = Callable[[object, _Place], object]
_Checks = Mapping[str, _Check]

_ADVISOR_CHECKS: _Checks = {
    "enabled": _flag,
    "model": _text,
    "base_url": _address,
    "budget_tokens": _whole(0),
    "timeout_s": _seconds,
    "connect_timeout_s": _seconds,
    "retries": _whole(0),
    "concurrency": _whole(1),
    "rounds": _whole(1, MOST_ROUNDS),
    "votes": _whole(1, MOST_VOTES),
    "protocol": _one_of(PROTOCOLS),
    "structure": _one_of(STRUCTURES),
    "effort": _one_of(EFFORTS),
    "max_output_tokens": _whole(256),
    "max_source_chars": _whole(1000),
    "ask_below": _share,
    "trust": _share,
    "compile": _flag,
    "project_flags": _flag,
    "test_command": _text,
    "test_timeout_s": _seconds,
    "batch_from": _whole(1),
    "cache_dir": _path,
    "cache_mb": _amount,
    "cache_days": _amount,
}
"""By field of ``AdvisorSettings``, all of them."""

_TABLES = {"advisor": _ADVISOR_CHECKS}

_CHECKS: _Checks = {
    "gpu": _text,
    "clock": _clock,
    "rule": _one_of(VERDICT_RULES),
    "compiler": _one_of(COMPILERS),
    "fast_math": _flag,
    "args": _args,
    "per_program_args": _args_by_pattern,
    "kernels": _kernels,
    "defines": _defines,
    "include_dirs": _paths,
    "compile_commands": _path,
    "background_gbs": _amount,
    "background_period_ms": _amount,
    "exclude": _texts,
    "advisor": _advisor,
    "ceilings": _ceilings,
    "what_if": _names,
    "gpus": _gpus,
    "select": _texts,
    "ignore": _texts,
    "per_file_ignores": _texts_by_pattern,
    "contracts": _contracts,
    "notes": _flag,
    "settings_profile": _text,
    "profiles": _profiles,
}
"""By field of ``Settings``, all of them."""

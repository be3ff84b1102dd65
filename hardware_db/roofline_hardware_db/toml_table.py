"""Reads a TOML table into a frozen dataclass, whose fields say what the table may hold.

A field without a default must be there, a key that is no field is an error, and the annotation
gives the type. All faults of a table are reported together.
"""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from roofline_core.program.regular_files import read_regular_file
from roofline_hardware_db.errors import GpuDataError

_MOST_BYTES = 4_000_000
_LEAST, _MOST = 1e-9, 1e12
"""No figure of a GPU but 0 is beyond these in its unit; products of some of them stay doubles."""
_MOST_BITS_SHOWN = 128
"""Python writes out no integer of some thousand digits."""

T = TypeVar("T")
Converter = Callable[[object], object]
"""Turns a TOML value into the value of a field, or raises BadValueError."""


class BadValueError(Exception):
    """A value of the wrong kind; the message completes the sentence that begins with the key."""


def parse_toml(path: Path) -> dict[str, Any]:
    """The table in a file; raises GpuDataError if it cannot be read or is not TOML."""
    try:
        return tomllib.loads(read_regular_file(path, _MOST_BYTES).decode("utf-8"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise GpuDataError(str(path), [f"cannot be read ({reason}); check the path"]) from error
    except ValueError as error:  # TOMLDecodeError and UnicodeDecodeError are both ValueErrors
        raise GpuDataError(str(path), [f"is not valid TOML: {error}; correct that line"]) from error


def read_table(
    cls: type[T],
    table: Mapping[str, object],
    converters: Mapping[object, Converter],
    problems: list[str],
    prefix: str = "",
) -> T | None:
    """The dataclass ``cls`` filled from ``table``; None, and ``problems`` longer, if it cannot be.

    ``converters`` maps an annotation to a function for fields that TOML has no type for.
    ``prefix`` comes before each key in the messages.
    """
    before = len(problems)
    known = {entry.name: entry for entry in fields(cls)}  # type: ignore[arg-type]
    problems.extend(_unknown_keys(table, list(known), prefix))
    values: dict[str, Any] = {}
    for name, entry in known.items():
        if name not in table:
            if entry.default is MISSING and entry.default_factory is MISSING:
                problems.append(f"{prefix}{name}: missing; add it")
            continue
        try:
            values[name] = _convert(entry, table[name], converters, problems, prefix)
        except BadValueError as error:
            problems.append(f"{prefix}{name}: {error}")
    return cls(**values) if len(problems) == before else None


def _unknown_keys(table: Mapping[str, object], known: list[str], prefix: str) -> list[str]:
    unknown = [key for key in table if key not in known]
    if not unknown:
        return []
    from difflib import get_close_matches  # noqa: PLC0415 - only a file with a fault needs it

    found = []
    for key in unknown:
        near = get_close_matches(key, known, n=1)
        remedy = f'did you mean "{near[0]}"?' if near else "remove it"
        found.append(f"{prefix}{key}: unknown key; {remedy}")
    return found


def _convert(
    entry: Field[Any],
    value: object,
    converters: Mapping[object, Converter],
    problems: list[str],
    prefix: str,
) -> object:
    kind: Any = entry.type
    if kind in converters:
        return converters[kind](value)
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise BadValueError(f"must be a table, not {_shown(value)}")
        return read_table(kind, value, converters, problems, f"{prefix}{entry.name}.")  # type: ignore[arg-type]
    if kind in (str, str | None):
        return _text(value)
    if kind == tuple[str, ...]:
        if not isinstance(value, list):
            raise BadValueError(f"must be a list of strings, not {_shown(value)}")
        return tuple(_text(element) for element in value)
    number = _number(value, entry.metadata.get("minimum"))
    if kind in (int, int | None):
        if number != int(number):
            raise BadValueError(f"must be a whole number, not {_shown(value)}")
        return int(number)
    return number


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadValueError(f"must be a string that is not empty, not {_shown(value)}")
    return value


def _number(value: object, minimum: int | None) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadValueError(f"must be a number, not {_shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadValueError(f"must be a number, not {_shown(value)}")
    if not (value == 0 or _LEAST <= abs(value) <= _MOST):
        raise BadValueError(f"must be a number from {_LEAST:g} to {_MOST:g}, not {_shown(value)}")
    if minimum is None and value <= 0:
        raise BadValueError(f"must be above 0, not {value}; leave the key out if it is unknown")
    if minimum is not None and value < minimum:
        raise BadValueError(f"must be {minimum} or more, not {value}")
    return float(value)


def _shown(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS_SHOWN:
        return f"an integer of {value.bit_length()} bits"
    return f"{value!r} ({type(value).__name__})"

"""Records as JSON and back, exactly: what is decoded equals what was encoded, and runs no code.

A value that JSON has stands for itself. Anything else is an array that begins with a number: which
kind of container it is, or which class of those that ``RecordJson`` was made for. A text can
therefore name no class and no function, whoever wrote it.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final

_TUPLE: Final = 0
_PATH: Final = 1
_MAPPING: Final = 2
_SET: Final = 3
_FIRST_CLASS: Final = 4
_PLAIN: Final = (str, int, float, bool, type(None))


class DamagedError(ValueError):
    """A text that encodes no value."""


class RecordJson:
    """A translation of records of some classes, and of all that the types of their fields name."""

    def __init__(self, *classes: type[Any]) -> None:
        found: dict[type[Any], None] = {}
        for each in classes:
            _reach(each, found)
        self._numbers = {each: _FIRST_CLASS + index for index, each in enumerate(found)}
        paths: dict[str, Path] = {}

        def path(parts: list[Any]) -> Path:
            """The path; equal texts give one object."""
            name = parts[1]
            if name not in paths:
                paths[name] = Path(name)
            return paths[name]

        self._made: list[Callable[[list[Any]], Any]] = [
            lambda parts: tuple(self._values(parts)),
            path,
            lambda parts: dict(self._values(pair) for pair in parts[1:]),
            lambda parts: frozenset(self._values(parts)),
            *(self._maker(each) for each in found),
        ]
        self._fields = {
            each: tuple(item.name for item in dataclasses.fields(each))
            for each in found
            if not issubclass(each, Enum)
        }

    def encoded(self, value: object) -> str:
        """A value as JSON. Raises TypeError for one of a class that is not known."""
        return json.dumps(self._plain(value), separators=(",", ":"))

    def decoded(self, text: str | bytes) -> Any:
        """The value of a text. Raises DamagedError."""
        try:
            value = json.loads(text)
            return self._made[value[0]](value) if value.__class__ is list else value
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise DamagedError(str(error)) from None

    def _plain(self, value: Any) -> Any:
        kind = value.__class__
        if kind in _PLAIN:
            return value
        number = self._numbers.get(kind)
        if number is not None:
            if isinstance(value, Enum):
                return [number, value.name]
            return [number, *(self._plain(getattr(value, name)) for name in self._fields[kind])]
        if isinstance(value, tuple):
            return [_TUPLE, *map(self._plain, value)]
        if isinstance(value, Path):
            return [_PATH, str(value)]
        if isinstance(value, Mapping):
            return [_MAPPING, *([0, *map(self._plain, pair)] for pair in value.items())]
        if isinstance(value, frozenset):
            return [_SET, *map(self._plain, value)]
        message = f"a value of {kind.__name__} has no place in a record"
        raise TypeError(message)

    def _values(self, parts: list[Any]) -> list[Any]:
        """What stands behind the number of an array, decoded."""
        made = self._made
        values = [made[part[0]](part) if part.__class__ is list else part for part in parts]
        del values[0]
        return values

    def _maker(self, of: type[Any]) -> Callable[[list[Any]], Any]:
        if issubclass(of, Enum):
            members: Mapping[str, Any] = of.__members__
            return lambda parts: members[parts[1]]
        return lambda parts: of(*self._values(parts))


def _reach(of: Any, found: dict[type[Any], None]) -> None:
    """Collect a class, and the classes that the types of its fields name."""
    if of in found:
        return
    if dataclasses.is_dataclass(of) and isinstance(of, type):
        found[of] = None
        for each in typing.get_type_hints(of).values():
            _reach(each, found)
    elif isinstance(of, type) and issubclass(of, Enum):
        found[of] = None
    else:
        for each in typing.get_args(of):
            _reach(each, found)

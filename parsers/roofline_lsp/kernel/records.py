"""Records that are made by the hundred thousand: frozen for type checkers, unguarded when run.

A frozen dataclass sets each field through ``object.__setattr__``, which makes constructing it three
times as slow; on large programs that was a tenth of all time. ``unguarded`` gives such a class a
plain constructor. Assigning to a field is still an error to mypy and pyright, which check all of
this project; nothing checks it at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Any, TypeVar

Record = TypeVar("Record")


def unguarded(cls: type[Record]) -> type[Record]:
    """The same frozen dataclass of slots with a fast constructor. Stands above ``@dataclass``."""
    arguments, lines, defaults = [], [], {}
    for item in fields(cls):  # type: ignore[arg-type]
        argument = name = item.name
        value = name
        if item.default is not MISSING:
            defaults[f"_{name}"] = item.default
            argument = f"{name}=_{name}"
        elif item.default_factory is not MISSING:
            defaults[f"_{name}"] = item.default_factory
            argument = f"{name}=None"
            value = f"_{name}() if {name} is None else {name}"
        arguments.append(argument)
        lines.append(f"    self.{name} = {value}\n")
    code = f"def __init__(self, {', '.join(arguments)}):\n{''.join(lines)}"
    made: dict[str, Any] = {}
    exec(code, defaults, made)
    made["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    for name in ("__setattr__", "__delattr__"):
        if name in cls.__dict__:
            delattr(cls, name)
    cls.__init__ = made["__init__"]  # type: ignore[method-assign]
    _pickle_by_fields(cls, [item.name for item in fields(cls)])  # type: ignore[arg-type]
    return cls


def _pickle_by_fields(cls: type[Record], names: list[str]) -> None:
    """Pickle by a call of the constructor.

    What a dataclass of slots brings looks its fields up for each record, at ten times the cost.
    """
    values: Callable[[Record], Any] = attrgetter(*names)
    if len(names) == 1:

        def reduce(self: Record) -> tuple[type[Record], Any]:
            return cls, (values(self),)
    else:

        def reduce(self: Record) -> tuple[type[Record], Any]:
            return cls, values(self)

    cls.__reduce__ = reduce  # type: ignore[assignment, method-assign]

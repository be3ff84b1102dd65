"""Records: frozen dataclasses of slots to type checkers, made and loaded at a fraction of the cost.

A frozen dataclass sets each field through ``object.__setattr__``, which makes constructing it three
times as slow; on large programs that was a tenth of all time. Declaring one compiles six functions,
which for some hundred classes was half of what importing took. ``record`` compiles the constructor
alone, and that when the first value is made: no run makes values of all classes. Assigning to a
field is still an error to mypy and pyright, which check all of this project; nothing checks it at
run time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["record"]

Record = TypeVar("Record")

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:

    def record(*, frozen: bool, slots: bool, eq: bool = True) -> Callable[[type], type]:
        """In place of ``dataclass(frozen=True, slots=True, eq=...)``, whose work it does."""
        assert frozen
        assert slots

        def decorate(cls: type) -> type:
            """The slotted dataclass of ``cls``; its own ``__eq__`` and ``__hash__`` are kept."""
            compared, hashed = "__eq__" in cls.__dict__, "__hash__" in cls.__dict__
            made = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
            made.__init__ = _compiled_when_called(made)
            made.__repr__ = _shown
            made.__reduce__ = _by_fields(made)
            if eq and not compared:
                _compare_by_fields(made, hashed=hashed)
            return made

        return decorate


def _compiled_when_called(cls: type[Any]) -> Callable[..., None]:
    """A constructor that puts the compiled one in its own place."""

    def first(self: Any, /, *args: Any, **kwargs: Any) -> None:
        """Make the first value of the class."""
        constructor = _constructor(cls)
        setattr(cls, "__init__", constructor)  # noqa: B010 - type checkers think of one class here
        constructor(self, *args, **kwargs)

    first.__qualname__ = f"{cls.__qualname__}.__init__"
    return first


def _constructor(cls: type[Any]) -> Callable[..., None]:
    arguments, lines, defaults = [], [], {}
    for item in fields(cls):
        argument = name = item.name
        value = name
        if item.default is not MISSING:
            defaults[f"_{name}"] = item.default
            argument = f"{name}=_{name}"
            value = name if item.init else f"_{name}"
        elif item.default_factory is not MISSING:
            defaults[f"_{name}"] = item.default_factory
            argument = f"{name}=None"
            value = f"_{name}() if {name} is None else {name}" if item.init else f"_{name}()"
        if item.init:
            arguments.append(argument)
        lines.append(f"    self.{name} = {value}\n")
    body = "".join(lines) or "    pass\n"
    code = f"def __init__(self, {', '.join(arguments)}):\n{body}"
    made: dict[str, Any] = {}
    exec(code, defaults, made)
    constructor: Callable[..., None] = made["__init__"]
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    return constructor


@recursive_repr()
def _shown(self: Any) -> str:
    parts = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _values_of(cls: type[Any], names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Gives some fields of a record as a tuple."""
    if not names:
        return lambda self: ()
    values: Callable[[Any], Any] = attrgetter(*names)
    return values if len(names) > 1 else lambda self: (values(self),)


def _by_fields(cls: type[Any]) -> Callable[[Any], tuple[type[Any], Any]]:
    """Pickling by a call of the constructor.

    What a dataclass of slots brings looks its fields up for each record, at ten times the cost.
    """
    values = _values_of(cls, [item.name for item in fields(cls) if item.init])
    return lambda self: (cls, values(self))


def _compare_by_fields(cls: type[Any], *, hashed: bool) -> None:
    values = _values_of(cls, [item.name for item in fields(cls) if item.compare])

    def equal(self: Any, other: object) -> Any:
        """Whether the other is of the same class and equal in every compared field."""
        if self is other:
            return True
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    def hash_of(self: Any) -> int:
        """The hash of the compared fields."""
        return hash(values(self))

    setattr(cls, "__eq__", equal)  # noqa: B010 - type checkers think of one class here
    if not hashed:
        setattr(cls, "__hash__", hash_of)  # noqa: B010

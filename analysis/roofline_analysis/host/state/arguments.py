"""What a model of a library function is given, and what it may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from roofline_analysis.host.state.access import deref, load, rvalue
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace, Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import OpaqueValue, Pointer, Scalar, Text, Value
from roofline_core.algebra.operations import finite
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.expressions import Call, Expression
from roofline_core.program.types import Type


class Arguments:
    """The arguments of one library call."""

    __slots__ = ("interpreter", "line", "name", "places", "site", "template_args")

    def __init__(
        self,
        interpreter: HostInterpreter,
        name: str,
        places: Sequence[HostPlace],
        line: int,
        template_args: tuple[Type | Expression, ...] | None = None,
    ) -> None:
        self.interpreter = interpreter
        self.name = name
        self.places = places
        self.line = line
        self.template_args = template_args
        self.site: Call | None = None
        """The call as written; None where it is not written as one."""

    def __len__(self) -> int:
        return len(self.places)

    def value(self, position: int) -> Value:
        """The argument as an operand; opaque if there are not so many."""
        if not -len(self.places) <= position < len(self.places):
            return OpaqueValue("a missing argument", f"{self.name}() has fewer arguments")
        return rvalue(self.interpreter, self.places[position])

    def number(self, position: int, type_name: str = "int") -> Scalar:
        """The argument as a number; a named unknown if it is none."""
        found = self.interpreter.number(self.value(position), type_name)
        if found is None:
            why = f"an argument of {self.name}() is not a number"
            found = self.interpreter.unknown("a value", why, type_name, line=self.line)
        return found

    def expr(self, position: int) -> Expr:
        """The argument's number as an expression."""
        return self.number(position, "unsigned long").value

    def constant(self, position: int) -> int | float | None:
        """The argument's finite number, None if it is not known."""
        value = self.value(position)
        known = value.value.constant if isinstance(value, Scalar) else None
        return None if known is None or finite(known) is None else known

    def text(self, position: int) -> str | None:
        """The argument as a string of known characters."""
        return text_of(self.value(position))

    def target(self, position: int) -> HostPlace:
        """The place that a pointer argument points to."""
        return deref(self.interpreter, self.value(position))

    def storage(self, position: int) -> Storage | None:
        """The buffer that a pointer argument points into."""
        value = self.value(position)
        if isinstance(value, Pointer) and isinstance(value.buffer, Storage):
            return value.buffer
        return value if isinstance(value, Storage) else None

    def opaque(self, why: str = "this function is not modelled") -> OpaqueValue:
        """An opaque result named after the call."""
        return OpaqueValue(
            f"result of {self.name}()", why, None, self.interpreter.origin(self.name, self.line)
        )

    def unknown(self, why: str, type_name: str, assumed: int | float | None = None) -> Scalar:
        """A fresh unknown result named after the call."""
        return self.interpreter.unknown(
            f"result of {self.name}()", why, type_name, assumed=assumed, line=self.line
        )


def text_of(value: Value) -> str | None:
    """The characters of a string value: a literal, ``std::string`` or filled ``char`` buffer."""
    if isinstance(value, Text):
        return value.value
    if isinstance(value, Pointer) and isinstance(value.buffer, Storage):
        storage = value.buffer
        start = value.offset_bytes.constant
        if storage.text is not None and isinstance(start, int):
            return storage.text[start:]
        if storage.place is not None:
            held = storage.place.get()
            return held.value if isinstance(held, Text) else None
    return None


def label_of(interpreter: HostInterpreter, value: Value) -> str:
    """What a person would call a value that stands for something outside the program."""
    if isinstance(value, OpaqueValue):
        return value.name
    text = text_of(value)
    if text is not None:
        return f"'{text}'"
    if isinstance(value, Pointer) and value.buffer is not None:
        return value.buffer.name or "a buffer"
    return "a value"


LibraryFunction = Callable[[Arguments], Value | HostPlace]
Models = Mapping[str, LibraryFunction]
"""What models the functions of a library, by their names."""


def by_name(models: Mapping[LibraryFunction, Iterable[str]]) -> Models:
    """The models of a library's functions by their names, from the names of each."""
    return {name: model for model, names in models.items() for name in names}


SUCCESS: Final = integer(0)
"""What the CUDA runtime returns here: ``cudaSuccess``."""


def nothing(args: Arguments) -> Value:
    """A function without an effect on what is executed."""
    return integer(0)


def as_place(result: Value | HostPlace) -> HostPlace:
    """The place of a library call's result."""
    return result if isinstance(result, HostPlace) else Cell("", AUTO, result)


def loaded(args: Arguments, position: int) -> Value:
    """The argument as an object, not decayed."""
    return load(args.interpreter, args.places[position])

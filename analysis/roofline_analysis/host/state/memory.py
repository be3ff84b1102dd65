"""Places that hold values while a host program is executed: variables, fields, elements."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, field, replace
from typing import Final

from roofline_analysis.host.values import (
    Aggregate,
    Buffer,
    FunctionValue,
    OpaqueValue,
    Samples,
    Scalar,
    Text,
    Value,
)
from roofline_analysis.language.scope import Scope
from roofline_core.algebra.symbolic import Expr, constant
from roofline_core.program.expressions import Lambda
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Struct

MAX_ELEMENTS: Final = 4096
"""Elements whose values one buffer remembers."""

MOST_FUNCTIONS: Final = 64
"""The longest table of functions of which any may be called. A limit on the work."""

MAX_TEXT: Final = 2**18
"""Characters of a string that is kept; of a longer one nothing is known. A limit on the work."""

AUTO: Final = Type("auto")

DATA: Final = "_data"
SIZE: Final = "_size"
"""The fields of a container: its memory, and its number of elements."""

Held = tuple[Value | None, str | None, Samples | None, float | None, float | None, bool | None]
"""What a buffer holds beside known elements: ``fill``, ``text``, ``draws``, ``total``,
``average``, ``overwritten``."""


class HostPlace:
    """Somewhere a value can be read from and stored to; ``None`` is an uninitialised value."""

    __slots__ = ("name", "type")
    name: str
    type: Type

    def get(self) -> Value | None:
        """The value held, or None where none was stored."""
        raise NotImplementedError

    def put(self, value: Value | None) -> None:
        """Store without a journal entry; the interpreter's ``store`` is the way to assign."""
        raise NotImplementedError

    def key(self) -> Hashable:
        """What two places that are one share."""
        raise NotImplementedError


class Cell(HostPlace):
    """A variable or a temporary."""

    __slots__ = ("value",)

    def __init__(self, name: str, type: Type, value: Value | None = None) -> None:
        self.name = name
        self.type = type
        self.value = value

    def get(self) -> Value | None:
        """As ``HostPlace.get``."""
        return self.value

    def put(self, value: Value | None) -> None:
        """As ``HostPlace.put``."""
        self.value = value

    def key(self) -> Hashable:
        """As ``HostPlace.key``."""
        return id(self)


class HostFieldPlace(HostPlace):
    """A member of an object."""

    __slots__ = ("owner",)

    def __init__(self, owner: Aggregate, name: str, type: Type) -> None:
        self.owner = owner
        self.name = name
        self.type = type

    def get(self) -> Value | None:
        """As ``HostPlace.get``."""
        return self.owner.fields.get(self.name)

    def put(self, value: Value | None) -> None:
        """As ``HostPlace.put``."""
        if value is None:
            self.owner.fields.pop(self.name, None)
        else:
            self.owner.fields[self.name] = value

    def key(self) -> Hashable:
        """As ``HostPlace.key``."""
        return (id(self.owner), self.name)


@dataclass(slots=True, eq=False)
class Storage(Buffer):
    """A buffer as the execution sees it, with what it holds beside the known elements."""

    fill: Value | None = None
    """The value of the elements that ``elements`` does not list; None where unknown."""
    text: str | None = None
    """The C string at its start, where it is known."""
    draws: Samples | None = None
    """What its numbers are like where single ones are not known; None where nobody can tell."""
    total: float | None = None
    """The sum of its numbers, where loops that counted or added up in it were followed."""
    average: float | None = None
    """The mean of its numbers, where chance alone tells one element from another."""
    overwritten: bool | None = None
    """Of an array of objects: whether a kernel may have changed them since the host stored them;
    what single elements hold is then no sample of their numbers."""
    place: HostPlace | None = None
    """The variable this is the memory of, for pointers to variables."""
    members: dict[str, Storage] = field(default_factory=dict)
    """Of an array of objects: what single members of all its elements hold, as arrays."""
    within: Storage | None = None
    """Of such an array: the one of the objects."""

    def member(self, name: str) -> Storage:
        """What a member of all its elements holds, as an array."""
        found = self.members.get(name)
        if found is None:
            found = Storage(f"{self.name}[...].{name}", self.space, within=self)
            self.members[name] = found
        return found

    @property
    def held(self) -> Held:
        """All that it holds beside the elements."""
        return self.fill, self.text, self.draws, self.total, self.average, self.overwritten

    @held.setter
    def held(self, held: Held) -> None:
        """Put back what was held, as it was read from here before."""
        self.fill, self.text, self.draws, self.total, self.average, self.overwritten = held


class ElementPlace(HostPlace):
    """An element of a buffer; ``index`` None stands for one of unknown position."""

    __slots__ = ("index", "offset", "storage")

    def __init__(
        self, storage: Storage, index: int | None, type: Type, offset: Expr | None = None
    ) -> None:
        self.storage = storage
        self.index = index
        self.offset = offset
        """Bytes from the buffer's start, where these are known and no constant."""
        self.type = type
        self.name = f"{storage.name}[{index if index is not None else '...'}]"

    def get(self) -> Value | None:
        """As ``HostPlace.get``."""
        storage = self.storage
        if self.index is None:
            return _one_of(storage.elements.values()) if storage.elements else storage.fill
        found = storage.elements.get(self.index)
        if found is None and storage.text is not None and 0 <= self.index <= len(storage.text):
            code = ord(storage.text[self.index]) & 0xFF if self.index < len(storage.text) else 0
            return Scalar(constant(code), "char")
        return storage.fill if found is None else found

    def put(self, value: Value | None) -> None:
        """As ``HostPlace.put``."""
        storage = self.storage
        text = storage.text
        if text is not None and self.index is not None and 0 <= self.index <= len(text):
            storage.text = _with_character(text, self.index, value)
            if storage.text is not None:
                return
        if self.index is None or (
            len(storage.elements) >= MAX_ELEMENTS and self.index not in storage.elements
        ):
            return
        if value is None:
            storage.elements.pop(self.index, None)
        else:
            storage.elements[self.index] = value

    def key(self) -> Hashable:
        """As ``HostPlace.key``."""
        return (id(self.storage), self.index)


def _with_character(text: str, index: int, value: Value | None) -> str | None:
    """A C string of which one character is changed; None where its end is no longer known."""
    code = value.value.constant if isinstance(value, Scalar) else None
    if code is None or (index == len(text) and code):
        return None
    return text[:index] + (chr(int(code) & 0xFF) + text[index + 1 :] if code else "")


def _one_of(elements: Collection[Value]) -> FunctionValue | None:
    """A function of a table, which one is not known; None where the buffer is no such table.

    Where a table has no function it has 0.
    """
    if len(elements) > MOST_FUNCTIONS:
        return None
    found: dict[tuple[object, object], FunctionValue] = {}
    for element in elements:
        if isinstance(element, FunctionValue):
            found.setdefault((element.functions, element.template_args), element)
        elif isinstance(element, Aggregate | Text):
            return None
    if not found:
        return None
    first, *others = found.values()
    return replace(first, alternatives=tuple(others))


class TextPlace(HostPlace):
    """The C string at the start of a buffer; a value that is no ``Text`` makes it unknown."""

    __slots__ = ("storage",)

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.name = storage.name
        self.type = AUTO

    def get(self) -> Value | None:
        """As ``HostPlace.get``."""
        return Text(self.storage.text) if self.storage.text is not None else None

    def put(self, value: Value | None) -> None:
        """As ``HostPlace.put``."""
        self.storage.text = value.value if isinstance(value, Text) else None

    def key(self) -> Hashable:
        """As ``HostPlace.key``."""
        return (id(self.storage), "text")


class ContentsPlace(HostPlace):
    """All that a buffer holds, so that forgetting it can be undone."""

    __slots__ = ("saved", "storage")

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.name = storage.name
        self.type = AUTO
        self.saved = (dict(storage.elements), storage.held)

    def get(self) -> Value | None:
        """As ``HostPlace.get``."""
        return None

    def put(self, value: Value | None) -> None:
        """As ``HostPlace.put``."""
        storage = self.storage
        elements, storage.held = self.saved
        storage.elements.clear()
        storage.elements.update(elements)

    def key(self) -> Hashable:
        """As ``HostPlace.key``."""
        return (id(self.storage), "contents")


@record(frozen=True, slots=True)
class Closure(OpaqueValue):
    """A lambda with the scope it was made in; to any other reader it is opaque."""

    function: Lambda | None = None
    frame: HostFrame | None = None


@dataclass(slots=True, eq=False)
class HostFrame:
    """One activation of a function."""

    function: Function | None
    bindings: dict[str, Type | Expr]
    """Template parameters in force, those of the class included."""
    scopes: list[dict[str, HostPlace]]
    this: Aggregate | None = None
    owner: Struct | None = None
    result: Value | None = None
    result_place: HostPlace | None = None
    alternatives: list[Value | None] = field(default_factory=list)
    """Results of returns that may have been taken; None for one that is not known."""
    resolved: dict[int, tuple[Type, Type]] = field(default_factory=dict)
    """Types by their identity, with what they are resolved to in this frame."""
    alike: dict[Type, Type] | None = None
    """Those resolved in any frame with like names in force, once something asked."""
    names: Scope | None = None
    """The names that types are resolved with, once something asked."""
    may_be_left: bool = False
    """Whether the function may have returned before the place the execution has come to."""
    path_conditions: list[Expr] = field(default_factory=list)
    """What is true at this place, of numbers that are not known."""

    def rebind(self, bindings: dict[str, Type | Expr]) -> None:
        """Put other template parameters in force; types are resolved anew."""
        self.bindings = bindings
        self.resolved.clear()
        self.alike = self.names = None

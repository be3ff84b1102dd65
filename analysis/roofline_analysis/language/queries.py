"""Interfaces between the type system and its parts, so that no part imports the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from roofline_analysis.language.scope import NO_NAMES, Binding, Number, Scope
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.templates import TemplateArgument
from roofline_analysis.language.types import Extent
from roofline_core.program.expressions import Expression
from roofline_core.program.types import Type
from roofline_core.program.units import Struct


class ClassQueries(Protocol):
    """Questions about classes; ``classes.Classes`` answers them."""

    def scope_of(self, closed: Type) -> Scope | None:
        """What names mean inside a class; None where the program does not define it."""
        ...

    def hierarchy(self, closed: Type, depth: int = 0) -> Iterator[tuple[Scope, Struct]]:
        """A class and those it derives from, each before its bases."""
        ...

    def bases_of(self, inside: Scope) -> tuple[Type, ...]:
        """The classes that a class derives from, closed."""
        ...


class TypeQueries(Protocol):
    """Questions about types; ``type_system.TypeSystem`` answers them."""

    symbols: Symbols

    @property
    def classes(self) -> ClassQueries:
        """Who knows the classes."""
        ...

    def resolve(self, type_: Type, scope: Scope = NO_NAMES) -> Type:
        """The closed type."""
        ...

    def argument(self, argument: TemplateArgument, scope: Scope = NO_NAMES) -> TemplateArgument:
        """A template argument closed."""
        ...

    def default(
        self, default: TemplateArgument, so_far: dict[str, Binding], scope: Scope
    ) -> Binding | None:
        """What a default template argument is, given the parameters before it."""
        ...

    def number(self, node: Expression, scope: Scope = NO_NAMES) -> Number | None:
        """The value of a constant expression; None where it has none."""
        ...

    def size(self, type_: Type, scope: Scope = NO_NAMES) -> int | None:
        """Bytes of a value; None where that is not known."""
        ...

    def extent(self, closed: Type) -> Extent | None:
        """The room of one object of a closed type; None where that is not known."""
        ...

    def alignment_asked(self, asked: Expression, scope: Scope = NO_NAMES) -> int | None:
        """The bytes of ``alignas(16)`` or ``alignas(double)``; None where that is not known."""
        ...

    def alignment(self, type_: Type, scope: Scope = NO_NAMES) -> int | None:
        """Alignment in bytes; None where that is not known."""
        ...

    def elements(self, closed: Type, scope: Scope = NO_NAMES) -> int | None:
        """Elements of an array in all its dimensions; None where that is not known."""
        ...

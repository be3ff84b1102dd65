"""Type look-up with the names in force at one place of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from roofline_analysis.language.class_layouts import ClassLayout, Field
from roofline_analysis.language.library_classes import pointer_class
from roofline_analysis.language.scope import NO_NAMES, Binding, NumberOf, Scope
from roofline_analysis.language.templates import TemplateArgument
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.program.types import Type

InForce = tuple[Scope, dict[int, tuple[Type, Type]]]
"""What ``TypesInForce.enter`` gives, for ``leave``."""
_MOST_BARE: Final = 4096
"""Types without names of a scope that are kept. A limit on memory."""


class TypesInForce:
    """Type look-up with the names in force at one place of a program."""

    def __init__(
        self, system: TypeSystem, scope: Scope = NO_NAMES, number_of: NumberOf | None = None
    ) -> None:
        self.system = system
        self._number_of = number_of
        self._resolved: dict[int, tuple[Type, Type]] = {}
        self._bare: dict[int, tuple[Type, Type]] = {}
        """Types that mean the same in every function outside classes that is no template."""
        self.scope = Scope(scope.bindings, scope.owner, scope.struct, number_of)

    def close(self) -> None:
        """Let go of what tells numbers, as it may refer back to this: no more is looked up."""
        self._number_of = None
        self.scope = NO_NAMES

    def enter(self, scope: Scope) -> InForce:
        """Use another scope's names from now on; gives what ``leave`` takes."""
        before = self.scope, self._resolved
        self.scope = Scope(scope.bindings, scope.owner, scope.struct, self._number_of)
        self._resolved = {}
        return before

    def leave(self, before: InForce) -> None:
        """Come back to the names that were in force before ``enter``."""
        self.scope, self._resolved = before

    def bind(self, name: str, binding: Binding) -> None:
        """Give a template parameter its argument."""
        if self.scope.bindings.get(name) != binding:
            scope = self.scope
            bindings = {**scope.bindings, name: binding}
            self.scope = Scope(bindings, scope.owner, scope.struct, scope.number_of)
            self._resolved = {}

    def resolve(self, type_: Type) -> Type:
        """The closed type; see ``TypeSystem.resolve``."""
        known = self._resolved.get(id(type_))
        if known is not None and known[0] is type_:
            return known[1]
        bare = self._is_bare(type_)
        if bare and (known := self._bare.get(id(type_))) is not None and known[0] is type_:
            return known[1]
        made = self.system.resolve(type_, self.scope)
        if made.args and self.system.symbols.find_struct(made.name) is None:
            made = pointer_class(made)
        self._resolved[id(type_)] = type_, made
        if bare:
            if len(self._bare) >= _MOST_BARE:
                self._bare.clear()
            self._bare[id(type_)] = type_, made
        if made is not type_:
            self._resolved[id(made)] = made, made
        return made

    def _is_bare(self, type_: Type) -> bool:
        """Whether neither the scope nor a function's variables have a part in what a type means."""
        scope = self.scope
        return not (
            scope.bindings
            or scope.owner is not None
            or scope.struct is not None
            or type_.args
            or type_.dims
            or type_.scope_args
            or type_.align is not None
            or "::" in type_.name
            or self.system.symbols.find_alias(type_.name) is not None
        )

    def size(self, type_: Type) -> int | None:
        """Bytes of a value of this type; None where that is not known."""
        return self.system.size(self.resolve(type_), self.scope)

    def layout(self, type_: Type) -> ClassLayout | None:
        """Where the fields of a class lie; None for what is no class or not defined."""
        closed = self.resolve(type_)
        return None if closed.pointers or closed.dims else self.system.layout(closed)

    def fields(self, type_: Type) -> Mapping[str, Field] | None:
        """The fields of a class by name; None for what is no class or not defined."""
        layout = self.layout(type_)
        return layout.fields if layout is not None else None

    def leaves(self, type_: Type) -> int:
        """Scalars in an object of a class, in the classes within it too; 1 for a scalar."""
        return self.system.leaves(self.resolve(type_))

    def given_arguments(
        self, arguments: Sequence[TemplateArgument] | None
    ) -> list[Binding | None] | None:
        """The template arguments that a call writes, as bindings."""
        return self.system.given_arguments(arguments, self.scope)

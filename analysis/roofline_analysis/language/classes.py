"""The classes of a program: which specialisation a type names, its bases and its methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.language.packs import class_written_out, first_pack
from roofline_analysis.language.queries import TypeQueries
from roofline_analysis.language.scope import NO_NAMES, Binding, Scope
from roofline_analysis.language.symbols import MAX_BASES_DEPTH, last_component, matches
from roofline_analysis.language.templates import (
    TemplateArgument,
    bind_parameters,
    matching,
    more_specialised,
    written,
)
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Struct


class ClassLookups:
    """What ``Classes`` has found so far; apart from it, as that refers to the types."""

    def __init__(self) -> None:
        self.scopes: dict[Type, Scope | None] = {}
        self.virtual: dict[tuple[Type, str], bool] = {}
        self.bases: dict[Scope, tuple[Type, ...]] = {}
        self.written_out: dict[tuple[Struct, str, int], Struct] = {}


class Classes:
    """The classes that closed types name, each looked up once."""

    __slots__ = ("_found", "_types")

    def __init__(self, types: TypeQueries, found: ClassLookups) -> None:
        self._types = types
        self._found = found

    def scope_of(self, closed: Type) -> Scope | None:
        """What names mean inside a class; None where the program does not define it.

        The class is the specialisation that fits the type's arguments best, its parameters bound.
        """
        key = _object(closed)
        found = self._found.scopes.get(key)
        if found is None and key not in self._found.scopes:
            found = self._found.scopes[key] = self._find_scope(key)
        return found

    def _outer_bindings(self, closed: Type) -> dict[str, Binding]:
        """The template parameters of the class that a nested class stands in."""
        outer = self._types.symbols.find_struct(closed.name.rpartition("::")[0])
        if outer is None or not closed.scope_args:
            return {}
        return bind_parameters(outer.template_params, closed.scope_args, lambda *_: None)

    def _find_scope(self, closed: Type) -> Scope | None:
        primary = self._types.symbols.find_struct(closed.name)
        if primary is None:
            return None
        outer = self._outer_bindings(closed)
        arguments = list(closed.args)
        primary = self._without_packs(primary, arguments)
        if primary.template_params:
            bound = bind_parameters(
                primary.template_params,
                closed.args,
                lambda default, so_far: self._types.default(default, so_far, NO_NAMES),
            )
            for parameter in primary.template_params[len(arguments) :]:
                if parameter.name in bound:
                    arguments.append(written(bound[parameter.name]))
        else:
            bound = {}
        owner = Type(closed.name, tuple(arguments), scope_args=closed.scope_args)
        if arguments:
            chosen = self._specialisation(closed.name, arguments)
            if chosen is not None and chosen[0].constrained:
                return None  # Whether it applies is not known.
            if chosen is not None:
                return Scope({**outer, **chosen[1]}, owner, chosen[0])
        return Scope({**outer, **bound}, owner, primary)

    def _specialisation(
        self, name: str, arguments: list[TemplateArgument]
    ) -> tuple[Struct, dict[str, Binding]] | None:
        fitting: list[tuple[Struct, tuple[TemplateArgument, ...], dict[str, Binding]]] = []
        for written_as in self._types.symbols.find_structs(name):
            struct = self._without_packs(written_as, arguments)
            if struct.template_args is None:
                continue
            names = {parameter.name: Type(parameter.name) for parameter in struct.template_params}
            patterns = tuple(
                self._types.argument(argument, Scope(names)) for argument in struct.template_args
            )
            bound = matching(struct, patterns, arguments)
            if bound is not None:
                fitting.append((struct, patterns, bound))
        best = None
        for candidate in fitting:
            if best is None or more_specialised(candidate[:2], best[:2]):
                best = candidate
        return (best[0], best[2]) if best is not None else None

    def _without_packs(self, struct: Struct, arguments: Sequence[TemplateArgument]) -> Struct:
        """A class as it is for these arguments: the same object for as many of them."""
        while (pack := first_pack(struct, arguments)) is not None:
            key = struct, *pack
            found = self._found.written_out.get(key)
            if found is None:
                found = self._found.written_out[key] = class_written_out(struct, *pack)
            struct = found
        return struct

    def hierarchy(self, closed: Type, depth: int = 0) -> Iterator[tuple[Scope, Struct]]:
        """A class and those it derives from, each before its bases, with the names in force."""
        inside = self.scope_of(closed)
        if inside is None or inside.struct is None:
            return
        yield inside, inside.struct
        for base in self.bases_of(inside) if depth < MAX_BASES_DEPTH else ():
            yield from self.hierarchy(base, depth + 1)

    def bases_of(self, inside: Scope) -> tuple[Type, ...]:
        """The classes that a class derives from, closed, in the order that it names them."""
        if inside.struct is None or not inside.struct.bases:
            return ()
        found = self._found.bases.get(inside)
        if found is None:
            # A class's own members are not looked at for the names of its bases.
            around = Scope(inside.bindings)
            found = tuple(self._types.resolve(base, around) for base in inside.struct.bases)
            self._found.bases[inside] = found
        return found

    def find_methods(self, closed: Type, name: str) -> tuple[list[Function], Scope]:
        """Methods of a class or the nearest base that has some, and the names in force there."""
        found: list[Function] = []
        first = NO_NAMES
        for inside, struct in self.hierarchy(closed):
            own = self._types.symbols.find_methods(struct, name)
            if own:
                first = first if found else inside
                found += self._of_instance(own, inside)
                if not any(last_component(brought) == name for brought in struct.imports):
                    break
        return found, first

    def fields_above(self, derived: Type, base: Type) -> frozenset[str] | None:
        """The fields that a class adds to a base of it; None where it does not derive from it.

        One of them may have the name of a field of the base, which is then another.
        """
        simple = last_component(base.name)
        found: set[str] = set()
        for position, (_, struct) in enumerate(self.hierarchy(derived)):
            if struct.name == simple:
                return frozenset(found) if position else None
            found.update(field.name for field in struct.fields)
        return None

    def is_virtual(self, closed: Type, name: str) -> bool:
        """Whether a class or a base of it declares a method of this name virtual."""
        key = _object(closed), name
        known = self._found.virtual.get(key)
        if known is None:
            known = self._found.virtual[key] = any(
                "virtual" in method.qualifiers
                for _, struct in self.hierarchy(key[0])
                for method in struct.methods
                if method.name == name
            )
        return known

    def _of_instance(self, methods: list[Function], inside: Scope) -> list[Function]:
        """The methods but those that are specialised for other arguments of the class."""
        if not any(method.owner_args for method in methods):
            return methods
        args = inside.owner.args if inside.owner is not None else ()
        own = [
            method
            for method in methods
            if method.owner_args
            and tuple(self._types.argument(each) for each in method.owner_args) == args
        ]
        return own or [method for method in methods if not method.owner_args]

    def scope_in(self, closed: Type, owner: str) -> Scope | None:
        """What names mean in the class of this name, which is the given one or a base of it."""
        for inside, struct in self.hierarchy(closed):
            qualified = struct.qualified_name
            if matches(owner, qualified) or matches(qualified, owner):
                return inside
        return None


def _object(closed: Type) -> Type:
    """The type of one object, without pointers and bounds around it."""
    if not (closed.pointers or closed.dims or closed.const or closed.reference):
        return closed
    return Type(closed.name, closed.args, scope_args=closed.scope_args)

"""Names of a program: where a function, class, alias, constant or global is found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from roofline_lsp.kernel.expressions import Expression
from roofline_lsp.kernel.program import Function, Program, Struct
from roofline_lsp.kernel.statements import Variable
from roofline_lsp.kernel.types import Type

_Found = TypeVar("_Found")


def last_component(name: str) -> str:
    """``c`` of ``a::b::c``."""
    return name.rpartition("::")[2]


class Index:
    """Look-up tables over all translation units of a program."""

    def __init__(self, program: Program) -> None:
        self.functions: dict[str, list[Function]] = {}
        self.structs: dict[str, list[Struct]] = {}
        self.globals: dict[str, list[tuple[str, Variable, Path]]] = {}
        self.aliases: dict[str, list[tuple[str, Type]]] = {}
        self.enumerators: dict[str, list[tuple[str, Expression | int]]] = {}
        self.all_functions: list[Function] = []
        self.instantiations: dict[str, list[Function]] = {}
        for unit in program.all_units():
            for function in unit.functions:
                self._add_function(function)
            for instance in unit.instantiations:
                self._add(self.instantiations, instance.name, instance)
            for struct in unit.structs:
                self._add_struct(struct)
            for variable in unit.globals:
                self._add(self.globals, variable.name, (variable.name, variable, unit.path))
            self._add_mapping(self.aliases, unit.aliases)
            self._add_mapping(self.enumerators, unit.enumerators)

    @staticmethod
    def _add(table: dict[str, list[_Found]], name: str, entry: _Found) -> None:
        table.setdefault(last_component(name), []).append(entry)

    @staticmethod
    def _add_mapping(
        table: dict[str, list[tuple[str, _Found]]], entries: Mapping[str, _Found]
    ) -> None:
        for name, value in entries.items():
            table.setdefault(last_component(name), []).append((name, value))

    def _add_function(self, function: Function) -> None:
        self._add(self.functions, function.name, function)
        self.all_functions.append(function)

    def _add_struct(self, struct: Struct) -> None:
        self._add(self.structs, struct.name, struct)
        for method in struct.methods:
            self._add_function(method)

    def find_functions(self, name: str, near: Path | None, owner: str | None) -> list[Function]:
        """Functions a qualified or plain name may mean, best first; empty if there are none.

        A name matches the end of a function's qualified name. Methods are found by a plain name
        only from within their class ``owner``.
        """
        simple = last_component(name)
        found = []
        for function in self.functions.get(simple, ()):
            if function.owner is None or "::" in name:
                visible = True
            else:
                visible = owner is not None and last_component(owner) == last_component(
                    function.owner
                )
            if visible and (simple == name or matches(function.qualified_name, name)):
                found.append(function)
        if not found and "::" in name and not name.startswith(("std::", "thrust::", "cub::")):
            found = [f for f in self.functions.get(simple, ()) if f.owner is None]
        if len(found) > 1:
            found.sort(
                key=lambda f: (f.owner is None and owner is not None, _distance(f.path, near))
            )
        return found

    def find_methods(self, struct: Struct, name: str) -> list[Function]:
        """Methods of a class by name, those defined outside it included, not those of bases."""
        found = [m for m in struct.methods if m.name == name]
        outside = [
            f
            for f in self.functions.get(name, ())
            if f.owner is not None and f not in found and matches(struct.qualified_name, f.owner)
        ]
        return outside + found

    def find_struct(self, name: str) -> Struct | None:
        """The class of this name; one with members before one only declared."""
        candidates = [
            s
            for s in self.structs.get(last_component(name), ())
            if "::" not in name or matches(s.qualified_name, name)
        ]
        for struct in candidates:
            if struct.fields or struct.methods:
                return struct
        return candidates[0] if candidates else None

    def find_alias(self, name: str) -> Type | None:
        """What a ``typedef`` or ``using`` of this name stands for."""
        return _pick(self.aliases.get(last_component(name), ()), name)

    def find_enumerator(self, name: str) -> Expression | int | None:
        """The value of an enumeration constant."""
        return _pick(self.enumerators.get(last_component(name), ()), name)

    def find_global(self, name: str, near: Path | None) -> tuple[str, Variable, Path] | None:
        """A global variable, its definition before an ``extern`` declaration of it."""
        best = None
        rank = -1
        for entry in self.globals.get(last_component(name), ()):
            if "::" in name and not matches(entry[0], name) and not matches(name, entry[0]):
                continue
            variable = entry[1]
            score = 2 * ("extern" not in variable.qualifiers) + (entry[2] == near)
            if score > rank:
                best, rank = entry, score
        return best


def _distance(path: Path, near: Path | None) -> int:
    """How far a file is from another: the same, one of its kind beside it, beside it, elsewhere."""
    if path == near or near is None:
        return 0
    if path.parent != near.parent:
        return 4 - (path.suffix == near.suffix)
    # A program may be kept in two languages side by side.
    return 1 if path.suffix == near.suffix or path.suffix in _HEADERS else 2


_HEADERS = frozenset((".h", ".hpp", ".cuh", ".hh", ".inl", ".hxx"))


def matches(qualified: str, name: str) -> bool:
    """Whether ``name`` is ``qualified`` or its end after a ``::``."""
    return qualified == name or qualified.endswith("::" + name)


def _pick(entries: Iterable[tuple[str, _Found]], name: str) -> _Found | None:
    first = None
    for qualified, value in entries:
        if matches(qualified, name):
            return value
        if first is None and ("::" not in name or matches(name, qualified)):
            first = value
    return first

"""Name look-up in a program: functions, classes, type aliases, globals and enumerators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from roofline_analysis.language.distances import distance
from roofline_analysis.language.namespaces import same_name, without_namespace_aliases
from roofline_core.program.expressions import Call, Construct, Expression, Name
from roofline_core.program.records import record
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import (
    OPENCL_SUFFIXES,
    Function,
    Program,
    Struct,
    TemplateParameter,
    is_stand_in,
)

_Found = TypeVar("_Found")

MAX_BASES_DEPTH: Final = 8
"""Base classes of base classes that are looked through."""
_OF_CLASS: Final = frozenset(("static", "constexpr"))
"""The words that make a member one of its class rather than of each object."""
_CUDA_NAMES: Final = frozenset(("half", "half2"))
"""Types that CUDA's headers define at file scope, and other libraries in namespaces."""
_LIBRARY_PREFIXES: Final = ("std::", "thrust::", "cub::", "cuda::")


def last_component(name: str) -> str:
    """``c`` of ``a::b::c``."""
    return name.rpartition("::")[2] if "::" in name else name


def matches(qualified: str, name: str) -> bool:
    """Whether ``name`` is ``qualified`` or its end after a ``::``."""
    return qualified == name or qualified.endswith("::" + name)


@record(frozen=True, slots=True)
class Alias:
    """What a ``typedef`` or ``using`` stands for, with its parameters if it is a template."""

    qualified_name: str
    target: Type
    params: tuple[TemplateParameter, ...] = ()


@record(frozen=True, slots=True)
class Global:
    """A variable outside functions, and the file that declares it."""

    qualified_name: str
    variable: Variable
    path: Path


def _namespace(qualified_name: str) -> str:
    """The innermost namespace or class around a name; empty at file scope."""
    return last_component(qualified_name.rpartition("::")[0])


def _gives_way(name: str, own: frozenset[tuple[str, str]]) -> bool:
    """Whether a name of a stand-in is that of a class that the program itself defines.

    ``own`` has such classes' names and innermost namespaces. A class of another namespace is
    another one: the program may have its own beside the library's.
    """
    simple = last_component(name)
    return (simple, "") in own or (simple, _namespace(name)) in own


_NO_CLASSES: Final[Mapping[str, Type]] = MappingProxyType({})


_NO_PROGRAM: Final = Program(())

SHARED_TABLES: Final = (
    "structs",
    "globals",
    "aliases",
    "enumerators",
    "enums",
    "all_functions",
    "_copying",
    "instantiations",
    "class_instantiations",
    "_static_fields",
    "_imports",
    "lacks_kernel_headers",
    "classes_added",
    "_near",
    "_near_as_of",
    "_used_names",
    "program",
)
"""What ``Symbols.with_functions`` leaves as it is."""


class Symbols:
    """Everything a program declares, in tables by unqualified name.

    Several entries under one name are overloads, specialisations, or like names of different
    scopes.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        """What is declared by files, without the classes of lambdas."""
        self.functions: dict[str, list[Function]] = {}
        """Methods too; definitions come before declarations."""
        self.structs: dict[str, list[Struct]] = {}
        """Primary templates and specialisations alike."""
        self.globals: dict[str, list[Global]] = {}
        self.aliases: dict[str, list[Alias]] = {}
        self.enumerators: dict[str, list[tuple[str, Expression | int]]] = {}
        self.enums: dict[str, list[tuple[str, Type]]] = {}
        self.all_functions: list[Function] = []
        self._copying: dict[Struct, bool] = {}
        self._replaced: dict[Function, Function] = {}
        self._home: dict[Function, Struct] = {}
        self._methods: dict[tuple[Struct, str], list[Function]] = {}
        self.instantiations: dict[str, list[Function]] = {}
        self.class_instantiations: dict[str, list[Type]] = {}
        self._static_fields: set[str] = set()
        """The names of all classes' static and ``constexpr`` members."""
        self._imports: set[str] = set()
        """Namespaces and names that some file makes visible outside of theirs."""
        self.lacks_kernel_headers = False
        """Whether a kernel file of OpenCL includes a file that was not found."""
        self.classes_added = 0
        """How many classes were declared that no file does: answers about types rest on it."""
        self._near: dict[str, Mapping[str, Type]] = {}
        self._near_as_of = 0
        self._used_names: dict[str, str | None] = {}
        """What ``using a::B`` names, by the name that it adds; None where files disagree."""
        # What stands for a missing header gives way to what the program declares.
        for unit in sorted(program.all_units(), key=lambda each: is_stand_in(each.path)):
            own = self._defined() if is_stand_in(unit.path) else frozenset[tuple[str, str]]()
            if unit.unresolved_includes and unit.path.suffix.lower() in OPENCL_SUFFIXES:
                self.lacks_kernel_headers = True
            for function in unit.functions:
                self._add_function(function)
            for instance in unit.instantiations:
                self._add(self.instantiations, instance.name, instance)
            for made in unit.class_instantiations:
                self._add(self.class_instantiations, made.name, made)
            for struct in unit.structs:
                if not _gives_way(struct.qualified_name, own):
                    self._add_struct(struct)
            for variable in unit.globals:
                entry = Global(variable.name, variable, unit.path)
                self._add(self.globals, variable.name, entry)
            for name, target in unit.aliases.items():
                if not _gives_way(name, own):
                    alias = Alias(name, target, unit.alias_params.get(name, ()))
                    self._add(self.aliases, name, alias)
            self._imports |= unit.imports
            used = unit.used_names.items()
            self._add_used_names({n: t for n, t in used if not _gives_way(n, own)})
            self._add_mapping(self.enumerators, unit.enumerators)
            named = {n: replace(t, enumeration=n) for n, t in unit.enums.items()}
            self._add_mapping(self.enums, named)
        for functions in self.functions.values():
            functions.sort(key=lambda function: not function.has_body)

    def _defined(self) -> frozenset[tuple[str, str]]:
        """The classes that are defined so far: each one's name, and the last of its namespaces."""
        return frozenset(
            (name, _namespace(each.qualified_name))
            for name, like in self.structs.items()
            for each in like
            if each.fields or each.methods
        )

    def with_functions(self, changed: Mapping[Function, Function]) -> Symbols:
        """The same names with some functions replaced by others."""
        made = Symbols(_NO_PROGRAM)
        for name in SHARED_TABLES:
            setattr(made, name, getattr(self, name))
        made.functions = dict(self.functions)
        made._replaced = {**self._replaced, **changed}
        made._home = dict(self._home)
        made._home.update(
            (new, made._home[old]) for old, new in changed.items() if old in made._home
        )
        for name in {function.name for function in changed}:
            made.functions[name] = [changed.get(f, f) for f in self.functions.get(name, ())]
        return made

    @staticmethod
    def _add(table: dict[str, list[_Found]], name: str, entry: _Found) -> None:
        table.setdefault(last_component(name), []).append(entry)

    @staticmethod
    def _add_mapping(
        table: dict[str, list[tuple[str, _Found]]], entries: Mapping[str, _Found]
    ) -> None:
        for name, value in entries.items():
            table.setdefault(last_component(name), []).append((name, value))

    def _add_used_names(self, names: Mapping[str, str]) -> None:
        for name, target in names.items():
            same = self._used_names.setdefault(name, target) == target
            self._used_names[name] = target if same else None

    def _add_function(self, function: Function) -> None:
        self._add(self.functions, function.name, function)
        self.all_functions.append(function)

    def _add_struct(self, struct: Struct) -> None:
        self._add(self.structs, struct.name, struct)
        self._static_fields.update(f.name for f in struct.fields if f.qualifiers & _OF_CLASS)
        self._methods.clear()
        for method in struct.methods:
            self._add_function(method)
            self._home[method] = struct

    def add_class(self, struct: Struct) -> None:
        """Declare a class that no file does, as that of a lambda, unless it is declared already."""
        if all(each is not struct for each in self.structs.get(last_component(struct.name), ())):
            self._add_struct(struct)
            self.classes_added += 1

    # ---- Functions

    def functions_named(self, name: str) -> tuple[Function, ...]:
        """Functions and methods of a possibly qualified name, definitions before declarations.

        Of a qualified name only those whose qualified name ends in it, where there are any.
        """
        found = self.functions.get(last_component(name), ())
        if "::" in name and found:
            exact = tuple(f for f in found if matches(f.qualified_name, name))
            return exact or tuple(found)
        return tuple(found)

    def find_functions(
        self,
        name: str,
        near: Path | None,
        owner: str | None,
        caller: Function | None = None,
        *,
        absolute: bool = False,
    ) -> list[Function]:
        """Functions a qualified or plain name may mean, best first; empty if there are none.

        A name matches the end of a function's qualified name. Methods are found by a plain name
        only from within their class ``owner``. Of several the nearest to the file ``near`` come
        first. What the namespaces around the function ``caller`` hide from it is left out;
        ``absolute``: the name begins with ``::``.
        """
        name = without_namespace_aliases(name, self._namespace_of)
        simple = last_component(name)
        inside = last_component(owner) if owner is not None else None
        found = []
        for function in self.functions.get(simple, ()):
            if function.owner is None or "::" in name:
                visible = True
            else:
                visible = inside is not None and inside == last_component(function.owner)
            if visible and (simple == name or matches(function.qualified_name, name)):
                found.append(function)
        if not found and "::" in name and not name.startswith(_LIBRARY_PREFIXES):
            found = [f for f in self.functions.get(simple, ()) if f.owner is None]
        if len(found) > 1:
            found = self._not_hidden(found, name, None if absolute else caller)
            found.sort(
                key=lambda f: (f.owner is None and owner is not None, distance(f.path, near))
            )
        return found

    def _namespace_of(self, alias: str) -> str | None:
        """What ``namespace alias = ...`` stands for; None for what is no such alias."""
        entries = self.aliases.get(last_component(alias), ())
        names = {each.target.name for each in entries}
        if len(names) != 1 or any(each.params or each.target.args for each in entries):
            return None
        return None if self.structs.get(alias) else names.pop()

    def without_aliases_of_namespaces(self, name: str) -> str:
        """A qualified name with the namespaces themselves: ``a::B`` for ``m::B``."""
        return without_namespace_aliases(name, self._namespace_of)

    def other_name(self, name: str) -> str | None:
        """The qualified name of a type of the program that another name stands for; else None.

        Another name is one by ``using a::B`` or through ``namespace m = a``.
        """
        written = self._used_names.get(name)
        if written is None:
            written = without_namespace_aliases(name, self._namespace_of)
        if written == name:
            return None
        simple = last_component(name)
        types = (
            [struct.qualified_name for struct in self.structs.get(simple, ())],
            [alias.qualified_name for alias in self.aliases.get(simple, ())],
            [qualified for qualified, _ in self.enums.get(simple, ())],
        )
        declared = [qualified for names in types for qualified in names]
        found = next((q for q in declared if matches(q, written)), None)
        return None if name in declared else found

    def _not_hidden(
        self, found: list[Function], name: str, caller: Function | None
    ) -> list[Function]:
        """The functions that a caller sees: those of the innermost namespace around it with any.

        Those of namespaces elsewhere are seen by the types of their arguments, or by ``using``.
        """
        first = found[0].qualified_name
        if all(f.qualified_name == first for f in found) or any(f.owner for f in found):
            return found
        space = caller.qualified_name.rpartition("::")[0] if caller is not None else ""
        around = [f"{space}::{name}" if space else name]
        while space:
            space = space.rpartition("::")[0]
            around.append(f"{space}::{name}" if space else name)
        nearest = next((n for n in around if any(f.qualified_name == n for f in found)), None)
        if nearest is None:
            return found
        words = caller.words if caller is not None else frozenset[str]()
        using = words is None or "using" in words
        return [
            f
            for f in found
            if f.qualified_name == nearest
            or (using if f.qualified_name in around else using or self._brought_in(f))
        ]

    def _brought_in(self, function: Function) -> bool:
        """Whether a function of another namespace may be seen all the same."""
        space = function.qualified_name.rpartition("::")[0]
        if any(matches(space, seen) or matches(seen, space) for seen in self._imports):
            return True
        if any(matches(function.qualified_name, seen) for seen in self._imports):
            return True
        return any(
            struct.qualified_name.startswith(space + "::")
            for parameter in function.params
            for struct in self.structs.get(last_component(parameter.type.name), ())
        )

    def copies_itself(self, struct: Struct) -> bool:
        """Whether a class has a copy constructor of its own with a body."""
        known = self._copying.get(struct)
        if known is None:
            known = self._copying[struct] = any(
                constructor.has_body
                and len(constructor.params) == 1
                and constructor.params[0].type.name == struct.name
                and constructor.params[0].type.reference
                and not constructor.params[0].type.rvalue
                for constructor in self.find_methods(struct, struct.name)
            )
        return known

    def assigns_itself(self, name: str) -> bool:
        """Whether the class of this name has an ``operator=`` of its own with a body."""
        if "operator=" not in self.functions:
            return False
        struct = self.find_struct(name)
        return struct is not None and any(
            method.has_body for method in self.find_methods(struct, "operator=")
        )

    def called_by(self, node: Construct) -> Call | None:
        """The call that ``f<int&>(x)`` is, which looks like an object of a class ``f<int&>``."""
        type_ = node.type
        if type_.pointers or type_.name not in self.functions or self.structs.get(type_.name):
            return None
        return Call(node.line, Name(node.line, type_.name, type_.args or None), node.args)

    def find_methods(self, struct: Struct, name: str) -> list[Function]:
        """Methods of a class by name, those defined outside it first, not those of bases.

        A specialisation has its own: what is defined outside belongs to it if its class has the
        same template arguments.
        """
        found = self._methods.get((struct, name))
        if found is None:
            inside = [self._replaced.get(m, m) for m in struct.methods if m.name == name]
            found = self._methods[struct, name] = [
                f
                for f in self.functions.get(name, ())
                if f.owner is not None and matches(struct.qualified_name, f.owner)
                if f not in inside and not self._of_another(struct, f)
            ] + inside
        return list(found)

    def _of_another(self, struct: Struct, function: Function) -> bool:
        """Whether a method stands in the body of another class of this name."""
        home = self._home.get(function, struct)
        return home is not struct and home.name == struct.name

    # ---- Classes

    def find_structs(self, name: str) -> list[Struct]:
        """The classes of a possibly qualified name: the primary template, specialisations."""
        return [
            struct
            for struct in self.structs.get(last_component(name), ())
            if "::" not in name or same_name(struct.qualified_name, name)
        ]

    def find_struct(self, name: str) -> Struct | None:
        """The class of this name: one with members before one only declared, no specialisation."""
        candidates = self.structs.get(last_component(name))
        if candidates is None:
            return None
        if name in _CUDA_NAMES:
            # `half_float::half` is another type than CUDA's, unless `using` makes it visible.
            candidates = [s for s in candidates if self._is_seen(s)]
        if len(candidates) > 1 or "::" in name:
            found = self.find_structs(name)
            candidates = [s for s in found if s.template_args is None] or found
            candidates = self._nearest(candidates, name)
        for struct in candidates:
            if struct.fields or struct.methods:
                return struct
        return candidates[0] if candidates else None

    def classes_near(self, function: Function) -> Mapping[str, Type]:
        """What names of classes mean in a function, where namespaces elsewhere have some alike.

        The class of the innermost namespace around it; only those that ``find_struct`` misses.
        """
        space = function.qualified_name.rpartition("::")[0]
        if not space:
            return _NO_CLASSES
        if self._near_as_of != self.classes_added:
            self._near_as_of = self.classes_added
            self._near.clear()
        found = self._near.get(space)
        if found is None:
            found = self._near[space] = dict(self._classes_around(space))
        return found

    def _classes_around(self, space: str) -> Iterator[tuple[str, Type]]:
        around = [space]
        while "::" in around[-1]:
            around.append(around[-1].rpartition("::")[0])
        for name, group in self.structs.items():
            named = {struct.qualified_name for struct in group} if len(group) > 1 else ()
            if len(named) > 1:
                near = next((q for q in (f"{each}::{name}" for each in around) if q in named), None)
                meant = self.find_struct(name)
                if near is not None and (meant is None or meant.qualified_name != near):
                    yield name, Type(near)

    def _is_seen(self, struct: Struct) -> bool:
        """Whether a class is at file scope, or ``using`` names it or its namespace."""
        space = struct.qualified_name.rpartition("::")[0]
        return not space or not self._imports.isdisjoint((space, struct.qualified_name))

    def _nearest(self, candidates: list[Struct], name: str) -> list[Struct]:
        """Of classes with like names those of exactly this one, or made visible by ``using``."""
        exact = [s for s in candidates if s.qualified_name == name]
        if not exact and (other := self.other_name(name)) is not None:
            exact = [s for s in candidates if s.qualified_name == other]
        return exact or [
            *(s for s in candidates if s.qualified_name.rpartition("::")[0] in self._imports),
            *(s for s in candidates if s.qualified_name.rpartition("::")[0] not in self._imports),
        ]

    def bases_of(self, struct: Struct, depth: int = 0) -> Iterator[tuple[Type, Struct]]:
        """The classes a class derives from, nearest first, with the types that name them."""
        for base in struct.bases if depth < MAX_BASES_DEPTH else ():
            parent = self.find_struct(base.name)
            if parent is not None and parent is not struct:
                yield base, parent
                yield from self.bases_of(parent, depth + 1)

    # ---- Other names

    def find_alias(self, name: str) -> Alias | None:
        """What a ``typedef`` or ``using`` of this name stands for."""
        entries = self.aliases.get(last_component(name))
        if entries is None:
            return None
        return _pick(((entry.qualified_name, entry) for entry in entries), name)

    def find_enumerator(self, name: str) -> Expression | int | None:
        """The value of an enumeration constant; None where the name may mean several.

        A plain name means one outside of classes before one of a class.
        """
        entries = self.enumerators.get(last_component(name), ())
        if "::" not in name:
            entries = [
                each for each in entries if not self.is_class(each[0].rpartition("::")[0])
            ] or entries
        exact = [value for qualified, value in entries if qualified == name]
        if exact:
            return exact[0]
        found = [value for qualified, value in entries if matches(qualified, name)]
        if len({value for value in found if isinstance(value, int)}) > 1:
            return None
        return found[0] if found else _pick(entries, name)

    def is_class(self, qualified: str) -> bool:
        """Whether a name is that of a class, as it is qualified where it is defined."""
        return any(
            each.qualified_name == qualified
            for each in self.structs.get(last_component(qualified), ())
        )

    def enumeration_of(self, name: str) -> Type | None:
        """The type of an enumeration constant; None where it has none of its own, or no name."""
        value = self.find_enumerator(name)
        for qualified, other in self.enumerators.get(last_component(name), ()):
            around = qualified.rpartition("::")[0]
            if value is not None and other == value and matches(qualified, name):
                found = self.find_enum(around) if around else None
                if found is not None:
                    return found
        return None

    def find_enum(self, name: str) -> Type | None:
        """The underlying type of an enumeration, which says of which it is."""
        return _pick(self.enums.get(last_component(name), ()), name)

    def is_specialised(self, node: Name) -> bool:
        """Whether a name is that of a variable template with specialisations, arguments given."""
        if node.template_args is None:
            return False
        begin = f"{last_component(node.name)}<"
        return any(name.startswith(begin) for name in self.globals)

    def find_global(self, name: str, near: Path | None) -> Global | None:
        """A global variable, its definition before a declaration of it."""
        best = None
        rank = -1
        for entry in self.globals.get(last_component(name), ()):
            qualified = entry.qualified_name
            if "::" in name and not matches(qualified, name) and not matches(name, qualified):
                continue
            variable = entry.variable
            score = 2 * defines(variable) + (entry.path == near)
            if score > rank:
                best, rank = entry, score
        return best

    def may_be_static(self, name: str) -> bool:
        """Whether some class has a static or ``constexpr`` member of this name."""
        return name in self._static_fields

    def find_static_field(self, struct: Struct, name: str) -> Variable | None:
        """A static or ``constexpr`` member of a class or its bases, by its unqualified name."""
        for holder in (struct, *(parent for _, parent in self.bases_of(struct))):
            for member in holder.fields:
                if member.name == name and member.qualifiers & _OF_CLASS:
                    return member
        return None


def defines(variable: Variable) -> bool:
    """Whether this declaration of a global variable defines it: ``extern int x;`` does not."""
    begins = variable.init is not None or variable.ctor_args is not None
    return begins or "extern" not in variable.qualifiers


def _pick(entries: Iterable[tuple[str, _Found]], name: str) -> _Found | None:
    first = None
    for qualified, value in entries:
        if matches(qualified, name):
            return value
        if first is None and ("::" not in name or matches(name, qualified)):
            first = value
    return first

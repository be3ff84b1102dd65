"""Names of a program looked up: functions, classes, type aliases, globals and enumerators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roofline_lsp.kernel.expressions import Expression
from roofline_lsp.kernel.program import Function, Program, Struct
from roofline_lsp.kernel.records import record
from roofline_lsp.kernel.statements import Variable
from roofline_lsp.kernel.types import Type


def last_part(name: str) -> str:
    """``S::op`` gives ``op``."""
    return name.rsplit("::", 1)[-1]


@record(frozen=True, slots=True)
class SymbolTable:
    """Everything a program declares, keyed by unqualified name.

    Several entries under one name are overloads, or like names of different scopes; callers
    choose by what they know (argument count, qualification).
    """

    functions: Mapping[str, tuple[Function, ...]]
    structs: Mapping[str, tuple[Struct, ...]]
    aliases: Mapping[str, Type]
    globals: Mapping[str, Variable]
    enumerators: Mapping[str, Expression | int]

    def find_functions(self, name: str) -> tuple[Function, ...]:
        """Functions of a possibly qualified name, definitions before declarations.

        Of a qualified name only those whose qualified name ends in it, where there are any.
        """
        found = self.functions.get(last_part(name), ())
        if "::" in name and found:
            exact = tuple(f for f in found if _ends_with(f.qualified_name, name))
            return exact or found
        return found

    def find_struct(self, name: str) -> Struct | None:
        """The class of a possibly qualified name."""
        found = self.structs.get(last_part(name), ())
        for struct in found:
            if _ends_with(struct.qualified_name, name):
                return struct
        return found[0] if found else None

    def find_alias(self, name: str) -> Type | None:
        """What a typedef or ``using`` of this name stands for."""
        return self.aliases.get(name) or self.aliases.get(last_part(name))


def _ends_with(qualified: str, name: str) -> bool:
    return qualified == name or qualified.endswith("::" + name)


def build_symbol_table(program: Program) -> SymbolTable:
    """Index a program's units and all the headers they include."""
    functions: dict[str, list[Function]] = {}
    structs: dict[str, list[Struct]] = {}
    aliases: dict[str, Type] = {}
    variables: dict[str, Variable] = {}
    enumerators: dict[str, Expression | int] = {}
    for unit in program.all_units():
        for function in unit.functions:
            functions.setdefault(function.name, []).append(function)
        for struct in unit.structs:
            structs.setdefault(struct.name, []).append(struct)
            for method in struct.methods:
                functions.setdefault(method.name, []).append(method)
            for name, target in struct.aliases.items():
                aliases.setdefault(name, target)
            for member in struct.fields:
                if member.init is not None and member.qualifiers & {"static", "constexpr"}:
                    variables.setdefault(member.name, member)
        for name, target in unit.aliases.items():
            aliases.setdefault(name, target)
            aliases.setdefault(last_part(name), target)
        for variable in unit.globals:
            name = last_part(variable.name)
            if name not in variables or variables[name].init is None:
                variables[name] = variable
        for name, value in unit.enumerators.items():
            enumerators.setdefault(name, value)
            enumerators.setdefault(last_part(name), value)
    return SymbolTable(
        functions={name: _definitions_first(found) for name, found in functions.items()},
        structs={name: tuple(found) for name, found in structs.items()},
        aliases=aliases,
        globals=variables,
        enumerators=enumerators,
    )


def _definitions_first(functions: Iterable[Function]) -> tuple[Function, ...]:
    # A declaration's span ends where its name does, near enough; bodies are read lazily, so ask
    # the cheap question: a definition spans a brace.
    return tuple(sorted(functions, key=lambda function: not function.has_body))

"""What a target region takes from the function around it, and how the kernel receives it.

Scalars and pointers are passed by value. What is mapped back, reduced or of a class type lies in
device memory: the kernel gets its address. Constants that the compiler knows and lambdas are
declared in the kernel again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from roofline_core.program.directives import Directive
from roofline_core.program.expressions import (
    Binary,
    Cast,
    Conditional,
    Expression,
    Lambda,
    Literal,
    Name,
    SizeOf,
    Unary,
)
from roofline_core.program.statements import Declare, Statement, Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Struct, TemplateParameter
from roofline_parsers.openmp.rewrite import Env, ExpressionSummary, Rewriter, free_names, substitute

_PLAIN_STD: Final = re.compile(r"std::(?:u?int\w*_t|size_t|ptrdiff_t|byte)")
_FLOATING: Final = frozenset(("float", "double", "long double"))
_MAX_ALIASES: Final = 16


@dataclass(slots=True)
class Types:
    """The classes and aliases that are known where a region stands."""

    structs: Mapping[str, Struct]
    """By qualified name and by name alone."""
    aliases: Mapping[str, Type]
    constants: Collection[str] = ()
    """Enumerators and constants at file scope, whose values the compiler knows."""

    def is_class(self, type_: Type) -> bool:
        """Whether a value of the type is an object of a class."""
        for _ in range(_MAX_ALIASES):
            if type_.pointers or type_.dims:
                return False
            alias = self.aliases.get(type_.name)
            if alias is None or alias == type_:
                break
            type_ = alias
        if type_.name in self.structs or type_.args:
            return True
        return type_.name.startswith("std::") and _PLAIN_STD.fullmatch(type_.name) is None

    def members(self, owner: str | None) -> set[str]:
        """The names of a class's own and inherited members."""
        found: set[str] = set()
        pending = [] if owner is None else [owner]
        seen: set[str] = set()
        while pending:
            name = pending.pop()
            struct = self.structs.get(name) or self.structs.get(name.rpartition("::")[2])
            if struct is None or name in seen:
                continue
            seen.add(name)
            found.update(variable.name for variable in struct.fields)
            found.update(method.name for method in struct.methods)
            pending += [base.name for base in struct.bases]
        return found


@dataclass(slots=True)
class Captures:
    """A kernel's parameters, what is passed for them, and what its code begins with."""

    params: list[Variable] = field(default_factory=list)
    args: list[Expression] = field(default_factory=list)
    types: list[TemplateParameter] = field(default_factory=list)
    """Parameters for the types that only deduction can find."""
    prologue: list[Statement] = field(default_factory=list)
    values: dict[str, Expression] = field(default_factory=dict)
    """What stands for a captured variable that lies in memory."""
    meanings: dict[str, Type] = field(default_factory=dict)
    """The types of those, for ``sizeof``."""


class Capturing:
    """Finds the captures of one region."""

    def __init__(
        self,
        directives: Sequence[Directive],
        env: Env,
        types: Types,
        owner: Type | None,
        parameters: Collection[str] = (),
    ) -> None:
        """``directives``: the target directive and those nested directly in it.

        ``owner`` is the class whose method the region stands in, ``parameters`` are the template
        parameters there.
        """
        self.parameters = parameters
        self.env = env
        self.types = types
        self.owner = owner
        self._by_value = _listed(directives, "firstprivate")
        self._by_address = (
            _listed(directives, "map")
            | _listed(directives, "has_device_addr")
            | _listed(directives, "reduction")
            | _listed(directives, "in_reduction")
        )
        default = directives[0].clause("defaultmap")
        self._all_by_address = default is not None and default.modifiers in (
            ("tofrom", "scalar"),
            ("tofrom",),
            ("tofrom", "all"),
        )

    def in_memory(self, name: str) -> bool:
        """Whether the kernel is given the address of a variable."""
        variable = self.env.get(name)
        if variable is None or variable.type.dims or variable.type.pointers:
            return False
        if name in self._by_value:
            return False
        if name in self._by_address or self._all_by_address:
            return True
        return self.types.is_class(variable.type) and not isinstance(variable.init, Lambda)

    def of(self, code: Sequence[Statement], line: int) -> Captures:
        """The captures of a kernel's code."""
        made = Captures()
        folded: dict[str, Expression] = {}
        names = free_names(*code)
        constant = set(_constant_names(code))
        members = self.types.members(self.owner.name if self.owner is not None else None)
        if self.owner is not None and ("this" in names or members & set(names) - self.env.keys()):
            made.params.append(Variable("this", replace(self.owner, pointers=1), line))
            made.args.append(Name(line, "this"))
        for name in self._in_order(names):
            variable = self.env[name]
            if self._is_repeated(variable, constant):
                self._repeat(variable, made, folded)
            else:
                self._pass(variable, made, folded, line)
        return made

    def _in_order(self, names: Sequence[str]) -> list[str]:
        """The captured names, each after those that its type or its value mentions."""
        found: dict[str, None] = {}
        for name in names:
            self._enter(name, found, 0)
        return list(found)

    def _enter(self, name: str, found: dict[str, None], depth: int) -> None:
        """Enter a captured name in ``found`` behind those that it depends on."""
        variable = self.env.get(name)
        if variable is None or name in found or depth > _MAX_ALIASES:
            return
        for other in free_names(variable.type):
            self._enter(other, found, depth + 1)
        if isinstance(variable.init, Lambda) or variable.type.const:
            inside = () if variable.init is None else free_names(variable.init)
            if isinstance(variable.init, Lambda) or self._is_constant(variable.init):
                for other in inside:
                    self._enter(other, found, depth + 1)
        found[name] = None

    def _is_repeated(self, variable: Variable, constant: set[str]) -> bool:
        """Whether the kernel declares the variable again: a lambda, or a known constant."""
        if isinstance(variable.init, Lambda):
            return True
        type_ = variable.type
        fixed = "constexpr" in variable.qualifiers
        whole = not type_.pointers and not type_.dims and not type_.reference
        if not whole or not (type_.const or fixed) or variable.name in self._by_address:
            return False
        if variable.name in constant:
            return variable.init is not None
        return (fixed or type_.name not in _FLOATING) and self._is_constant(variable.init)

    def _is_constant(self, value: Expression | None) -> bool:
        """Whether the compiler knows a value: literals and constants made of them."""
        match value:
            case Literal() | SizeOf():
                return True
            case Unary(operand=operand) | Cast(operand=operand):
                return self._is_constant(operand)
            case Binary(left=left, right=right):
                return self._is_constant(left) and self._is_constant(right)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return all(map(self._is_constant, (condition, then, otherwise)))
            case Name(name=name):
                variable = self.env.get(name)
                if variable is None:
                    return name in self.parameters or name in self.types.constants
                if variable.type.pointers or variable.type.dims:
                    return False
                fixed = variable.type.const or "constexpr" in variable.qualifiers
                return fixed and self._is_constant(variable.init)
        return False

    def _repeat(self, variable: Variable, made: Captures, folded: dict[str, Expression]) -> None:
        made.prologue.append(Declare(variable.line, (variable,)))
        if variable.init is not None and not isinstance(variable.init, Lambda):
            folded[variable.name] = substitute(variable.init, folded)

    def _pass(
        self, variable: Variable, made: Captures, folded: Mapping[str, Expression], line: int
    ) -> None:
        name = variable.name
        type_ = substitute(replace(variable.type, reference=False), folded)
        if type_.name == "auto":
            parameter = f"{name}_type"
            made.types.append(TemplateParameter(parameter, None))
            type_ = replace(type_, name=parameter)
        given: Expression = Name(line, name)
        if self.in_memory(name):
            made.values[name] = Unary(line, "*", given)
            made.meanings[name] = type_
            type_ = type_.pointer_to()
            given = Unary(line, "&", given)
        made.params.append(Variable(name, type_, variable.line))
        made.args.append(given)


def _listed(directives: Sequence[Directive], name: str) -> set[str]:
    """The variables that clauses of a name list whole."""
    return {
        item.name
        for directive in directives
        for clause in directive.all_clauses(name)
        for item in clause.items
        if isinstance(item, Name)
    }


class _ConstantNames(Rewriter):
    """Names in array bounds and template arguments, which must be constants."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """Its types have no bounds and no arguments."""
        return True

    def type(self, node: Type, env: Env) -> Type:
        """Note the names in the type's bounds and template arguments."""
        for part in (*node.dims, *node.args):
            if isinstance(part, Expression):
                self.found.update(free_names(part))
        return super().type(node, env)

    def name(self, node: Name, env: Env) -> Expression:
        """Note the names in the name's template arguments."""
        for part in node.template_args or ():
            if isinstance(part, Expression):
                self.found.update(free_names(part))
        return super().name(node, env)


def _constant_names(code: Sequence[Statement]) -> set[str]:
    collector = _ConstantNames()
    collector.each(tuple(code), {})
    return collector.found

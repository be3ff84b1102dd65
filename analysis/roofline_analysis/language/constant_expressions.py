"""Constant expressions as a compiler evaluates them: numbers with their types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from roofline_analysis.language import type_traits
from roofline_analysis.language.arithmetic import COMPARISONS, fold, operation_type
from roofline_analysis.language.constants import HEADER_CONSTANTS, numeric_limit
from roofline_analysis.language.library_classes import library_name
from roofline_analysis.language.mathematics import computed
from roofline_analysis.language.queries import TypeQueries
from roofline_analysis.language.scope import Number, Scope, as_number
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.templates import bind_parameters, binding_of
from roofline_analysis.language.types import (
    common_type,
    is_arithmetic,
    is_float,
    promoted,
    wrapped,
)
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.types import Type
from roofline_core.program.units import Function

Typed = tuple[Number, str]
"""A number and its canonical type."""

MAX_DEPTH: Final = 64
"""Operators and calls within one another."""
_MOST_LOOKUPS: Final = 2_000
"""Constants that one expression is worked out of. A limit on the work: each may be looked for in
two places.
"""
_ASKED: Final = (ex.Name, ex.Call, ex.SizeOf, ex.Member)
"""What an interpreter is asked for; operators on it are computed here."""
_CONSTANT: Final = frozenset(("constexpr", "static", "const"))


def evaluate(types: TypeQueries, node: ex.Expression, scope: Scope) -> Typed | None:
    """The value of a constant expression and its type; None where it has none.

    Names are template parameters, members of the class around, constants of the program and of
    headers, and what ``scope.number_of`` knows besides.
    """
    return _ConstantEvaluation(types, scope).value(node)


def initial_value(types: TypeQueries, variable: st.Variable, scope: Scope) -> Typed | None:
    """The number that a constant is declared with, as its type holds it; None where it has none."""
    return _ConstantEvaluation(types, scope).initial(variable, scope)


class _Lookups:
    """The constants that one expression is worked out of."""

    def __init__(self) -> None:
        self.pending: list[tuple[ex.Expression, Scope]] = []
        """Those whose value is being looked for: one that needs itself has none."""
        self.left = _MOST_LOOKUPS

    def may_look(self, node: ex.Expression, scope: Scope) -> bool:
        """Whether the value of ``node`` may be looked for, and one look less is left."""
        self.left -= 1
        return self.left >= 0 and not any(
            node is other and scope.bindings == around.bindings for other, around in self.pending
        )


class _ConstantEvaluation:
    """One expression with the names it may use."""

    def __init__(
        self, types: TypeQueries, scope: Scope, depth: int = 0, lookups: _Lookups | None = None
    ) -> None:
        self.types = types
        self.scope = scope
        self.depth = depth
        self.lookups = lookups or _Lookups()

    def value(self, node: ex.Expression) -> Typed | None:
        """The number and its type; None where it is not known, or nested beyond ``MAX_DEPTH``."""
        if self.depth > MAX_DEPTH:
            return None
        self.depth += 1
        try:
            handler = _HANDLERS.get(type(node))
            found = handler(self, node) if handler is not None else None
        finally:
            self.depth -= 1
        if found is None and self.scope.number_of is not None and isinstance(node, _ASKED):
            number = self.scope.number_of(node)
            return None if number is None else (number, _type_of_number(number))
        return found

    def literal(self, node: ex.Literal) -> Typed | None:
        """The number, wrapped to its type; None for strings and ``nullptr``."""
        if isinstance(node.value, (int, float)):
            kind = node.type_name or "int"
            return wrapped(node.value, kind), kind
        return None

    # ---- Names

    def name(self, node: ex.Name) -> Typed | None:
        """A template parameter's number, else a member's or a global constant's."""
        bound = self.scope.bindings.get(node.name)
        if bound is not None:
            return None if isinstance(bound, Type) else (bound, _type_of_number(bound))
        found = self._member(node)
        return self._global(node) if found is None and not node.scope_args else found

    def _member(self, node: ex.Name) -> Typed | None:
        prefix, _, member = node.name.rpartition("::")
        if not prefix:
            if self.scope.struct is None or self.scope.owner is None:
                return None
            return self._static_field(self.scope.owner, node.name)
        given = node.template_args or ()
        trait = type_traits.number_of(self.types, node.name, given, node.scope_args, self.scope)
        if trait is not None:
            return trait, "bool"
        holder = self.types.resolve(Type(prefix, node.scope_args), self.scope)
        if last_component(holder.name) == "numeric_limits":
            return self._limit(holder, member)
        return self._static_field(holder, member) or self._of_enumeration(holder, member)

    def _of_enumeration(self, holder: Type, member: str) -> Typed | None:
        """An enumerator by another name of its enumeration."""
        if not holder.enumeration:
            return None
        found = self.types.symbols.find_enumerator(f"{holder.enumeration}::{member}")
        return self._enumerated(found, self.scope) if found is not None else None

    def _limit(self, holder: Type, member: str) -> Typed | None:
        first = holder.args[0] if holder.args else None
        if not isinstance(first, Type) or first.pointers:
            return None
        found = numeric_limit(first.name, member)
        return None if found is None else (found, first.name)

    def _static_field(self, holder: Type, member: str) -> Typed | None:
        """A static member or an enumerator of a class or its bases."""
        for inside, struct in self.types.classes.hierarchy(holder):
            for field in struct.fields:
                if field.name == member and field.qualifiers & _CONSTANT:
                    return self.initial(field, inside)
            if member in struct.enumerators:
                return self._enumerated(struct.enumerators[member], inside)
            for base in self.types.classes.bases_of(inside) if member == "value" else ():
                known = library_constant(base)
                if known is not None:
                    return known
        return library_constant(holder) if member == "value" else None

    def initial(self, variable: st.Variable, scope: Scope) -> Typed | None:
        """The value that a constant is declared with, converted to its type."""
        node = variable.init
        if node is None and variable.ctor_args and len(variable.ctor_args) == 1:
            node = variable.ctor_args[0]
        if isinstance(node, ex.InitList) and len(node.items) == 1:
            node = node.items[0]
        if node is None:
            return None
        found = self._of_constant(node, scope)
        type_ = self.types.resolve(variable.type, scope)
        if found is None or type_.pointers or type_.dims:
            return None
        return _converted(found, type_.name)

    def _global(self, node: ex.Name) -> Typed | None:
        enumerator = self.types.symbols.find_enumerator(node.name)
        if enumerator is not None:
            return self._enumerated(enumerator, self.scope)
        entry = self.types.symbols.find_global(node.name, None)
        if entry is not None and not self.types.symbols.is_specialised(node):
            variable = entry.variable
            constant = variable.type.const or "constexpr" in variable.qualifiers
            pointers = variable.type.pointers or variable.type.dims
            return self.initial(variable, Scope()) if constant and not pointers else None
        given = node.template_args or ()
        trait = type_traits.number_of(self.types, node.name, given, (), self.scope)
        if trait is not None:
            return trait, "bool"
        return HEADER_CONSTANTS.get(node.name)

    def _enumerated(self, found: ex.Expression | int, scope: Scope) -> Typed | None:
        if isinstance(found, int):
            return found, "int"
        return self._of_constant(found, scope)

    def _of_constant(self, node: ex.Expression, scope: Scope) -> Typed | None:
        """The value that a constant is declared with, by the names where it is declared."""
        lookups = self.lookups
        if not lookups.may_look(node, scope):
            return None
        lookups.pending.append((node, scope))
        try:
            return _ConstantEvaluation(self.types, scope, self.depth + 1, lookups).value(node)
        finally:
            lookups.pending.pop()

    # ---- Operators

    def unary(self, node: ex.Unary) -> Typed | None:
        """The result of ``! - + ~``, all but the first in the promoted type."""
        inner = self.value(node.operand)
        if inner is None:
            return None
        number, type_ = inner
        if node.op == "!":
            return int(not number), "bool"
        kind = promoted(type_)
        if node.op == "-":
            return wrapped(-number, kind), kind
        if node.op == "+":
            return number, kind
        if node.op == "~" and isinstance(number, int):
            return wrapped(~number, kind), kind
        return None

    def binary(self, node: ex.Binary) -> Typed | None:
        """The result in the operands' common type; ``&&`` and ``||`` may do with one operand."""
        left = self.value(node.left)
        if node.op in ("&&", "||") and left is not None:
            if bool(left[0]) == (node.op == "||"):
                return int(node.op == "||"), "bool"
            right = self.value(node.right)
            return None if right is None else (int(bool(right[0])), "bool")
        right = self.value(node.right) if left is not None or node.op == "," else None
        if node.op == ",":
            return right
        if left is None or right is None:
            return None
        kind = operation_type(node.op, left[1], right[1])
        result = fold(node.op, left[0], right[0], kind)
        if result is None:
            return None
        return result, "bool" if node.op in COMPARISONS else kind

    def conditional(self, node: ex.Conditional) -> Typed | None:
        """The operand that is chosen, in the common type of both if the other's is known."""
        condition = self.value(node.condition)
        if condition is None:
            return None
        chosen, other = node.then, node.otherwise
        if not condition[0]:
            chosen, other = other, chosen
        found, kind = self.value(chosen), self._kind(other)
        if found is None or kind is None or kind == found[1]:
            return found
        return _converted(found, common_type(found[1], kind))

    def _kind(self, node: ex.Expression) -> str | None:
        """The type of an operand that is not computed; None where its operators do not tell."""
        match node:
            case ex.Literal(value=int() | float()):
                return node.type_name or "int"
            case ex.Cast():
                type_ = self.types.resolve(node.type, self.scope)
                return type_.name if is_arithmetic(type_.name) and not type_.pointers else None
            case ex.Unary(op="!"):
                return "bool"
            case ex.Unary(op="-" | "+" | "~"):
                inner = self._kind(node.operand)
                return None if inner is None else promoted(inner)
            case ex.Conditional():
                then, otherwise = self._kind(node.then), self._kind(node.otherwise)
                if then is None or otherwise is None or then == otherwise:
                    return then if then == otherwise else None
                return common_type(then, otherwise)
            case ex.Binary():
                return self._binary_kind(node)
        return None

    def _binary_kind(self, node: ex.Binary) -> str | None:
        if node.op in COMPARISONS or node.op in ("&&", "||"):
            return "bool"
        right = self._kind(node.right)
        if node.op == ",":
            return right
        left = self._kind(node.left)
        return None if left is None or right is None else operation_type(node.op, left, right)

    def cast(self, node: ex.Cast) -> Typed | None:
        """The converted number; None for pointers and ``reinterpret_cast``."""
        inner = self.value(node.operand)
        type_ = self.types.resolve(node.type, self.scope)
        if inner is None or type_.pointers or type_.dims or node.reinterpret:
            return None
        return _converted(inner, type_.name)

    def size_of(self, node: ex.SizeOf) -> Typed | None:
        """The bytes of a type, as ``unsigned long``; None for ``sizeof`` of other operands."""
        if not isinstance(node.operand, Type):
            return None
        plain = not (node.operand.pointers or node.operand.args or node.operand.dims)
        if plain and self.scope.number_of is not None:
            number = self.scope.number_of(node)
            if number is not None:
                return number, "unsigned long"
        size = self.types.size(node.operand, self.scope)
        return None if size is None else (size, "unsigned long")

    def construct(self, node: ex.Construct) -> Typed | None:
        """``T(x)`` converted, ``T()`` as 0, for arithmetic types."""
        type_ = self.types.resolve(node.type, self.scope)
        if type_.pointers or not is_arithmetic(type_.name) or len(node.args) > 1:
            return None
        inner = self.value(node.args[0]) if node.args else (0, "int")
        return None if inner is None else _converted(inner, type_.name)

    # ---- Calls

    def call(self, node: ex.Call) -> Typed | None:
        """A limit such as ``max()``, a conversion, a mathematical or a ``constexpr`` function.

        None where an argument is not known or the function is none of these.
        """
        if not isinstance(node.callee, ex.Name):
            return None
        callee = node.callee
        if callee.name.rpartition("::")[2] in ("max", "min", "epsilon", "lowest", "infinity"):
            found = self.name(ex.Name(callee.line, callee.name, None, callee.scope_args))
            if found is not None and not node.args:
                return found
        args = [self.value(arg) for arg in node.args]
        known = [arg for arg in args if arg is not None]
        if len(known) < len(args):
            return None
        type_ = self.types.resolve(Type(callee.name, callee.template_args or ()), self.scope)
        candidates = self.types.symbols.functions_named(callee.name)
        converts = is_arithmetic(type_.name) and not type_.pointers and len(known) == 1
        if converts and not candidates:
            return _converted(known[0], type_.name)
        if not candidates:
            return _library_function(last_component(callee.name), known)
        return self._constexpr_call(candidates, callee, known)

    def _constexpr_call(
        self, candidates: tuple[Function, ...], callee: ex.Name, args: list[Typed]
    ) -> Typed | None:
        fitting = [
            f
            for f in candidates
            if f.has_body and "constexpr" in f.qualifiers and len(f.params) == len(args)
        ]
        given = tuple(self.types.argument(a, self.scope) for a in callee.template_args or ())
        exact = [f for f in fitting if f.template_args is not None and f.template_args and given]
        for function in (*exact, *(f for f in fitting if f not in exact)):
            if function in exact:
                wanted = tuple(self.types.argument(a) for a in function.template_args or ())
                if wanted != given:
                    continue
            bound = bind_parameters(
                function.template_params,
                given,
                lambda default, _: binding_of(self.types.argument(default)),
            )
            for param, (_, type_name) in zip(function.params, args, strict=True):
                own = [p.name for p in function.template_params if p.type is None]
                if param.type.name in own and param.type.name not in bound:
                    bound[param.type.name] = Type(type_name)
            scope = Scope(bound, self.scope.owner, self.scope.struct)
            values: dict[str, Typed] = {}
            for param, argument in zip(function.params, args, strict=True):
                kind = self.types.resolve(param.type, scope)
                values[param.name] = _converted(argument, kind.name)
            return _Body(self.types, scope, values, self.depth + 1, self.lookups).run(function)
        return None


class _Body(_ConstantEvaluation):
    """The body of a ``constexpr`` function: constants, conditions and returns, no loops."""

    def __init__(
        self,
        types: TypeQueries,
        scope: Scope,
        values: dict[str, Typed],
        depth: int,
        lookups: _Lookups,
    ) -> None:
        super().__init__(types, scope, depth, lookups)
        self.values = values

    def run(self, function: Function) -> Typed | None:
        """What the function returns; None where it does something else besides."""
        self.lookups.left -= 1
        if self.depth > MAX_DEPTH or self.lookups.left < 0 or function.body is None:
            return None
        found = self._statement(function.body)
        kind = self.types.resolve(function.return_type, self.scope)
        if found is None or found == _GOES_ON or kind.pointers:
            return None
        return found if kind.name == "auto" else _converted(found, kind.name)

    def name(self, node: ex.Name) -> Typed | None:
        """The value of a parameter or local constant, else as outside the function."""
        return self.values.get(node.name) or super().name(node)

    def _statement(self, node: st.Statement) -> Typed | None:
        """What is returned, ``_GOES_ON`` after a statement without effect, None if unknown."""
        if isinstance(node, st.Block):
            for inner in node.body:
                found = self._statement(inner)
                if found != _GOES_ON:
                    return found
            return _GOES_ON
        if isinstance(node, st.Return):
            return self.value(node.value) if node.value is not None else None
        if isinstance(node, st.If) and node.init is None:
            condition = self.value(node.condition)
            if condition is None:
                return None
            taken = node.then if condition[0] else node.otherwise
            return self._statement(taken) if taken is not None else _GOES_ON
        if isinstance(node, st.Declare):
            return self._declare(node)
        return None

    def _declare(self, node: st.Declare) -> Typed | None:
        for variable in node.variables:
            found = self.value(variable.init) if variable.init is not None else None
            kind = self.types.resolve(variable.type, self.scope)
            if found is None or kind.pointers or kind.dims:
                return None
            self.values[variable.name] = _converted(found, kind.name)
        return _GOES_ON


_GOES_ON: Final[Typed] = (0, "no value")


def library_constant(holder: Type) -> Typed | None:
    """``value`` of ``std::true_type`` and ``std::integral_constant<T, v>``."""
    name = library_name(holder.name)
    if name in ("true_type", "false_type"):
        return int(name == "true_type"), "bool"
    if name in ("integral_constant", "bool_constant") and holder.args:
        number = as_number(holder.args[-1])
        return None if number is None else (number, _type_of_number(number))
    return None


def _converted(value: Typed, type_name: str) -> Typed:
    """A number as a variable of an arithmetic type holds it."""
    if type_name == "auto" or not is_arithmetic(type_name):
        return value
    number = wrapped(value[0], type_name)
    return (float(number) if is_float(type_name) else number), type_name


def _type_of_number(number: Number) -> str:
    if isinstance(number, float):
        return "double"
    return "int" if -(1 << 31) <= number < 1 << 31 else "long"


def _library_function(name: str, args: list[Typed]) -> Typed | None:
    if name in ("min", "max", "fmin", "fmax", "fminf", "fmaxf") and len(args) == 2:
        kind = operation_type("+", args[0][1], args[1][1])
        chosen = min if "min" in name else max
        return chosen(args[0][0], args[1][0]), kind
    if name == "abs" and len(args) == 1:
        return abs(args[0][0]), args[0][1]
    found = computed(name, [number for number, _ in args])
    return None if found is None else (found, "double")


_HANDLERS: Final[Mapping[type[ex.Expression], Callable[..., Typed | None]]] = {
    ex.Literal: _ConstantEvaluation.literal,
    ex.Name: lambda self, node: self.name(node),
    ex.Unary: _ConstantEvaluation.unary,
    ex.Binary: _ConstantEvaluation.binary,
    ex.Conditional: _ConstantEvaluation.conditional,
    ex.Cast: _ConstantEvaluation.cast,
    ex.SizeOf: _ConstantEvaluation.size_of,
    ex.Construct: _ConstantEvaluation.construct,
    ex.Call: _ConstantEvaluation.call,
}

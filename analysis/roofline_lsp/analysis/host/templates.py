"""Binding template parameters: explicit arguments, deduction from call arguments, defaults."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_lsp.analysis.host.layout import resolve
from roofline_lsp.analysis.host.machine import SCALARS, Machine, provides
from roofline_lsp.analysis.host.memory import Closure, Place
from roofline_lsp.analysis.host.values import (
    Aggregate,
    Buffer,
    FunctionValue,
    Opaque,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_lsp.kernel.expressions import Expression, Literal, Name
from roofline_lsp.kernel.program import Function, TemplateParameter
from roofline_lsp.kernel.symbolic import Expr, constant
from roofline_lsp.kernel.types import Type

Binding = Type | Expr


@provides
def template_argument(m: Machine, argument: Type | Expression) -> Binding:
    """One written template argument as a type or a number.

    ``f<N>`` does not say whether ``N`` is a type, so a name is tried as a number first.
    """
    if isinstance(argument, Type):
        plain = not (argument.pointers or argument.args or argument.dims or argument.reference)
        if plain and argument.name not in SCALARS:
            number = _named_number(m, argument.name)
            if number is not None:
                return number
        return resolve(m, argument)
    value = m.eval(argument)
    if isinstance(value, Scalar):
        return value.value
    if isinstance(value, FunctionValue):
        return Type(value.functions[0].qualified_name, _written(value.template_args))
    if isinstance(argument, Name):
        return resolve(m, Type(argument.name))
    number_of = m.number(value)
    return number_of.value if number_of is not None else Type("auto")


def _written(given: tuple[Binding, ...] | None) -> tuple[Type | Expression, ...]:
    """Template arguments as they may stand in a type, up to the first that is not known."""
    found: list[Type | Expression] = []
    for argument in given or ():
        number = argument.constant if isinstance(argument, Expr) else None
        if isinstance(argument, Expr) and number is None:
            break
        found.append(argument if isinstance(argument, Type) else Literal(0, number, "int"))
    return tuple(found)


def _named_number(m: Machine, name: str) -> Expr | None:
    bound = m.frame.bindings.get(name) if m.frames else None
    if isinstance(bound, Expr):
        return bound
    if isinstance(bound, Type) or m.index.find_struct(name) is not None:
        return None
    if m.index.find_alias(name) is not None:
        return None
    value = m.eval(Name(0, name))
    return value.value if isinstance(value, Scalar) else None


def type_of(m: Machine, value: Value | None, declared: Type | None = None) -> Type | None:
    """The C++ type of a value, None where it is not known."""
    if declared is not None and declared.name not in ("auto", "void"):
        type = resolve(m, declared)
        if type.dims:
            return type.pointee().pointer_to()
        if type.pointers or type.name != "void":
            return Type(type.name, type.args, type.pointers, const=type.const)
    if isinstance(value, Scalar):
        return Type(value.type_name)
    if isinstance(value, (Pointer, Buffer)):
        element = value.pointee if isinstance(value, Pointer) else value.element
        return element.pointer_to() if element is not None else None
    if isinstance(value, Aggregate):
        return value.type
    if isinstance(value, Text):
        return Type("char", pointers=1, const=True)
    if isinstance(value, Closure):
        return Type("lambda")
    if isinstance(value, FunctionValue):
        return Type("function", pointers=1)
    return value.type if isinstance(value, Opaque) else None


def bind(
    m: Machine,
    parameters: Sequence[TemplateParameter],
    explicit: Sequence[Binding] | None,
    function: Function,
    args: Sequence[Place],
) -> dict[str, Binding]:
    """The template parameters of a function called with these arguments, packs left out."""
    bindings: dict[str, Binding] = {}
    if not parameters:
        return bindings
    for parameter, argument in zip(parameters, explicit or (), strict=False):
        if parameter.pack:
            break
        bindings[parameter.name] = argument
    names = {parameter.name for parameter in parameters}
    if not names <= bindings.keys():
        for formal, place in zip(function.params, args, strict=False):
            found = type_of(m, place.get(), place.type)
            if found is not None:
                _deduce(formal.type, found, names, bindings)
    for parameter in parameters:
        if parameter.name not in bindings and parameter.default is not None:
            m.frame.scopes.append({})
            saved = m.frame.bindings
            m.frame.bindings = {**saved, **bindings}
            m.frame.resolved.clear()
            try:
                bindings[parameter.name] = template_argument(m, parameter.default)
            finally:
                m.frame.bindings = saved
                m.frame.resolved.clear()
                m.frame.scopes.pop()
    return bindings


def _deduce(
    formal: Type, actual: Type, names: set[str], bindings: dict[str, Binding], depth: int = 0
) -> None:
    if formal.name in names:
        levels = actual.pointers + len(actual.dims) - formal.pointers - len(formal.dims)
        if formal.name not in bindings and levels >= 0:
            const = actual.const and bool(levels) and not formal.const
            bindings[formal.name] = Type(actual.name, actual.args, levels, const=const)
        return
    if depth < 4 and len(formal.args) <= len(actual.args):
        for inner, given in zip(formal.args, actual.args, strict=False):
            _deduce_argument(inner, given, names, bindings, depth + 1)


def _deduce_argument(
    inner: Type | Expression,
    given: Type | Expression,
    names: set[str],
    bindings: dict[str, Binding],
    depth: int,
) -> None:
    if isinstance(inner, Type) and isinstance(given, Type):
        _deduce(inner, given, names, bindings, depth)
        return
    name = inner.name if isinstance(inner, (Type, Name)) else None
    if name in names and name not in bindings and isinstance(given, Literal):
        if isinstance(given.value, (int, float)):
            bindings[name] = constant(given.value)


def choose_overload(m: Machine, value: FunctionValue, args: Sequence[Place]) -> Function | None:
    """The function a call means: by the number of arguments, then by their types."""
    candidates = [f for f in value.functions if _accepts(f, len(args))]
    if not candidates:
        candidates = list(value.functions)
    if len(candidates) > 1:
        given = value.template_args
        ranked = [(_rank(m, f, args, given), -position, f) for position, f in enumerate(candidates)]
        best = max(ranked, key=lambda entry: (entry[0], entry[1]))
        chosen = best[2]
        if not chosen.has_body:
            same = [entry for entry in ranked if entry[2].has_body]
            if same:
                chosen = max(same, key=lambda entry: (entry[0], entry[1]))[2]
        return chosen
    return candidates[0] if candidates else None


def _accepts(function: Function, count: int) -> bool:
    params = function.params
    if params and (params[-1].name == "..." or params[-1].type.name == "..."):
        return True
    if any(parameter.pack for parameter in function.template_params):
        return count >= len(params) - 1
    required = sum(1 for p in params if p.init is None)
    return required <= count <= len(params)


def _rank(
    m: Machine, function: Function, args: Sequence[Place], given: tuple[Binding, ...] | None
) -> int:
    score = 0
    specialised = function.template_args
    if specialised is not None and given is not None:
        wanted = tuple(template_argument(m, argument) for argument in specialised)
        same = [same_binding(a, b) for a, b in zip(wanted, given, strict=False)]
        score += 100 if all(same) else -100
    elif given and not function.template_params and specialised is None:
        score -= 50
    names = {parameter.name for parameter in function.template_params}
    for formal, place in zip(function.params, args, strict=False):
        actual = type_of(m, place.get(), place.type)
        if actual is None or formal.type.name in names:
            continue
        wanted_type = resolve(m, formal.type)
        levels = wanted_type.pointers + len(wanted_type.dims)
        if levels != actual.pointers + len(actual.dims):
            score -= 10
        elif wanted_type.name == actual.name:
            score += 4
        elif levels or (wanted_type.name in SCALARS) != (actual.name in SCALARS):
            score -= 5
    if not function.template_params:
        score += 1
    return score


def same_binding(a: Binding, b: Binding) -> bool:
    """Whether two template arguments are one."""
    if isinstance(a, Type) and isinstance(b, Type):
        return (a.name, a.pointers) == (b.name, b.pointers)
    return a == b

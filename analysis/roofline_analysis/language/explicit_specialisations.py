"""Explicit specialisations of function templates: which one stands for a template's instance."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.language.callees import Callee, GivenArguments
from roofline_analysis.language.scope import Binding, Scope
from roofline_analysis.language.templates import TemplateArgument, binding_of, same_type, written
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.program.types import Type
from roofline_core.program.units import Function


def specialisation_of(
    types: TypeSystem, specialised: Sequence[Function], primary: Callee, given: GivenArguments
) -> Callee | None:
    """The explicit specialisation of a chosen template for the arguments that it was bound to."""
    bound: list[Binding | None] = []
    for parameter in primary.function.template_params:
        if parameter.name not in primary.bindings:
            break
        bound.append(primary.bindings[parameter.name])
    wanted = bound or list(given or ())
    for function in specialised:
        if len(function.params) != len(primary.function.params):
            continue
        if _stands_before(function, primary.function):
            continue  # It specialises another template of the name.
        if function.template_args:
            whole = len(function.template_args) >= len(primary.function.template_params)
            if is_for_arguments(types, function, wanted) and (
                whole or not _other_parameters(types, function, primary)
            ):
                return Callee(function, {})
        elif _same_parameters(types, function, primary):
            return Callee(function, {})
    return None


def nearest_specialisation(
    types: TypeSystem, specialised: Sequence[Function], primary: Callee, given: GivenArguments
) -> Callee | None:
    """A specialisation of a template without a body, where none is for the types it is bound to.

    Programs have one for each type that they use, so the type was taken for another one. The
    numbers that are known agree; of the others the largest are chosen, as of vectors.
    """
    wanted = [primary.bindings.get(p.name) for p in primary.function.template_params]
    if all(each is None for each in wanted):
        wanted = list(given or ())
    best: tuple[tuple[float, ...], Function] | None = None
    for function in specialised:
        own = [binding_of(types.argument(each)) for each in function.template_args or ()]
        if not (function.has_body and len(function.params) == len(primary.function.params)):
            continue
        numbers = [(n, w) for n, w in zip(own, wanted, strict=False) if isinstance(n, (int, float))]
        if any(isinstance(w, (int, float)) and w != n for n, w in numbers):
            continue
        rank = tuple(float(n) for n, _ in numbers)
        if best is None or rank > best[0]:
            best = rank, function
    return Callee(best[1], {}) if best is not None else None


def _stands_before(one: Function, other: Function) -> bool:
    return one.path == other.path and one.span.line < other.span.line


def is_for_arguments(
    types: TypeSystem, function: Function, given: Sequence[Binding | None]
) -> bool:
    """Whether an explicit specialisation is for these arguments, as far as it writes them."""
    own = [types.argument(argument) for argument in function.template_args or ()]
    if len(own) > len(given):
        return False
    return all(
        right is not None and _same(left, written(right))
        for left, right in zip(own, given, strict=False)
    )


def _same(left: TemplateArgument, right: TemplateArgument) -> bool:
    if isinstance(left, Type) and isinstance(right, Type):
        return same_type(left, right)
    return left is right or binding_of(left) == binding_of(right) is not None


def _other_parameters(types: TypeSystem, function: Function, primary: Callee) -> bool:
    """Whether ``template <> f<2>(float)`` is sure to be for other types than the template's."""
    inside = Scope(primary.bindings)
    pairs = [(function.return_type, primary.function.return_type)] + [
        (own.type, formal.type)
        for own, formal in zip(function.params, primary.function.params, strict=True)
    ]
    for own, formal in pairs:
        left, right = types.resolve(own), types.resolve(formal, inside)
        if types.size(left) is not None and types.size(right) is not None:
            if not same_type(left, right):
                return True
    return False


def _same_parameters(types: TypeSystem, function: Function, primary: Callee) -> bool:
    """Whether ``template <> f(double)`` is the template with what it was bound to."""
    inside = Scope(primary.bindings)
    returned = types.resolve(primary.function.return_type, inside)
    if not same_type(types.resolve(function.return_type), returned):
        return False
    return all(
        same_type(types.resolve(own.type), types.resolve(formal.type, inside))
        for own, formal in zip(function.params, primary.function.params, strict=True)
    )

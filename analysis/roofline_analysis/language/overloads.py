"""Overload resolution: the function that a call means, and its template arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from roofline_analysis.language.scope import NO_NAMES, Binding, Scope
from roofline_analysis.language.templates import (
    TemplateArgument,
    binding_of,
    deduce,
    same_type,
    written,
)
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.language.types import is_arithmetic, is_float, is_integer, promoted
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function, TemplateParameter

GivenArguments = Sequence[Binding | None] | None
"""The template arguments that a call writes, closed, None for numbers that are not known.

None in the place of them all where the call writes no ``<...>``.
"""

# How well an argument fits a parameter. What matters is their order: one conversion outweighs any
# number of better matches elsewhere, as C++ has no best function there and programs avoid it.
_EXACT: Final = 4
_PROMOTION: Final = 3
_CONVERSION: Final = 1
_QUALIFIED: Final = 3
_IMPOSSIBLE: Final = -20


@record(frozen=True, slots=True)
class Callee:
    """The function that a call means."""

    function: Function
    bindings: dict[str, Binding]
    """Its template parameters, as far as they are known."""


def no_preference(function: Function) -> int:
    """For ``choose``: no function is preferred among those that fit equally well."""
    return 0


def choose(
    types: TypeSystem,
    candidates: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments = None,
    scope: Scope = NO_NAMES,
    prefer: Callable[[Function], int] = no_preference,
) -> Callee | None:
    """The function that a call with arguments of these closed types means.

    An argument whose type is not known fits any parameter. ``scope`` has the names in force where
    the functions are declared: those of the class for methods. None where no function takes that
    many arguments.
    """
    ranked = [
        (rank, Callee(function, bound))
        for position, function in enumerate(candidates)
        if function.template_args is None and accepts(function, len(args))
        for bound in [bind(types, function, args, given, scope)]
        for rank in [
            (
                _fit(types, function, args, given, bound, scope),
                not function.template_params,
                _specificity(function),
                function.has_body,
                prefer(function),
                -position,
            )
        ]
    ]
    specialised = [f for f in candidates if f.template_args is not None and accepts(f, len(args))]
    if not ranked:
        return _without_primary(types, specialised, args, given, scope)
    best = max(ranked, key=lambda entry: entry[0])[1]
    if best.function.template_params and specialised:
        exact = _specialisation(types, specialised, best, given)
        if exact is not None:
            return exact
    if not best.function.has_body and not best.function.template_params:
        defined = [entry for entry in ranked if entry[1].function.has_body]
        if defined:
            return max(defined, key=lambda entry: entry[0])[1]
    return best


def accepts(function: Function, count: int) -> bool:
    """Whether a function takes this many arguments."""
    params = function.params
    if params and (params[-1].name == "..." or params[-1].type.name == "..."):
        return count >= len(params) - 1
    if any(parameter.pack for parameter in function.template_params):
        return count >= len(params) - 1
    required = sum(1 for p in params if p.init is None)
    if len(params) == 1 and params[0].type.name == "void" and not params[0].type.pointers:
        return count == 0
    return required <= count <= len(params)


# ---- Template parameters


def bind(
    types: TypeSystem,
    function: Function,
    args: Sequence[Type | None],
    given: GivenArguments = None,
    scope: Scope = NO_NAMES,
) -> dict[str, Binding]:
    """A function's template parameters: as written, deduced, by default. Packs are left out."""
    bound: dict[str, Binding] = {}
    parameters = function.template_params
    if not parameters:
        return bound
    for parameter, argument in zip(parameters, given or (), strict=False):
        if parameter.pack:
            break
        if argument is not None:
            bound[parameter.name] = argument
    names = {parameter.name for parameter in parameters if not parameter.pack}
    if not names <= bound.keys():
        for formal, actual in zip(function.params, args, strict=False):
            if actual is not None:
                deduce(types.resolve(formal.type, _around(scope, bound)), actual, names, bound)
    for parameter in parameters:
        if parameter.name not in bound and parameter.default is not None:
            found = binding_of(types.argument(parameter.default, _around(scope, bound)))
            if found is not None:
                bound[parameter.name] = found
    return bound


def _around(scope: Scope, bound: dict[str, Binding]) -> Scope:
    bindings = {**scope.bindings, **bound}
    return Scope(bindings, scope.owner, scope.struct, scope.number_of)


# ---- Specialisations


def _without_primary(
    types: TypeSystem,
    specialised: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments,
    scope: Scope,
) -> Callee | None:
    """Of explicit specialisations alone, the one with the arguments given or the types passed."""
    best: tuple[int, Function] | None = None
    for function in specialised:
        if given is not None and not _same_arguments(types, function, given):
            continue
        fit = _fit(types, function, args, None, {}, scope)
        if best is None or fit > best[0]:
            best = fit, function
    return Callee(best[1], {}) if best is not None else None


def _specialisation(
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
        if function.template_args:
            if _same_arguments(types, function, wanted):
                return Callee(function, {})
        elif _same_parameters(types, function, primary):
            return Callee(function, {})
    return None


def _same_arguments(types: TypeSystem, function: Function, given: Sequence[Binding | None]) -> bool:
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


def _same_parameters(types: TypeSystem, function: Function, primary: Callee) -> bool:
    """Whether ``template <> f(double)`` is the template with what it was bound to."""
    inside = Scope(primary.bindings)
    return all(
        same_type(types.resolve(own.type), types.resolve(formal.type, inside))
        for own, formal in zip(function.params, primary.function.params, strict=True)
    )


# ---- Fit


def _fit(
    types: TypeSystem,
    function: Function,
    args: Sequence[Type | None],
    given: GivenArguments,
    bound: dict[str, Binding],
    scope: Scope,
) -> int:
    """How well a call's arguments fit a function's parameters, the higher the better."""
    if given and not function.template_params and function.template_args is None:
        return 5 * _IMPOSSIBLE
    total = _given_fit(function.template_params, given)
    inside = _around(scope, bound)
    for formal, actual in zip(function.params, args, strict=False):
        if actual is not None:
            total += _argument_fit(types, types.resolve(formal.type, inside), actual)
    return total


def _given_fit(parameters: Sequence[TemplateParameter], given: GivenArguments) -> int:
    """Whether written arguments are of the parameters' kinds: types for types."""
    total = 0
    for parameter, argument in zip(parameters, given or (), strict=False):
        if parameter.pack:
            break
        if argument is not None and (parameter.type is None) != isinstance(argument, Type):
            total += _IMPOSSIBLE
    return total


def _argument_fit(types: TypeSystem, formal: Type, actual: Type) -> int:
    if "auto" in (actual.name, formal.name):
        return _EXACT
    depth = formal.pointers + len(formal.dims)
    if depth != actual.pointers + len(actual.dims):
        return _IMPOSSIBLE
    if formal.name == actual.name:
        if formal.args and actual.args and formal.args != actual.args:
            return _IMPOSSIBLE
        if actual.const and not formal.const and (depth or formal.reference):
            return _IMPOSSIBLE
        return _QUALIFIED if formal.const and not actual.const and depth else _EXACT
    if depth:
        return _CONVERSION if formal.name == "void" else _IMPOSSIBLE
    if formal.reference and not formal.const:
        return _CONVERSION if _derives(types, actual, formal) else _IMPOSSIBLE
    return _conversion(types, formal, actual)


def _conversion(types: TypeSystem, formal: Type, actual: Type) -> int:
    if is_arithmetic(formal.name) and is_arithmetic(actual.name):
        widened = (actual.name, formal.name) == ("float", "double")
        if widened or (promoted(actual.name) == formal.name and actual.name != formal.name):
            return _PROMOTION
        same = is_float(formal.name) == is_float(actual.name)
        return _CONVERSION + same - (is_integer(formal.name) and is_float(actual.name))
    if _derives(types, actual, formal):
        return _CONVERSION
    return _IMPOSSIBLE


def _derives(types: TypeSystem, derived: Type, base: Type) -> bool:
    struct = types.symbols.find_struct(derived.name)
    if struct is None:
        return False
    return any(
        parent.name == base.name.rpartition("::")[2] for _, parent in types.symbols.bases_of(struct)
    )


def _specificity(function: Function) -> int:
    """How much of a template's parameter types is written out: ``T*`` more than ``T``."""
    names = {parameter.name for parameter in function.template_params}
    total = 0
    for formal in function.params:
        type_ = formal.type
        total += type_.pointers + len(type_.dims) + type_.const
        total += 2 * (type_.name not in names) + len(type_.args)
    return total

"""The function that a call means, with its template parameters bound."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.language.scope import NO_NAMES, Binding, Scope
from roofline_analysis.language.templates import binding_of, deduce
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function

GivenArguments = Sequence[Binding | None] | None
"""The template arguments that a call writes, closed, None for numbers that are not known.

None in the place of them all where the call writes no ``<...>``.
"""


@record(frozen=True, slots=True)
class Callee:
    """The function that a call means."""

    function: Function
    bindings: dict[str, Binding]
    """Its template parameters, as far as they are known."""
    certain: bool = True
    """Whether the call can mean no other function, for all that is known."""

    def in_doubt(self) -> Callee:
        """The same for a call that may mean another function."""
        return Callee(self.function, self.bindings, certain=False)


def accepts(function: Function, count: int) -> bool:
    """Whether a function takes this many arguments."""
    params = function.params
    if "..." in function.qualifiers:
        return count >= len(params)
    if any(parameter.pack for parameter in function.template_params):
        return count >= len(params) - 1
    required = sum(1 for p in params if p.init is None)
    if len(params) == 1 and params[0].type.name == "void" and not params[0].type.pointers:
        return count == 0
    return required <= count <= len(params)


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
                decays = actual.dims and not formal.type.reference
                given_type = actual.pointee().pointer_to() if decays else actual
                deduce(
                    types.resolve(formal.type, inside_template(scope, bound)),
                    given_type,
                    names,
                    bound,
                )
    for parameter in parameters:
        if parameter.name not in bound and parameter.default is not None:
            found = binding_of(types.argument(parameter.default, inside_template(scope, bound)))
            if found is not None:
                bound[parameter.name] = found
    return bound


def inside_template(scope: Scope, bound: dict[str, Binding]) -> Scope:
    """The names in force in a template whose parameters are ``bound``."""
    bindings = {**scope.bindings, **bound}
    return Scope(bindings, scope.owner, scope.struct, scope.number_of)

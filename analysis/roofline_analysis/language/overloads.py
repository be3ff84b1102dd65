"""Overload resolution: the function that a call means, and its template arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofline_analysis.language.callees import Callee, GivenArguments, accepts, bind
from roofline_analysis.language.explicit_specialisations import (
    is_for_arguments,
    nearest_specialisation,
    specialisation_of,
)
from roofline_analysis.language.kept_answers import is_plain
from roofline_analysis.language.overload_ranking import OverloadedCall, no_preference
from roofline_analysis.language.scope import NO_NAMES, Scope
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.program.types import Type
from roofline_core.program.units import Function


def choose(
    types: TypeSystem,
    candidates: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments = None,
    scope: Scope = NO_NAMES,
    prefer: Callable[[Function], int] = no_preference,
    this: Type | None = None,
) -> Callee | None:
    """The function that a call with arguments of these closed types means.

    An argument whose type is not known fits any parameter; ``conversion_ranks`` says how types
    tell lvalues. ``this`` is the type of the object whose methods these are. ``scope`` has the
    names in force where the functions are declared: those of the class for methods. None where
    no function takes that many arguments. What is returned is kept for calls alike: do not change
    its bindings.
    """
    if types.resolving or not is_plain((*args, *(given or ()), this)):
        return _choose(types, candidates, args, given, scope, prefer, this)
    written_args = None if given is None else tuple(given)
    kept: Callee | None = types.choices.answer(
        lambda inside: _choose(types, candidates, args, given, inside, prefer, this),
        (tuple(candidates), tuple(args), written_args, prefer, this, types.symbols.classes_added),
        scope,
    )
    return kept


def _choose(
    types: TypeSystem,
    candidates: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments,
    scope: Scope,
    prefer: Callable[[Function], int],
    this: Type | None,
) -> Callee | None:
    count = len(args)
    fitting = [f for f in candidates if f.template_args is None and accepts(f, count)]
    specialised = [f for f in candidates if f.template_args is not None and accepts(f, count)]
    if not fitting:
        return _without_primary(types, specialised, args, given, scope)
    if len(fitting) == 1:
        only = fitting[0]
        best = Callee(only, bind(types, only, args, given, scope))
    else:
        call = OverloadedCall(types, args, given, scope, this)
        best = call.best(fitting, prefer)
    if best.function.template_params and specialised:
        exact = specialisation_of(types, specialised, best, given)
        if exact is not None:
            return exact
        if not any(f.has_body for f in fitting):
            return nearest_specialisation(types, specialised, best, given) or best
    return best


def possible(
    types: TypeSystem,
    candidates: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments = None,
    scope: Scope = NO_NAMES,
) -> list[Function]:
    """The functions to which arguments of these types can be passed, as far as is known."""
    call = OverloadedCall(types, args, given, scope)
    fitting = (f for f in candidates if accepts(f, len(args)))
    return [f for f in fitting if call.may_mean(f)]


def _without_primary(
    types: TypeSystem,
    specialised: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments,
    scope: Scope,
) -> Callee | None:
    """Of explicit specialisations alone, the one with the arguments given or the types passed."""
    fitting = [f for f in specialised if given is None or is_for_arguments(types, f, given)]
    if len(fitting) < 2:
        return Callee(fitting[0], {}) if fitting else None
    return OverloadedCall(types, args, None, scope).best(fitting, no_preference)

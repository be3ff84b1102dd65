"""Which of two function templates is the more specialised one: C++'s partial ordering."""

from __future__ import annotations

from roofline_analysis.language.queries import TypeQueries
from roofline_analysis.language.scope import Binding, Scope
from roofline_analysis.language.templates import deduce, unlike_any
from roofline_core.program.types import Type
from roofline_core.program.units import Function


def more_specialised_function(
    types: TypeQueries, left: Function, right: Function, scope: Scope, count: int
) -> bool | None:
    """Whether the left template is the more specialised one, for a call with ``count`` arguments.

    None where neither is.
    """
    one, other = (
        _is_case_of(types, left, right, scope, count),
        _is_case_of(types, right, left, scope, count),
    )
    if one != other:
        return one
    if not one:
        return None
    by_const = _const_references(left) - _const_references(right)
    if by_const:
        return by_const > 0
    by_pack = _packs(right) - _packs(left)
    return by_pack > 0 if by_pack else None


def _is_case_of(
    types: TypeQueries, left: Function, right: Function, scope: Scope, count: int
) -> bool:
    """Whether the right template takes whatever the left one takes."""
    own = {parameter.name: place for place, parameter in enumerate(left.template_params)}
    names = {parameter.name for parameter in right.template_params}
    packs = {p.name for f in (left, right) for p in f.template_params if p.pack}
    bound: dict[str, Binding] = {}
    for position in range(count):
        mine, theirs = _formal(left, position), _formal(right, position)
        if mine is None or theirs is None:
            return False
        if theirs.name in packs:
            continue
        if mine.name in packs:
            return False
        closed = unlike_any(types.resolve(_value(mine), scope), own)
        pattern = types.resolve(_value(theirs), scope)
        assert isinstance(closed, Type)
        if pattern.pointers and pattern.const and not closed.const:
            return False
        if not deduce(pattern, closed, names, bound):
            return False
    return True


def _formal(function: Function, position: int) -> Type | None:
    """The parameter that takes an argument; the last one takes the rest of a pack."""
    params = function.params
    if position < len(params):
        return params[position].type
    return params[-1].type if params and _packs(function) else None


def _value(type_: Type) -> Type:
    """A parameter's type without a reference, and without ``const`` outside of pointers."""
    const = type_.const and bool(type_.pointers)
    return Type(
        type_.name, type_.args, type_.pointers, const=const, dims=type_.dims,
        scope_args=type_.scope_args,
    )  # fmt: skip


def _const_references(function: Function) -> int:
    types = (parameter.type for parameter in function.params)
    return sum(t.reference and t.const and not t.pointers for t in types)


def _packs(function: Function) -> int:
    return sum(parameter.pack for parameter in function.template_params)

"""Which of several functions of one name a call means: by argument count and plain types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from roofline_lsp.analysis.device.values import Value
from roofline_lsp.analysis.device.walker import Walker
from roofline_lsp.analysis.layout import common_type, is_float, is_integer
from roofline_lsp.kernel import expressions as ex
from roofline_lsp.kernel.program import Function
from roofline_lsp.kernel.types import Type

TemplateArgs = tuple[Type | ex.Expression, ...] | None


def choose(
    candidates: Sequence[Function], count: int, template_args: TemplateArgs = None
) -> Function | None:
    """The definition that takes this many arguments, device code first."""
    ranked = _viable(candidates, count, template_args)
    return ranked[0][1] if ranked else None


def choose_by_types(
    walker: Walker,
    candidates: Sequence[Function],
    args: Sequence[ex.Expression],
    template_args: TemplateArgs = None,
) -> Function | None:
    """Likewise, and of several the one whose parameters have the arguments' types."""
    ranked = _viable(candidates, len(args), template_args)
    if len(ranked) < 2:
        return ranked[0][1] if ranked else None
    types = [_static_type(walker, arg) for arg in args]
    best, best_score = ranked[0][1], float("-inf")
    for score, function in ranked:
        total = 8.0 * score + _agreement(walker, function, types)
        if total > best_score:
            best, best_score = function, total
    return best


def _viable(
    candidates: Sequence[Function], count: int, template_args: TemplateArgs
) -> list[tuple[int, Function]]:
    """The definitions that take this many arguments with how well they fit, the best first."""
    found = []
    for function in candidates:
        if not function.has_body or "__global__" in function.qualifiers:
            continue
        required = sum(
            1
            for p in function.params
            if p.init is None and not (p.type.name == "void" and not p.type.pointers)
        )
        most = max(len(function.params), required)
        if not required <= count <= most and not any(p.pack for p in function.template_params):
            continue
        score = 2 * ("__device__" in function.qualifiers)
        is_template = bool(function.template_params) or function.template_args is not None
        score += (template_args is not None) == is_template and template_args is not None
        found.append((score, function))
    return sorted(found, key=lambda pair: -pair[0])


def _agreement(walker: Walker, function: Function, types: Sequence[Type | None]) -> float:
    """Parameters of exactly the argument's type, less those of another kind."""
    own = {parameter.name for parameter in function.template_params}
    total = 0.0
    for parameter, actual in zip(function.params, types, strict=False):
        if actual is None or parameter.type.name in own:
            continue
        wanted = walker.types.resolve(parameter.type)
        same_depth = wanted.pointers + len(wanted.dims) == actual.pointers + len(actual.dims)
        if wanted.name == actual.name and same_depth:
            total += 1.0
        elif not same_depth or _kind(wanted) != _kind(actual):
            total -= 3.0
    return total


def _kind(type_: Type) -> str:
    if is_integer(type_.name):
        return "integer"
    return "float" if is_float(type_.name) else type_.name


def _static_type(walker: Walker, node: ex.Expression) -> Type | None:
    """The type of an expression without evaluating it; None where that would take more."""
    handler = _STATIC_TYPES.get(type(node))
    return handler(walker, node) if handler is not None else None


def _name_type(walker: Walker, node: ex.Name) -> Type | None:
    place = walker.scope.find(node.name)
    if place is None:
        held = walker.constants.get(node.name)
        return Type(held.type) if isinstance(held, Value) else None
    return walker.types.resolve(walker.place_type(place))


def _index_type(walker: Walker, node: ex.Index) -> Type | None:
    base = _static_type(walker, node.base)
    if base is None or not (base.pointers or base.dims):
        return None
    return walker.types.resolve(base.pointee())


def _member_type(walker: Walker, node: ex.Member) -> Type | None:
    base = _static_type(walker, node.base)
    if base is None or base.pointers != int(node.arrow) or base.dims:
        return None
    found = (walker.types.fields(Type(base.name, base.args)) or {}).get(node.name)
    return walker.types.resolve(found[2]) if found is not None else None


def _unary_type(walker: Walker, node: ex.Unary) -> Type | None:
    inner = _static_type(walker, node.operand)
    if node.op in ("+", "-", "~") or inner is None:
        return inner
    if node.op == "*" and (inner.pointers or inner.dims):
        return walker.types.resolve(inner.pointee())
    return None


def _binary_type(walker: Walker, node: ex.Binary) -> Type | None:
    if node.op not in ("+", "-", "*", "/"):
        return None
    left, right = _static_type(walker, node.left), _static_type(walker, node.right)
    if left is None or right is None or left.pointers or right.pointers:
        return left or right
    return Type(common_type(left.name, right.name))


def _call_type(walker: Walker, node: ex.Call) -> Type | None:
    """What a function of the program returns; a template parameter by the argument it is for."""
    if not isinstance(node.callee, ex.Name):
        return None
    candidates = walker.table.find_functions(node.callee.name)
    given = node.callee.template_args
    chosen = choose_by_types(walker, candidates, node.args, given)
    if chosen is None:
        return None
    returned = chosen.return_type
    names = [parameter.name for parameter in chosen.template_params]
    if returned.name not in names:
        return walker.types.resolve(returned)
    position = names.index(returned.name)
    if given is not None and position < len(given):
        explicit = given[position]
        return walker.types.resolve(explicit) if isinstance(explicit, Type) else None
    for parameter, arg in zip(chosen.params, node.args, strict=False):
        if parameter.type.name == returned.name and not parameter.type.pointers:
            return _static_type(walker, arg)
    return None


_STATIC_TYPES: Final[Mapping[type[ex.Expression], Callable[..., Type | None]]] = {
    ex.Literal: lambda _walker, node: Type(node.type_name),
    ex.Cast: lambda walker, node: walker.types.resolve(node.type),
    ex.Name: _name_type,
    ex.Index: _index_type,
    ex.Member: _member_type,
    ex.Unary: _unary_type,
    ex.Binary: _binary_type,
    ex.Call: _call_type,
}

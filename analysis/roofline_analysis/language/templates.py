"""Templates: matching arguments with patterns, choosing specialisations, deduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from roofline_analysis.language.namespaces import same_name
from roofline_analysis.language.scope import Binding, as_number, literal
from roofline_core.program.expressions import Expression, Name
from roofline_core.program.types import Type
from roofline_core.program.units import Struct, TemplateParameter

TemplateArgument = Type | Expression
MAX_PATTERN_DEPTH = 8
"""The deepest nesting of template arguments that is matched. A limit on the work."""


def written(binding: Binding) -> TemplateArgument:
    """A template argument as it stands in a type."""
    return binding if isinstance(binding, Type) else literal(binding)


def binding_of(argument: TemplateArgument) -> Binding | None:
    """What a resolved template argument binds its parameter to; None if that is not known."""
    return argument if isinstance(argument, Type) else as_number(argument)


def bind_parameters(
    parameters: Sequence[TemplateParameter],
    arguments: Sequence[TemplateArgument],
    default: Callable[[TemplateArgument, dict[str, Binding]], Binding | None],
) -> dict[str, Binding]:
    """The parameters of a template by name; packs, and those nothing is known of, are left out.

    ``default`` resolves a default argument, given the parameters before it.
    """
    bound: dict[str, Binding] = {}
    for position, parameter in enumerate(parameters):
        if parameter.pack:
            break
        found: Binding | None = None
        if position < len(arguments):
            found = binding_of(arguments[position])
        elif parameter.default is not None:
            found = default(parameter.default, bound)
        if found is not None:
            bound[parameter.name] = found
    return bound


# ---- Deduction


def deduce(
    formal: Type,
    actual: Type,
    names: AbstractSet[str],
    bound: dict[str, Binding],
    depth: int = 0,
) -> bool:
    """Bind the parameters in a formal type so that it becomes the actual one.

    ``T*`` takes its pointers off, ``T (&)[N]`` its bounds, ``P<T, N>`` its arguments apart. False
    where the two cannot be the same; what was bound before stays.
    """
    if formal.name in names:
        return _deduce_name(formal, actual, names, bound)
    if formal.name == "auto":
        return True
    if formal.pointers != actual.pointers:
        return False
    if formal.dims and not _deduce_bounds(formal, actual, names, bound):
        return False
    if depth >= MAX_PATTERN_DEPTH or not _same_template(formal.name, actual.name):
        return False
    return deduce_arguments(formal.args, actual.args, names, bound, depth + 1)


def _same_template(formal: str, actual: str) -> bool:
    return formal.rpartition("::")[2] == actual.rpartition("::")[2]


def _deduce_name(
    formal: Type, actual: Type, names: AbstractSet[str], bound: dict[str, Binding]
) -> bool:
    dims = actual.dims
    if formal.dims:
        if not _deduce_bounds(formal, actual, names, bound):
            return False
        dims = dims[len(formal.dims) :]
    if formal.args:
        # A template template parameter: its arguments are deduced, itself is the template.
        if formal.pointers != actual.pointers:
            return False
        found = Type(actual.name)
        if not deduce_arguments(formal.args, actual.args, names, bound, 1):
            return False
    else:
        levels = actual.pointers + len(dims) - formal.pointers
        if levels < 0:
            return False
        if formal.pointers and len(dims) == 1:
            dims = ()
        pointers = max(0, levels - len(dims))
        const = actual.const and (bool(levels) or not formal.reference) and not formal.const
        found = Type(actual.name, actual.args, pointers, const=const and bool(levels), dims=dims)
    known = bound.get(formal.name)
    if known is None:
        bound[formal.name] = found
        return True
    return isinstance(known, Type) and same_type(known, found)


def _deduce_bounds(
    formal: Type, actual: Type, names: AbstractSet[str], bound: dict[str, Binding]
) -> bool:
    if len(actual.dims) < len(formal.dims):
        return False
    for wanted, given in zip(formal.dims, actual.dims, strict=False):
        if wanted is None:
            continue
        number = as_number(given)
        if isinstance(wanted, Name) and wanted.name in names:
            if number is None or bound.setdefault(wanted.name, number) != number:
                return False
        elif number is not None and as_number(wanted) not in (None, number):
            return False
    return True


def deduce_arguments(
    formals: Sequence[TemplateArgument],
    actuals: Sequence[TemplateArgument],
    names: AbstractSet[str],
    bound: dict[str, Binding],
    depth: int = 0,
) -> bool:
    """Bind the parameters in template arguments so that each becomes the actual one."""
    if len(formals) != len(actuals):
        return not actuals and not formals
    return all(
        _deduce_argument(formal, actual, names, bound, depth)
        for formal, actual in zip(formals, actuals, strict=True)
    )


def _deduce_argument(
    formal: TemplateArgument,
    actual: TemplateArgument,
    names: AbstractSet[str],
    bound: dict[str, Binding],
    depth: int,
) -> bool:
    number = as_number(actual)
    if isinstance(formal, Type) and isinstance(actual, Type):
        if actual.fixed:
            # ``const T`` takes ``int* const`` apart, ``T*`` does not.
            if formal.pointers and not formal.fixed:
                return False
            if formal.const and formal.name in names:
                actual, formal = replace(actual, fixed=False), replace(formal, const=False)
        qualified = (
            formal.const and not actual.const,
            formal.volatile and not actual.volatile,
            formal.reference and not actual.reference,
        )
        if any(qualified) or (formal.name not in names and formal.const != actual.const):
            return False
        return deduce(formal, actual, names, bound, depth)
    name = formal.name if isinstance(formal, (Type, Name)) else None
    if name in names and number is not None:
        assert name is not None
        return bound.setdefault(name, number) == number
    wanted = as_number(formal)
    return wanted is not None and wanted == number


def same_type(left: Type, right: Type) -> bool:
    """Whether two resolved types are one, whatever qualifiers stand around them."""
    return (
        left.name == right.name
        and left.pointers == right.pointers
        and left.args == right.args
        and len(left.dims) == len(right.dims)
    )


def other_instance(one: Type, other: Type) -> bool:
    """Whether two closed types are instances of one class template with different arguments."""
    same = same_name(one.name, other.name) and len(one.args) == len(other.args)
    return same and one.args != other.args


# ---- Specialisations


def matching(
    specialisation: Struct,
    patterns: Sequence[TemplateArgument],
    arguments: Sequence[TemplateArgument],
) -> dict[str, Binding] | None:
    """What a specialisation's parameters stand for with these arguments; None: it does not fit."""
    names = {parameter.name for parameter in specialisation.template_params}
    bound: dict[str, Binding] = {}
    if len(patterns) != len(arguments):
        return None
    return bound if deduce_arguments(patterns, arguments, names, bound) else None


def more_specialised(
    left: tuple[Struct, Sequence[TemplateArgument]],
    right: tuple[Struct, Sequence[TemplateArgument]],
) -> bool:
    """Whether the left pattern is a case of the right one, and not the other way round.

    C++'s partial ordering: each pattern is matched against the other's, whose parameters stand
    for types and numbers of their own.
    """
    return _is_case_of(left, right) and not _is_case_of(right, left)


def _is_case_of(
    left: tuple[Struct, Sequence[TemplateArgument]],
    right: tuple[Struct, Sequence[TemplateArgument]],
) -> bool:
    own = {param.name: position for position, param in enumerate(left[0].template_params)}
    closed = [unlike_any(argument, own) for argument in left[1]]
    names = {parameter.name for parameter in right[0].template_params}
    return deduce_arguments(right[1], closed, names, {})


_UNLIKE_ANY = -(1 << 70)
"""No template argument has this value, nor one that lies a few below it."""


def unlike_any(argument: TemplateArgument, params: Mapping[str, int]) -> TemplateArgument:
    """A pattern with types and numbers in the place of its parameters that are like no other."""
    if isinstance(argument, Name):
        position = params.get(argument.name)
        return argument if position is None else literal(_UNLIKE_ANY - position)
    if not isinstance(argument, Type):
        return argument
    return Type(
        f"{argument.name}'" if argument.name in params else argument.name,
        tuple(unlike_any(inner, params) for inner in argument.args),
        argument.pointers,
        argument.reference,
        argument.const,
        dims=tuple(_closed_bound(dim, params) for dim in argument.dims),
    )


def _closed_bound(dim: Expression | None, params: Mapping[str, int]) -> Expression | None:
    closed = unlike_any(dim, params) if dim is not None else None
    return closed if isinstance(closed, Expression) else None

"""Whether template arguments make a declaration that exists: "substitution failure is no error"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.language.queries import TypeQueries
from roofline_analysis.language.scope import Scope, as_number
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import is_arithmetic
from roofline_core.program.expressions import Expression, Member, Name
from roofline_core.program.types import Type
from roofline_core.program.units import Function


def substitutes(
    types: TypeQueries, function: Function, inside: Scope, args: Sequence[Type | None]
) -> bool | None:
    """Whether a function template exists with its parameters bound as ``inside``.

    None where that is not known, as of a constraint (``requires``).
    """
    known: bool | None = None if "requires" in function.qualifiers else True
    for type_ in _types_of(function):
        found = _exists(types, type_, function, inside, args)
        if found is False:
            return False
        if found is None:
            known = None
    return known


def _types_of(function: Function) -> Iterator[Type]:
    """The types of a declaration that may fail to exist."""
    for type_ in (function.return_type, *(parameter.type for parameter in function.params)):
        if _may_fail(type_):
            yield type_
    for parameter in function.template_params:
        if parameter.type is not None and _may_fail(parameter.type):
            yield parameter.type
        if isinstance(parameter.default, Type) and _may_fail(parameter.default):
            yield parameter.default


def _may_fail(type_: Type) -> bool:
    return "::" in type_.name or type_.name in ("decltype", "enable_if_t")


def _exists(
    types: TypeQueries,
    type_: Type,
    function: Function,
    inside: Scope,
    args: Sequence[Type | None],
) -> bool | None:
    if type_.name == "decltype":
        return _evaluates(types, type_.args[0] if type_.args else None, function, args)
    bare = type_.name.removesuffix("::type").removesuffix("_t")
    if last_component(bare) == "enable_if" and types.symbols.find_struct(bare) is None:
        given = type_.args or type_.scope_args
        number = as_number(types.argument(_as_value(given[0]), inside)) if given else None
        return None if number is None else bool(number)
    if not type_.scope_args:
        return True
    prefix, _, member = type_.name.rpartition("::")
    holder = types.resolve(Type(prefix, type_.scope_args), inside)
    if types.classes.scope_of(holder) is None:
        return True  # A class of a library.
    return any(
        member in struct.aliases or types.symbols.find_structs(f"{struct.qualified_name}::{member}")
        for _, struct in types.classes.hierarchy(holder)
    )


def _as_value(argument: Type | Expression) -> Type | Expression:
    """``is_same<T, float>::value`` as the value that it is, where it was read as a type."""
    if isinstance(argument, Type) and last_component(argument.name) == "value":
        return Name(0, argument.name, None, argument.scope_args)
    if isinstance(argument, Type) and argument.name.endswith("_v"):
        return Name(0, argument.name, argument.args)
    return argument


def _evaluates(
    types: TypeQueries,
    node: Type | Expression | None,
    function: Function,
    args: Sequence[Type | None],
) -> bool | None:
    """Whether an expression has a type: a member of a parameter, if there is such a member."""
    if not (isinstance(node, Member) and isinstance(node.base, Name)):
        return None
    for parameter, actual in zip(function.params, args, strict=False):
        if parameter.name != node.base.name or actual is None:
            continue
        if is_arithmetic(actual.name):
            return False
        found = [struct for _, struct in types.classes.hierarchy(actual)]
        if not found:
            return None
        fields = {field.name for struct in found for field in struct.fields}
        return node.name in fields | {m.name for struct in found for m in struct.methods}
    return None

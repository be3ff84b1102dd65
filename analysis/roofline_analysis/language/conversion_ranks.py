"""How well an argument fits a parameter: C++'s implicit conversion sequences, ranked.

The type of an argument says what kind of value it is: ``reference`` is set for an lvalue,
``rvalue`` for a temporary, neither where that is not known.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final

from roofline_analysis.language.queries import TypeQueries
from roofline_analysis.language.symbols import MAX_BASES_DEPTH, last_component
from roofline_analysis.language.types import builtin_extent, is_arithmetic, promoted
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Struct

Rank = tuple[int, int, int]
"""The kind of conversion, which of its kind, and how a reference or pointer qualifies its target.

The smaller of two is the better one.
"""

EXACT: Final[Rank] = (0, 0, 0)
PROMOTION: Final[Rank] = (1, 0, 0)
CONVERSION: Final[Rank] = (2, 0, 0)
USER_DEFINED: Final[Rank] = (3, 0, 0)
ELLIPSIS: Final[Rank] = (4, 0, 0)
IMPOSSIBLE: Final[Rank] = (9, 0, 0)

_TO_VOID: Final = MAX_BASES_DEPTH + 2
"""Of conversions of a pointer: after all those to a base."""
_TO_BOOL: Final = _TO_VOID + 1
_OF_LIBRARY: Final = 9
"""Of user-defined conversions: one of a class of which nothing is known."""


def lvalue(type_: Type) -> Type:
    """An argument that has a place."""
    return _of_kind(type_, reference=True, rvalue=False)


def rvalue(type_: Type) -> Type:
    """An argument that is a temporary."""
    return _of_kind(type_, reference=False, rvalue=True)


def _of_kind(type_: Type, *, reference: bool, rvalue: bool) -> Type:
    if type_.reference == reference and type_.rvalue == rvalue:
        return type_
    # Written out, as ``replace`` takes three times as long and overloads ask for each argument.
    return Type(
        type_.name,
        type_.args,
        type_.pointers,
        reference,
        type_.const,
        type_.restrict,
        type_.volatile,
        type_.dims,
        type_.scope_args,
        rvalue,
        type_.fixed,
        type_.enumeration,
        type_.align,
        type_.tagged,
    )


def rank(
    types: TypeQueries,
    formal: Type,
    actual: Type,
    *,
    deduced: bool = False,
    forwarding: bool = False,
) -> Rank:
    """How an argument becomes a parameter of a closed type.

    ``deduced``: the parameter's type was made from the argument's, which allows no conversion but
    to a base. ``forwarding``: it is ``T&&`` for such a ``T``, which takes whatever there is.
    """
    kind, which, qualified = _rank(types, formal, actual)
    if deduced and (kind > CONVERSION[0] or (kind and not _derives_from(types, formal, actual))):
        return IMPOSSIBLE
    if forwarding or not formal.reference or kind == IMPOSSIBLE[0]:
        return kind, which, qualified
    temporary = actual.rvalue or (kind > 0 and not which)
    if formal.rvalue:
        return IMPOSSIBLE if actual.reference and not temporary else (kind, which, qualified)
    if formal.const:
        more = 1 if actual.rvalue or not actual.const else 0
        return kind, which, qualified + more
    bare = not (formal.pointers or formal.dims)
    if temporary or (bare and actual.const and not deduced):
        return IMPOSSIBLE
    return kind, which, qualified


def _rank(types: TypeQueries, formal: Type, actual: Type) -> Rank:
    """The conversion apart from what a reference binds to."""
    levels, given = formal.pointers + len(formal.dims), actual.pointers + len(actual.dims)
    if not levels and not given:
        return _of_values(types, formal, actual)
    if given and not levels:
        if formal.name == "bool" and not formal.enumeration:
            return CONVERSION[0], _TO_BOOL, 0
        return IMPOSSIBLE if is_arithmetic(formal.name) else _constructed(types, formal, actual)
    if not given:
        return CONVERSION if actual.name in ("nullptr", "nullptr_t") else IMPOSSIBLE
    return _of_pointers(types, formal, actual, levels == given)


def _of_pointers(types: TypeQueries, formal: Type, actual: Type, alike: bool) -> Rank:
    if actual.const and not formal.const:
        return IMPOSSIBLE
    qualified = int(formal.const and not actual.const)
    if alike and _same_class(formal, actual) and formal.enumeration == actual.enumeration:
        return 0, 0, qualified
    if formal.name == "void" and formal.pointers + len(formal.dims) == 1:
        return CONVERSION[0], _TO_VOID, qualified
    distance = base_distance(types, formal, actual) if alike else None
    return IMPOSSIBLE if distance is None else (CONVERSION[0], distance, qualified)


def _of_values(types: TypeQueries, formal: Type, actual: Type) -> Rank:
    if formal.enumeration != actual.enumeration:
        return _of_enumeration(formal, actual)
    if formal.name == actual.name:
        if _same_class(formal, actual):
            return EXACT
    elif is_arithmetic(formal.name) and is_arithmetic(actual.name):
        widened = (actual.name, formal.name) == ("float", "double")
        narrow = promoted(actual.name) == formal.name
        return PROMOTION if widened or narrow else CONVERSION
    distance = base_distance(types, formal, actual)
    if distance is not None:
        return CONVERSION[0], distance, 0
    if is_arithmetic(formal.name):
        return _converted(types, formal, actual)
    return _constructed(types, formal, actual)


def _of_enumeration(formal: Type, actual: Type) -> Rank:
    """An enumeration promotes to the type under it, else to what that promotes to."""
    if formal.enumeration or not is_arithmetic(formal.name):
        return IMPOSSIBLE
    if formal.name == actual.name:
        return PROMOTION
    return (PROMOTION[0], 1, 0) if promoted(actual.name) == formal.name else CONVERSION


def _same_class(formal: Type, actual: Type) -> bool:
    if formal.name != actual.name:
        return False
    return not (formal.args and actual.args) or formal.args == actual.args


# ---- Classes


def base_distance(types: TypeQueries, base: Type, derived: Type, depth: int = 0) -> int | None:
    """How many steps a class derives from another; None where it does not."""
    if depth >= MAX_BASES_DEPTH or is_arithmetic(derived.name):
        return None
    inside = types.classes.scope_of(derived)
    found: int | None = None
    for parent in types.classes.bases_of(inside) if inside is not None else ():
        if last_component(parent.name) == last_component(base.name) and _same_arguments(
            base, parent
        ):
            return 1
        further = base_distance(types, base, parent, depth + 1)
        if further is not None and (found is None or further + 1 < found):
            found = further + 1
    return found


def _same_arguments(left: Type, right: Type) -> bool:
    return not (left.args and right.args) or left.args == right.args


def _derives_from(types: TypeQueries, formal: Type, actual: Type) -> bool:
    return base_distance(types, formal, actual) is not None


def _converted(types: TypeQueries, formal: Type, actual: Type) -> Rank:
    """A class that becomes a number by a conversion operator of its own."""
    inside = types.classes.scope_of(actual)
    if inside is None or inside.struct is None:
        return USER_DEFINED[0], _OF_LIBRARY, 0
    best: Rank = IMPOSSIBLE
    for _, struct in types.classes.hierarchy(actual):
        for method in struct.methods:
            if not method.name.startswith("operator ") or "explicit" in method.qualifiers:
                continue
            result = types.resolve(method.return_type, inside)
            if result.pointers or not is_arithmetic(result.name):
                continue
            best = min(best, (USER_DEFINED[0], _of_values(types, formal, result)[0], 0))
    return best


def _constructed(types: TypeQueries, formal: Type, actual: Type) -> Rank:
    """A value that becomes an object by a constructor."""
    if builtin_extent(formal.name) is not None and formal.name != "dim3":
        return IMPOSSIBLE
    inside = types.classes.scope_of(formal)
    if inside is None or inside.struct is None:
        return USER_DEFINED[0], _OF_LIBRARY, 0
    return USER_DEFINED if _has_converting(types, inside.struct, actual) else IMPOSSIBLE


def _has_converting(types: TypeQueries, struct: Struct, actual: Type) -> bool:
    return any(
        _converts(types, constructor, struct, actual)
        for constructor in types.symbols.find_methods(struct, struct.name)
    )


def _converts(types: TypeQueries, constructor: Function, struct: Struct, actual: Type) -> bool:
    params = constructor.params
    if "explicit" in constructor.qualifiers or not params:
        return False
    if any(parameter.init is None for parameter in params[1:]):
        return False
    formal = types.resolve(params[0].type)
    names = {
        parameter.name for parameter in (*struct.template_params, *constructor.template_params)
    }
    if mentions(formal, names):
        return True
    if is_arithmetic(formal.name) and not formal.pointers:
        plain = not (actual.pointers or actual.dims)
        return plain and is_arithmetic(actual.name)
    return _same_class(formal, actual) and formal.pointers == actual.pointers + len(actual.dims)


def mentions(type_: Type, names: AbstractSet[str]) -> bool:
    """Whether a type is made of one of these template parameters, so that they can be deduced."""
    if type_.name in names:
        return True
    return any(
        mentions(argument, names) if isinstance(argument, Type) else _is_name(argument, names)
        for argument in type_.args
    )


def _is_name(argument: object, names: AbstractSet[str]) -> bool:
    return getattr(argument, "name", None) in names

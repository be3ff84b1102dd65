"""``<type_traits>`` and similar: types computed from types, and predicates on types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from roofline_analysis.language.queries import TypeQueries
from roofline_analysis.language.scope import Number, Scope, as_number
from roofline_analysis.language.templates import TemplateArgument, same_type
from roofline_analysis.language.types import common_type, is_arithmetic, is_integer, is_unsigned
from roofline_core.program.types import Type

_STANDARD: Final = ("std::", "cuda::std::", "thrust::")

Arguments = tuple[TemplateArgument, ...]


def _first(args: Arguments) -> Type | None:
    return args[0] if args and isinstance(args[0], Type) else None


def _plain(type_: Type, *, pointers: int | None = None, const: bool = False) -> Type:
    levels = type_.pointers if pointers is None else pointers
    return Type(type_.name, type_.args, levels, const=const, dims=type_.dims)


def _conditional(args: Arguments) -> Type | None:
    chosen = as_number(args[0]) if len(args) == 3 else None
    if chosen is None:
        return None
    found = args[1] if chosen else args[2]
    return found if isinstance(found, Type) else None


def _enable_if(args: Arguments) -> Type | None:
    if not args or as_number(args[0]) in (0, None):
        return None
    if len(args) == 1:
        return Type("void")
    return args[1] if isinstance(args[1], Type) else None


def _common(args: Arguments) -> Type | None:
    types = [argument for argument in args if isinstance(argument, Type)]
    if not types or any(t.pointers or not is_arithmetic(t.name) for t in types):
        return types[0] if len(types) == 1 else None
    name = types[0].name
    for other in types[1:]:
        name = name if name == other.name else common_type(name, other.name)
    return Type(name)


def _of_one(change: Callable[[Type], Type]) -> Callable[[Arguments], Type | None]:
    def made(args: Arguments) -> Type | None:
        """The first argument changed; None unless it is a type."""
        first = _first(args)
        return change(first) if first is not None else None

    return made


def _signed(type_: Type) -> Type:
    if type_.name in ("char", "unsigned char"):
        return Type("signed char")
    return Type(type_.name.removeprefix("unsigned "))


def _unsigned(type_: Type) -> Type:
    name = type_.name.removeprefix("signed ")
    return type_ if is_unsigned(name) or not is_integer(name) else Type(f"unsigned {name}")


_TYPES: Final[Mapping[str, Callable[[Arguments], Type | None]]] = {
    "conditional": _conditional,
    "enable_if": _enable_if,
    "common_type": _common,
    "decay": _of_one(lambda t: _plain(t.pointee().pointer_to() if t.dims else t)),
    "remove_reference": _of_one(lambda t: _plain(t, const=t.const)),
    "remove_cv": _of_one(_plain),
    "remove_const": _of_one(_plain),
    "remove_volatile": _of_one(lambda t: _plain(t, const=t.const)),
    "remove_cvref": _of_one(_plain),
    "remove_pointer": _of_one(lambda t: t.pointee()),
    "remove_extent": _of_one(lambda t: t.pointee() if t.dims else t),
    "add_pointer": _of_one(lambda t: t.pointer_to()),
    "add_const": _of_one(lambda t: _plain(t, const=True)),
    "make_signed": _of_one(_signed),
    "make_unsigned": _of_one(_unsigned),
    "type_identity": _of_one(lambda t: t),
    "underlying_type": _of_one(lambda t: _plain(t, const=t.const)),
}
"""What ``std::name<...>::type`` and ``std::name_t<...>`` stand for."""


def _is(test: Callable[[Type], bool]) -> Callable[[Arguments], Number | None]:
    def answer(args: Arguments) -> Number | None:
        """1 or 0 for the first argument; None unless it is a type."""
        first = _first(args)
        return None if first is None else int(test(first))

    return answer


def _is_value(test: Callable[[str], bool]) -> Callable[[Arguments], Number | None]:
    return _is(lambda t: not (t.pointers or t.dims or t.enumeration) and test(t.name))


def _is_same(args: Arguments) -> Number | None:
    if len(args) != 2:
        return None
    left, right = args
    if not isinstance(left, Type) or not isinstance(right, Type):
        return None
    qualified = (left.const, left.reference, left.enumeration) == (
        right.const, right.reference, right.enumeration
    )  # fmt: skip
    return int(same_type(left, right) and qualified)


_STANDARD_FLOATS: Final = frozenset(("float", "double", "long double"))

_NUMBERS: Final[Mapping[str, Callable[[Arguments], Number | None]]] = {
    "is_same": _is_same,
    "is_integral": _is_value(is_integer),
    "is_floating_point": _is_value(lambda name: name in _STANDARD_FLOATS),
    "is_arithmetic": _is_value(lambda n: is_integer(n) or n in _STANDARD_FLOATS),
    "is_unsigned": _is_value(lambda name: is_integer(name) and is_unsigned(name)),
    "is_signed": _is_value(
        lambda n: n in _STANDARD_FLOATS or (is_integer(n) and not is_unsigned(n))
    ),
    "is_pointer": _is(lambda t: bool(t.pointers) and not t.dims),
    "is_array": _is(lambda t: bool(t.dims)),
    "is_reference": _is(lambda t: t.reference),
    "is_const": _is(lambda t: t.const and not t.pointers),
    "is_enum": _is(lambda t: bool(t.enumeration) and not t.pointers and not t.dims),
    "is_void": _is_value(lambda name: name == "void"),
}
"""What ``std::name<...>::value`` and ``std::name_v<...>`` are."""


def _standard(name: str) -> str | None:
    """The name in the standard library that this one may be."""
    for prefix in _STANDARD:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name if "::" not in name.removesuffix("::type").removesuffix("::value") else None


def type_of(types: TypeQueries, type_: Type, scope: Scope) -> Type | None:
    """The closed type that a trait gives: ``std::conditional_t<...>``; None for any other name."""
    name = _standard(type_.name)
    if name is None:
        return None
    given: Arguments
    if name.endswith("::type"):
        key, given = name.removesuffix("::type"), type_.scope_args or type_.args
    elif name.endswith("_t"):
        key, given = name.removesuffix("_t"), type_.args
    else:
        return None
    trait = _TYPES.get(key)
    if trait is None or types.symbols.find_struct(key) is not None:
        return None
    return trait(tuple(types.argument(argument, scope) for argument in given))


def number_of(
    types: TypeQueries, name: str, args: Arguments, scope_args: Arguments, scope: Scope
) -> Number | None:
    """What a trait says: ``std::is_same<T, U>::value``, ``is_same_v<T, U>``; else None."""
    short = _standard(name)
    if short is None:
        return None
    if short.endswith("::value"):
        key, given = short.removesuffix("::value"), scope_args
    elif short.endswith("_v"):
        key, given = short.removesuffix("_v"), args
    else:
        return None
    trait = _NUMBERS.get(key)
    if trait is None or types.symbols.find_struct(key) is not None:
        return None
    return trait(tuple(types.argument(argument, scope) for argument in given))

"""``std::numeric_limits`` in device code: constants of the compiler."""

from __future__ import annotations

from typing import Final

from roofline_lsp.analysis.device.values import Value, number
from roofline_lsp.analysis.device.walker import Walker
from roofline_lsp.analysis.layout import SIZES, is_float, is_integer
from roofline_lsp.kernel.expressions import Name
from roofline_lsp.kernel.types import Type

_LARGEST: Final = {"float": 3.4028234663852886e38, "double": 1.7976931348623157e308}
_SMALLEST: Final = {"float": 1.1754943508222875e-38, "double": 2.2250738585072014e-308}
_EPSILON: Final = {"float": 2.0**-23, "double": 2.0**-52}


def numeric_limit(walker: Walker, callee: Name) -> Value | None:
    """``std::numeric_limits<T>::max()`` and its kin; None for any other name."""
    owner, _, member = callee.name.rpartition("::")
    if owner.rsplit("::", 1)[-1] != "numeric_limits" or not callee.scope_args:
        return None
    argument = callee.scope_args[0]
    if not isinstance(argument, Type):
        return None
    type_ = walker.types.resolve(argument).name
    if is_integer(type_):
        return _integer_limit(type_, member)
    if not is_float(type_):
        return None
    largest = _LARGEST.get(type_)
    known = {
        "max": largest,
        "lowest": -largest if largest is not None else None,
        "min": _SMALLEST.get(type_),
        "epsilon": _EPSILON.get(type_),
    }.get(member)
    return number(known, type_) if known is not None else Value(type_, None)


def _integer_limit(type_: str, member: str) -> Value | None:
    bits = 8 * SIZES[type_]
    unsigned = type_.startswith("unsigned") or type_ == "bool"
    if member == "max":
        return number((1 << (bits - (not unsigned))) - 1, type_)
    if member in ("min", "lowest"):
        return number(0 if unsigned else -(1 << (bits - 1)), type_)
    return None

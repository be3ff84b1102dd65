"""Constants of C and C++ headers and of ``std::numeric_limits``, with the compilers' values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_analysis.language.scope import Number
from roofline_analysis.language.types import is_float, promoted, value_range

_LARGEST: Final = {
    "float": 3.4028234663852886e38,
    "double": 1.7976931348623157e308,
    "half": 65504.0,
    "bfloat16": 3.3895313892515355e38,
}
_SMALLEST: Final = {
    "float": 1.1754943508222875e-38,
    "double": 2.2250738585072014e-308,
    "half": 6.103515625e-05,
    "bfloat16": 1.1754943508222875e-38,
}
_EPSILON: Final = {
    "float": 2.0**-23,
    "double": 2.0**-52,
    "half": 2.0**-10,
    "bfloat16": 2.0**-7,
}
_DIGITS: Final = {"float": 24, "double": 53, "half": 11, "bfloat16": 8}


def numeric_limit(type_name: str, member: str) -> Number | None:
    """``std::numeric_limits<T>::member`` of a canonical arithmetic type; None if not known."""
    limits = value_range(type_name)
    if limits is not None:
        low, high = limits
        signed = low < 0
        return {
            "max": high,
            "min": low,
            "lowest": low,
            "digits": high.bit_length(),
            "is_signed": int(signed),
            "is_integer": 1,
            "is_specialized": 1,
            "epsilon": 0,
        }.get(member)
    if not is_float(type_name) or type_name not in _LARGEST:
        return None
    return {
        "max": _LARGEST[type_name],
        "lowest": -_LARGEST[type_name],
        "min": _SMALLEST[type_name],
        "epsilon": _EPSILON[type_name],
        "infinity": float("inf"),
        "digits": _DIGITS[type_name],
        "is_signed": 1,
        "is_integer": 0,
        "is_specialized": 1,
    }.get(member)


_LIMITS: Final[Mapping[str, str]] = {
    "CHAR": "char",
    "SCHAR": "signed char",
    "UCHAR": "unsigned char",
    "SHRT": "short",
    "USHRT": "unsigned short",
    "INT": "int",
    "UINT": "unsigned int",
    "LONG": "long",
    "ULONG": "unsigned long",
    "LLONG": "long long",
    "ULLONG": "unsigned long long",
    "INT8": "signed char",
    "UINT8": "unsigned char",
    "INT16": "short",
    "UINT16": "unsigned short",
    "INT32": "int",
    "UINT32": "unsigned int",
    "INT64": "long",
    "UINT64": "unsigned long",
    "SIZE": "unsigned long",
}
"""The integral types whose limits ``<climits>`` and ``<cstdint>`` name."""


def _integer_limits() -> dict[str, tuple[Number, str]]:
    """Limits with their types: macros are expressions, so narrow ones are ``int``."""
    found: dict[str, tuple[Number, str]] = {}
    for prefix, name in _LIMITS.items():
        limits = value_range(name)
        assert limits is not None
        found[f"{prefix}_MAX"] = limits[1], promoted(name)
        if limits[0] < 0:
            found[f"{prefix}_MIN"] = limits[0], promoted(name)
    return found


HEADER_CONSTANTS: Final[Mapping[str, tuple[Number, str]]] = {
    **_integer_limits(),
    "CHAR_BIT": (8, "int"),
    "FLT_MAX": (_LARGEST["float"], "float"),
    "FLT_MIN": (_SMALLEST["float"], "float"),
    "FLT_EPSILON": (_EPSILON["float"], "float"),
    "DBL_MAX": (_LARGEST["double"], "double"),
    "DBL_MIN": (_SMALLEST["double"], "double"),
    "DBL_EPSILON": (_EPSILON["double"], "double"),
    "HUGE_VAL": (_LARGEST["double"], "double"),
    "M_PI": (3.141592653589793, "double"),
    "M_PI_2": (1.5707963267948966, "double"),
    "M_PI_4": (0.7853981633974483, "double"),
    "M_1_PI": (0.3183098861837907, "double"),
    "M_2_PI": (0.6366197723675814, "double"),
    "M_E": (2.718281828459045, "double"),
    "M_LN2": (0.6931471805599453, "double"),
    "M_LN10": (2.302585092994046, "double"),
    "M_LOG2E": (1.4426950408889634, "double"),
    "M_LOG10E": (0.4342944819032518, "double"),
    "M_SQRT2": (1.4142135623730951, "double"),
    "M_SQRT1_2": (0.7071067811865476, "double"),
    "CUDART_PI_F": (3.1415927410125732, "float"),
    "CUDART_PI": (3.141592653589793, "double"),
    "RAND_MAX": (2**31 - 1, "int"),
}
"""Value and type by name (``<climits>``, ``<cstdint>``, ``<cfloat>``, ``<cmath>``)."""

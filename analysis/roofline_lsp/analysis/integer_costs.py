"""What integer operations become in machine code, in instructions.

The figures are those of SASS for compute capability 8.6; ``data/expansions.toml`` says how the
larger ones were measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from roofline_lsp.analysis.device.values import Value

INTEGER_COSTS: Final[Mapping[str, float]] = {
    "address wide": 1.0,  # IMAD.WIDE of a 32-bit index on a 64-bit base
    "address": 1.0,  # LEA or IMAD in the 32-bit shared window
    "address step wide": 2.0,  # IADD3 and IADD3.X
    "address step": 1.0,
    "loop": 2.0,  # IADD3 and ISETP
}

_WIDE: Final = frozenset(("long", "unsigned long", "long long", "unsigned long long"))


def is_wide(type_name: str) -> bool:
    """Whether arithmetic on this type takes two registers."""
    return type_name in _WIDE


_SIMPLE: Final[Mapping[str, tuple[float, float]]] = {
    # operation: 32-bit, 64-bit
    "+": (1, 2),
    "-": (1, 2),
    "*": (1, 3),
    "<<": (1, 2),
    ">>": (1, 2),
    "&": (1, 2),
    "|": (1, 2),
    "^": (1, 2),
    "~": (1, 2),
    "negate": (1, 2),
    "compare": (1, 2),
    "min": (1, 3),
    "max": (1, 3),
    "abs": (1, 3),
    "select": (1, 2),
    "not": (0, 0),
    "and": (0, 0),
    "or": (0, 0),
    "extend": (0, 1),
    "narrow": (0, 0),
    "address": (1, 1),
}

_DIVISION: Final[Mapping[tuple[str, bool], tuple[float, float, float]]] = {
    # (type, remainder): by a run-time value, by a power of two, by another constant
    ("int", False): (22, 3, 3),
    ("int", True): (21, 3, 4),
    ("unsigned int", False): (16, 1, 2),
    ("unsigned int", True): (15, 1, 3),
    ("long", False): (75, 5, 18),
    ("long", True): (75, 5, 20),
    ("unsigned long", False): (68, 2, 16),
    ("unsigned long", True): (68, 2, 18),
}


def integer_cost(operation: str, type_name: str, operands: Sequence[Value]) -> float:
    """Instructions of one integer operation on operands that are in registers."""
    if operation in ("/", "%"):
        return _division_cost(operation, type_name, operands)
    narrow, wide = _SIMPLE.get(operation, (1, 2))
    if operation == "compare" and operands:
        return wide if any(is_wide(o.type) for o in operands) else narrow
    if operation == "*" and any(_power_of_two(o) for o in operands):
        narrow, wide = 1, 2
    return wide if is_wide(type_name) else narrow


def _power_of_two(value: Value) -> bool:
    known = value.constant
    return isinstance(known, int) and known > 0 and known & (known - 1) == 0


def _division_cost(operation: str, type_name: str, operands: Sequence[Value]) -> float:
    wide = is_wide(type_name)
    unsigned = type_name.startswith("unsigned")
    name = ("unsigned " if unsigned else "") + ("long" if wide else "int")
    variable, power, other = _DIVISION[name, operation == "%"]
    divisor = operands[1] if len(operands) > 1 else None
    if divisor is None or divisor.constant is None:
        return variable
    return power if _power_of_two(divisor) else other

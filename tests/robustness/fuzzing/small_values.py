"""Literals, constant expressions and conditions of ``#if``, held to arithmetic of another make.

The other make is NumPy's for integers and floats, which wrap and round as C++'s do on the machines
that it runs on, and Python's own integers for conditions.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from roofline_analysis.language.constant_expressions import evaluate
from roofline_analysis.language.scope import NO_NAMES
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_core.program.units import Program
from roofline_parsers.cuda.literals import parse_number
from roofline_parsers.preprocess import conditions

from .guard import FaultError

KINDS: Final[dict[str, Any]] = {
    "bool": np.bool_,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned int": np.uint32,
    "long": np.int64,
    "unsigned long": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
NAMES: Final = {np.dtype(kind): name for name, kind in KINDS.items()}
RANKS: Final = ("int", "unsigned int", "long", "unsigned long", "float", "double")
ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_,
    "|": operator.or_, "^": operator.xor,
}  # fmt: skip
COMPARING: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
OPERATORS: Final = (*ARITHMETIC, *COMPARING, "/", "%", "<<", ">>", "&&", "||")
EDGES: Final = (0, 1, 2, 3, 7, 31, 32, 63, 64, 127, 255, 1 << 15, (1 << 31) - 1, 1 << 31, 1 << 40)


class UndefinedError(Exception):
    """C++ does not say what an expression is: the analyser may say what it likes."""


# ---- Constant expressions


class Typed:
    """Makes expressions of literals and computes them by NumPy."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def expression(self, depth: int) -> ex.Expression:
        """Literals, casts, operators."""
        chance = self._chance
        choice = chance.random() if depth else 0.0
        if choice < 0.15:
            return self._literal()
        if choice < 0.3:
            kind = Type(chance.choice(tuple(KINDS)))
            return ex.Cast(0, kind, self.expression(depth - 1))
        if choice < 0.4:
            return ex.Unary(0, chance.choice("-+~!"), self.expression(depth - 1))
        if choice < 0.47:
            return ex.Conditional(0, *(self.expression(depth - 1) for _ in range(3)))
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        return ex.Binary(0, chance.choice(OPERATORS), left, right)

    def _literal(self) -> ex.Expression:
        kind = self._chance.choice(RANKS)
        if kind in ("float", "double"):
            value = self._chance.choice((0.0, 0.5, 1.0, 1.5, 3e9, 1e20, 1e-40, 1 / 3, 16777217.0))
            return ex.Literal(0, float(KINDS[kind](value)), kind)
        most = int(np.iinfo(KINDS[kind]).max)
        value = self._chance.choice((*EDGES, most, most - 1, self._chance.randint(0, most)))
        return ex.Literal(0, min(value, most), kind)


def computed(node: ex.Expression) -> Any:
    """The value as a NumPy scalar, whose type is the expression's. Raises UndefinedError."""
    match node:
        case ex.Literal():
            return KINDS[node.type_name](node.value)
        case ex.Cast():
            return converted(computed(node.operand), KINDS[node.type.name])
        case ex.Unary():
            return _unary(node.op, computed(node.operand))
        case ex.Conditional():
            chosen, other = node.then, node.otherwise
            taken = computed(chosen if computed(node.condition) else other)
            # The other operand decides the type, even where it has no value.
            return converted(taken, common(_type(chosen), _type(other)))
        case ex.Binary():
            return _binary(node)
    raise AssertionError(node)


def _type(node: ex.Expression) -> Any:
    match node:
        case ex.Literal():
            return KINDS[node.type_name]
        case ex.Cast():
            return KINDS[node.type.name]
        case ex.Unary():
            return np.bool_ if node.op == "!" else promoted(_type(node.operand))
        case ex.Conditional():
            return common(_type(node.then), _type(node.otherwise))
        case ex.Binary(op=op):
            if op in COMPARING or op in ("&&", "||"):
                return np.bool_
            left = promoted(_type(node.left))
            return left if op in ("<<", ">>") else common(left, _type(node.right))
    raise AssertionError(node)


def promoted(kind: Any) -> Any:
    """The type after integral promotion."""
    return kind if NAMES[np.dtype(kind)] in RANKS else np.int32


def common(left: Any, right: Any) -> Any:
    """The usual arithmetic conversions."""
    if left is right:
        return left
    names = (NAMES[np.dtype(promoted(left))], NAMES[np.dtype(promoted(right))])
    return KINDS[max(names, key=RANKS.index)]


def converted(value: Any, kind: Any) -> Any:
    """A conversion; of a floating value that an integral type cannot hold C++ says nothing."""
    if kind is np.bool_:
        return np.bool_(value != 0)
    if isinstance(value, np.floating) and np.issubdtype(kind, np.integer):
        limits = np.iinfo(kind)
        if not math.isfinite(value) or not limits.min <= int(value) <= limits.max:
            raise UndefinedError
        return kind(int(value))
    return np.asarray(value).astype(kind)[()]


def _unary(op: str, value: Any) -> Any:
    if op == "!":
        return np.bool_(not value)
    value = converted(value, promoted(type(value)))
    if op == "~":
        if isinstance(value, np.floating):
            raise UndefinedError
        return ~value
    if op == "-":
        _defined(-int(value) if isinstance(value, np.signedinteger) else 0, type(value))
        return -value
    return value


def _binary(node: ex.Binary) -> Any:
    op, left = node.op, computed(node.left)
    if op in ("&&", "||"):
        if bool(left) == (op == "||"):
            return np.bool_(left)
        return np.bool_(computed(node.right))
    right = computed(node.right)
    kind = common(promoted(type(left)), promoted(type(right)))
    if op in ("<<", ">>"):
        return _shifted(op, converted(left, promoted(type(left))), right)
    left, right = converted(left, kind), converted(right, kind)
    if op in COMPARING:
        return np.bool_(COMPARING[op](left, right))
    if np.issubdtype(kind, np.floating):
        return _floating(op, left, right)
    if op in ("/", "%"):
        if not right:
            raise UndefinedError
        quotient = abs(int(left)) // abs(int(right))
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        exact = quotient if op == "/" else int(left) - quotient * int(right)
        _defined(quotient, kind)
        return kind(exact)
    _defined(ARITHMETIC[op](int(left), int(right)), kind)
    return ARITHMETIC[op](left, right)


def _floating(op: str, left: Any, right: Any) -> Any:
    if op not in ("+", "-", "*", "/") or (op == "/" and not right):
        raise UndefinedError
    result = left / right if op == "/" else ARITHMETIC[op](left, right)
    if math.isnan(result):
        raise UndefinedError
    return result


def _shifted(op: str, left: Any, right: Any) -> Any:
    if not isinstance(left, np.integer) or isinstance(right, np.floating):
        raise UndefinedError
    if not 0 <= int(right) < left.dtype.itemsize * 8:
        raise UndefinedError
    moved = int(left) << int(right) if op == "<<" else int(left) >> int(right)
    return np.asarray(moved & ((1 << 64) - 1), np.uint64).astype(left.dtype)[()]


def _defined(exact: int, kind: Any) -> None:
    if np.issubdtype(kind, np.signedinteger):
        limits = np.iinfo(kind)
        if not limits.min <= exact <= limits.max:
            raise UndefinedError


def spelled(node: ex.Expression) -> str:
    """An expression as C++ writes it."""
    match node:
        case ex.Literal():
            return f"({node.type_name}){node.value!r}"
        case ex.Cast():
            return f"({node.type.name})({spelled(node.operand)})"
        case ex.Unary():
            return f"{node.op}({spelled(node.operand)})"
        case ex.Conditional():
            parts = (node.condition, node.then, node.otherwise)
            return "(({}) ? ({}) : ({}))".format(*map(spelled, parts))
        case ex.Binary():
            return f"({spelled(node.left)}) {node.op} ({spelled(node.right)})"
    raise AssertionError(node)


_TYPES: Final = TypeSystem(Symbols(Program(())))


def check_expression(node: ex.Expression) -> None:
    """Raise FaultError where an expression has another value or type than C++ says."""
    found = evaluate(_TYPES, node, NO_NAMES)
    try:
        with np.errstate(all="ignore"):
            wanted = computed(node)
    except UndefinedError:
        return
    if found is None:
        raise FaultError(f"no value of {spelled(node)}, which is {wanted!r}")
    kind = KINDS.get(found[1])
    if kind is None or np.dtype(kind) != wanted.dtype or not kind(found[0]) == wanted:
        raise FaultError(f"{spelled(node)} is {found}, not {wanted!r}")


# ---- Conditions of #if


def condition(chance: random.Random, depth: int) -> tuple[str, tuple[int, bool] | None]:
    """A condition, and its number with whether it is unsigned; None where it has none."""
    if not depth or chance.random() < 0.15:
        most = chance.choice((*EDGES, 1 << 63, (1 << 64) - 1, chance.randint(0, (1 << 64) - 1)))
        number = f"{most:#x}" if most >> 63 or chance.random() < 0.3 else str(most)
        unsigned = most >> 63 != 0 or chance.random() < 0.3
        suffix = chance.choice("uU") if unsigned and not most >> 63 else chance.choice(("", "L"))
        return number + suffix, _wide(most, unsigned)
    if chance.random() < 0.2:
        sign = chance.choice("-+~!")
        text, value = condition(chance, depth - 1)
        return f"{sign}({text})", None if value is None else _signed(sign, *value)
    if chance.random() < 0.1:
        parts = [condition(chance, depth - 1) for _ in range(3)]
        return "(({}) ? ({}) : ({}))".format(*(text for text, _ in parts)), _chosen(parts)
    sign = chance.choice(OPERATORS)
    (left, one), (right, other) = condition(chance, depth - 1), condition(chance, depth - 1)
    return f"(({left}) {sign} ({right}))", _operated(sign, one, other)


def _wide(number: int, unsigned: bool) -> tuple[int, bool]:
    kind = np.uint64 if unsigned else np.int64
    return int(np.asarray(number & ((1 << 64) - 1), np.uint64).astype(kind)), unsigned


def _signed(sign: str, number: int, unsigned: bool) -> tuple[int, bool]:
    if sign == "!":
        return int(not number), False
    return _wide({"-": -number, "+": number, "~": ~number}[sign], unsigned)


def _chosen(parts: list[tuple[str, tuple[int, bool] | None]]) -> tuple[int, bool] | None:
    decides, then, otherwise = (value for _, value in parts)
    if decides is None or then is None or otherwise is None:
        return None
    return _wide((then if decides[0] else otherwise)[0], then[1] or otherwise[1])


def _operated(
    sign: str, one: tuple[int, bool] | None, other: tuple[int, bool] | None
) -> tuple[int, bool] | None:
    if one is None or other is None:
        return None
    if sign in ("&&", "||"):
        return int((one[0] and other[0]) if sign == "&&" else (one[0] or other[0])) and 1, False
    if sign in ("<<", ">>"):
        if not 0 <= other[0] < 64:
            return None
        return _wide(one[0] << other[0] if sign == "<<" else one[0] >> other[0], one[1])
    unsigned = one[1] or other[1]
    (a, _), (b, _) = _wide(one[0], unsigned), _wide(other[0], unsigned)
    if sign in COMPARING:
        return int(COMPARING[sign](a, b)), False
    if sign not in ("/", "%"):
        return _wide(ARITHMETIC[sign](a, b), unsigned)
    if not b:
        return None
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return _wide(quotient if sign == "/" else a - quotient * b, unsigned)


def check_condition(text: str, wanted: tuple[int, bool] | None) -> None:
    """Raise FaultError where a condition has another value; where it has none it may be refused."""
    try:
        found = conditions.evaluate(text.encode())
    except conditions.ConditionError as error:
        if wanted is None or "nests too deeply" in str(error):
            return
        raise FaultError(f"{text} is refused: {error}") from None
    if wanted is not None and found != wanted[0]:
        raise FaultError(f"{text} is {found}, not {wanted[0]}")


# ---- Literals


def literal(chance: random.Random) -> tuple[str, tuple[int | float, str] | None]:
    """A number as C++ spells it, with its value and type; None where it is none or any text."""
    if chance.random() < 0.3:
        letters = "0123456789abcdefxXpPuUlLzZ.+-eE'_hHbB"
        return "".join(chance.choices(letters, k=chance.randint(1, 24))), None
    if chance.random() < 0.4:
        return _float_literal(chance)
    value = chance.choice((*EDGES, chance.getrandbits(chance.randint(1, 70))))
    base = chance.choice(("", "0x", "0X", "0b", "0"))
    suffix = chance.choice(("", "u", "U", "l", "ul", "LU", "ll", "LLu"))
    digits = {"": f"{value}", "0": f"0{value:o}"}.get(base) or (
        f"{base}{value:b}" if base == "0b" else f"{base}{value:x}"
    )
    if len(digits) > 4 and chance.random() < 0.3:
        digits = f"{digits[:3]}'{digits[3:]}"
    kind = _integer_kind(value, base == "", suffix.lower())
    return digits + suffix, None if kind is None else (value, kind)


def _integer_kind(value: int, decimal: bool, suffix: str) -> str | None:
    """The first type of the standard's table that holds the value."""
    least = {0: "int", 1: "long", 2: "long long"}[suffix.count("l")]
    for width, name in ((32, "int"), (64, "long"), (64, "long long")):
        if ("int", "long", "long long").index(name) < ("int", "long", "long long").index(least):
            continue
        if "u" not in suffix and value < 1 << (width - 1):
            return name
        if ("u" in suffix or not decimal) and value < 1 << width:
            return f"unsigned {name}"
    return None


def _float_literal(chance: random.Random) -> tuple[str, tuple[int | float, str] | None]:
    whole, part = chance.randint(0, 10**6), chance.randint(0, 999)
    power = chance.choice(("", "e5", "E-7", "e+0", "e308", "e-330"))
    digits = chance.choice((f"{whole}.{part}{power}", f"{whole}.{power}", f".{part}{power}"))
    kinds = {"": "double", "f": "float", "F": "float", "l": "long double"}
    suffix = chance.choice(tuple(kinds))
    return digits + suffix, (float(digits), kinds[suffix])


def check_literal(text: str, wanted: tuple[int | float, str] | None) -> None:
    """Raise FaultError where a literal has another value or type."""
    found = parse_number(text)
    if wanted is not None and found != wanted:
        raise FaultError(f"{text} is {found}, not {wanted}")

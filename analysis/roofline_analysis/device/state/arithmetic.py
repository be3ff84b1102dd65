"""Operators on device values: types, numbers and the work they cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from roofline_analysis.device.costs.integer_costs import is_wide
from roofline_analysis.device.state.chosen_numbers import chosen_number
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.fast_division import fast_quotient
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.recorded_operations import (
    charges_of,
    made_operation,
    rests_on_data,
)
from roofline_analysis.device.state.single_precision import in_single
from roofline_analysis.device.values import Value, number
from roofline_analysis.language.arithmetic import fold
from roofline_analysis.language.types import (
    common_type,
    is_float,
    is_integer,
    precision_of,
    promoted,
    wrapped,
)
from roofline_analysis.regions.conditions import is_fixed
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, apply
from roofline_core.program.precision import Precision

COMPARISONS: Final = frozenset(("==", "!=", "<", "<=", ">", ">="))
MAX_SIZE: Final = 96
"""The largest expression, by ``Expr.size``, that is kept; a larger one becomes unknown."""
_LONGEST_ESTIMATE: Final = 96
"""The largest expression, by ``Expr.size``, that estimates a float. A limit on the work."""
_LONGEST_FACTOR: Final = 32
"""The largest expression that is kept as a factor of an unknown number. A limit on the work."""
_MAX_WRITTEN: Final = 1000
"""The same with the contents of ``whole`` operations, which bounds walks over all paths."""

_INTEGER: Final[Mapping[str, Callable[[Expr, Expr], Expr]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: apply("div", a, b),
    "%": lambda a, b: apply("mod", a, b),
    "<<": lambda a, b: apply("shl", a, b),
    ">>": lambda a, b: apply("shr", a, b),
    "&": lambda a, b: apply("and", a, b),
    "|": lambda a, b: apply("or", a, b),
    "^": lambda a, b: apply("xor", a, b),
    "<": lambda a, b: apply("lt", a - b),
    ">": lambda a, b: apply("lt", b - a),
    "<=": lambda a, b: apply("le", a - b),
    ">=": lambda a, b: apply("le", b - a),
    "==": lambda a, b: apply("eq", a - b),
    "!=": lambda a, b: apply("ne", a - b),
    "&&": lambda a, b: apply("land", a, b),
    "||": lambda a, b: apply("lor", a, b),
}
_FLOAT: Final[Mapping[str, Callable[[Expr, Expr], Expr]]] = {
    **{op: _INTEGER[op] for op in ("+", "-", "*", *COMPARISONS)},
    "/": lambda a, b: apply("fdiv", a, b),
}


def _numeric(
    table: Mapping[str, Callable[[Expr, Expr], Expr]], op: str, a: Value, b: Value
) -> Expr | None:
    rule = table.get(op)
    if rule is None or a.expr is None or b.expr is None:
        return None
    if op in ("/", "%") and b.constant == 0:
        return None
    left, right = shortened(a.expr), shortened(b.expr)
    return rule(left, right) if left is not None and right is not None else None


def _estimate(interpreter: DeviceInterpreter, op: str, a: Value, b: Value) -> Expr | None:
    """The result by exact arithmetic; None if the expression is too long.

    Of a product with an unknown number at least that is known which is 0 where the other one is.
    """
    left, right = a.nearly, b.nearly
    size = 0 if left is None or right is None else left.size + right.size
    vague = any(each is not None and _is_vague(each) for each in (left, right))
    merged = vague and op in ("*", "/") and not (_tells_more(left) and _tells_more(right))
    if left is None or right is None or size > _LONGEST_ESTIMATE or merged:
        return _factor(interpreter, (left, right) if op == "*" else (left,), op)
    if vague and size > _LONGEST_FACTOR:
        return None
    return _FLOAT[op](left, right) if op in _FLOAT and (op != "/" or right.terms) else None


def _factor(interpreter: DeviceInterpreter, parts: Sequence[Expr | None], op: str) -> Expr | None:
    """A product with an unknown number, by what makes it 0; None where nothing is known to."""
    if op not in ("*", "/"):
        return None
    known = [
        each
        for each in parts
        if each is not None and each.size <= _LONGEST_FACTOR and rests_on_data(each)
    ]
    if not known:
        return None
    kept = min(known, key=lambda each: each.size)
    if len(known) > 1 and (both := known[0] * known[1]).size <= _LONGEST_FACTOR:
        kept = both
    unknown = [symbol for symbol in kept.symbols() if symbol.scope is SymbolScope.UNKNOWN]
    made = kept.substitute({symbol: interpreter.unknown_factor() for symbol in unknown})
    return made * interpreter.unknown_factor() if _tells_more(kept) else made


def _is_vague(number: Expr) -> bool:
    """Whether nothing is known of a part of a number."""
    return any(symbol.scope is SymbolScope.UNKNOWN for symbol in number.symbols())


def _tells_more(number: Expr | None) -> bool:
    """Whether a number is more than products with unknown ones: ``a + b * ?`` may be ``a``."""
    return number is None or any(
        all(atom.scope is not SymbolScope.UNKNOWN for atom in monomial if isinstance(atom, Symbol))
        for monomial in number.terms
    )


def shortened(expr: Expr, longest: int = MAX_SIZE) -> Expr | None:
    """The expression, wrapped in ``whole`` if long; None if too long or dependent on data."""
    if expr.size <= longest:
        return expr
    return apply("whole", expr) if is_fixed(expr) and expr.written <= _MAX_WRITTEN else None


def binary(interpreter: DeviceInterpreter, op: str, left: Value, right: Value) -> Value:
    """``left op right`` by C++'s conversions."""
    if op in ("&&", "||"):
        return _logical(interpreter, op, left, right)
    shift = op in ("<<", ">>")
    type_ = promoted(left.type) if shift else common_type(left.type, right.type)
    if is_float(type_) or precision_of(type_) is Precision.HP:
        return _float_binary(
            interpreter,
            op,
            convert(interpreter, left, type_),
            convert(interpreter, right, type_),
            type_,
        )
    if not is_integer(type_):
        keep(interpreter, left, right)
        return Value(type_, None, left.varies | right.varies)
    return _integer_binary(interpreter, op, left, right, type_)


def _integer_binary(
    interpreter: DeviceInterpreter, op: str, left: Value, right: Value, type_: str
) -> Value:
    varies = left.varies | right.varies
    compared = op in COMPARISONS
    result_type = "bool" if compared else type_
    folded = _folded(op, left, right, type_)
    if folded is not None:
        return number(folded, result_type)
    expr = _numeric(_INTEGER, op, left, right)
    if op == ">>" and left.expr is not None and right.expr is not None:
        expr = fast_quotient(interpreter, left.expr, right.expr) or expr
    if expr is None:
        expr = interpreter.fresh(op, SymbolScope.DATA)
    known = expr.constant
    if known is not None:
        return number(wrapped(known, result_type), result_type)
    if not compared:
        left, right = convert(interpreter, left, type_), convert(interpreter, right, type_)
        if op in ("<<", ">>"):
            right = convert(interpreter, right, "int")
    for operand in (left, right):
        if operand.type == result_type and operand.expr == expr:
            return operand
    if compared:
        op = "equal" if op in ("==", "!=") else "compare"
    return Value(result_type, expr, varies, (op, (left, right)))


def _folded(op: str, left: Value, right: Value, type_: str) -> int | float | None:
    """The number that two constants give in a type; None where one is unknown or it is none."""
    if left.expr is None or right.expr is None:
        return None
    a, b = left.expr.constant, right.expr.constant
    return None if a is None or b is None else fold(op, a, b, type_)


def _logical(interpreter: DeviceInterpreter, op: str, left: Value, right: Value) -> Value:
    a, b = truth(interpreter, left), truth(interpreter, right)
    expr = None if a.expr is None or b.expr is None else _INTEGER[op](a.expr, b.expr)
    if expr is None:
        for one, other in ((a, b), (b, a)):
            if one.constant is not None:
                decisive = bool(one.constant) == (op == "||")
                return number(int(op == "||"), "bool") if decisive else other
    return Value("bool", expr, a.varies | b.varies, ("and" if op == "&&" else "or", (a, b)))


def truth(interpreter: DeviceInterpreter, value: Value) -> Value:
    """The value as a condition."""
    if value.type == "bool" or (value.node is not None and value.node[0] in ("compare", "equal")):
        return value
    if value.node is not None and value.node[0] == "from bool":
        return value.node[1][0]
    if value.expr is None:
        if value.estimate is None:
            return Value("bool", None, value.varies, ("equal", (value,)))
        made = interpreter.fresh("!=", SymbolScope.DATA)
        interpreter.means(made, apply("ne", value.estimate))
        return Value("bool", made, value.varies, ("equal", (value,)))
    if value.constant is not None:
        return number(int(bool(value.constant)), "bool")
    return Value("bool", apply("ne", value.expr), value.varies, ("equal", (value,)))


_SYMMETRIC: Final = ("+", "*")


def _float_binary(
    interpreter: DeviceInterpreter, op: str, left: Value, right: Value, type_: str
) -> Value:
    varies = left.varies | right.varies
    folded = _folded(op, left, right, type_)
    if folded is not None:
        return number(folded, "bool" if op in COMPARISONS else type_)
    expr = _numeric(_FLOAT, op, left, right)
    if expr is not None and expr.constant is not None:
        return number(expr.constant, "bool" if op in COMPARISONS else type_)
    chosen = chosen_number(op, left.expr, right.expr, type_)
    if chosen is not None and op not in COMPARISONS:
        return Value(type_, chosen, varies)
    costs = interpreter.costs
    if op == "+":
        for zero, other in ((left, right), (right, left)):
            if zero.constant == 0 and other.never_minus_zero and other.type == type_:
                return other
    operands = (left.key(), right.key())
    # a + b and b + a round alike: one number serves both.
    key = ("float", op, frozenset(operands) if op in _SYMMETRIC else operands, type_)
    home = costs.home(varies)
    found = costs.find(key, home)
    if isinstance(found, Value):
        return found
    if op in COMPARISONS:
        costs.need(left)
        costs.need(right)
        if "double" in (left.type, right.type):
            costs.charge(Work.DP_TESTS, 1.0, varies)
        if expr is None:
            expr = interpreter.fresh(op, SymbolScope.DATA)
            interpreter.means(expr, _estimate(interpreter, op, left, right))
        result = Value("bool", expr, varies)
    else:
        estimate = _estimate(interpreter, op, left, right) if expr is None else None
        made = made_operation(interpreter, op, type_, left, right)
        result = Value(type_, expr, varies, None, made, estimate)
        result.single = in_single(op, left, right)
        if costs.compiler.follows_zeros:
            result.never_minus_zero = _never_minus_zero(op, left, right)
    home.available[key] = result
    return result


def _never_minus_zero(op: str, left: Value, right: Value) -> bool:
    """Whether the result of an operation on floating-point numbers cannot be -0."""
    if op == "*":
        return left.key() == right.key()
    if op == "-":
        return _is_not_minus_zero(left) or bool(right.constant)
    return op == "+" and (_is_not_minus_zero(left) or _is_not_minus_zero(right))


def _is_not_minus_zero(value: Value) -> bool:
    known = value.constant
    if known is None:
        return value.never_minus_zero
    return bool(known) or math.copysign(1.0, known) > 0


def convert(interpreter: DeviceInterpreter, value: Value, type_: str) -> Value:
    """The value in another arithmetic type."""
    if value.type == type_ or not (is_float(type_) or is_integer(type_)):
        return value
    known = value.constant
    if known is not None:
        if is_integer(type_):
            return number(wrapped(known, type_), type_) if -(2**64) < known < 2**64 else value
        return number(wrapped(float(known), type_) if is_float(type_) else known, type_)
    if is_integer(value.type) and is_integer(type_):
        return _resized(interpreter, value, type_)
    costs = interpreter.costs
    if type_ == "float" and value.single is not None:
        op, (first, *others) = value.single
        return _float_binary(interpreter, op, first, others[0], type_) if others else first
    counted = is_integer(value.type) or is_integer(type_)
    if counted:
        costs.need(value)
    expr = value.expr
    if expr is not None and is_integer(type_):
        expr = apply("trunc", expr)
    if expr is None and is_integer(type_):
        expr = interpreter.fresh("int", SymbolScope.DATA)
        interpreter.means(
            expr, apply("trunc", value.estimate) if value.estimate is not None else None
        )
    key = ("convert", type_, value.key())
    home = costs.home(value.varies)
    found = costs.find(key, home)
    if isinstance(found, Value):
        return found
    cost = costs.compiler.conversion_cost(value.type, type_)
    charges = ((Work.CONVERSION, 1.0),) if cost is None else charges_of(cost)
    result = Value(type_, expr, value.varies)
    if (value.type, type_) == ("float", "double"):
        result.single = "float", (value,)
    made = costs.note((value,), charges, value.varies, needs=(value,))
    interpreter.byte_vectors.charge(costs, value)
    if is_integer(type_):
        costs.operations.keep(made, costs.region)
    else:
        result.made = made
        result.estimate = value.estimate
        result.never_minus_zero = is_integer(value.type) or value.never_minus_zero
    home.available[key] = result
    return result


_LOW_PARTS: Final = frozenset(("+", "-", "*", "<<", "&", "|", "^", "~", "negate"))
"""Operations whose lower result half depends only on the operands' lower halves."""
_MAX_NARROWED: Final = 3
"""Operations within one another that are narrowed to their lower halves. A limit on the work."""


def _resized(interpreter: DeviceInterpreter, value: Value, type_: str, depth: int = 0) -> Value:
    """An integer in another integer type."""
    node = value.node
    if value.type == "bool" and type_ != "bool" and value.constant is None:
        interpreter.costs.need(value)
        return Value(type_, value.expr, value.varies, ("from bool", (value,)))
    wider, narrower = is_wide(type_), is_wide(value.type)
    if wider and not narrower and value.constant is None:
        return Value(type_, value.expr, value.varies, ("extend", (value,)))
    if node is None:
        return Value(type_, value.expr, value.varies)
    operation, operands = node
    if narrower and not wider:
        if operation == "extend":
            return _resized(interpreter, operands[0], type_, depth)
        if operation == ">>":
            return Value(type_, value.expr, value.varies, (">> low", operands))
        if operation in _LOW_PARTS and depth < _MAX_NARROWED:
            first, *rest = operands
            low = [_resized(interpreter, first, type_, depth + 1)]
            low += rest if operation == "<<" else [_low(interpreter, o, type_, depth) for o in rest]
            return Value(type_, value.expr, value.varies, (operation, tuple(low)))
    if operation in ("/", "%", ">>", ">> low", "compare", "equal", "extend", "min", "max"):
        # These cost by the type they are done in, not by the one they are stored in.
        interpreter.costs.need(value)
        return Value(type_, value.expr, value.varies)
    return Value(type_, value.expr, value.varies, node)


def _low(interpreter: DeviceInterpreter, value: Value, type_: str, depth: int) -> Value:
    return value if value.constant is not None else _resized(interpreter, value, type_, depth + 1)


def negate(interpreter: DeviceInterpreter, value: Value) -> Value:
    """``-value``: free for floating point, where it is an operand modifier, until it is stored."""
    expr = -value.expr if value.expr is not None else None
    if is_float(value.type):
        if expr is not None and expr.constant is not None:
            return number(expr.constant, value.type)
        key = ("negate", value.key())
        home = interpreter.costs.home(value.varies)
        found = interpreter.costs.find(key, home)
        if isinstance(found, Value):
            return found
        estimate = -value.estimate if value.estimate is not None else None
        result = Value(value.type, expr, value.varies, None, value.made, estimate)
        result.negated = not value.negated
        result.magnitude = value.magnitude
        home.available[key] = result
        return result
    type_ = promoted(value.type)
    if expr is None or not is_integer(type_):
        return Value(type_, None, value.varies)
    if expr.constant is not None:
        return number(expr.constant, type_)
    return Value(type_, expr, value.varies, ("negate", (value,)))

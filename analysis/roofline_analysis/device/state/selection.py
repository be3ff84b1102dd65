"""Selection between two values: ``a ? b : c``, and merging at the end of a branch."""

from __future__ import annotations

from roofline_analysis.device.state.arithmetic import MAX_SIZE, shortened
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, StructValue, Value
from roofline_analysis.language.types import common_type, is_float
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, apply


def select(
    interpreter: DeviceInterpreter, condition: Value, then: DeviceValue, otherwise: DeviceValue
) -> DeviceValue:
    """One of two values, by a condition of each thread."""
    if then is otherwise:
        return then
    if isinstance(then, Value) and isinstance(otherwise, Value):
        type_ = common_type(then.type, otherwise.type)
        varies = condition.varies | then.varies | otherwise.varies
        expr = selected(condition.expr, then.expr, otherwise.expr)
        if is_float(type_):
            return _selected_float(interpreter, condition, then, otherwise, type_)
        if expr is None:
            expr = interpreter.fresh("choice", SymbolScope.DATA)
            interpreter.means(expr, selected(condition.nearly, then.nearly, otherwise.nearly))
        return Value(type_, expr, varies, ("select", (then, otherwise)))
    if isinstance(then, StructValue) and isinstance(otherwise, StructValue):
        fields = {
            name: select(interpreter, condition, value, otherwise.fields[name])
            for name, value in then.fields.items()
            if name in otherwise.fields
        }
        if len(fields) < max(len(then.fields), len(otherwise.fields)):
            keep(interpreter, then, otherwise)
        return StructValue(then.type, fields)
    keep(interpreter, then, otherwise)
    return then


def _selected_float(
    interpreter: DeviceInterpreter, condition: Value, then: Value, otherwise: Value, type_: str
) -> Value:
    """The same value for the same choice, so that what is computed of it is computed once."""
    varies = condition.varies | then.varies | otherwise.varies
    key = ("choice", condition.key(), then.key(), otherwise.key(), type_)
    home = interpreter.costs.home(varies)
    found = interpreter.costs.find(key, home)
    if isinstance(found, Value):
        return found
    expr = selected(condition.expr, then.expr, otherwise.expr)
    made = interpreter.costs.passed_on((then, otherwise))
    estimate = selected(condition.nearly, then.nearly, otherwise.nearly) if expr is None else None
    result = home.available[key] = Value(type_, expr, varies, None, made, estimate)
    return result


def selected(condition: Expr | None, then: Expr | None, otherwise: Expr | None) -> Expr | None:
    """The selected expression; None if any of the three is unknown or the result is too long."""
    if condition is None or then is None or otherwise is None:
        return None
    if condition.size + then.size + otherwise.size < MAX_SIZE:
        return apply("select", condition, then, otherwise)
    parts = [shortened(part, MAX_SIZE // 3) for part in (condition, then, otherwise)]
    known = [part for part in parts if part is not None]
    return apply("select", *known) if len(known) == len(parts) else None

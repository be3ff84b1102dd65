"""What a function returns that has several ``return`` statements.

Each stands under conditions; those before it were not met. Where all are known, the result is a
choice among the values, which addresses and conditions can be made of: the index that
`clamp(int i, int n) { if (i < 0) return 0; if (i >= n) return n - 1; return i; }` gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from roofline_analysis.device.state.frames import DeviceFrame
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.selection import selected
from roofline_analysis.device.values import DeviceValue, Place, StructValue, Value
from roofline_analysis.language.types import is_float, is_integer
from roofline_analysis.regions.kernel_summary import RegionForm
from roofline_core.algebra.symbol_scopes import DATA_OR_CARRIED
from roofline_core.algebra.symbolic import Expr, apply

MOST_RETURNS = 16
"""The most ``return`` statements among which is chosen. A limit on the work."""


def note_return(interpreter: DeviceInterpreter, value: DeviceValue | Place) -> None:
    """Note what the function being walked returns here, and under which conditions."""
    frame = interpreter.frames[-1]
    frame.returns.append(value)
    frame.conditions.append(_condition(interpreter, frame))


def _condition(interpreter: DeviceInterpreter, frame: DeviceFrame) -> Expr | None:
    """What must hold to come here from the function's beginning; None if that is not known."""
    found: list[Expr] = []
    for region in interpreter.costs.region.ancestors():
        if region is frame.region_around:
            return reduce(_both, found) if found else None
        if region.form is RegionForm.LOOP:
            return None
        for condition in region.conditions:
            if condition is None:
                return None
            found.append(condition)
    return None


def _both(one: Expr, other: Expr) -> Expr:
    return apply("land", one, other)


def is_all_float(value: DeviceValue) -> bool:
    """Whether a value consists of floats only, which are computed where they are needed."""
    if isinstance(value, StructValue):
        return all(map(is_all_float, value.fields.values()))
    return isinstance(value, Value) and is_float(value.type)


def chosen_integer(
    interpreter: DeviceInterpreter,
    values: Sequence[DeviceValue],
    conditions: Sequence[Expr | None],
    type_name: str,
) -> Value | None:
    """The choice among integers that a function returns; None where it cannot be told.

    What is chosen was brought into registers where it is returned, so the choice costs nothing.
    """
    if not is_integer(type_name) or not 1 < len(values) <= MOST_RETURNS:
        return None
    varies, result = 0, None
    for value, condition in zip(reversed(values), reversed(conditions), strict=True):
        if not isinstance(value, Value) or value.expr is None or not is_integer(value.type):
            return None
        varies |= value.varies
        if result is None:
            result = value.expr
            continue
        if condition is None:
            return None
        result = selected(condition, value.expr, result)
        if result is None:
            return None
        varies |= _variation(interpreter, condition)
    return Value(type_name, result, varies)


def _variation(interpreter: DeviceInterpreter, condition: Expr) -> int:
    """The bits of the loops around here between whose trips a condition may differ."""
    symbols = condition.symbols()
    if any(symbol.scope in DATA_OR_CARRIED for symbol in symbols):
        return interpreter.costs.loop_bits()
    bits = 0
    for loop in interpreter.costs.region.loops():
        if loop.counter in symbols:
            bits |= loop.bit
    return bits

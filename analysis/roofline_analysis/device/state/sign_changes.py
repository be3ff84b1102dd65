"""Negations and magnitudes of floating-point numbers: operand modifiers, until they are stored."""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, StructValue, Value
from roofline_analysis.language.types import precision_of
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.program.precision import Precision

_WORK: Final = {Precision.SP: Work.SP, Precision.DP: Work.DP}


def charge_sign_change(interpreter: DeviceInterpreter, value: DeviceValue) -> None:
    """Charge the operation that each changed sign in ``value`` takes to be stored, once.

    Instead of a product, some compilers negate an operand of the multiplication.
    """
    if isinstance(value, StructValue):
        for inner in value.fields.values():
            charge_sign_change(interpreter, inner)
    if not isinstance(value, Value) or not (value.negated or value.magnitude):
        return
    precision = precision_of(value.type)
    kind = _WORK.get(precision) if precision is not None else None
    multiplied = value.made is not None and value.made.product is not None
    costs = interpreter.costs
    absorbed = multiplied and not value.magnitude and costs.compiler.negates_operands
    if kind is None or absorbed:
        return
    key, home = ("sign changed", value), costs.home(value.varies)
    if costs.find(key, home) is None:
        home.available[key] = True
        home.charge(costs.site, kind, 1.0)

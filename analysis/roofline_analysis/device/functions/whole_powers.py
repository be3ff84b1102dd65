"""``pow`` with an exponent of integer type, for which C++ has its own overloads.

Read off machine code: Clang 18's headers call ``powi`` of CUDA's library, a loop of squarings and
products that a literal exponent unrolls; nvcc 13's make both arguments doubles, whatever the base.
"""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.costs.expansions import OperationCost
from roofline_analysis.device.state.arithmetic import binary, convert
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.recorded_operations import note_cost
from roofline_analysis.device.values import Value, number
from roofline_analysis.language.types import is_float, is_integer
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.program.units import Dialect

_LARGEST: Final = 1 << 16
"""The largest literal exponent whose products are counted one by one."""
_POWI: Final = {
    "float": OperationCost(sp_flops=8.0, int_ops=8.0, mufu=1.0, branches=2.0),
    "double": OperationCost(dp_flops=12.0, int_ops=6.0, mufu=1.0, branches=2.0),
}
"""The function with an exponent of two bits that is known only at run time, here 3: products,
squares and the reciprocal that a negative exponent takes."""


def whole_power(interpreter: DeviceInterpreter, args: list[Value]) -> Value | list[Value] | None:
    """``pow(base, exponent)``: the result where it is made of products, else the arguments to use.

    None where the exponent is not of integer type or the language has no overload for that.
    """
    if len(args) != 2 or interpreter.kernel.dialect is not Dialect.CUDA:
        return None
    base, exponent = args
    if not is_integer(exponent.type) or not is_float(base.type):
        return None
    if not interpreter.costs.compiler.multiplies_whole_powers:
        return [convert(interpreter, arg, "double") for arg in args]
    known = exponent.constant
    if not isinstance(known, int) or abs(known) > _LARGEST:
        varies = base.varies | exponent.varies
        made = note_cost(interpreter, _POWI.get(base.type), (base, exponent), varies)
        return Value(base.type, None, varies, None, made)
    if base.type == "float" and abs(known) > 1:
        interpreter.costs.charge(Work.SP, 1.0, base.varies)  # The first product is with 1.
    power = _multiplied(interpreter, base, abs(known))
    return power if known >= 0 else binary(interpreter, "/", number(1, base.type), power)


def _multiplied(interpreter: DeviceInterpreter, base: Value, exponent: int) -> Value:
    """A power by squaring, the exponent's lowest bit first."""
    result: Value | None = None
    square = base
    while exponent:
        if exponent & 1:
            result = square if result is None else binary(interpreter, "*", result, square)
        exponent >>= 1
        if exponent:
            square = binary(interpreter, "*", square, square)
    return number(1, base.type) if result is None else result

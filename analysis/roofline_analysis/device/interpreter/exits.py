"""What follows conditional exits, and long chains of them, of which only the first are walked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.interpreter.returned_values import note_return
from roofline_analysis.device.state.flow import Flow
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, Value
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.types import Type

_EXITS: Final = 64
"""The most conditional exits that are followed in one sequence of statements. A limit on the work,
which grows with the square of their number."""
_CONSTANT_EXITS: Final = 4
"""The same for ``constexpr`` functions: a table of cases, of which compilers choose one."""
_WHEN_RUN: Final = (SymbolScope.THREAD, SymbolScope.LOOP, SymbolScope.CARRIED)
"""The scopes of numbers that no compiler knows. Not ``DATA``, which results of tables have too."""


def most_exits(interpreter: DeviceInterpreter, conditions: Sequence[Expr | None]) -> int:
    """The exits that are followed in one sequence; ``conditions`` hold after the last of them."""
    return _CONSTANT_EXITS if _is_constant(interpreter, conditions) else _EXITS


def _is_constant(interpreter: DeviceInterpreter, conditions: Sequence[Expr | None]) -> bool:
    """Whether compilers compute the function that is walked, where they know the arguments."""
    function = interpreter.frames[-1].function
    if function is None or "constexpr" not in function.qualifiers:
        return False
    symbols = (symbol for each in conditions if each is not None for symbol in each.symbols())
    return all(symbol.scope not in _WHEN_RUN for symbol in symbols)


def leave_out(interpreter: DeviceInterpreter, conditions: Sequence[Expr | None]) -> Flow:
    """Leave the rest of a function out, whose result is then unknown; as for ``most_exits``."""
    frame = interpreter.frames[-1]
    function = frame.function
    name = "a lambda" if function is None else function.name
    if not _is_constant(interpreter, conditions):
        interpreter.costs.lose(UnseenKind.CODE, f"the rest of {name}")
    type_ = Type("auto")
    if function is not None:
        type_ = interpreter.types.resolve(function.return_type)
    if type_.name != "void" or type_.pointers:
        bits = interpreter.costs.loop_bits()
        note_return(interpreter, interpreter.opaque(type_, bits, name, SymbolScope.UNKNOWN))
    return Flow.EXIT


def doubt_constants(interpreter: DeviceInterpreter, before: dict[int, DeviceValue]) -> None:
    """Make unknown what statements that may be left out have set to constants."""
    for slot, value in interpreter.slots.items():
        held = before.get(slot)
        if isinstance(value, Value) and value.constant is not None and held is not None:
            if not (isinstance(held, Value) and held.constant == value.constant):
                type_ = interpreter.slot_types[slot]
                interpreter.slots[slot] = interpreter.opaque(
                    type_, interpreter.costs.loop_bits(), "choice", SymbolScope.DATA
                )

"""Where the walk of a kernel ends because it is too long."""

from __future__ import annotations

from roofline_analysis.device.state.interpreter_state import MAX_STATEMENTS, DeviceInterpreter
from roofline_analysis.regions.unseen import UnseenKind


def give_up(interpreter: DeviceInterpreter, line: int) -> None:
    """Leave out the rest of the kernel from a line on; reports it, and counts it as not seen."""
    if not interpreter.gave_up:
        interpreter.gave_up = True
        interpreter.statements = max(interpreter.statements, MAX_STATEMENTS)
        interpreter.costs.lose(UnseenKind.CODE, "the rest of the kernel")
    interpreter.note("the kernel is too long to be followed to its end", line)
    interpreter.costs.operations.keep_all()

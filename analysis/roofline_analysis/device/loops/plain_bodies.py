"""How many instructions a trip of a plain loop is, told from its text, before it is walked.

Plain is a body of assignments alone, to scalars and arrays in memory, without branches, inner loops
or calls of the program's own functions: of these nvcc's limit on unrolled loops is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.costs.expansions import function_cost
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import PointerValue, Value
from roofline_analysis.regions.kernel_summary import MemorySpace
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_SPACES: Final = {MemorySpace.GLOBAL: 2.0, MemorySpace.SHARED: 1.0}
_ARITHMETIC: Final = frozenset("+-*")
_FUSED_SHARE: Final = 0.4
"""Of the operations of library functions, those that share an instruction with another."""


def plain_size(interpreter: DeviceInterpreter, parts: Sequence[st.Statement]) -> float | None:
    """Instructions of one trip, an access of global memory counted as 2; None if it is not plain.

    What a place is loaded and stored by in one statement counts once.
    """
    total = 0.0
    for part in parts:
        size = _of_statement(interpreter, part)
        if size is None:
            return None
        total += size
    return total


def _of_statement(interpreter: DeviceInterpreter, node: st.Statement) -> float | None:
    if isinstance(node, st.Block):
        return plain_size(interpreter, node.body)
    if not isinstance(node, st.Evaluate):
        return None
    done = node.expression
    if isinstance(done, ex.Update):
        return 0.0 if isinstance(done.target, ex.Name) else None
    if not isinstance(done, ex.Assign):
        return None
    if _is_step(done):
        return 0.0
    adds = float(done.op in ("+=", "-="))
    value = _of_value(interpreter, done.value, fused=bool(adds))
    if value is None:
        return None
    if isinstance(done.target, ex.Name):
        return value + adds
    place = _of_value(interpreter, done.target, fused=False)
    # A place that the loop does not move is an access of one instruction: it is stored to.
    return None if place is None else value + adds + min(place, 1.0)


def _is_step(node: ex.Assign) -> bool:
    """``i += 2``."""
    return isinstance(node.target, ex.Name) and isinstance(node.value, ex.Literal)


def _of_value(interpreter: DeviceInterpreter, node: ex.Expression, *, fused: bool) -> float | None:
    """``fused``: a product here is added to something, by the same instruction."""
    if isinstance(node, ex.Literal):
        return 0.0
    if isinstance(node, ex.Name):
        place = interpreter.scope.find(node.name)
        held = interpreter.read(place) if place is not None else None
        return 0.0 if isinstance(held, Value) else None
    if isinstance(node, ex.Index):
        return _of_access(interpreter, node)
    if isinstance(node, ex.Binary) and node.op in _ARITHMETIC:
        inner = node.op != "*"
        left = _of_value(interpreter, node.left, fused=inner)
        right = _of_value(interpreter, node.right, fused=inner and not _is_product(node.left))
        if left is None or right is None:
            return None
        return left + right + (0.0 if fused and node.op == "*" else 1.0)
    if isinstance(node, ex.Call) and isinstance(node.callee, ex.Name):
        return _of_call(interpreter, node, node.callee.name)
    return None


def _is_product(node: ex.Expression) -> bool:
    return isinstance(node, ex.Binary) and node.op == "*"


def _of_access(interpreter: DeviceInterpreter, node: ex.Index) -> float | None:
    base = node.base
    place = interpreter.scope.find(base.name) if isinstance(base, ex.Name) else None
    held = interpreter.read(place) if place is not None else None
    return _SPACES.get(held.array.space) if isinstance(held, PointerValue) else None


def _of_call(interpreter: DeviceInterpreter, node: ex.Call, name: str) -> float | None:
    cost = function_cost(name)
    if cost is None or cost.branches:
        return None
    total = (cost.sp_flops + cost.dp_flops) * (1 - _FUSED_SHARE) + cost.int_ops + cost.mufu
    for each in node.args:
        size = _of_value(interpreter, each, fused=False)
        if size is None:
            return None
        total += size
    return total

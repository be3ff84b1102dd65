"""OpenCL's functions of all work-items of a work-group or sub-group together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.functions import memory as common
from roofline_analysis.device.functions.mathematics import Handler, extreme
from roofline_analysis.device.state.arithmetic import binary
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value
from roofline_analysis.device.state.vectors import map_elements
from roofline_analysis.device.values import DeviceValue, Value
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program.expressions import Call

_OPERATIONS: Final = {"add": "+", "mul": "*", "and": "&", "or": "|", "xor": "^"}


def _collective(op: str, *, group: bool) -> Handler:
    """A reduction or scan: a shuffle and an operation for each halving of a sub-group.

    Of a work-group it is done twice, the second time on the sub-groups' results, which pass
    through local memory.
    """

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """Charge the steps; the result is unknown. None without an argument that is a number."""
        value = args[0] if args else None
        if not isinstance(value, Value):
            return None
        for _ in range(2 if group else 1):
            for _ in range(interpreter.warp_size.bit_length() - 1):
                _step(interpreter, op, value, node)
            if group:
                common.barrier(interpreter, name, [], node)
        return interpreter.opaque(
            interpreter.type_of(value), interpreter.costs.loop_bits(), name, SymbolScope.DATA
        )

    return handler


def _step(interpreter: DeviceInterpreter, op: str, value: Value, node: Call) -> None:
    lane = interpreter.opaque(
        interpreter.type_of(value), interpreter.costs.loop_bits(), "lane", SymbolScope.DATA
    )
    if not isinstance(lane, Value):
        return
    if op in _OPERATIONS:
        need_value(interpreter, binary(interpreter, _OPERATIONS[op], value, lane))
        return
    result = extreme(interpreter, op, [value, lane], node)
    if result is not None:
        need_value(interpreter, result)


def _exchanged(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """The value of another work-item."""
    for arg in args[1:]:
        need_value(interpreter, arg)
    if name.startswith("work_group"):
        common.barrier(interpreter, name, [], node)
    return map_elements(
        args[:1], lambda operands: common.shuffle(interpreter, name, operands, node)
    )


def _entries() -> Iterator[tuple[str, Handler]]:
    for kind in ("work_group", "sub_group"):
        for form in ("reduce", "scan_inclusive", "scan_exclusive"):
            for op in (*_OPERATIONS, "min", "max"):
                handler = _collective(op, group=kind == "work_group")
                yield f"{kind}_{form}_{op}", handler
                if kind == "sub_group":
                    yield f"{kind}_non_uniform_{form}_{op}", handler
        yield from ((f"{kind}_{name}", common.vote) for name in ("all", "any"))
        yield f"{kind}_broadcast", _exchanged
    for name in (
        "shuffle shuffle_xor shuffle_up shuffle_down non_uniform_broadcast broadcast_first rotate"
    ).split():
        yield f"sub_group_{name}", _exchanged
        yield f"intel_sub_group_{name}", _exchanged
    for name in "elect non_uniform_all non_uniform_any ballot inverse_ballot".split():
        yield f"sub_group_{name}", common.vote


COLLECTIVES: Final[Mapping[str, Handler]] = dict(_entries())
"""OpenCL C 3.0, sections 6.15.16 and 6.15.19, and ``cl_khr_subgroup_*``."""

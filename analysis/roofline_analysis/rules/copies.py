"""Copies between host and device, recognised by their calls in host code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_analysis.host.values import Buffer, Pointer
from roofline_analysis.language.symbols import last_component
from roofline_analysis.regions.kernel_summary import AccessMode
from roofline_analysis.rules.host_program import HostLaunch, HostProgram
from roofline_analysis.rules.node_index import Located, called_name
from roofline_core.program import expressions as ex
from roofline_core.program.records import record

TO_DEVICE: Final = "to the device"
TO_HOST: Final = "to the host"

_CALLS: Final = {
    f"{prefix}{name}": name.endswith("Async")
    for prefix in ("cuda", "hip")
    for name in ("Memcpy", "MemcpyAsync")
}
_DIRECTIONS: Final = {f"{prefix}MemcpyHostToDevice": TO_DEVICE for prefix in ("cuda", "hip")} | {
    f"{prefix}MemcpyDeviceToHost": TO_HOST for prefix in ("cuda", "hip")
}


@record(frozen=True, slots=True, eq=False)
class Copy:
    """One call of ``cudaMemcpy``, ``hipMemcpy`` or their asynchronous forms."""

    located: Located
    call: ex.Call
    target: str | None
    """The variable copied to from its beginning; None for any other destination."""
    source: str | None
    direction: str
    asynchronous: bool

    @property
    def device(self) -> str | None:
        """The variable that points to device memory."""
        return self.target if self.direction == TO_DEVICE else self.source

    @property
    def host(self) -> str | None:
        """The variable that points to host memory."""
        return self.source if self.direction == TO_DEVICE else self.target


def copies(program: HostProgram) -> Iterator[Copy]:
    """The copies whose direction, host to device or back, is a named constant in the call."""
    for located, call in program.calls(*_CALLS):
        if len(call.args) < 4 or not isinstance(call.args[3], ex.Name):
            continue
        direction = _DIRECTIONS.get(last_component(call.args[3].name))
        if direction is not None:
            yield Copy(
                located,
                call,
                _variable(call.args[0]),
                _variable(call.args[1]),
                direction,
                _CALLS[called_name(call) or ""],
            )


def _variable(node: ex.Expression) -> str | None:
    while isinstance(node, ex.Cast):
        node = node.operand
    if isinstance(node, ex.Call) and isinstance(node.callee, ex.Member):
        data = node.callee.name == "data" and isinstance(node.callee.base, ex.Name)
        return node.callee.base.name if data else None  # type: ignore[attr-defined]
    return node.name if isinstance(node, ex.Name) else None


@record(frozen=True, slots=True, eq=False)
class Use:
    """A launch with a device buffer as one of its arguments."""

    launch: HostLaunch
    parameter: str
    buffer: Buffer
    only_read: bool
    """The parameter points to constants."""


def uses_of(program: HostProgram, name: str) -> list[Use]:
    """The launches that use the buffer of this name, in order; [] if two buffers have the name."""
    found = []
    for launch in program.launches:
        for parameter, value in zip(
            launch.context.kernel.params, launch.context.args, strict=False
        ):
            if isinstance(value, Pointer) and value.buffer is not None:
                if value.buffer.name == name:
                    only_read = parameter.type.const and parameter.type.pointers == 1
                    found.append(Use(launch, parameter.name, value.buffer, only_read))
    if len({id(use.buffer) for use in found}) != 1:
        return []
    return sorted(found, key=lambda use: use.launch.context.order)


def buffer_bytes(use: Use) -> float | None:
    """The size of a buffer in bytes; None where the launch does not know it."""
    judged = use.launch.judged
    return None if judged is None else judged.bound.sizes.get(use.parameter)


def kinds_of(use: Use) -> set[AccessMode] | None:
    """How a launch accesses a buffer; None if that is uncertain."""
    if use.launch.judged is None:
        return None
    judged = use.launch.judged.judged
    summary = judged.summary
    arrays = [
        array
        for array in judged.traffic.arrays
        if array.array.name.partition("[")[0] == use.parameter
    ]
    unseen = any(region.unseen for region in summary.root.walk())
    if summary.problems or unseen or any(array.array.indirect for array in arrays):
        return None
    return {
        access.mode
        for region in summary.root.walk()
        for access in region.accesses
        if access.array.name.partition("[")[0] == use.parameter
    }

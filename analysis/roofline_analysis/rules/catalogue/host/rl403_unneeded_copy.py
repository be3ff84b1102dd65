"""A copy of data that is not needed.

A buffer that the first kernel overwrites whole before anything reads it need not be filled by a
copy or a `cudaMemset`; one that no kernel writes need not be copied back. The bus moves some 25 GB
a second, a small part of what DRAM moves. Copy only what is read. A copy of less than 2% of the
bytes that its function copies is no finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_analysis.regions.kernel_summary import AccessMode
from roofline_analysis.rules.copies import (
    TO_DEVICE,
    Copy,
    Use,
    buffer_bytes,
    copies,
    kinds_of,
    uses_of,
)
from roofline_analysis.rules.copy_sizes import most_bytes
from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Level, Match, Related
from roofline_analysis.rules.node_index import called_name, names_in
from roofline_analysis.rules.rule import Rule
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.units import Function
from roofline_core.text.units import scaled

BAD = """\
#include <cstdlib>
__global__ void square(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * x[i];
}

int main() {
    int n = 1 << 22;
    float *x = (float *)malloc(n * sizeof(float)), *y = (float *)malloc(n * sizeof(float));
    float *d_x, *d_y;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_y, n * sizeof(float));
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);
    square<<<n / 256, 256>>>(n, d_x, d_y);
    cudaMemcpy(y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
}
"""

GOOD = BAD.replace("    cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);\n", "")

_WRITES = tuple(
    f"{prefix}{name}"
    for prefix in ("cuda", "hip")
    for name in ("Memcpy", "MemcpyAsync", "Memset", "MemsetAsync", "MemcpyPeer", "MemcpyDtoD")
)
_LEAST_BYTES = 1 << 16
"""Bytes of a copy: of smaller ones the call is the cost, not what it moves."""
_LEAST_SHARE = 0.02
"""The least part of the bytes that its function copies. Chosen, not measured."""


def check(program: HostProgram) -> Iterator[Match]:
    """Copies to buffers that are then overwritten, and from buffers that no kernel wrote."""
    found = list(copies(program))
    for copy in found:
        if copy.device is None or copy.located.loops or copy.located.branches:
            continue
        if not _stays(program, copy.located.function, copy.device):
            continue
        uses = uses_of(program, copy.device)
        if any(use.launch.context.path != program.path for use in uses):
            continue
        if not uses or not _may_be_unneeded(program, copy, uses, found):
            continue
        size = buffer_bytes(uses[0])
        if size is None or size < _LEAST_BYTES:
            continue
        if size < _LEAST_SHARE * _copied_bytes(program, copy.located.function, found):
            continue
        shown = _shown(program, copy, uses, size)
        if copy.direction == TO_DEVICE:
            yield from _overwritten(program, copy, uses, size, shown)
        else:
            yield from _unchanged(program, copy, uses, shown)


def _may_be_unneeded(
    program: HostProgram, copy: Copy, uses: list[Use], all_copies: list[Copy]
) -> bool:
    """Whether a copy may be unneeded by all that is known before launches are judged."""
    if copy.direction == TO_DEVICE:
        later = all(use.launch.context.line > copy.call.line for use in uses)
        return later and uses[0].launch.context.certain and not uses[0].only_read
    if not any(each.direction == TO_DEVICE and each.target == copy.source for each in all_copies):
        return False
    return not _is_written_otherwise(program, copy) and not _is_handed_on(program, copy, uses)


def _shown(program: HostProgram, copy: Copy, uses: list[Use], size: float) -> str:
    """How much is copied: as many bytes as the call says, if it does; no number of assumed ones."""
    judged = uses[0].launch.judged
    if judged is None or judged.prediction.time_depends_on:
        return "The bytes"
    told = most_bytes(program, copy)
    return scaled(size if told is None else min(told, size), "B")


def _copied_bytes(program: HostProgram, function: Function, found: list[Copy]) -> float:
    """The bytes that a function is sure to copy, as far as they are known."""
    sizes = (
        most_bytes(program, each)
        for each in found
        if each.located.function is function and not each.located.branches
    )
    return sum(size for size in sizes if size is not None)


def _stays(program: HostProgram, function: Function, name: str) -> bool:
    """Whether a local variable always points to the same buffer: no swap, no alias."""
    own = any(
        located.function is function
        and isinstance(located.node, st.Variable)
        and located.node.name == name
        and not (located.node.init is not None and names_in(located.node.init))
        for located in program.nodes(st.Variable)
    )
    for located in program.nodes(ex.Assign, st.Variable, ex.Call):
        node = located.node
        if located.function is not function:
            continue
        if isinstance(node, ex.Assign) and _is_named(name, node.target, node.value):
            return False
        if isinstance(node, st.Variable) and node.init is not None and _is_named(name, node.init):
            return False
        if isinstance(node, ex.Call) and called_name(node) == "swap" and name in names_in(node):
            return False
    return own


def _is_named(name: str, *nodes: object) -> bool:
    return any(isinstance(node, ex.Name) and node.name == name for node in nodes)


def _overwritten(
    program: HostProgram, copy: Copy, uses: list[Use], size: float, shown: str
) -> Iterator[Match]:
    if not _writes_whole(uses[0], size):
        return
    context = uses[0].launch.context
    yield program.found(
        f"{shown} are copied to '{copy.device}', which '{context.kernel.name}'"
        " overwrites whole before anything reads it",
        copy.call.line,
        related=(Related(context.path, context.line, f"'{context.kernel.name}' writes it here"),),
    )


def _writes_whole(use: Use, size: float) -> bool:
    """Whether a launch writes each byte of a buffer and reads none."""
    launch = use.launch.judged
    if launch is None or kinds_of(use) != {AccessMode.WRITE}:
        return False
    for array in launch.judged.traffic.arrays:
        if array.array.name == use.parameter:
            sure = all(t.box is not None and not t.random for t in array.footprints)
            regions = launch.judged.execution.regions
            sure = sure and not any(regions[t.region].assumed for t in array.footprints)
            done = max(t.places * t.access.size_bytes for t in array.footprints)
            return sure and done >= size and array.written_bytes >= size
    return False


def _is_written_otherwise(program: HostProgram, copy: Copy) -> bool:
    """Whether the function writes a buffer by a call: a copy on the device, ``cudaMemset``."""
    return any(
        located.function is copy.located.function
        and bool(call.args)
        and copy.source in names_in(call.args[0])
        and not _is_from_host(call)
        for located, call in program.calls(*_WRITES)
    )


def _is_handed_on(program: HostProgram, copy: Copy, uses: list[Use]) -> bool:
    """Whether the function gives a buffer to what was not followed: a launch, a library."""
    followed = {use.launch.context.line for use in uses}
    for located in program.nodes(ex.Call, ex.Launch):
        node = located.node
        if located.function is not copy.located.function or copy.source not in names_in(node):
            continue
        name = (called_name(node) or "") if isinstance(node, ex.Call) else ""
        if node.line not in followed and not name.startswith(_OF_MEMORY) and name not in _CHECKS:
            return True
    return False


_OF_MEMORY: Final = tuple(
    f"{prefix}{name}"
    for prefix in ("cuda", "hip")
    for name in ("Memcpy", "Memset", "Malloc", "Free")
)
"""How functions begin that allocate, copy and set memory."""
_CHECKS: Final = frozenset(
    ("check", "checkCudaErrors", "gpuAssert", "checkCuda", "sizeof", "assert")
)
"""Functions around a call that look at what it returns."""


def _is_from_host(call: ex.Call) -> bool:
    return any("HostToDevice" in name for arg in call.args for name in names_in(arg))


def _unchanged(program: HostProgram, copy: Copy, uses: list[Use], shown: str) -> Iterator[Match]:
    if any(kinds_of(use) != {AccessMode.READ} for use in uses):
        return
    yield program.found(
        f"{shown} are copied back from '{copy.source}', which no kernel writes",
        copy.call.line,
    )


RULE = Rule("RL403", "unneeded-copy", Level.INFORMATION, __doc__, BAD, GOOD, check_host=check)

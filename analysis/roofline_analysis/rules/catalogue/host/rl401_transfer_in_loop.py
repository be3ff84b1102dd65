"""The same data is copied to the device in each run of a loop.

Data that neither the host changes nor a kernel writes needs to be on the device once. The bus moves
some 25 GB a second where DRAM moves hundreds, so a copy before a kernel can take longer than the
kernel. Copy before the loop.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.device.assigned import body_facts
from roofline_analysis.regions.kernel_summary import AccessMode
from roofline_analysis.rules.copies import TO_DEVICE, Copy, buffer_bytes, copies, kinds_of, uses_of
from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Fix, Level, Match, Related
from roofline_analysis.rules.node_index import Loop, names_in, within
from roofline_analysis.rules.rule import Rule
from roofline_core.program import expressions as ex
from roofline_core.text.units import scaled

BAD = """\
#include <cstdlib>
__global__ void apply(int n, const float *weights, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = weights[i] * x[i];
}

int main() {
    int n = 1 << 22;
    float *weights = (float *)malloc(n * sizeof(float));
    float *d_weights, *x;
    cudaMalloc(&d_weights, n * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    for (int step = 0; step < 100; step++) {
        cudaMemcpy(d_weights, weights, n * sizeof(float), cudaMemcpyHostToDevice);
        apply<<<n / 256, 256>>>(n, d_weights, x);
    }
}
"""

_COPY = "        cudaMemcpy(d_weights, weights, n * sizeof(float), cudaMemcpyHostToDevice);\n"
GOOD = BAD.replace(_COPY, "").replace("    for (int step", f"{_COPY[4:]}    for (int step")


def check(program: HostProgram) -> Iterator[Match]:
    """Copies to the device in loops that change neither buffer."""
    for copy in copies(program):
        loop = copy.located.loops[-1] if copy.located.loops else None
        if loop is None or copy.direction != TO_DEVICE or not copy.target or not copy.source:
            continue
        if not _is_invariant(copy, loop) or copy.located.branches:
            continue
        uses = uses_of(program, copy.target)
        if not uses or any(kinds_of(use) != {AccessMode.READ} for use in uses):
            continue
        size = buffer_bytes(uses[0])
        moved = f" {scaled(size, 'B')}" if size else ""
        first = uses[0].launch.context
        yield program.found(
            f"'{copy.source}' is copied to '{copy.target}' in each run of the loop,{moved} that"
            " neither the host nor a kernel changes; copy it before the loop",
            copy.call.line,
            fix=_fix(program, copy, loop),
            related=(
                Related(program.path, loop.line, "the loop"),
                Related(first.path, first.line, f"'{first.kernel.name}' reads it here"),
            ),
        )


def _is_invariant(copy: Copy, loop: Loop) -> bool:
    """Whether a loop uses the host buffer in the copy only and changes no part of the copy."""
    facts = body_facts(loop.body)
    given = set().union(*(names_in(argument) for argument in copy.call.args))
    others = given - {copy.source, copy.target}
    if any(change.value is not copy.call for name in others for change in facts.of(name)):
        return False
    if given & facts.declared:
        return False
    inside = sum(
        1 for node in within(loop) if isinstance(node, ex.Name) and node.name == copy.source
    )
    here = sum(
        1 for node in within(copy.call) if isinstance(node, ex.Name) and node.name == copy.source
    )
    launches = any(isinstance(node, ex.Launch) for node in within(loop))
    return inside == here and launches


def _fix(program: HostProgram, copy: Copy, loop: Loop) -> Fix | None:
    """An edit that moves the copy before the loop; None if its line holds other code."""
    text = program.text
    start, end = text.bounds(copy.call.line)
    line = text.text[start:end].strip()
    head = text.code[slice(*text.bounds(loop.line))].lstrip()
    if not (line.endswith(b";") and line.count(b";") == 1 and head.startswith((b"for", b"while"))):
        return None
    name = copy.call.callee.name.encode() if isinstance(copy.call.callee, ex.Name) else b""
    if not line.startswith(name) or len(copy.located.loops) != 1:
        return None
    return Fix(
        "Copy before the loop",
        (
            text.insert_line(loop.line, line.decode("utf-8", "replace")),
            text.delete_line(copy.call.line),
        ),
    )


RULE = Rule(
    "RL401",
    "transfer-in-loop",
    Level.INFORMATION,
    __doc__,
    BAD,
    GOOD,
    check_host=check,
    fixes=True,
)

"""A barrier that orders nothing.

`__syncthreads()` makes what threads wrote visible to the others of the block. In a kernel that uses
no shared memory and reads nothing that it writes there is nothing to wait for, and every barrier
costs the wait for the slowest warp. Remove it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Edit, Fix, Level, Match
from roofline_analysis.rules.node_index import called_name
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex

BAD = """\
__global__ void sums(int n, int m, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < m; k++) {
        sum += x[k];
        __syncthreads();
    }
    y[i] = sum;
}

int main() {
    int n = 1 << 14, m = 1024;
    float *x, *y;
    cudaMalloc(&x, m * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    sums<<<n / 256, 256>>>(n, m, x, y);
}
"""

GOOD = BAD.replace("        __syncthreads();\n", "")

_STATEMENT = re.compile(rb"[ \t]*__syncthreads\s*\(\s*\)\s*;")


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Barriers of kernels whose threads exchange no data."""
    summary = kernel.summary
    if not summary.barriers or summary.shared_bytes or kernel.launch.bound.dynamic_shared_bytes:
        return
    kinds: dict[object, set[AccessMode]] = {}
    for region in summary.root.walk():
        if region.unseen:
            return  # What was not followed may be what the barrier waits for.
        for access in region.accesses:
            if access.array.space is MemorySpace.SHARED:
                return
            kinds.setdefault(access.array, set()).add(access.mode)
    if any(len(each) > 1 or AccessMode.ATOMIC in each for each in kinds.values()):
        return
    calls = [
        located
        for located in kernel.nodes(ex.Call)
        if isinstance(located.node, ex.Call) and called_name(located.node) == "__syncthreads"
    ]
    if not calls or any(located.function is not kernel.kernel for located in calls):
        return
    effect = kernel.effect(Change(barriers=0.0))
    if not matters(effect):
        return
    sites = [(located.function.path, located.node.line) for located in calls]
    edits = _edits(kernel, [line for _, line in sites])
    yield kernel.found(
        "the kernel uses no shared memory and reads nothing that it writes, so the barrier orders"
        " nothing",
        sites,
        effect,
        Fix("Remove the barrier", edits) if edits else None,
    )


def _edits(kernel: KernelSubject, lines: list[int]) -> tuple[Edit, ...]:
    text = kernel.text(kernel.kernel.path)
    edits = []
    for line in lines:
        found = text.matches(_STATEMENT, line) if text is not None else []
        if text is None or len(found) != 1:
            return ()
        start, end = text.bounds(line)
        alone = not text.text[start : found[0].start()].strip() and not (
            text.text[found[0].end() : end].strip()
        )
        edits.append(
            text.delete_line(line) if alone else text.replace(found[0].start(), found[0].end(), "")
        )
    return tuple(edits)


RULE = Rule(
    "RL309", "needless-barrier", Level.INFORMATION, __doc__, BAD, GOOD, check=check, fixes=True
)

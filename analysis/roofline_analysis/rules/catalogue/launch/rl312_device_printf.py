"""All threads of a kernel that computes something print.

Device `printf` formats nothing: it copies its arguments into a buffer of 1 MB by default, which the
host prints at the next synchronisation. Threads wait for a place in the buffer, lines beyond its
size overwrite earlier ones, and printing takes far longer than most kernels. Print from one thread,
or where something is wrong, and take out what was for debugging.

Nothing is said of kernels that only print, and of those whose names say that they do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import called_name
from roofline_analysis.rules.number_text import plain
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex

BAD = """\
#include <cstdio>
__global__ void scale(int n, float a, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = a * x[i];
        printf("%d: %f\\n", i, x[i]);
    }
}

int main() {
    int n = 1 << 20;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<n / 256, 256>>>(n, 2.0f, x);
}
"""

GOOD = BAD.replace("printf", "if (i == 0) printf")

_LEAST_LINES: Final = 10_000.0
"""Lines that a launch prints: about what the buffer holds. Chosen, not measured."""
_PRINTS: Final = re.compile(r"print|dump|debug|show|trace|hello|log(?!it|sum|soft)", re.IGNORECASE)
"""Names of kernels that are there to print."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Calls of ``printf`` that all threads make in a kernel that stores something."""
    if _PRINTS.search(kernel.kernel.name) or not _stores(kernel):
        return
    for located in kernel.nodes(ex.Call):
        call = located.node
        if not isinstance(call, ex.Call) or called_name(call) != "printf":
            continue
        lines = _lines(kernel, (located.function.path, call.line))
        if lines >= _LEAST_LINES:
            many = "" if kernel.prediction.time_depends_on else f" {plain(round(lines))} times"
            yield kernel.found(
                f"all threads print here,{many or ' each time that they come by'}: printing takes"
                " longer than the kernel's work, and what does not fit the buffer is lost",
                [(located.function.path, call.line)],
            )
            return


def _stores(kernel: KernelSubject) -> bool:
    return any(
        access.array.space is MemorySpace.GLOBAL and access.mode is not AccessMode.READ
        for region in kernel.judged.demanding
        for access in region.accesses
    )


def _lines(kernel: KernelSubject, site: tuple[object, int]) -> float:
    """How often a call runs; 0 where that hangs on data, or nothing is known of it."""
    runs = kernel.judged.execution.regions
    found = [each for each in kernel.summary.root.walk() if site in each.work]
    if not found or any(each not in runs for each in found):
        return 0.0
    region = min(found, key=lambda each: runs[each].runs)
    if any(runs[each].assumed for each in region.ancestors()):
        return 0.0
    return runs[region].runs


RULE = Rule("RL312", "device-printf", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

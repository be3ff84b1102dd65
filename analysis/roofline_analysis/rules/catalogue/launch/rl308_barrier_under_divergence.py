"""A barrier that some threads of a block do not reach.

`__syncthreads()` waits for all threads of the block. Under a condition that holds for some of them
only, its behaviour is undefined: the kernel may hang, or threads may wait at different
barriers. Move the barrier out of the branch and leave only the work inside. Where both arms of a
branch have a barrier, as where some warps produce what the others consume, nothing is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.kernel_summary import Region, Role
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import Located, called_name, within
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program import expressions as ex

BAD = """\
__global__ void neighbours(int n, const float *x, float *y) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = x[i];
    if (threadIdx.x < 255) {
        __syncthreads();
        y[i] = tile[threadIdx.x] + tile[threadIdx.x + 1];
    }
}

int main() {
    int n = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    neighbours<<<n / 256, 256>>>(n, x, y);
}
"""

GOOD = BAD.replace("        __syncthreads();\n", "").replace(
    "    if (threadIdx", "    __syncthreads();\n    if (threadIdx"
)

_FIXED_BY_LAUNCH = (SymbolScope.THREAD, SymbolScope.LAUNCH, SymbolScope.PARAM)
_BARRIERS = ("__syncthreads",)


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Barriers inside guards that hold for some threads of a block only."""
    barriers = [
        located
        for located in kernel.nodes(ex.Call)
        if isinstance(located.node, ex.Call) and called_name(located.node) in _BARRIERS
    ]
    if not barriers:
        return
    for region in kernel.judged.demanding:
        guard = _splitting_guard(kernel, region) if region.barriers else None
        if guard is None:
            continue
        line = guard.site[1]
        inside = [each for each in barriers if _is_below(each, line)]
        if inside and not _meet_another(line, inside):
            yield kernel.found(
                f"some threads of the block do not take the branch at line {line} and do not reach"
                " this barrier, which is undefined behaviour; move it out",
                list(dict.fromkeys((each.function.path, each.node.line) for each in inside)),
            )
            return


def _is_below(located: Located, line: int) -> bool:
    """Whether a call is inside a branch whose condition is on the given line."""
    return any(branch.condition.line == line for branch in located.branches)


def _meet_another(line: int, barriers: Collection[Located]) -> bool:
    """Whether both arms of the branch on a line have barriers, at which all threads may meet."""
    inner = {id(each.node) for each in barriers}
    branches = {
        id(branch): branch
        for each in barriers
        for branch in each.branches
        if branch.condition.line == line
    }
    return any(
        it.otherwise is not None
        and all(any(id(node) in inner for node in within(arm)) for arm in (it.then, it.otherwise))
        for it in branches.values()
    )


def _splitting_guard(kernel: KernelSubject, region: Region) -> Region | None:
    """The guard around a region that divides a block's threads; None if none is known to."""
    taken = (guard for guard in region.guards() if guard.role is Role.TAKEN)
    return next((guard for guard in taken if _splits(kernel, guard)), None)


def _splits(kernel: KernelSubject, guard: Region) -> bool:
    lanes = kernel.judged.execution.lanes
    if lanes is None:
        return False
    for condition in guard.conditions:
        if condition is None:
            return False
        symbols = condition.symbols()
        if not any(s.name.startswith("threadIdx") for s in symbols):
            continue
        if any(s.scope not in _FIXED_BY_LAUNCH for s in symbols):
            return False
        holds = lanes.evaluate(condition)
        if not isinstance(holds, np.ndarray):
            continue
        blocks = np.zeros(len(holds), dtype=np.int64)
        for axis in "xyz":
            index = lanes.values[THREAD[f"blockIdx.{axis}"]]
            blocks = blocks * 65536 + np.asarray(index, dtype=np.int64)
        passing = np.asarray(holds) != 0
        for block in np.unique(blocks):
            some = passing[blocks == block]
            if some.any() and not some.all():
                return True
    return False


RULE = Rule("RL308", "barrier-under-divergence", Level.WARNING, __doc__, BAD, GOOD, check=check)

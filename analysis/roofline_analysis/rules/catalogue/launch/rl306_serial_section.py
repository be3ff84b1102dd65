"""One thread of a block works while the others wait.

Under `if (threadIdx.x == 0)` one lane of one warp runs and the rest of the block waits, at the next
barrier or at its end. A loop there takes as many steps as it has iterations, each with the full
latency of its instructions. Share the loop out over the threads, with a reduction at its end.

One thread of the whole grid is no finding where no barrier follows: then no thread waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roofline_analysis.regions.kernel_summary import Region, RegionForm, Role
from roofline_analysis.rules.effects import Change, are_sizes_guessed, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import called_name
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.algebra.symbol_scopes import DATA_OR_CARRIED, SymbolScope
from roofline_core.program import expressions as ex

BAD = """\
__global__ void block_sums(int n, const float *x, float *sums) {
    __shared__ float part[256];
    part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int k = 0; k < 256; k++) sum += part[k];
        sums[blockIdx.x] = sum;
    }
}

int main() {
    int n = 1 << 22;
    float *x, *sums;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&sums, n / 256 * sizeof(float));
    block_sums<<<n / 256, 256>>>(n, x, sums);
}
"""

GOOD = """\
__global__ void block_sums(int n, const float *x, float *sums) {
    __shared__ float part[8];
    float sum = x[blockIdx.x * 256 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) sum += part[w];
        sums[blockIdx.x] = sum;
    }
}

int main() {
    int n = 1 << 22;
    float *x, *sums;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&sums, n / 256 * sizeof(float));
    block_sums<<<n / 256, 256>>>(n, x, sums);
}
"""

_LEAST_TRIPS = 16.0
"""Trips of the loop that one thread runs. Chosen, not measured."""
_LEAST_GAIN = 0.15
"""The least share of the launch's time that a finding saves. Chosen, not measured."""
_FEW = 1.01
"""The most threads of a block that pass the guard."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Guards that one thread of each block passes, with a long loop inside."""
    execution = kernel.judged.execution
    x, y, z = execution.block
    if x * y * z < 32:
        return
    blocks = float(kernel.judged.demand.blocks)
    for region in kernel.judged.demanding:
        if not _is_by_thread(region) or kernel.runs(region) > _FEW * blocks * _outer(
            kernel, region
        ):
            continue
        runs = execution.regions[region]
        if runs.assumed or not runs.runs:
            continue
        inside = [
            each for each in region.walk() if each in execution.regions and each is not region
        ]
        if any(execution.regions[each].assumed for each in inside):
            continue
        most = max((execution.regions[each].runs / runs.runs for each in inside), default=0.0)
        unrolled = max((_unrolled_runs(each, region) for each in region.walk()), default=1)
        trips = max(most, float(unrolled))
        if trips < _LEAST_TRIPS:
            continue
        shorter = 1.0 / min(trips, float(x * y * z))
        change = Change(warp_runs=dict.fromkeys(inside, max(shorter, 1 / 32)))
        of_grid = blocks > _FEW and kernel.runs(region) <= _FEW * _outer(kernel, region)
        if not of_grid and _is_by_block(region):
            continue  # the blocks differ: all threads of some may pass
        if of_grid and not _is_waited_for(kernel, region):
            continue
        if _prints(kernel, region):
            continue
        effect = kernel.effect(change)
        if are_sizes_guessed(effect) and _has_trips_by_argument(inside):
            continue
        if matters(effect, _LEAST_GAIN):
            who, others = ("the whole grid", " of its block") if of_grid else ("each block", "")
            yield kernel.found(
                f"one thread of {who} runs {trips:,.4g} iterations here while"
                f" {x * y * z - 1} others{others} wait; share the loop out over them",
                [region.site],
                effect,
            )


def _unrolled_runs(region: Region, guard: Region) -> int:
    """How often the body of loops that are unrolled runs, one in another, inside of a guard."""
    runs, at = region.walked_runs, region
    while at is not guard and at.parent is not None:
        at = at.parent
        runs *= at.walked_runs if at is not guard else 1
    return runs


def _is_by_thread(region: Region) -> bool:
    """Whether a guard picks a thread by its index."""
    if (
        region.form is not RegionForm.GUARD
        or region.role is not Role.TAKEN
        or not region.conditions
    ):
        return False
    symbols = {s for c in region.conditions if c is not None for s in c.symbols()}
    return any(s.name.startswith("threadIdx") for s in symbols) and not any(
        s.scope in DATA_OR_CARRIED for s in symbols
    )


def _is_by_block(region: Region) -> bool:
    """Whether a guard tests which block it is in."""
    symbols = {s for c in region.conditions if c is not None for s in c.symbols()}
    return any(symbol.name.startswith("blockIdx") for symbol in symbols)


def _prints(kernel: KernelSubject, guard: Region) -> bool:
    """Whether a section writes text, which one thread does on purpose."""
    path, line = guard.site
    return any(
        isinstance(located.node, ex.Call)
        and called_name(located.node) == "printf"
        and located.function.path == path
        and any(branch.line == line for branch in located.branches)
        for located in kernel.nodes(ex.Call)
    )


def _has_trips_by_argument(regions: Iterable[Region]) -> bool:
    """Whether an argument decides the trips of a loop."""
    trips = [each.trips for each in regions if each.trips is not None]
    return any(symbol.scope is SymbolScope.PARAM for each in trips for symbol in each.symbols())


def _is_waited_for(kernel: KernelSubject, guard: Region) -> bool:
    """Whether a barrier follows a guard, or may: behind it, in a loop, or in another function."""
    function = kernel.kernel
    path, line = guard.site
    if path != function.path or not function.span.line <= line <= function.span.end_line:
        return kernel.summary.barriers > 0
    own = [
        located
        for located in kernel.nodes(ex.Call)
        if located.function is function
        and isinstance(located.node, ex.Call)
        and (called_name(located.node) or "").startswith("__syncthreads")
    ]
    if len(own) < kernel.summary.barriers:
        return True
    return any(located.node.line > line or located.loops for located in own)


def _outer(kernel: KernelSubject, guard: Region) -> float:
    """The number of times a block reaches a guard."""
    factor = 1.0
    for loop in guard.loops():
        factor *= max(1.0, kernel.judged.execution.regions[loop].trips)
    return factor


RULE = Rule("RL306", "serial-section", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

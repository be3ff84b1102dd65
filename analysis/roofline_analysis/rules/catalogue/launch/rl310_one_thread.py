"""A launch of one thread goes through an array.

One thread has few instructions in flight and loads one element at a time, so that each step takes
the full latency: a GPU's clock is lower than a CPU's, and all but one of its lanes wait. Share the
loop out over a block, with a reduction or a scan at its end, or use those of a library.

Nothing is said of loops in which each step needs what the one before has computed, unless that is a
sum, a product, the least or the greatest: those can be shared out, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from roofline_analysis.regions.kernel_summary import Region, RegionForm
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.independence import can_be_shared_out, global_accesses
from roofline_analysis.rules.launches import found_at_launch, known_launches
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.number_text import plain
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.verdict.launch import BoundLaunch

BAD = """\
__global__ void mean(int n, const float *x, float *result) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += x[i];
    *result = sum / n;
}

int main() {
    int n = 1 << 16;
    float *x, *result;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    mean<<<1, 1>>>(n, x, result);
}
"""

GOOD = """\
__global__ void mean(int n, const float *x, float *result) {
    __shared__ float parts[32];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 1024) sum += x[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = parts[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0) *result = sum / n;
}

int main() {
    int n = 1 << 16;
    float *x, *result;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    mean<<<1, 1024>>>(n, x, result);
}
"""

_LEAST_TRIPS: Final = 128.0
"""Elements that the thread goes through. Chosen, not measured."""
_MOST_THREADS: Final = 1024.0
"""Threads of the block that would share the loop."""
_LEAST_GAIN: Final = 0.4
"""The least share of the launch's time that a finding saves. Chosen, not measured."""
_LEAST_SAVED_NS: Final = 10_000.0
"""The least time that it saves, in ns: a few launches' worth. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Launches of one thread with a long loop over memory."""
    if any(_threads(launch) > 1 for launch in kernel.launches):
        return
    for launch in known_launches(kernel):
        loops = list(_loops(launch))
        if not loops or not all(can_be_shared_out(kernel, loop) for loop in loops):
            continue
        runs = launch.judged.execution.regions
        shares: dict[Region, float] = {}
        for loop in loops:
            for inside in loop.walk():
                if inside in runs:
                    shares[inside] = 1.0 / min(runs[loop].trips, _MOST_THREADS)
        effect = kernel.effect(Change(warp_runs=shares), launch)
        if matters(effect, _LEAST_GAIN) and effect.time_ns - effect.new_time_ns > _LEAST_SAVED_NS:
            longest = max(loops, key=lambda loop: runs[loop].runs)
            yield found_at_launch(
                kernel,
                launch,
                f"one thread goes through {plain(round(runs[longest].trips))} elements in turn, in"
                f" line {longest.site[1]} of '{kernel.kernel.name}'; share them out over a block",
                effect,
            )
            return


def _threads(launch: BoundLaunch) -> int:
    execution = launch.judged.execution
    return math.prod((*execution.grid, *execution.block))


def _loops(launch: BoundLaunch) -> Iterator[Region]:
    """The outermost loops of many steps, each at another place of an array in device memory."""
    runs = launch.judged.execution.regions
    waiting = [launch.judged.summary.root]
    while waiting:
        region = waiting.pop()
        if region.form is RegionForm.LOOP and _is_long(region, launch):
            yield region
        else:
            waiting += [child for child in region.children if child in runs]


def _is_long(loop: Region, launch: BoundLaunch) -> bool:
    found = launch.judged.execution.regions[loop]
    return (
        found.trips >= _LEAST_TRIPS
        and not found.assumed
        and not loop.spins
        and any(access.varies & loop.bit for access in global_accesses(loop))
    )


RULE = Rule("RL310", "one-thread", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

"""Blocks are so small that their number limits occupancy.

A multiprocessor holds a limited number of blocks, 16 on an RTX 3080, whatever their size. With one
warp each that is 16 of 48 warps: too few to hide the latency of memory. Launch larger blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.launches import block_threads, found_at_launch, known_launches
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.timing.occupancy import OccupancyLimit
from roofline_analysis.verdict.launch import BoundLaunch

BAD = """\
__global__ void walk(int n, const int *next, int *last) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i;
    for (int k = 0; k < 64; k++) at = next[at];
    last[i] = at;
}

int main() {
    int n = 1 << 18;
    int *next, *last;
    cudaMalloc(&next, n * sizeof(int));
    cudaMalloc(&last, n * sizeof(int));
    walk<<<n / 32, 32>>>(n, next, last);
}
"""

GOOD = BAD.replace("<<<n / 32, 32>>>", "<<<n / 256, 256>>>")


_LOW = 0.5
"""The share of the warps that a multiprocessor holds, from which latency is hidden as a rule.

Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Launches whose occupancy the limit of resident blocks bounds."""
    for launch in known_launches(kernel):
        used, share = launch.prediction.utilisation, launch.prediction.occupancy
        if used is None or share is None or used.limiter is not OccupancyLimit.BLOCKS:
            continue
        if used.waves <= 1.0 or share > _LOW:
            continue
        if block_threads(launch) < kernel.target.gpu.architecture.warp_size:
            continue  # RL301 reports the idle lanes
        if _is_compared(kernel, launch):
            continue
        warps = -(-block_threads(launch) // kernel.target.gpu.architecture.warp_size)
        held = kernel.target.gpu.architecture.occupancy.warps_per_sm // warps
        effect = kernel.effect(Change(blocks_per_sm=held), launch)
        if matters(effect):
            yield found_at_launch(
                kernel,
                launch,
                f"blocks of {block_threads(launch)} threads: a multiprocessor holds"
                f" {used.blocks_per_sm} blocks at most, which is {share:.0%} of its warps",
                effect,
            )


def _is_compared(kernel: KernelSubject, launch: BoundLaunch) -> bool:
    """Whether the program launches as many threads in larger blocks, too, to show what they do."""
    threads = launch.judged.demand.blocks * block_threads(launch)
    return any(
        block_threads(other) > block_threads(launch)
        and threads / 2 <= other.judged.demand.blocks * block_threads(other) <= threads * 2
        for other in kernel.launches
    )


RULE = Rule("RL305", "small-blocks", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

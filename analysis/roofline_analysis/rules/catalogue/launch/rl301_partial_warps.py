"""The threads of a block do not fill its last warp.

Warps have 32 threads. A block of 100 threads has four warps, and of the last one 28 lanes do
nothing in every instruction, which takes its time all the same. Make the block's size a multiple
of 32, and let a guard exclude the surplus threads.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.launches import block_threads, found_at_launch, known_launches
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject

BAD = """\
__global__ void polynomial(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
    for (int k = 0; k < 4096; k++) value = value * value + 0.5f;
    x[i] = value;
}

int main() {
    int n = 1 << 20;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    polynomial<<<(n + 39) / 40, 40>>>(n, x);
}
"""

GOOD = BAD.replace("(n + 39) / 40, 40", "n / 256, 256")

_LEAST_GAIN = 0.1
"""The least share of the launch's time that a finding saves: idle lanes cost nothing where the time
goes to memory, which the model tells roughly."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Launches whose block size is not a multiple of the warp size."""
    warp = kernel.target.gpu.architecture.warp_size
    for launch in known_launches(kernel):
        threads = block_threads(launch)
        if threads % warp == 0 or launch.judged.demand.blocks * threads <= warp:
            continue
        lanes = -(-threads // warp) * warp
        used = threads / lanes
        regions = launch.judged.demanding
        change = Change(warp_runs=dict.fromkeys(regions, used), paths=1.0 / used)
        effect = kernel.effect(change, launch)
        if matters(effect, _LEAST_GAIN):
            yield found_at_launch(
                kernel,
                launch,
                f"blocks of {threads} threads take {lanes // warp} warps of {warp}:"
                f" {1.0 - used:.0%} of the lanes do nothing",
                effect,
            )


RULE = Rule("RL301", "partial-warps", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

"""Shared memory lets few blocks run at a time.

A multiprocessor has shared memory for only so many blocks. When few warps are resident, nothing
else can run while they wait for memory or for a barrier, and latency is exposed. Use smaller
tiles, or larger blocks for the same tile.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.launches import known_launches
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.timing.occupancy import OccupancyLimit
from roofline_core.text.units import scaled

BAD = """\
__global__ void shift(int n, const float *x, float *y) {
    __shared__ float tile[8192];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 64; k++) {
        tile[threadIdx.x] = x[(i + k * 4099) & (n - 1)];
        __syncthreads();
        y[i] = tile[(threadIdx.x + 1) % 128];
        __syncthreads();
    }
}

int main() {
    int n = 1 << 18;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    shift<<<n / 128, 128>>>(n, x, y);
}
"""

GOOD = BAD.replace("tile[8192]", "tile[128]")

_LEAST_GAIN = 0.15
"""The least share of the time to save: registers, which the source does not show, may limit the
blocks as well. Chosen, not measured."""
_LOW = 0.4
"""The share of the warps that a multiprocessor holds, from which latency is hidden as a rule.

Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Launches whose occupancy is low and limited by shared memory."""
    launch = next(iter(known_launches(kernel)), None)
    if launch is None:
        return
    used, share = launch.prediction.utilisation, launch.prediction.occupancy
    if (
        used is None
        or share is None
        or used.limiter is not OccupancyLimit.SHARED_MEMORY
        or share > _LOW
    ):
        return
    if used.waves <= 1.0:
        return
    effect = kernel.effect(Change(blocks_per_sm=2 * used.blocks_per_sm), launch)
    if not matters(effect, _LEAST_GAIN):
        return
    size = launch.judged.summary.shared_bytes + launch.bound.dynamic_shared_bytes
    yield kernel.found(
        f"{scaled(size, 'B')} of shared memory let {used.blocks_per_sm} blocks run on a"
        f" multiprocessor at a time: {share:.0%} of its warps; with half of it twice as"
        " many blocks would run",
        [(kernel.kernel.path, kernel.kernel.name_span.line)],
        effect,
        span=kernel.kernel.name_span,
    )


RULE = Rule(
    "RL304",
    "shared-memory-limits-occupancy",
    Level.INFORMATION,
    __doc__,
    BAD,
    GOOD,
    check=check,
)

"""The last round of blocks leaves most of the GPU idle.

Blocks are shared out over the multiprocessors. With 80 blocks on 68 of them, twelve run two blocks
and the others wait: the launch takes as long as with 136 blocks. Choose a number of blocks that is
a multiple of the multiprocessors, or smaller blocks, whose last round costs less. Where each warp
of the busiest multiprocessor has a scheduler of its own, nobody waits, and nothing is said. Nor is
anything where something else than arithmetic takes longest: a multiprocessor with two blocks hides
their waiting better than one with one.
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
    for (int k = 0; k < 16384; k++) value = value * value + 0.5f;
    x[i] = value;
}

int main() {
    int n = 80 * 1024;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    polynomial<<<n / 1024, 1024>>>(n, x);
}
"""

GOOD = BAD.replace("<<<n / 1024, 1024>>>", "<<<n / 128, 128>>>")

_LEAST_GAIN = 0.15
"""The least share of the launch's time that a finding saves. Chosen, not measured."""

_LEAST_TIME_NS = 100_000.0
"""The least time in ns. Readers found no use in what was said of shorter launches."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Launches that would take as long with many more blocks."""
    sms = kernel.target.gpu.sm_count
    launches = list(known_launches(kernel))
    counts = [launch.judged.demand.blocks for launch in launches]
    if any(blocks <= sms or blocks % sms == 0 for blocks in counts):
        return  # launches of other sizes have other rounds
    for launch, blocks in zip(launches, counts, strict=True):
        rounds = -(-blocks // sms)
        warps = rounds * -(-block_threads(launch) // kernel.target.gpu.architecture.warp_size)
        if warps <= kernel.target.gpu.architecture.occupancy.subpartitions_per_sm:
            continue
        if (launch.prediction.time_ns or 0.0) < _LEAST_TIME_NS:
            continue
        terms = launch.judged.timing.terms_ns
        if terms["compute"] < max(terms.values()):
            continue
        effect = kernel.effect(Change(blocks=rounds * sms, paths=1.0), launch)
        if matters(effect, _LEAST_GAIN):
            yield found_at_launch(
                kernel,
                launch,
                f"{blocks} blocks on {sms} multiprocessors: some get {rounds}, while the mean is"
                f" {blocks / sms:.2f}, and all wait for the busiest",
                effect,
            )


RULE = Rule("RL303", "tail-wave", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

"""Many atomic operations on few addresses.

L2 does atomic operations on one line one after another, about one every two nanoseconds. A sum into
one address by every thread of a large launch waits for that queue, whatever the roofline says. Add
up within the warp (`__shfl_down_sync`) and the block (shared memory) first, and
let one thread of each block do the atomic operation.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.language.types import is_float
from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace
from roofline_analysis.rules.accesses import WarpAccess, shown_name, warp_accesses
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.text.units import scaled

BAD = """\
__global__ void total(int n, const float *x, float *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]);
}

int main() {
    int n = 1 << 20;
    float *x, *sum;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&sum, sizeof(float));
    total<<<n / 256, 256>>>(n, x, sum);
}
"""

GOOD = """\
__global__ void total(int n, const float *x, float *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
    __shared__ float parts[8];
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) value += parts[w];
        atomicAdd(sum, value);
    }
}

int main() {
    int n = 1 << 20;
    float *x, *sum;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&sum, sizeof(float));
    total<<<n / 256, 256>>>(n, x, sum);
}
"""

_LEAST_SHARE = 0.3
"""The least share of the launch's time that atomic operations wait for each other."""
_FEW_BYTES = 4096.0
"""Bytes that the operations of all threads fall into, at most. Chosen, not measured."""
_LEAST_OPERATIONS = 1024.0
"""The fewest operations of a launch for a finding. Chosen, not measured."""
_LEAST_PER_BLOCK = 16
"""The fewest operations of a block on one element; a reduction may leave one per warp."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """The atomic operation with the longest queue."""
    judged = kernel.judged
    terms = judged.timing.terms_ns
    if terms["contention"] < _LEAST_SHARE * judged.timing.total_ns or judged.demand.grid_reductions:
        return
    items = [
        item
        for item in warp_accesses(kernel, MemorySpace.GLOBAL)
        if item.access.mode is AccessMode.ATOMIC
        and _span(kernel, item) <= _FEW_BYTES
        and not _is_guessed(kernel, item)
        and _per_block(kernel, item) >= _LEAST_PER_BLOCK
    ]
    if not items:
        return
    worst = max(items, key=lambda item: _operations(kernel, item))
    many = _operations(kernel, worst)
    threads = 1.0
    for extent in judged.execution.block:
        threads *= extent
    effect = kernel.effect(Change(contention=1.0 / max(1.0, threads)))
    if many < _LEAST_OPERATIONS or not matters(effect):
        return
    yield kernel.found(
        f"{scaled(many, '').strip()} atomic operations on {shown_name(worst.array)} wait for one"
        f" another, as they go to {_span(kernel, worst):.0f} bytes; combine the values of a block"
        " first",
        [worst.access.site],
        effect,
    )


def _is_guessed(kernel: KernelSubject, item: WarpAccess) -> bool:
    """Whether the number of threads that make an access is an estimate."""
    runs = kernel.judged.execution.regions
    return any(runs[region].assumed or region.spins for region in item.region.ancestors())


def _per_block(kernel: KernelSubject, item: WarpAccess) -> float:
    """The operations of a block on each element that it adds to, on average."""
    elements = max(1.0, _span(kernel, item) / item.access.size_bytes)
    return _operations(kernel, item) / (kernel.judged.demand.blocks * elements)


def _span(kernel: KernelSubject, item: WarpAccess) -> float:
    """Bytes from the lowest to the highest address; infinite where they are unknown."""
    footprint = kernel.footprints.get(item.access)
    if footprint is None or footprint.box is None or footprint.random:
        return float("inf")
    return footprint.box.span


def _operations(kernel: KernelSubject, item: WarpAccess) -> float:
    """The atomic operations of L2: one per lane, or per warp where lanes are combined first."""
    if is_float(item.array.element.name):
        return kernel.runs(item.region)
    return item.warp_runs * item.request.wavefronts


RULE = Rule("RL109", "contended-atomics", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

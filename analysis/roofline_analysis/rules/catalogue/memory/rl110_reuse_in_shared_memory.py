"""The threads of a block load the same data again and again.

In a naive matrix product each row of threads loads the same elements of `b` that all other rows of
the block load. They come from L2, whose bandwidth is a few times that of DRAM, and not from
registers. Load a tile into shared memory once for the block, and let all threads use it from there:
of the requests one in as many is left as there are rows of threads. In a grid-stride loop each run
is for other elements: what the rows of a block share there comes from L1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.kernel_summary import Access, AccessMode, MemorySpace, Region
from roofline_analysis.rules.accesses import (
    WarpAccess,
    depends_on_data,
    goes_over_grid,
    shown_name,
    sites_of,
    stride,
    trips,
    warp_accesses,
)
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.timing.demand import WarpRequest

BAD = """\
__global__ void product(int n, const float *a, const float *b, float *c) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

int main() {
    int n = 2048;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, a, b, c);
}
"""

GOOD = """\
__global__ void product(int n, const float *a, const float *b, float *c) {
    __shared__ float as[16][16], bs[16][16];
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main() {
    int n = 2048;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, a, b, c);
}
"""

_LEAST_TRIPS = 8.0
"""Trips of the loop that loads: fewer do not pay for a tile. Chosen, not measured."""
_LEAST_SHARING = 4.0
"""The least number of warps of a block that load the same elements."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Loads in loops that several warps of a block repeat.

    None where no launch was found: how warps share depends on the block's shape.
    """
    if kernel.launch.context is None:
        return
    terms = kernel.judged.timing.terms_ns
    cached = max(terms["l1"], terms["l2"])
    if cached < max(0.5 * terms["compute"], terms["dram"], terms["contention"]):
        return
    shared = [
        (item, times)
        for item in warp_accesses(kernel, MemorySpace.GLOBAL)
        if (times := _sharing(kernel, item)) >= _LEAST_SHARING
    ]
    if not shared:
        return
    requests: dict[Access, WarpRequest | None] = {}
    for item, times in shared:
        left = replace(item.request, l2_share=item.request.l2_share / times, wavefronts=1.0)
        requests[item.access] = left
    effect = kernel.effect(Change(requests=requests))
    if not matters(effect):
        return
    names = ", ".join(dict.fromkeys(shown_name(item.array) for item, _ in shared))
    most = max(times for _, times in shared)
    yield kernel.found(
        f"{most:.0f} warps of each block load the same elements of {names} in each run of the loop;"
        " load a tile into shared memory once for the block",
        sites_of([item for item, _ in shared]),
        effect,
    )


def _sharing(kernel: KernelSubject, item: WarpAccess) -> float:
    """The warps of a block that load the same elements in one iteration of the innermost loop."""
    loop = item.region.innermost_loop
    access = item.access
    if access.mode is not AccessMode.READ or loop is None or depends_on_data(access):
        return 1.0
    if goes_over_grid(loop):
        return 1.0
    if trips(kernel, loop) < _LEAST_TRIPS or not access.varies & loop.bit or _has_guard(item, loop):
        return 1.0
    if stride(kernel, access, THREAD["threadIdx.x"]) == 0.0:
        return 1.0  # One element for a whole warp takes as many requests from a tile.
    x, y, z = kernel.judged.execution.block
    if stride(kernel, access, THREAD["threadIdx.y"]) == 0.0 and y * z > 1:
        warp = kernel.target.gpu.architecture.warp_size
        warps = x * y * z / warp
        distinct = max(1.0, x / warp)
        return warps / distinct if stride(kernel, access, THREAD["threadIdx.z"]) == 0.0 else 1.0
    return 1.0


def _has_guard(item: WarpAccess, loop: Region) -> bool:
    return item.region is not loop


RULE = Rule("RL110", "reuse-in-shared-memory", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

"""threadIdx.x goes along the slow dimension and threadIdx.y along the fast one.

The lanes of a warp differ in `threadIdx.x` first. In `a[x * pitch + y]` they therefore access
elements a row apart, each in a sector of its own, while `threadIdx.y` walks through neighbours.
Swap the roles of x and y, in the indices and in the grid: every request then takes the fewest
sectors.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.regions.kernel_summary import MemorySpace
from roofline_analysis.rules.accesses import (
    WarpAccess,
    depends_on_data,
    lane_stride,
    shown_name,
    sites_of,
    warp_accesses,
)
from roofline_analysis.rules.catalogue.memory.rl101_uncoalesced_access import is_transposed
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject

BAD = """\
__global__ void scale(int rows, int columns, const float *a, float *b) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns)
        b[row * columns + column] = 2.0f * a[row * columns + column];
}

int main() {
    int n = 4096;
    float *a, *b;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    scale<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, n, a, b);
}
"""

GOOD = (
    BAD.replace("int row = blockIdx.x * blockDim.x + threadIdx.x", "int column = T")
    .replace("int column = blockIdx.y * blockDim.y + threadIdx.y", "int row = U")
    .replace("= T", "= blockIdx.x * blockDim.x + threadIdx.x")
    .replace("= U", "= blockIdx.y * blockDim.y + threadIdx.y")
)


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Accesses that swapping x and y would coalesce, if it makes no other access worse."""
    if not kernel.is_block_known:
        return  # which threads make a warp is a guess
    items = [
        item
        for item in warp_accesses(kernel, MemorySpace.GLOBAL)
        if not depends_on_data(item.access)
    ]
    swapped = [item for item in items if is_transposed(kernel, item)]
    if not swapped or any(_is_coalesced(kernel, item) for item in items):
        return
    effect = kernel.effect(Change(requests={item.access: item.coalesced() for item in swapped}))
    if not matters(effect):
        return
    names = dict.fromkeys(shown_name(item.array) for item in swapped)
    apart = lane_stride(kernel, swapped[0].access) or 0.0
    yield kernel.found(
        f"threadIdx.x steps through {', '.join(names)} by {abs(apart):,.0f} bytes and threadIdx.y"
        " through neighbouring elements; swap the roles of x and y",
        sites_of(swapped),
        effect,
    )


def _is_coalesced(kernel: KernelSubject, item: WarpAccess) -> bool:
    """Whether swapping x and y would make an access uncoalesced."""
    return lane_stride(kernel, item.access) == item.access.size_bytes


RULE = Rule("RL104", "swapped-thread-indices", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

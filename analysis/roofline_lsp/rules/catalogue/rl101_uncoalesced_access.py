"""Neighbouring threads access memory far apart.

A warp's request is served in sectors of 32 bytes. Where the lanes' addresses lie a sector or more
apart, each lane takes a sector of its own, of which one element is used: 32 sectors travel from L2
where 4 would do for floats. Let neighbouring threads access neighbouring elements: transpose the
data or the mapping of threads to it, or bring tiles through shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_lsp.analysis.device.values import THREAD
from roofline_lsp.rules.accesses import (
    Asked,
    asked,
    by_array,
    depends_on_data,
    lane_stride,
    shown_name,
    sites_of,
    stride,
)
from roofline_lsp.rules.effects import Change, matters
from roofline_lsp.rules.model import Found, Level, Rule
from roofline_lsp.rules.subject import KernelSubject

BAD = """\
__global__ void row_sums(int rows, int columns, const float *a, float *sums) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = 0; k < columns; k++) sum += a[row * columns + k];
    sums[row] = sum;
}

int main() {
    int rows = 1 << 16, columns = 512;
    float *a, *sums;
    cudaMalloc(&a, rows * columns * sizeof(float));
    cudaMalloc(&sums, rows * sizeof(float));
    row_sums<<<rows / 256, 256>>>(rows, columns, a, sums);
}
"""

GOOD = BAD.replace("a[row * columns + k]", "a[k * rows + row]")

_EXCESS = 2.0
"""Times as many sectors as neighbouring elements would take."""
_SECTOR = 32.0


def check(kernel: KernelSubject) -> Iterator[Found]:
    """Arrays whose lanes lie a sector or more apart, where that costs time."""
    traffic = {item.array: item for item in kernel.judged.traffic.arrays}
    for array, items in by_array(asked(kernel, "global")).items():
        wide = [item for item in items if _is_wide(kernel, item)]
        if not wide:
            continue
        change = Change(requests={item.access: item.coalesced() for item in wide})
        if array in traffic and all(i in wide for i in items if i.access.kind == "read"):
            # What the cache lost between a thread's steps through its sectors.
            again = traffic[array].read_bytes - traffic[array].first_read_bytes
            change.dram_bytes = -max(0.0, again)
        effect = kernel.effect(change)
        if matters(effect):
            yield kernel.found(_message(kernel, wide), sites_of(wide), effect)


def is_transposed(kernel: KernelSubject, item: Asked) -> bool:
    """Whether ``threadIdx.y`` goes through neighbouring elements and ``threadIdx.x`` does not."""
    if kernel.judged.execution.block[1] < 2:
        return False
    across = stride(kernel, item.access, THREAD["threadIdx.y"])
    along = lane_stride(kernel, item.access)
    return across == item.access.size_bytes and along is not None and abs(along) >= _SECTOR


def _is_wide(kernel: KernelSubject, item: Asked) -> bool:
    if item.access.kind == "atomic" or depends_on_data(item.access) or item.active < 2:
        return False
    if item.request.sectors < _EXCESS * item.least_sectors or is_transposed(kernel, item):
        return False
    apart = lane_stride(kernel, item.access)
    return apart is not None and abs(apart) >= _SECTOR


def _message(kernel: KernelSubject, items: Sequence[Asked]) -> str:
    worst = max(items, key=lambda item: item.warp_runs * item.request.sectors)
    apart = lane_stride(kernel, worst.access) or 0.0
    verb = "stores to" if worst.access.kind == "write" else "loads of"
    return (
        f"{verb} {shown_name(worst.array)} by neighbouring threads lie {abs(apart):,.0f} bytes"
        f" apart: a warp's request takes {worst.request.sectors:.0f} sectors where"
        f" {worst.least_sectors:.0f} would do"
    )


RULE = Rule("RL101", "uncoalesced-access", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

"""Neighbouring threads access memory far apart.

A warp's request is served in sectors of 32 bytes. Where the lanes' addresses lie a sector or more
apart, each lane takes a sector of its own, of which one element is used: 32 sectors travel from L2
where 4 would do for floats. Let neighbouring threads access neighbouring elements: transpose the
data or the mapping of threads to it, or bring tiles through shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.device.values import THREAD
from roofline_analysis.language.types import is_arithmetic
from roofline_analysis.names.usual_numbers import is_row_length
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import APART, AccessMode, MemorySpace
from roofline_analysis.rules.accesses import (
    WarpAccess,
    by_array,
    depends_on_data,
    lane_stride,
    shown_name,
    sites_of,
    stride,
    warp_accesses,
)
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol

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
"""The least ratio of a request's sectors to those that neighbouring elements would take."""
_USED = 0.75
"""The least share of the bytes between neighbouring threads that a thread uses itself."""
_FIRST_CACHE_BYTES = 128 * 1024
"""Bytes of a multiprocessor's L1, on GPUs since Volta."""
_LEAST_LANES = 8.0
"""Lanes of a warp that make the access: fewer need not be coalesced. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Arrays whose lanes lie a sector or more apart, where all of them together cost time."""
    traffic = {item.array: item for item in kernel.judged.traffic.arrays}
    found: list[WarpAccess] = []
    change = Change()
    for array, items in by_array(warp_accesses(kernel, MemorySpace.GLOBAL)).items():
        wide = [item for item in items if _is_wide(kernel, item)]
        if not wide or _is_covered(kernel, wide):
            continue
        found += wide
        change.requests.update((item.access, item.coalesced()) for item in wide)
        if array in traffic and all(i in wide for i in items if i.access.mode is AccessMode.READ):
            # The sectors that the cache evicts between a thread's accesses to them.
            again = traffic[array].read_bytes - traffic[array].first_read_bytes
            change.dram_bytes -= max(0.0, again)
    if found:
        effect = kernel.effect(change)
        if matters(effect):
            yield kernel.found(_message(kernel, found), sites_of(found), effect)


def _is_covered(kernel: KernelSubject, items: Sequence[WarpAccess]) -> bool:
    """Whether each thread uses its sectors whole before L1 evicts them."""
    apart = abs(lane_stride(kernel, items[0].access) or 0.0)
    used: set[int] = set()
    for item in items:
        first = int(item.access.offset.offset % apart) if apart else 0
        used.update(range(first, first + item.access.size_bytes))
    share = kernel.prediction.occupancy or 1.0
    threads = share * kernel.target.gpu.architecture.occupancy.threads_per_sm
    return len(used) >= _USED * apart and apart * threads <= _FIRST_CACHE_BYTES


def is_transposed(kernel: KernelSubject, item: WarpAccess) -> bool:
    """Whether consecutive ``threadIdx.y`` access neighbouring elements, ``threadIdx.x`` not."""
    if kernel.judged.execution.block[1] < 2:
        return False
    across = stride(kernel, item.access, THREAD["threadIdx.y"])
    along = lane_stride(kernel, item.access)
    return (
        across == item.access.size_bytes and along is not None and abs(along) >= item.sector_bytes
    )


def _is_wide(kernel: KernelSubject, item: WarpAccess) -> bool:
    if (
        item.access.mode is AccessMode.ATOMIC
        or depends_on_data(item.access)
        or item.active < _LEAST_LANES
    ):
        return False
    if item.request.sectors < _EXCESS * item.least_sectors or is_transposed(kernel, item):
        return False
    apart = lane_stride(kernel, item.access)
    if apart is None or _is_guessed(kernel, item) or _is_structure(kernel, item, apart):
        return False
    return abs(apart) >= item.sector_bytes


def _is_structure(kernel: KernelSubject, item: WarpAccess, apart: float) -> bool:
    """Whether each thread has a structure of its own: RL102's case, or a library's layout."""
    element = kernel.type_system.resolve(item.array.element)
    if element.pointers or is_arithmetic(element.name):
        return False
    return kernel.type_system.size(element) == abs(apart)


def _is_guessed(kernel: KernelSubject, item: WarpAccess) -> bool:
    """Whether the stride is a size that no host code fixes: rows are often a few elements.

    Objects behind pointers of their own are often few, too. Rows are long whose length is called so
    (``width``, ``lda``), and those of square matrices, of which a thread each is launched.
    """
    if not kernel.keeps_quiet_of_guesses:
        return False
    apart = item.access.offset.coefficient(THREAD["threadIdx.x"])
    if apart is None or apart.constant is not None:
        return apart is None or abs(apart.constant or 0.0) >= APART
    sizes = {symbol for symbol in apart.symbols() if symbol.scope is SymbolScope.PARAM}
    return not any(is_row_length(size.name) or _bounds_threads(item, size) for size in sizes)


def _bounds_threads(item: WarpAccess, size: Symbol) -> bool:
    """Whether the threads that make an access are as many as a row has elements."""
    conditions = (c for guard in item.region.guards() for c in guard.conditions if c is not None)
    compared = (atom.args[0] for atom in map(single_apply, conditions) if atom is not None)
    return any({size, THREAD["threadIdx.x"]} <= difference.symbols() for difference in compared)


def _message(kernel: KernelSubject, items: Sequence[WarpAccess]) -> str:
    worst = max(items, key=lambda item: item.warp_runs * item.request.sectors)
    apart = lane_stride(kernel, worst.access) or 0.0
    names = ", ".join(list(dict.fromkeys(shown_name(item.array) for item in items))[:5])
    kinds = {item.access.mode for item in items}
    verb = (
        "stores to"
        if kinds == {AccessMode.WRITE}
        else "accesses to"
        if len(kinds) > 1
        else "loads of"
    )
    where = (
        f"lie {abs(apart):,.0f} bytes apart"
        if abs(apart) < APART
        else "go through a pointer each, to places far apart"
    )
    return (
        f"{verb} {names} by neighbouring threads {where}: a warp's"
        f" request takes {worst.request.sectors:.0f} sectors where {worst.least_sectors:.0f} would"
        " do"
    )


RULE = Rule("RL101", "uncoalesced-access", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

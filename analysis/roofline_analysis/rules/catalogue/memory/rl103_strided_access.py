"""Elements with gaps between them that nothing uses.

Where threads access every second or every eighth element, the sectors between travel whole: of the
bytes that DRAM moves, a half or an eighth is used. Pack what is used together. The finding is made
of allocations that the program gives no other kernel: interleaved images and pairs that others use
whole are laid out for those.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.regions.kernel_summary import MemorySpace
from roofline_analysis.rules.accesses import (
    WarpAccess,
    by_array,
    depends_on_data,
    is_spread_by_argument,
    lane_stride,
    shown_name,
    sites_of,
    warp_accesses,
)
from roofline_analysis.rules.buffers import is_for_this_kernel
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.traffic.footprint import Box
from roofline_core.program import expressions as ex

BAD = """\
__global__ void real_parts(int n, const float *z, float *re) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) re[i] = z[4 * i];
}

int main() {
    int n = 1 << 22;
    float *z, *re;
    cudaMalloc(&z, 4 * n * sizeof(float));
    cudaMalloc(&re, n * sizeof(float));
    real_parts<<<n / 256, 256>>>(n, z, re);
}
"""

GOOD = BAD.replace("z[4 * i]", "z[i]")

_MOST_USED = 0.6
"""Of the bytes fetched: where more are used, little is lost. Chosen, not measured."""
_FAR = 128.0
"""The largest stride between neighbouring threads in bytes; a larger one is RL101's case."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Arrays of which all accesses together leave most bytes of the sectors unused."""
    traffic = {item.array: item for item in kernel.judged.traffic.arrays}
    # A vector may be loaded there, of which the model sees one element.
    wider = {
        (located.function.path, located.node.line)
        for located in kernel.nodes(ex.Cast)
        if isinstance(located.node, ex.Cast) and located.node.type.pointers
    }
    found: list[WarpAccess] = []
    change = Change()
    shares = []
    for array, items in by_array(warp_accesses(kernel, MemorySpace.GLOBAL)).items():
        moved = traffic.get(array)
        if moved is None or any(not _is_gapped(kernel, item) for item in items):
            continue
        if kernel.type_system.symbols.find_struct(array.element.name) is not None:
            continue
        if any(item.access.site in wider for item in items):
            continue
        if not is_for_this_kernel(kernel, array):
            continue
        distinct = sum(_elements(kernel, item) for item in items)
        fetched = max(moved.first_read_bytes, moved.written_bytes)
        if not fetched or distinct > _MOST_USED * fetched:
            continue
        found += items
        shares.append(distinct / fetched)
        change.requests.update((item.access, item.coalesced()) for item in items)
        change.dram_bytes -= (moved.read_bytes + moved.write_bytes) * (1.0 - shares[-1])
    if not found:
        return
    effect = kernel.effect(change)
    if matters(effect):
        apart = lane_stride(kernel, found[0].access) or 0.0
        names = list(dict.fromkeys(shown_name(item.array) for item in found))
        yield kernel.found(
            f"elements of {found[0].access.size_bytes} bytes of {', '.join(names[:5])} are accessed"
            f" every {abs(apart):,.0f} bytes and nothing between them:"
            f" {min(shares):.0%} of what moves is used",
            sites_of(found),
            effect,
        )


def _is_gapped(kernel: KernelSubject, item: WarpAccess) -> bool:
    footprint = kernel.footprints.get(item.access)
    if footprint is None or footprint.box is None or depends_on_data(item.access):
        return False
    if kernel.keeps_quiet_of_guesses and is_spread_by_argument(item.access.offset):
        return False
    apart = lane_stride(kernel, item.access)
    return apart is not None and 2 * item.access.size_bytes <= abs(apart) <= _FAR


def _elements(kernel: KernelSubject, item: WarpAccess) -> float:
    """The distinct bytes that an access uses."""
    footprint = kernel.footprints[item.access]
    assert isinstance(footprint.box, Box)
    places = 1.0
    for dimension in footprint.box.dimensions:
        places *= max(1.0, dimension.extent)
    return min(places, max(1.0, footprint.places)) * item.access.size_bytes


RULE = Rule("RL103", "strided-access", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

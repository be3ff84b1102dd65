"""A loop updates the same element of memory in each run.

`y[i] += ...` in a loop over `k` stores and, since another pointer may name the same memory, loads
again in each run: two requests of every warp, and a wait for each load. Add up in a local variable,
which is a register, and store it once after the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace, Region
from roofline_analysis.rules.accesses import (
    WarpAccess,
    by_array,
    depends_on_data,
    shown_name,
    sites_of,
    trips,
    warp_accesses,
)
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.algebra.symbolic import Expr

BAD = """\
__global__ void products(int n, int m, const float *a, const float *b, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = 0.0f;
    for (int k = 0; k < m; k++) y[i] += a[k] * b[k * n + i];
}

int main() {
    int n = 1 << 16, m = 256;
    float *a, *b, *y;
    cudaMalloc(&a, m * sizeof(float));
    cudaMalloc(&b, n * m * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    products<<<n / 256, 256>>>(n, m, a, b, y);
}
"""

GOOD = BAD.replace("    y[i] = 0.0f;\n", "    float sum = 0.0f;\n").replace(
    "y[i] += a[k] * b[k * n + i];", "sum += a[k] * b[k * n + i];\n    y[i] = sum;"
)

_LEAST_TRIPS = 4.0
"""Trips of the loop that adds to memory. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Elements that a loop both loads and stores at an address it does not change, by loop."""
    by_loop: dict[Region, list[WarpAccess]] = {}
    for items in by_array(warp_accesses(kernel, MemorySpace.GLOBAL)).values():
        loops = {id(loop): loop for item in items if (loop := _loop(kernel, item)) is not None}
        for loop in loops.values():
            inside = [item for item in items if loop in item.region.ancestors()]
            updated = _updated(kernel, loop, inside)
            if updated and not _has_barrier(loop) and _meets_others(loop, updated):
                by_loop.setdefault(loop, []).extend(updated)
    for loop, updated in by_loop.items():
        effect = kernel.effect(Change(requests={item.access: None for item in updated}))
        if matters(effect):
            names = list(dict.fromkeys(shown_name(item.array) for item in updated))
            one = "the same element" if len(names) == 1 else "the same elements"
            yield kernel.found(
                f"the loop loads and stores {one} of {', '.join(names[:5])} in each of its"
                f" {trips(kernel, loop):,.4g} runs; add up in a local variable and store it after"
                " the loop",
                sites_of(updated),
                effect,
            )


def _updated(kernel: KernelSubject, loop: Region, inside: Sequence[WarpAccess]) -> list[WarpAccess]:
    """The accesses to elements that a loop loads and stores, and that no other access may touch."""
    by_offset: dict[Expr, list[WarpAccess]] = {}
    for item in inside:
        by_offset.setdefault(item.access.offset, []).append(item)
    updated = [
        item
        for items in by_offset.values()
        if {item.access.mode for item in items} == {AccessMode.READ, AccessMode.WRITE}
        and all(_loop(kernel, i) is loop for i in items if i.access.mode is AccessMode.WRITE)
        for item in items
    ]
    others = [item for item in inside if item not in updated]
    kept = all(_are_apart(kernel, one, other) for one in updated for other in others)
    return updated if kept else []


def _are_apart(kernel: KernelSubject, one: WarpAccess, other: WarpAccess) -> bool:
    """Whether two accesses are to different fields of the structures of an array."""
    size = kernel.type_system.size(kernel.type_system.resolve(one.array.element))
    if not size:
        return False
    starts = [_within(item.access.offset, size) for item in (one, other)]
    if starts[0] is None or starts[1] is None:
        return False
    first, second = sorted(zip(starts, (one, other), strict=True), key=lambda pair: pair[0] or 0)
    return (first[0] or 0) + first[1].access.size_bytes <= (second[0] or 0)


def _within(offset: Expr, size: int) -> int | None:
    """Where in a structure of ``size`` bytes an offset is; None if it is not known."""
    start = 0
    for monomial, number in offset.terms.items():
        if monomial and number % size:
            return None
        start += 0 if monomial else int(number)
    return start % size


def _loop(kernel: KernelSubject, item: WarpAccess) -> Region | None:
    """The innermost loop around a store, if the address is the same in all its runs."""
    loop = item.region.innermost_loop
    if item.access.mode is not AccessMode.WRITE or loop is None or depends_on_data(item.access):
        return None
    if item.array.element.volatile:
        return None  # It has to be stored each time.
    if item.access.varies & loop.bit or trips(kernel, loop) < _LEAST_TRIPS:
        return None
    return None if kernel.judged.execution.regions[loop].assumed else loop


def _meets_others(loop: Region, updated: Sequence[WarpAccess]) -> bool:
    """Whether what else a loop uses may be the elements: else compilers keep them."""
    if updated[0].array.restrict:
        return False
    own = {item.access for item in updated}
    regions = tuple(loop.walk())
    others = (access for region in regions for access in region.accesses)
    return any(each not in own for each in others) or any(region.unseen for region in regions)


def _has_barrier(loop: Region) -> bool:
    return any(region.barriers for region in loop.walk())


RULE = Rule(
    "RL105",
    "accumulation-in-memory",
    Level.INFORMATION,
    __doc__,
    BAD,
    GOOD,
    check=check,
    by_sizes=True,
)

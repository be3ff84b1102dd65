"""Threads do again what their neighbours do.

A loop begins at the thread's index and steps by one. In `for (i = threadIdx.x; i < n; i++) y[i] =
...` the first thread writes all elements and the next one all but the first of them, so that each
element is written as many times as there are threads before it. The loop should step by the number
of threads: `i += blockDim.x`, or `i += blockDim.x * gridDim.x` where it begins at the index in the
grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace, Region, RegionForm
from roofline_analysis.rules.accesses import (
    WarpAccess,
    shown_name,
    stride,
    warp_accesses,
)
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.algebra.symbol_scopes import DATA_SCOPES
from roofline_core.algebra.symbolic import Symbol

BAD = """\
__global__ void scale(int n, float a, float *x, float *y) {
    x += blockIdx.x * n;
    y += blockIdx.x * n;
    for (int i = threadIdx.x; i < n; ++i) y[i] = a * x[i];
}

int main() {
    int rows = 4096, n = 1024;
    float *x, *y;
    cudaMalloc(&x, rows * n * sizeof(float));
    cudaMalloc(&y, rows * n * sizeof(float));
    scale<<<rows, 256>>>(n, 2.0f, x, y);
}
"""

GOOD = BAD.replace("++i", "i += blockDim.x")

_LEAST_LANES: Final = 2.0
"""Lanes of a warp that run the loop: one does no other's work."""
_AXES: Final = tuple(THREAD[f"threadIdx.{axis}"] for axis in "xyz")


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Loops from the thread's index on, of which all threads write the same elements."""
    block = kernel.judged.execution.block
    axes = [index for index, extent in zip(_AXES, block, strict=True) if extent > 1]
    told: set[Region] = set()
    for item in warp_accesses(kernel, MemorySpace.GLOBAL, MemorySpace.SHARED):
        loop = item.region.innermost_loop
        if item.access.mode is not AccessMode.WRITE or loop is None or loop in told:
            continue
        if item.active < _LEAST_LANES or _is_each_threads_own(kernel, item):
            continue
        if any(_is_repeated(kernel, item, loop, axis) for axis in axes):
            told.add(loop)
            yield kernel.found(
                f"this loop begins at the thread's index and steps by one, so each thread writes"
                f" again the elements of {shown_name(item.array)} that those before it write; step"
                " by the number of threads",
                [loop.site],
            )


def _is_repeated(kernel: KernelSubject, item: WarpAccess, loop: Region, thread: Symbol) -> bool:
    """Whether a thread's next step of a loop stores where its neighbour's step does."""
    if not _begins_at(thread, loop) or _has_branch(item.region) or _pairs_up(thread, loop):
        return False
    along = stride(kernel, item.access, loop.counter) if loop.counter is not None else None
    return along is not None and along != 0.0 and along == stride(kernel, item.access, thread)


def _is_each_threads_own(kernel: KernelSubject, item: WarpAccess) -> bool:
    """Whether a store goes to a place that data name for each thread, as far as is known."""
    loads = {access.yields: access for each in kernel.judged.demanding for access in each.accesses}
    for symbol in item.access.offset.symbols():
        if symbol.scope in DATA_SCOPES:
            load = loads.get(symbol)
            if load is None or not set(_AXES).isdisjoint(load.offset.symbols()):
                return True
    return False


def _begins_at(thread: Symbol, loop: Region) -> bool:
    """Whether a thread runs one step less of a loop than the thread before it."""
    if loop.trips is None or loop.exits:
        return False
    bounded = single_apply(loop.trips)
    trips = loop.trips if bounded is None or bounded.op != "max" else bounded.args[0]
    fewer = trips.coefficient(thread)
    return fewer is not None and fewer.constant == -1


def _has_branch(region: Region) -> bool:
    """Whether not all steps of the loop around a store come to it."""
    guards = takewhile(lambda each: each.form is RegionForm.GUARD, region.ancestors())
    return any(guard.conditions for guard in guards)


def _pairs_up(thread: Symbol, loop: Region) -> bool:
    """Whether each step takes an element of the thread's own, too: pairs of it with all later ones.

    As in a sort by exchange: then each thread has to go on from its own.
    """
    return any(
        thread in access.offset.symbols() and not access.varies & loop.bit
        for region in loop.walk()
        for access in region.accesses
    )


RULE = Rule("RL311", "repeated-work", Level.WARNING, __doc__, BAD, GOOD, check=check)

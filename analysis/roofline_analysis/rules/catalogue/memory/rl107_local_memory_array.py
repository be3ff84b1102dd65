"""A thread's array is indexed at run time, so it lies in local memory.

Registers have no addresses. An array in a kernel stays in registers only while every index is a
constant once loops are unrolled; else the compiler puts it into local memory, which is DRAM behind
the caches, and every access becomes a request. Unroll the loop that indexes it (`#pragma unroll`,
constant trips), or keep the array in shared memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from roofline_analysis.regions.kernel_summary import MemorySpace, Region, RegionForm
from roofline_analysis.rules.accesses import (
    WarpAccess,
    by_array,
    depends_on_data,
    sites_of,
    warp_accesses,
)
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Effect, Fix, Level, Match
from roofline_analysis.rules.node_index import Located, within
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.algebra.symbolic import constant
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void sums(int n, const float *x, float *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 136; k++) part[k & 3] += x[k * n + t];
    y[t] = part[0] * part[1] + part[2] * part[3];
}

int main() {
    int n = 1 << 16;
    float *x, *y;
    cudaMalloc(&x, 136 * n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    sums<<<n / 128, 128>>>(n, x, y);
}
"""

GOOD = BAD.replace("    for (int k", "    #pragma unroll\n    for (int k")


_MOST_BYTES = 1024.0
"""The largest array that may come into registers, of which a thread has 255 of 4 bytes."""
_MOST_UNROLLED = 64
"""Runs of a loop that compilers copy out unasked. Tried with nvcc 13.0: it does 64, and not 96."""
_MOST_UNROLLED_IN_NEST = 1024
"""Runs of a body in loops within one another. Likewise: 32 times 32 of a comparison and an
assignment, and not 40 times 40; of longer bodies fewer, so some loops that stay are not told of."""
_LEAST_GAIN = 0.1
"""The least share of the launch's time that a finding saves. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """All arrays in local memory, and the loops whose unrolling would move them to registers."""
    items = [
        i for each in by_array(warp_accesses(kernel, MemorySpace.LOCAL)).values() for i in each
    ]
    if not items or any(depends_on_data(item.access) for item in items):
        return  # Where data is the index, no loop that is unrolled makes it a constant.
    types = kernel.type_system
    if any((types.size(item.array.element) or 0) > _MOST_BYTES for item in items):
        return  # No unrolling brings it into registers.
    arrays = [a for a in kernel.judged.traffic.arrays if a.array.space is MemorySpace.LOCAL]
    moved = sum(array.read_bytes + array.write_bytes for array in arrays)
    change = Change(requests={item.access: None for item in items}, dram_bytes=-moved)
    effect = kernel.effect(change)
    if not matters(effect, _LEAST_GAIN):
        return
    sites = sites_of(items)
    names = _names(kernel, sites)
    if not names:
        return
    unrolled, fix = _unrolled(kernel, items)
    if unrolled is None or fix is None:
        return  # Some index is data's or the caller's: the array must have an address.
    if unrolled.new_time_ns < effect.new_time_ns:
        unrolled = replace(unrolled, new_time_ns=effect.new_time_ns)
    shown = ", ".join(f"'{name}'" for name in names[:4])
    stands = "stands" if len(names) == 1 else "stand"
    yield kernel.found(
        f"{shown} {stands} in local memory, as some index is not a constant; unroll the loop that"
        " indexes it",
        sites,
        unrolled,
        fix,
    )


def _names(kernel: KernelSubject, sites: Sequence[Any]) -> list[str]:
    """The local arrays that are indexed on some lines."""
    local = {
        located.node.name
        for located in kernel.nodes(st.Variable)
        if isinstance(located.node, st.Variable)
        and located.node.type.dims
        and not located.node.qualifiers & {"__shared__", "static", "__constant__"}
    }
    found = {}
    for located in kernel.nodes(ex.Index):
        node: Any = located.node
        site = (located.function.path, node.line)
        while isinstance(node, ex.Index):
            node = node.base
        if isinstance(node, ex.Name) and node.name in local and site in sites:
            found[node.name] = True
    return list(found)


def _unrolled(
    kernel: KernelSubject, items: Sequence[WarpAccess]
) -> tuple[Effect | None, Fix | None]:
    """The effect and the edit of unrolling the loops around the accesses; None if not worth it."""
    sites = {item.access.site for item in items}
    loops: dict[int, Located] = {}
    for located in kernel.nodes(st.For):
        node = located.node
        assert isinstance(node, st.For)
        inside = any(
            path == located.function.path and _first(node) <= line <= _last(node)
            for path, line in sites
        )
        if inside and node.unroll is None:
            loops[id(node)] = located
    if not loops or _are_unrolled_anyway(kernel, items):
        return None, None

    def rewrite(before: Any, node: Any) -> Any:
        """A loop around the accesses, unrolled whole; other nodes as they are."""
        if id(before) not in loops:
            return node
        return st.For(node.line, node.init, node.condition, node.step, node.body, 0)

    effect = kernel.effect_of_rewriting(rewrite, (each.function for each in loops.values()))
    if not matters(effect) or _adds_work(effect):
        return None, None
    edits = []
    for located in loops.values():
        text = kernel.text(located.function.path)
        if text is None:
            return None, None
        edits.append(text.insert_line(located.node.line, "#pragma unroll"))
    return effect, Fix("Unroll the loops that index it", tuple(edits))


def _are_unrolled_anyway(kernel: KernelSubject, items: Sequence[WarpAccess]) -> bool:
    """Whether compilers unroll all loops that count the indices: short ones, of written trips.

    How many instructions they unroll is their own affair.
    """
    counters = {symbol for item in items for symbol in item.access.offset.symbols()}
    counting = [
        region
        for region in kernel.summary.root.walk()
        if region.form is RegionForm.LOOP and region.counter in counters
    ]
    return bool(counting) and all(_is_unrolled_anyway(loop, counting) for loop in counting)


def _is_unrolled_anyway(loop: Region, counting: Sequence[Region]) -> bool:
    """Whether a loop is short enough, and the nest of those around it that count, too."""
    around = [each for each in loop.loops() if any(each is other for other in counting)]
    known = [trips for each in around if (trips := _written_trips(each)) is not None]
    if len(known) < len(around) or max(known) > _MOST_UNROLLED:
        return False
    return math.prod(known) <= _MOST_UNROLLED_IN_NEST


def _written_trips(loop: Region) -> float | None:
    """The most trips of a loop, by its text and that of the loops around it; None if open."""
    if loop.trips is None:
        return None
    last = {
        around.counter: constant(max(0, int(trips) - 1))
        for around in loop.loops()
        if around is not loop and around.counter is not None
        if (trips := _written_trips(around)) is not None
    }
    first = dict.fromkeys(last, constant(0))
    ends = [loop.trips.substitute(each).constant for each in (last, first)]
    known = [max(float(each), 0.0) for each in ends if each is not None]
    return max(known) if len(known) == len(ends) else None


def _adds_work(effect: Effect) -> bool:
    """Whether unrolling appears to add work, so that the two walks of the kernel contradict."""
    return effect.saved_bytes < 0 or any(saved < 0 for saved in effect.saved_operations.values())


def _first(node: st.For) -> int:
    return node.line


def _last(node: object) -> int:
    return max((int(getattr(each, "line", 0)) for each in within(node)), default=0)


RULE = Rule(
    "RL107", "local-memory-array", Level.INFORMATION, __doc__, BAD, GOOD, check=check, fixes=True
)

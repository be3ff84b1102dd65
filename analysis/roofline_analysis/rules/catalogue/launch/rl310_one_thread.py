"""A launch of one thread goes through an array.

One thread has few instructions in flight and loads one element at a time, so that each step takes
the full latency: a GPU's clock is lower than a CPU's, and all but one of its lanes wait. Share the
loop out over a block, with a reduction or a scan at its end, or use those of a library.

Nothing is said of loops in which each step needs what the one before has computed, unless that is a
sum, a product, the least or the greatest: those can be shared out, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from roofline_analysis.device.assigned import Assignment, body_facts
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    MemorySpace,
    Region,
    RegionForm,
)
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.launches import found_at_launch, known_launches
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import Loop, called_name, names_in
from roofline_analysis.rules.number_text import plain
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void mean(int n, const float *x, float *result) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += x[i];
    *result = sum / n;
}

int main() {
    int n = 1 << 16;
    float *x, *result;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    mean<<<1, 1>>>(n, x, result);
}
"""

GOOD = """\
__global__ void mean(int n, const float *x, float *result) {
    __shared__ float parts[32];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 1024) sum += x[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = parts[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0) *result = sum / n;
}

int main() {
    int n = 1 << 16;
    float *x, *result;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    mean<<<1, 1024>>>(n, x, result);
}
"""

_LEAST_TRIPS: Final = 128.0
"""Elements that the thread goes through. Chosen, not measured."""
_MOST_THREADS: Final = 1024.0
"""Threads of the block that would share the loop."""
_LEAST_GAIN: Final = 0.4
"""The least share of the launch's time that a finding saves. Chosen, not measured."""
_LEAST_SAVED_NS: Final = 10_000.0
"""The least time that it saves, in ns: a few launches' worth. Chosen, not measured."""
_EXTREMES: Final = frozenset("min max fmin fmax fminf fmaxf atomicMin atomicMax".split())
_SUMS: Final = frozenset(("+=", "-=", "*=", "&=", "|=", "^=", "++", "--"))


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Launches of one thread with a long loop over memory."""
    if any(_threads(launch) > 1 for launch in kernel.launches):
        return
    for launch in known_launches(kernel):
        loops = list(_loops(launch))
        if not loops or not all(_can_be_shared_out(kernel, loop) for loop in loops):
            continue
        runs = launch.judged.execution.regions
        shares: dict[Region, float] = {}
        for loop in loops:
            for inside in loop.walk():
                if inside in runs:
                    shares[inside] = 1.0 / min(runs[loop].trips, _MOST_THREADS)
        effect = kernel.effect(Change(warp_runs=shares), launch)
        if matters(effect, _LEAST_GAIN) and effect.time_ns - effect.new_time_ns > _LEAST_SAVED_NS:
            longest = max(loops, key=lambda loop: runs[loop].runs)
            yield found_at_launch(
                kernel,
                launch,
                f"one thread goes through {plain(round(runs[longest].trips))} elements in turn, in"
                f" line {longest.site[1]} of '{kernel.kernel.name}'; share them out over a block",
                effect,
            )
            return


def _threads(launch: BoundLaunch) -> int:
    execution = launch.judged.execution
    return math.prod((*execution.grid, *execution.block))


def _loops(launch: BoundLaunch) -> Iterator[Region]:
    """The outermost loops of many steps, each at another place of an array in device memory."""
    runs = launch.judged.execution.regions
    waiting = [launch.judged.summary.root]
    while waiting:
        region = waiting.pop()
        if region.form is RegionForm.LOOP and _is_long(region, launch):
            yield region
        else:
            waiting += [child for child in region.children if child in runs]


def _is_long(loop: Region, launch: BoundLaunch) -> bool:
    found = launch.judged.execution.regions[loop]
    return (
        found.trips >= _LEAST_TRIPS
        and not found.assumed
        and not loop.spins
        and any(access.varies & loop.bit for access in _accesses(loop))
    )


def _accesses(loop: Region) -> Iterator[Access]:
    return (
        access
        for region in loop.walk()
        for access in region.accesses
        if access.array.space is MemorySpace.GLOBAL
    )


# -- whether the steps of a loop need one another


def _can_be_shared_out(kernel: KernelSubject, loop: Region) -> bool:
    """Whether the steps of a loop are independent but for sums and the like."""
    carried = any(
        symbol.scope is SymbolScope.CARRIED
        for access in _accesses(loop)
        for symbol in access.offset.symbols()
    )
    written = _statement(kernel, loop)
    if carried or written is None:
        return False
    facts = body_facts(written.body)
    own = facts.declared | _counted(written)
    return all(_is_sum(each) for each in facts.changes if each.name not in own) and all(
        _is_sum_of_the_one_before(kernel, array) for array in _recurring(loop)
    )


def _statement(kernel: KernelSubject, loop: Region) -> Loop | None:
    for located in kernel.nodes(st.For, st.While, st.ForRange):
        node = located.node
        if isinstance(node, (st.For, st.While, st.ForRange)):
            if (located.function.path, node.line) == loop.site:
                return node
    return None


def _counted(loop: Loop) -> set[str]:
    return names_in(loop.step) if isinstance(loop, st.For) and loop.step is not None else set()


def _is_sum(change: Assignment) -> bool:
    """Whether the changes of a variable can be made in any order."""
    if not change.whole or change.op in _SUMS or change.op == "?":
        return True  # What elements of arrays depend on is looked at by their addresses.
    if change.op != "=" or change.value is None:
        return False
    if change.name not in names_in(change.value):
        return True
    value = change.value
    if isinstance(value, ex.Call):
        return called_name(value) in _EXTREMES
    if not isinstance(value, ex.Binary) or value.op not in ("+", "*", "|", "&", "^"):
        return False
    # `s = s + x` and no more of `s`: `s = s + w * (x - s)` needs the s before.
    sides = value.left, value.right
    alone = [side for side in sides if isinstance(side, ex.Name) and side.name == change.name]
    return len(alone) == 1 and sum(change.name in names_in(side) for side in sides) == 1


def _recurring(loop: Region) -> set[str]:
    """The arrays that a loop writes at one place and reads at another that it moves over."""
    moving = [access for access in _accesses(loop) if access.varies & loop.bit]
    written = {a.array: a.offset for a in moving if a.mode is AccessMode.WRITE}
    return {
        access.array.name
        for access in moving
        if access.mode is AccessMode.READ
        and access.array in written
        and access.offset != written[access.array]
    }


def _is_sum_of_the_one_before(kernel: KernelSubject, array: str) -> bool:
    """Whether each element is the one before plus something: a scan computes it in few steps."""
    stores = [
        located.node
        for located in kernel.nodes(ex.Assign)
        if isinstance(located.node, ex.Assign) and _base(located.node.target) == array
    ]
    return bool(stores) and all(_adds_one(each, array) for each in stores)


def _adds_one(store: ex.Assign, array: str) -> bool:
    value = store.value
    if array not in names_in(value):
        return True
    if store.op == "+=":
        return _base(value) == array
    if store.op != "=" or not isinstance(value, ex.Binary) or value.op != "+":
        return False
    sides = value.left, value.right
    return (
        sum(_base(side) == array for side in sides)
        == 1
        == sum(array in names_in(side) for side in sides)
    )


def _base(node: ex.Expression) -> str | None:
    inner = node.base if isinstance(node, ex.Index) else None
    return inner.name if isinstance(inner, ex.Name) else None


RULE = Rule("RL310", "one-thread", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

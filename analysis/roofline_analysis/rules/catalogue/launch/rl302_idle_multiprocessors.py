"""The grid has fewer blocks than the GPU has multiprocessors.

A block runs on one multiprocessor (SM). With fewer blocks than SMs the others do nothing, and both
roofs, that of arithmetic and that of memory, lie lower by as much. Give each thread less to do and
launch more blocks, or let several such launches run at once in streams. Where each thread adds up a
long array, give each sum a block. Nothing is said where no loop shares the work out by the threads
of the grid and none adds up, where any launch of the kernel fills the GPU, nor of chains of loads,
which measure latency.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from roofline_analysis.device.values import WARP_SIZE
from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace, Region, RegionForm
from roofline_analysis.rules.accesses import touches_volatile
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.independence import can_be_shared_out
from roofline_analysis.rules.launches import (
    block_threads,
    found_at_launch,
    known_launches,
)
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol
from roofline_core.program import expressions as ex

BAD = """\
__global__ void scale(int n, float a, float *x) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = a * x[i];
}

int main() {
    int n = 1 << 22;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<8, 256>>>(n, 2.0f, x);
}
"""

GOOD = BAD.replace("<<<8, 256>>>", "<<<1632, 256>>>")

_LEAST_GAIN = 0.3
"""The least share of the launch's time that a finding saves. Chosen, not measured."""
_LEAST_TIME_NS = 60_000.0
"""The least time in ns; a shorter launch, such as a reduction's last step, is not reported."""

_LEAST_ACCESSES = 2048
"""Accesses to memory of all threads: with fewer, other blocks would have nothing to do. Chosen."""
_LEAST_THREADS = 256
"""Threads with a sum of their own: of few items each is a way that no other shares. Chosen."""
_LONG_SUM = 1024.0
"""Elements of a sum that a block could share out, where one thread adds them up. Chosen."""
_SHARED_BY = 8.0
"""By how much each thread's way is shorter where a block shares a sum out: less than its threads,
as what neighbours read may then lie apart. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Launches of few blocks that take long."""
    sms = kernel.target.gpu.sm_count
    if not _shares_blocks_out(kernel) or _waits(kernel) or _chases(kernel):
        return
    if any(launch.judged.demand.blocks >= sms for launch in kernel.launches):
        return  # launches of other sizes fill the GPU
    if any(each.context is not None and each.context.is_one_of_several for each in kernel.launches):
        return  # the program shows what several at once do
    for launch in known_launches(kernel):
        context, blocks = launch.context, launch.judged.demand.blocks
        if context is None or not context.certain:
            continue  # others may be launched than were followed
        if blocks == 1 and _goes_in_steps(kernel):
            continue
        if (launch.prediction.time_ns or 0.0) < _LEAST_TIME_NS or _has_little_to_share(launch):
            continue
        filled, shorter = _most_blocks(kernel, launch, sms)
        if filled <= blocks:
            continue  # the threads stay as many, and each goes its way
        effect = kernel.effect(Change(blocks=filled, paths=shorter), launch)
        if matters(effect, _LEAST_GAIN):
            yield found_at_launch(
                kernel,
                launch,
                f"{blocks} block{'s' if blocks > 1 else ''} of {block_threads(launch)} threads on"
                f" {sms} multiprocessors: {1.0 - blocks / sms:.0%} of the GPU does nothing",
                effect,
            )


def _shares_blocks_out(kernel: KernelSubject) -> bool:
    """Whether the kernel is written for several blocks, that is, uses ``blockIdx``."""
    return any(
        isinstance(located.node, ex.Member)
        and isinstance(located.node.base, ex.Name)
        and located.node.base.name == "blockIdx"
        for located in kernel.nodes(ex.Member)
    )


def _has_little_to_share(launch: BoundLaunch) -> bool:
    """Whether all threads together access few elements: there is nothing to share out."""
    regions = launch.judged.execution.regions
    accesses = sum(
        regions[region].runs
        for region in launch.judged.demanding
        for access in region.accesses
        if access.array.space is MemorySpace.GLOBAL
    )
    return accesses < _LEAST_ACCESSES


def _most_blocks(kernel: KernelSubject, launch: BoundLaunch, sms: int) -> tuple[int, float]:
    """The multiprocessors that other blocks could fill, and the part of a thread's path then left.

    All where each thread does less if there are more: a loop steps by the threads of the grid. Of
    sums of many threads each warp could be a block, and a block each of long sums. Other loops go
    their thread's own way.
    """
    blocks = launch.judged.demand.blocks
    runs = launch.judged.execution.regions
    loops = [
        each
        for each in launch.judged.summary.root.walk()
        if each.form is RegionForm.LOOP and each in runs and runs[each].trips > 1.0
    ]
    by_grid = any(
        symbol.name.startswith("gridDim")
        for loop in loops
        if loop.trips is not None
        for symbol in loop.trips.symbols()
    )
    if by_grid:
        return sms, blocks / sms
    sums = [loop for loop in loops if _is_sum(loop)]
    long = [loop for loop in sums if runs[loop].trips >= _LONG_SUM]
    if long and all(can_be_shared_out(kernel, loop) for loop in long):
        return min(sms, blocks * block_threads(launch)), 1.0 / _SHARED_BY
    if not any(map(partial(_is_of_many, launch), sums)):
        return 0, 1.0
    filled = min(sms, blocks * block_threads(launch) // WARP_SIZE)
    return filled, blocks / max(1, filled)


def _is_of_many(launch: BoundLaunch, loop: Region) -> bool:
    """Whether many threads run a loop."""
    entered = launch.judged.execution.regions[loop.parent].runs if loop.parent else 0.0
    return entered >= _LEAST_THREADS


def _is_sum(loop: Region) -> bool:
    """Whether a loop goes through memory and writes nothing in it."""
    accesses = [
        access
        for region in loop.walk()
        for access in region.accesses
        if access.array.space is MemorySpace.GLOBAL
    ]
    reads = all(access.mode is AccessMode.READ for access in accesses)
    moves = any(access.varies & loop.bit for access in accesses)
    return reads and moves


def _waits(kernel: KernelSubject) -> bool:
    """Whether a loop accesses volatile memory, as what waits for a signal does."""
    loops = (each for each in kernel.summary.root.walk() if each.form is RegionForm.LOOP)
    return any(map(touches_volatile, loops))


def _chases(kernel: KernelSubject) -> bool:
    """Whether a loop only goes from one address to the next that it loads there.

    No other thread could take a part of it; what measures latency does so on purpose.
    """
    loops = (each for each in kernel.summary.root.walk() if each.form is RegionForm.LOOP)
    for loop in loops:
        accesses = [a for region in loop.walk() for a in region.accesses]
        read = [a for a in accesses if a.mode is AccessMode.READ]
        carried = [a for a in read if any(map(_is_carried, a.offset.symbols()))]
        if carried and all(a in carried or a.array.is_anywhere for a in accesses):
            return True
    return False


def _is_carried(symbol: Symbol) -> bool:
    return symbol.scope is SymbolScope.CARRIED


def _goes_in_steps(kernel: KernelSubject) -> bool:
    """Whether a block goes through memory in steps that its threads take together.

    Each step then rests on those before, as in a factorisation: more blocks would compute
    something else. (The barriers of a tree in shared memory stand in loops of their own.)
    """
    loops = (each for each in kernel.summary.root.walk() if each.form is RegionForm.LOOP)
    return any(
        any(region.barriers for region in loop.walk())
        and any(
            access.array.space is MemorySpace.GLOBAL
            for region in loop.walk()
            for access in region.accesses
        )
        for loop in loops
    )


RULE = Rule(
    "RL302",
    "idle-multiprocessors",
    Level.INFORMATION,
    __doc__,
    BAD,
    GOOD,
    check=check,
    by_sizes=True,
)

"""Most blocks of a launch have nothing to do.

A thread that finds at a bound that there is nothing for it ends at once, but its block is launched
all the same, and takes a place that another one could have. A grid has as many threads as there are
elements, rounded up to whole blocks: not as many as there are bytes, nor the product of a width and
a height where one thread does a row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import MemorySpace, Region
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.launches import block_threads, found_at_launch, known_launches
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.number_text import plain
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol

BAD = """\
__global__ void scale(int n, float a, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = a * x[i];
}

int main() {
    int n = 1 << 20;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<n * sizeof(float) * 4 / 256, 256>>>(n, 2.0f, x);
}
"""

GOOD = BAD.replace("n * sizeof(float) * 4 / 256", "n / 256")

_MOST_AT_WORK: Final = 0.5
"""The largest share of the threads that come to the kernel's data. Chosen, not measured."""
_LEAST_BLOCKS: Final = 1024
"""The fewest blocks of a launch: what a few more cost is not noticed. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Launches of which a bound on the thread's index in the grid lets few pass."""
    for launch in known_launches(kernel):
        blocks = launch.judged.demand.blocks
        share = _share_at_work(launch)
        if blocks < _LEAST_BLOCKS or share is None or not 0.0 < share <= _MOST_AT_WORK:
            continue
        wanted = max(1, math.ceil(blocks * share))
        effect = kernel.effect(Change(blocks=wanted), launch)
        if matters(effect):
            yield found_at_launch(
                kernel,
                launch,
                f"{plain(blocks)} blocks of {block_threads(launch)} threads, and"
                f" {1.0 - share:.0%} of the threads find nothing to do; {plain(wanted)} blocks"
                " would do",
                effect,
            )
            return


def _share_at_work(launch: BoundLaunch) -> float | None:
    """The share of the threads that come to an access of device memory; None if it is a guess.

    None also where threads are kept away by more than a bound on their index in the grid.
    """
    runs = launch.judged.execution.regions
    shares = []
    for region in launch.judged.demanding:
        if not any(access.array.space is MemorySpace.GLOBAL for access in region.accesses):
            continue
        guards = list(region.guards())
        if any(runs[each].assumed or not _bounds_grid(each) for each in guards if each in runs):
            return None
        share = 1.0
        for guard in guards:
            share *= runs[guard].share if guard in runs else 1.0
        shares.append(share)
    return max(shares, default=None)


def _bounds_grid(guard: Region) -> bool:
    """Whether a guard compares an index in the grid with a bound, or no indices at all.

    A condition by a remainder, or between two indices, keeps threads of all blocks away.
    """
    for condition in guard.conditions:
        if condition is None:
            return False
        indices = {s.name for s in condition.symbols() if s.scope is SymbolScope.THREAD}
        if not indices:
            continue
        compared = single_apply(condition)
        if compared is None or compared.op not in ("lt", "le"):
            return False
        plain = {atom.name for atom in compared.args[0].atoms() if isinstance(atom, Symbol)}
        axes = {name.rpartition(".")[2] for name in indices}
        if not indices <= plain or len(axes) != 1 or f"blockIdx.{axes.pop()}" not in indices:
            return False
    return True


RULE = Rule(
    "RL315", "idle-blocks", Level.INFORMATION, __doc__, BAD, GOOD, check=check, by_sizes=True
)

"""A short loop that the compiler cannot unroll, as its step is unsigned.

The compiler unrolls short innermost loops by four, so that the loads of four runs travel together
and share a counter, a test and a branch. For that it computes the number of runs beforehand. It
cannot where the step is known only at run time and the sum is unsigned, as in `k += blockDim.x`:
such a sum may wrap around. `#pragma unroll 4` keeps a test between the copies, so that each load
still waits for the one before. Make the step signed, `k += (int)blockDim.x`: a signed sum never
wraps around, and the loop is unrolled without being asked. A loop that accesses volatile memory
stays rolled even then, and so does one with atomic operations; neither is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from roofline_analysis.device.assigned import body_facts
from roofline_analysis.language.types import common_type
from roofline_analysis.regions.kernel_summary import AccessMode, Region, RegionForm, Work
from roofline_analysis.rules.accesses import goes_over_grid, touches_volatile, trips
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Edit, Fix, Level, Match
from roofline_analysis.rules.node_index import Located, called_name, names_in, within
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void sums(int n, const float *x, float *y) {
    int row = blockIdx.x * n;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += x[row + k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
    int n = 1 << 14, rows = 256;
    float *x, *y;
    cudaMalloc(&x, rows * n * sizeof(float));
    cudaMalloc(&y, rows * 128 * sizeof(float));
    sums<<<rows, 128>>>(n, x, y);
}
"""

GOOD = BAD.replace("k += blockDim.x", "k += (int)blockDim.x")

_LEAST_TRIPS: Final = 16.0
"""Trips of a loop that is worth unrolling. Chosen, not measured."""
_LEAST_GAIN: Final = 0.1
"""The least share of the launch's time that a finding saves. Chosen, not measured."""
_LARGEST_BODY: Final = 60
"""The most syntax-tree nodes of a body; copies of longer ones fill the instruction cache."""
_FACTOR: Final = 4
"""Copies of the body that nvcc makes."""
_SIGNED: Final = {"unsigned int": "int", "unsigned long": "long", "unsigned long long": "long long"}
"""The signed type for each unsigned one."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Innermost loops with short bodies and unsigned steps, where unrolling saves time."""
    rolled = _rolled_lines(kernel)
    loops = [
        located
        for located in kernel.nodes(st.For)
        if isinstance(located.node, st.For)
        and located.node.unroll is None
        and (located.function.path, located.node.line) in rolled
        and _is_short(located.node)
        and _wraps(kernel, located)
    ]
    if not loops:
        return
    change = Change()
    for located in loops:
        region = rolled[located.function.path, located.node.line]
        change.add(region, Work.INT, -2.0)
        change.requests.update(dict.fromkeys(region.accesses))
    if not matters(kernel.effect(change)):
        return
    chosen = {id(located.node) for located in loops}

    def rewrite(before: Any, node: Any) -> Any:
        """A chosen loop with an unroll factor; other nodes as they are."""
        if id(before) not in chosen:
            return node
        return st.For(node.line, node.init, node.condition, node.step, node.body, _FACTOR)

    effect = kernel.effect_of_rewriting(rewrite, (located.function for located in loops))
    if not matters(effect, _LEAST_GAIN):
        return
    edits = _edits(kernel, loops)
    yield kernel.found(
        "this loop stays rolled, as its step is unsigned and may wrap around: each run waits for"
        " its own loads; count with signed numbers",
        [(located.function.path, located.node.line) for located in loops],
        effect,
        Fix("Make the step signed", edits) if edits else None,
    )


def _rolled_lines(kernel: KernelSubject) -> dict[tuple[Any, int], Region]:
    loops = [each for each in kernel.judged.demanding if each.form is RegionForm.LOOP]
    atomic = {loop.site for loop in loops if _has_atomics(loop)}
    return {
        region.site: region
        for region in loops
        if region.copies == 1
        and not region.unrolled
        and region.trips is not None
        and not region.exits
        and trips(kernel, region) >= _LEAST_TRIPS
        and not _goes_by_guess(kernel, region)
        and not touches_volatile(region)
        and region.site not in atomic
    }


def _has_atomics(loop: Region) -> bool:
    accesses = (access for region in loop.walk() for access in region.accesses)
    return any(access.mode is AccessMode.ATOMIC for access in accesses)


def _goes_by_guess(kernel: KernelSubject, loop: Region) -> bool:
    """Whether the runs are data over threads, of which one is assumed: often each has one run."""
    return bool(kernel.prediction.time_depends_on) and goes_over_grid(loop)


def _is_short(loop: st.For) -> bool:
    facts = body_facts(loop.body)
    waits = any(
        isinstance(node, ex.Call) and (called_name(node) or "").startswith("__sync")
        for node in within(loop.body)
    )
    return not waits and not facts.has_loop and facts.size <= _LARGEST_BODY


def _wraps(kernel: KernelSubject, located: Located) -> bool:
    """Whether the step is an unsigned addition of a number known only at run time."""
    step = _step(located)
    if step is None:
        return False
    types = kernel.types(located.function)
    counter, amount = types.of(step.target), types.of(step.value)
    if counter is None or amount is None or types.is_constant(step.value):
        return False
    return common_type(counter, amount) in _SIGNED


def _step(located: Located) -> ex.Assign | None:
    node = located.node
    step = node.step if isinstance(node, st.For) else None
    return step if isinstance(step, ex.Assign) and step.op in ("+=", "-=") else None


def _edits(kernel: KernelSubject, loops: Sequence[Located]) -> tuple[Edit, ...]:
    """Casts of the steps; () where a counter is unsigned itself, or the text shows no step."""
    edits = []
    for located in loops:
        step = _step(located)
        text = kernel.text(located.function.path)
        types = kernel.types(located.function)
        if step is None or text is None or not isinstance(step.target, ex.Name):
            return ()
        counter, amount = types.of(step.target), types.of(step.value)
        if counter in _SIGNED or amount not in _SIGNED or not list(names_in(step.value)):
            return ()
        pattern = rf"\b{re.escape(step.target.name)}\s*\+=\s*([\w.]+)\s*\)"
        found = text.matches(re.compile(pattern.encode()), located.node.line)
        if len(found) != 1:
            return ()
        start = found[0].start(1)
        edits.append(text.replace(start, start, f"({_SIGNED[amount]})"))
    return tuple(dict.fromkeys(edits))


RULE = Rule("RL211", "rolled-loop", Level.HINT, __doc__, BAD, GOOD, check=check, fixes=True)

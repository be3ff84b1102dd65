"""A short loop body that the compiler does not unroll.

Each run of a loop costs a counter, a comparison and a branch, and waits for its own loads alone.
The compiler unrolls innermost loops of simple steps by itself, but not where the number of runs is
costly to know, such as with a step given at run time. `#pragma unroll 4` shares the test among four
copies of the body whose loads travel together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roofline_analysis.device.assigned import body_facts
from roofline_analysis.regions.kernel_summary import Region, RegionForm, Work
from roofline_analysis.rules.accesses import trips
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Edit, Fix, Level, Match
from roofline_analysis.rules.node_index import Located, called_name, within
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void sums(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 1800; k += 3) sum += x[(i + k) & (n - 1)];
    y[i] = sum;
}

int main() {
    int n = 1 << 16;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    sums<<<n / 256, 256>>>(n, x, y);
}
"""

GOOD = BAD.replace("    for (", "    #pragma unroll 4\\n    for (")

_LEAST_TRIPS = 16.0
"""Trips of a loop that is worth unrolling. Chosen, not measured."""
_LEAST_GAIN = 0.1
"""The least share of the launch's time that a finding saves. Chosen, not measured."""
_LARGEST_BODY = 60
"""The most syntax-tree nodes of a body; copies of longer ones fill the instruction cache."""
_FACTOR = 4
"""Copies of the body that the fix asks for."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Innermost loops with short bodies that are not unrolled, where unrolling saves time."""
    rolled = _rolled_lines(kernel)
    loops = [
        located
        for located in kernel.nodes(st.For)
        if isinstance(located.node, st.For)
        and located.node.unroll is None
        and (located.function.path, located.node.line) in rolled
        and _is_short(located.node)
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
        if id(before) not in chosen:
            return node
        return st.For(node.line, node.init, node.condition, node.step, node.body, _FACTOR)

    effect = kernel.effect_of_rewriting(rewrite, (located.function for located in loops))
    if not matters(effect, _LEAST_GAIN):
        return
    edits = _edits(kernel, loops)
    yield kernel.found(
        "this loop stays rolled: each run pays for the counter, the test and its own wait for"
        " memory; unroll it by four",
        [(located.function.path, located.node.line) for located in loops],
        effect,
        Fix("Unroll the loop by four", edits) if edits else None,
    )


def _rolled_lines(kernel: KernelSubject) -> dict[tuple[Any, int], Region]:
    return {
        region.site: region
        for region in kernel.judged.demanding
        if region.form is RegionForm.LOOP
        and region.copies == 1
        and not region.unrolled
        and region.trips is not None
        and not region.exits
        and trips(kernel, region) >= _LEAST_TRIPS
    }


def _is_short(loop: st.For) -> bool:
    facts = body_facts(loop.body)
    step = loop.step
    counts = isinstance(step, ex.Update) or (
        isinstance(step, ex.Assign) and step.op in ("+=", "-=")
    )
    waits = any(
        isinstance(node, ex.Call) and (called_name(node) or "").startswith("__sync")
        for node in within(loop.body)
    )
    if not counts or waits:
        return False
    return not facts.has_loop and facts.size <= _LARGEST_BODY


def _edits(kernel: KernelSubject, loops: Sequence[Located]) -> tuple[Edit, ...]:
    edits = []
    for located in loops:
        text = kernel.text(located.function.path)
        if text is None:
            return ()
        start, end = text.bounds(located.node.line)
        if not text.code[start:end].lstrip().startswith(b"for"):
            return ()
        edits.append(text.insert_line(located.node.line, f"#pragma unroll {_FACTOR}"))
    return tuple(edits)


RULE = Rule("RL211", "rolled-loop", Level.HINT, __doc__, BAD, GOOD, check=check, fixes=True)

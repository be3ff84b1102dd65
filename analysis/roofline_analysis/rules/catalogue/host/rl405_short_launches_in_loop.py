"""Many launches whose work takes no longer than the launch itself.

A launch costs about two microseconds before its first instruction. Steps of an iteration whose
kernels have less work than that spend most of their time on launching. Let a kernel do several
steps (with a grid-wide barrier where they depend on each other), launch the steps as a CUDA graph,
or fuse kernels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from roofline_analysis.device.assigned import body_facts
from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Level, Match, Related
from roofline_analysis.rules.node_index import Located, called_name, names_in, within
from roofline_analysis.rules.number_text import plain
from roofline_analysis.rules.rule import Rule
from roofline_core.program import expressions as ex
from roofline_core.text.units import duration

BAD = """\
__global__ void relax(int n, int color, float *x) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + color;
    if (i > 0 && i < n - 1) x[i] = 0.5f * (x[i - 1] + x[i + 1]);
}

int main() {
    int n = 1 << 14;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    for (int k = 0; k < 10000; k++) relax<<<n / 512, 256>>>(n, k & 1, x);
}
"""

GOOD = BAD.replace("1 << 14", "1 << 24")

_LEAST_REPEATS = 100
"""Launches of the loop: fewer cost less than a person notices. Chosen, not measured."""
_LEAST_NS = 1e6
"""The least time of all launching together, in ns. Chosen, not measured."""
_SHORT = 1.0
"""The most that a launch's own work takes, as a multiple of the time of launching."""
_HIDES = 10.0
"""From how many times the time of launching on a kernel hides that of the next. Chosen."""


def check(program: HostProgram) -> Iterator[Match]:
    """Short launches in loops that pass different arguments each time."""
    nodes = {each.node.line: each for each in program.nodes(ex.Launch) if _is_step(each)}
    if not nodes:
        return
    told: set[int] = set()
    shapes = Counter((each.context.path, each.context.line) for each in program.launches)
    for launch in program.launches:
        context = launch.context
        located = nodes.get(context.line) if context.path == program.path else None
        if located is None or context.line in told:
            continue
        if shapes[context.path, context.line] > 1:
            continue  # of launches in several sizes it is not known how often there is each
        repeat = context.repeat.constant if context.repeat is not None else None
        if repeat is None or repeat < _LEAST_REPEATS:
            continue
        judged, time = launch.judged, launch.known_time_ns
        if judged is None or time is None or judged.prediction.unknowns:
            continue
        overhead = judged.judged.timing.terms_ns["launch"]
        if time - overhead > _SHORT * overhead or not judged.judged.traffic.arrays:
            continue
        if float(repeat) * overhead < _LEAST_NS or _is_behind_longer(program, located, overhead):
            continue
        told.add(context.line)
        yield program.found(
            f"'{context.kernel.name}' is launched {plain(float(repeat))} times and takes"
            f" {duration(time)} each time, {duration(overhead)} of it for launching:"
            f" {duration(float(repeat) * overhead)} in all",
            context.line,
            related=(Related(program.path, located.loops[-1].line, "the loop"),),
        )


def _is_behind_longer(program: HostProgram, located: Located, overhead: float) -> bool:
    """Whether a launch of the same loop takes so long that others are launched meanwhile."""
    lines = {node.line for node in within(located.loops[-1]) if isinstance(node, ex.Launch)}
    times = [
        each.known_time_ns
        for each in program.launches
        if each.context.path == program.path and each.context.line in lines
    ]
    return any(time is not None and time > _HIDES * overhead for time in times)


def _is_step(located: Located) -> bool:
    """Whether the loop around a launch changes its arguments."""
    node = located.node
    if not located.loops or not isinstance(node, ex.Launch) or node.args is None:
        return False
    if located.branches:
        return False  # how many runs come here is not known
    loop = located.loops[-1]
    changed = {
        change.name
        for change in body_facts(loop).changes
        if change.op != "?" or _swaps(change.value)  # a call, which only might change it
    }
    return any(names_in(argument) & changed for argument in node.args)


def _swaps(call: object) -> bool:
    return isinstance(call, ex.Call) and called_name(call) == "swap"


RULE = Rule(
    "RL405", "short-launches-in-loop", Level.INFORMATION, __doc__, BAD, GOOD, check_host=check
)

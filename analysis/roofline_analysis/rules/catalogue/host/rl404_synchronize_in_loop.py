"""The host waits for the device after each launch of a loop.

Launches into one stream run in order by themselves. Waiting after each leaves the GPU idle from the
end of a kernel until the next launch arrives, some microseconds each time, which for short kernels
is longer than they run. Wait once, after the loop; `cudaMemcpy` waits by itself. A function that
waits between three launches and more is told, too, unless it is `main`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_analysis.rules.host_program import HostLaunch, HostProgram
from roofline_analysis.rules.model import Fix, Level, Match, Related
from roofline_analysis.rules.node_index import Located, Loop, called_name, within
from roofline_analysis.rules.rule import Rule
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.units import Function
from roofline_core.text.units import duration

BAD = """\
__global__ void step(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.5f * x[i] + 1.0f;
}

int main() {
    int n = 1 << 18;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    for (int k = 0; k < 1000; k++) {
        step<<<n / 256, 256>>>(n, x);
        cudaDeviceSynchronize();
    }
    cudaDeviceSynchronize();
}
"""

GOOD = BAD.replace("        cudaDeviceSynchronize();\n", "")

_WAITS: Final = frozenset(
    ("cudaDeviceSynchronize", "hipDeviceSynchronize", "cudaThreadSynchronize")
)
_HARMLESS: Final = frozenset(
    "dim3 min max ceil sqrt sizeof cudaGetLastError hipGetLastError".split()
)
_ERRORS: Final = frozenset(
    ("cudaGetLastError", "hipGetLastError", "cudaPeekAtLastError", "hipPeekAtLastError")
)
_WAITING_AFTER: Final = _WAITS | {"cudaMemcpy", "hipMemcpy"}
_LONGEST_NS = 50_000.0
"""The longest launch in ns; a longer one hides the cost of a wait."""
_LEAST_WAITS = 3
"""Waits of a function outside of loops: one or two are told by no one. Chosen, not measured."""
_LEAST_REPEATS = 16
"""Runs of the loop: fewer waits cost less than a person notices. Chosen, not measured."""


def check(program: HostProgram) -> Iterator[Match]:
    """Waits in loops that only launch kernels, and between launches of a loop or a function."""
    told: set[Loop] = set()
    yield from _in_functions(program)
    for located, call in program.calls(*_WAITS):
        loop = located.loops[-1] if located.loops else None
        if loop is None or loop in told or located.branches:
            continue
        between = not _only_launches(loop)
        if between and not _is_between_launches(loop, call):
            continue
        if not _is_behind_a_launch(loop, call.line):
            continue  # there is nothing to wait for
        lines = {node.line for node in within(loop) if isinstance(node, ex.Launch)}
        launched = [
            each
            for each in program.launches
            if each.context.path == program.path and each.context.line in lines
        ]
        if any(_repeats(each) < _LEAST_REPEATS for each in launched):
            continue
        times = [each.known_time_ns for each in launched]
        known = [time for time in times if time is not None]
        if not known or len(known) != len(times) or sum(known) > _LONGEST_NS:
            continue
        if not any(each.judged and each.judged.judged.traffic.arrays for each in launched):
            continue  # kernels that do nothing measure what launching costs
        told.add(loop)
        remedy = "launches run in order without it" if between else "wait once after the loop"
        yield program.found(
            f"the host waits for the device in each run of the loop, whose launches take"
            f" {duration(sum(known))}; {remedy}",
            call.line,
            fix=None if between else _fix(program, located, loop),
        )


def _in_functions(program: HostProgram) -> Iterator[Match]:
    """Functions that wait between most of their launches, outside of loops."""
    by_function: dict[Function, list[ex.Call]] = {}
    for located, call in program.calls(*_WAITS):
        if not located.loops:
            by_function.setdefault(located.function, []).append(call)
    for function, calls in by_function.items():
        if len(calls) < _LEAST_WAITS or function.body is None or function.name == "main":
            continue
        needless = [call for call in calls if _is_between_launches(function.body, call)]
        if len(needless) < _LEAST_WAITS or _are_long(program, function):
            continue
        lines = [call.line for call in needless]
        yield program.found(
            f"the host waits for the device between launches {len(lines)} times in"
            f" '{function.name}'; launches run in order without it",
            lines[0],
            related=tuple(Related(program.path, line, "here too") for line in lines[1:9]),
        )


def _are_long(program: HostProgram, function: Function) -> bool:
    """Whether the launches of a function are known to take so long that waits cost nothing."""
    nodes = program.nodes_of(function).by_type.get(ex.Launch, ())
    lines = {located.node.line for located in nodes}
    times = [
        each.known_time_ns
        for each in program.launches
        if each.context.path == program.path and each.context.line in lines
    ]
    known = [time for time in times if time is not None]
    return bool(known) and sum(known) / len(known) > _LONGEST_NS


def _repeats(launch: HostLaunch) -> float:
    """How often a launch is made; infinite where that is not known."""
    repeat = launch.context.repeat.constant if launch.context.repeat is not None else None
    return float("inf") if repeat is None else float(repeat)


def _is_between_launches(around: st.Statement, call: ex.Call) -> bool:
    """Whether what follows a wait is a launch into the same stream, or a copy that waits itself."""
    for block in within(around):
        if not isinstance(block, st.Block):
            continue
        steps = [each for each in block.body if not _is_check(each)]
        at = next((i for i, each in enumerate(steps) if _is_wait(each, call)), None)
        if at is None or not 0 < at < len(steps) - 1:
            continue
        following = steps[at + 1]
        if not _is_launch(steps[at - 1]):
            return False
        return _copies(following) or (_is_launch(following) and not _looks(following))
    return False


def _is_wait(statement: st.Statement, call: ex.Call) -> bool:
    return isinstance(statement, st.Evaluate) and any(each is call for each in within(statement))


def _is_check(statement: st.Statement) -> bool:
    """Whether a statement only asks for errors."""
    calls = [each for each in within(statement) if isinstance(each, ex.Call)]
    return isinstance(statement, st.Evaluate) and any(
        called_name(call) in _ERRORS for call in calls
    )


def _is_launch(statement: st.Statement) -> bool:
    """Whether a statement launches into the default stream, and does nothing else."""
    launch = statement.expression if isinstance(statement, st.Evaluate) else None
    return isinstance(launch, ex.Launch) and (
        launch.stream is None or isinstance(launch.stream, ex.Literal)
    )


def _looks(statement: st.Statement) -> bool:
    """Whether the host reads memory, or may, for what it launches: of what a kernel has written."""
    return any(
        isinstance(node, (ex.Index, ex.Member))
        or (isinstance(node, ex.Unary) and node.op == "*")
        or (isinstance(node, ex.Call) and called_name(node) not in _HARMLESS)
        for node in within(statement)
    )


def _copies(statement: st.Statement) -> bool:
    calls = [each for each in within(statement) if isinstance(each, ex.Call)]
    return isinstance(statement, st.Evaluate) and any(
        called_name(call) in _WAITING_AFTER - _WAITS for call in calls
    )


def _is_behind_a_launch(loop: Loop, line: int) -> bool:
    """Whether a launch comes before a line of a loop, and no other wait between them."""
    launches = [n.line for n in within(loop) if isinstance(n, ex.Launch) and n.line <= line]
    waits = [
        n.line
        for n in within(loop)
        if isinstance(n, ex.Call) and called_name(n) in _WAITS and n.line < line
    ]
    return bool(launches) and max(launches) >= max(waits, default=0)


def _only_launches(loop: Loop) -> bool:
    """Whether a loop launches and waits, and touches no memory that kernels might change."""
    launched = False
    for node in within(loop):
        if isinstance(node, ex.Launch):
            launched = True
        elif isinstance(node, ex.Call):
            if called_name(node) not in _WAITS | _HARMLESS:
                return False
        elif isinstance(node, ex.Index) or (isinstance(node, ex.Unary) and node.op == "*"):
            return False
    return launched


def _fix(program: HostProgram, located: Located, loop: Loop) -> Fix | None:
    """An edit that deletes the wait where another one follows the loop."""
    text = program.text
    line = located.node.line
    start, end = text.bounds(line)
    if not text.text[start:end].strip().startswith(b"cudaDeviceSynchronize"):
        return None
    if text.text[start:end].strip() != b"cudaDeviceSynchronize();":
        return None
    last = max((n.line for n in within(loop) if isinstance(n, ex.Expression)), default=line)
    calls = [
        (each.node.line, called_name(each.node))
        for each in program.nodes(ex.Call)
        if each.function is located.function
        and isinstance(each.node, ex.Call)
        and each.node.line > last
        and not each.loops
    ]
    following = min(calls, default=None, key=lambda pair: pair[0])
    if following is None or following[1] not in _WAITING_AFTER:
        return None
    return Fix("Wait after the loop alone", (text.delete_line(line),))


RULE = Rule(
    "RL404",
    "synchronize-in-loop",
    Level.INFORMATION,
    __doc__,
    BAD,
    GOOD,
    check_host=check,
    fixes=True,
)

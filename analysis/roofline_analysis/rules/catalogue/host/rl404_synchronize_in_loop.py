"""The host waits for the device after each launch of a loop.

Launches into one stream run in order by themselves. Waiting after each leaves the GPU idle from the
end of a kernel until the next launch arrives, some microseconds each time, which for short kernels
is longer than they run. Wait once, after the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Fix, Level, Match
from roofline_analysis.rules.node_index import Located, Loop, called_name, within
from roofline_analysis.rules.rule import Rule
from roofline_core.program import expressions as ex
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
_WAITING_AFTER: Final = _WAITS | {"cudaMemcpy", "hipMemcpy"}
_LONGEST_NS = 50_000.0
"""The longest launch in ns; a longer one hides the cost of a wait."""


def check(program: HostProgram) -> Iterator[Match]:
    """Waits in loops that only launch kernels."""
    for located, call in program.calls(*_WAITS):
        loop = located.loops[-1] if located.loops else None
        if loop is None or located.branches or not _only_launches(loop):
            continue
        if not _is_behind_a_launch(loop, call.line):
            continue  # there is nothing to wait for
        lines = {node.line for node in within(loop) if isinstance(node, ex.Launch)}
        launched = [
            each
            for each in program.launches
            if each.context.path == program.path and each.context.line in lines
        ]
        times = [each.known_time_ns for each in launched]
        known = [time for time in times if time is not None]
        if not known or len(known) != len(times) or sum(known) > _LONGEST_NS:
            continue
        if not any(each.judged and each.judged.judged.traffic.arrays for each in launched):
            continue  # kernels that do nothing measure what launching costs
        yield program.found(
            f"the host waits for the device in each run of the loop, whose launches take"
            f" {duration(sum(known))}; wait once after the loop",
            call.line,
            fix=_fix(program, located, loop),
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

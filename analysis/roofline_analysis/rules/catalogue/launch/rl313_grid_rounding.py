"""A grid is meant to be rounded up, and the division is done first.

In `n + 255 / 256` the quotient of whole numbers is 0, so that the grid has n blocks where n / 256
would do, and all but one of 256 do nothing but find that out. Put the sum in parentheses:
`(n + 255) / 256`.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import Located, names_in, same, within
from roofline_analysis.rules.rule import Rule
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void scale(int n, float a, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = a * x[i];
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    int blocks = n + 255 / 256;
    scale<<<blocks, 256>>>(n, 2.0f, x);
}
"""

GOOD = BAD.replace("n + 255 / 256", "(n + 255) / 256")


def check(program: HostProgram) -> Iterator[Match]:
    """Sums with a quotient that is always 0 in what the grids of launches are computed of."""
    told: set[int] = set()
    for launch in program.nodes(ex.Launch):
        for expression in _behind_the_grid(program, launch):
            for node in within(expression):
                if isinstance(node, ex.Binary) and node.op in ("+", "-"):
                    if node.line not in told and _is_zero(node.right, node.left):
                        told.add(node.line)
                        yield program.found(
                            "the quotient in this sum is 0, as the division is done first: the"
                            " grid is as large as what should have been divided; put the sum in"
                            " parentheses",
                            node.line,
                        )


def _behind_the_grid(program: HostProgram, launch: Located) -> Iterator[ex.Expression]:
    """The grid of a launch, and what the variables in it, and in those, begin with."""
    node = launch.node
    if not isinstance(node, ex.Launch) or node.grid is None:
        return
    variables = {
        each.node.name: each.node
        for each in program.nodes_of(launch.function).by_type.get(st.Variable, ())
        if isinstance(each.node, st.Variable)
    }
    waiting, seen = [node.grid], set[str]()
    while waiting:
        expression = waiting.pop()
        yield expression
        for name in (names_in(expression) & variables.keys()) - seen:
            seen.add(name)
            begins = variables[name].init
            waiting += [*(variables[name].ctor_args or ()), *([begins] if begins else ())]


def _is_zero(quotient: ex.Expression, others: ex.Expression) -> bool:
    """Whether a division of whole numbers gives 0: ``255 / 256``, or ``1 / b`` beside a ``b``."""
    if not isinstance(quotient, ex.Binary) or quotient.op != "/":
        return False
    above, below = quotient.left, quotient.right
    if not (isinstance(above, ex.Literal) and isinstance(above.value, int) and above.value > 0):
        return False
    if isinstance(below, ex.Literal):
        return isinstance(below.value, int) and above.value < below.value
    return above.value == 1 and any(
        isinstance(node, ex.Expression) and same(node, below) for node in within(others)
    )


RULE = Rule("RL313", "grid-rounding", Level.WARNING, __doc__, BAD, GOOD, check_host=check)

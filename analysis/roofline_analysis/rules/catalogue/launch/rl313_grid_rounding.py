"""A grid is meant to be rounded up, and the division is done first.

In `n + 255 / 256` the quotient of whole numbers is 0, so that the grid has n blocks where n / 256
would do, and all but one of 256 do nothing but find that out. Put the sum in parentheses:
`(n + 255) / 256`.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.language.types import is_integer
from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import Located, called_name, same, within
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
    """Grids that are a sum with a quotient that is always 0."""
    told: set[int] = set()
    for launch in program.nodes(ex.Launch):
        for node in _extents(program, launch):
            if not isinstance(node, ex.Binary) or node.op not in ("+", "-") or node.line in told:
                continue
            if _is_zero(program, launch, node.right, node.left):
                told.add(node.line)
                divided = any(
                    isinstance(each, ex.Binary) and each.op == "/" for each in within(node.left)
                )
                wrong = (
                    "it is rounded down, and the last elements are lost"
                    if divided
                    else "it is as large as what should have been divided"
                )
                yield program.found(
                    "the quotient in this grid's sum is 0, as the division is done first:"
                    f" {wrong}; write (n + b - 1) / b",
                    node.line,
                )


def _extents(program: HostProgram, launch: Located) -> Iterator[ex.Expression]:
    """The extents of a launch's grid: expressions, or what variables alone begin with."""
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
        extent = waiting.pop()
        if isinstance(extent, ex.Cast):
            waiting.append(extent.operand)
        elif isinstance(extent, ex.Construct) or _makes_dimensions(extent):
            waiting += extent.args  # type: ignore[attr-defined]
        elif isinstance(extent, ex.Name) and extent.name in variables and extent.name not in seen:
            seen.add(extent.name)
            variable = variables[extent.name]
            waiting += [*(variable.ctor_args or ()), *([variable.init] if variable.init else ())]
        else:
            yield extent


def _makes_dimensions(node: ex.Expression) -> bool:
    return isinstance(node, ex.Call) and called_name(node) == "dim3"


def _is_zero(
    program: HostProgram, launch: Located, quotient: ex.Expression, others: ex.Expression
) -> bool:
    """Whether a division of whole numbers gives 0: ``255 / 256``, or ``1 / b`` beside a ``b``."""
    if not isinstance(quotient, ex.Binary) or quotient.op != "/":
        return False
    above, below = quotient.left, quotient.right
    if not (isinstance(above, ex.Literal) and isinstance(above.value, int) and above.value > 0):
        return False
    if isinstance(below, ex.Literal):
        return isinstance(below.value, int) and above.value < below.value
    return (
        above.value == 1
        and isinstance(below, ex.Name)
        and _is_whole(program, launch, below.name)
        and any(isinstance(node, ex.Expression) and same(node, below) for node in within(others))
    )


def _is_whole(program: HostProgram, launch: Located, name: str) -> bool:
    """Whether a function declares a variable or parameter of this name that is an integer."""
    variables = program.nodes_of(launch.function).by_type.get(st.Variable, ())
    declared = [*launch.function.params, *(each.node for each in variables)]
    types = [each.type for each in declared if isinstance(each, st.Variable) and each.name == name]
    return bool(types) and all(is_integer(each.name) and not each.pointers for each in types)


RULE = Rule("RL313", "grid-rounding", Level.WARNING, __doc__, BAD, GOOD, check_host=check)

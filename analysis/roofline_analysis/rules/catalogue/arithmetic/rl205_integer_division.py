"""An integer division or remainder by a number that is not a compile-time constant.

GPUs have no instruction for it: a 32-bit division becomes some fifteen instructions, among them a
conversion to float and a reciprocal. Taking an index apart by `i / width` and `i % width` in each
thread can cost more than the rest of the kernel. Use a grid of two or three dimensions, count the
indices up with the loop, make the divisor a template parameter or a power of two, or divide by a
multiplication with a number that the host prepares. Divisors that are loaded from memory or
that a loop counts are left alone: nobody knows them before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roofline_analysis.rules.expression_rewrites import Swap, swap_findings
from roofline_analysis.rules.local_sources import changed_by_loop, is_loaded, is_made_of
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import Located, names_in
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program.units import Dialect

BAD = """\
__global__ void wrap(int n, int period, int rounds, int *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = x[i];
    for (int k = 0; k < rounds; k++) value = (value * 7 + k) % period;
    x[i] = value;
}

int main() {
    int n = 1 << 20;
    int *x;
    cudaMalloc(&x, n * sizeof(int));
    wrap<<<n / 256, 256>>>(n, 1000, 100, x);
}
"""

GOOD = BAD.replace("% period", "% 1024u").replace("int value", "unsigned value")


_MADE_NAMES = "omp_"
"""The prefix of variables that a target region adds, for instance to collapse loops."""
_LEAST_GAIN = 0.2
"""The least share of the time to save, as computing indices differently is some work."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Integer divisions whose divisor is not a compile-time constant."""
    swaps = [
        Swap(located, _cheap, None)
        for located in kernel.nodes(ex.Binary)
        if _is_division(kernel, located)
    ]

    def message(found: list[Swap]) -> str:
        """The finding's text, which quotes at most four divisions."""
        texts = dict.fromkeys(_text(swap.located.node) for swap in found)
        return (
            f"{', '.join(list(texts)[:4])}: integer division by a number that the compiler does not"
            " know costs some fifteen instructions"
        )

    yield from swap_findings(kernel, swaps, message, None, exact=True, least=_LEAST_GAIN, lazy=True)  # type: ignore[arg-type]


def _is_division(kernel: KernelSubject, located: Located) -> bool:
    node = located.node
    assert isinstance(node, ex.Binary)
    if node.op not in ("/", "%") or isinstance(node.right, ex.Literal):
        return False
    if located.function.dialect is Dialect.OPENMP and any(
        name.startswith(_MADE_NAMES) for name in names_in(node)
    ):
        return False
    types = kernel.types(located.function)
    if types.is_constant(node.right):
        return False
    if not (types.is_integer(node.left) and types.is_integer(node.right)):
        return False
    if any(is_made_of(node.right, changed_by_loop(loop)) for loop in located.loops):
        return False
    return not is_loaded(node.right, kernel.nodes_of(located.function))


def _cheap(node: Any) -> ex.Expression:
    """An expression of the same operands that takes one instruction."""
    return ex.Binary(node.line, "-", node.left, node.right)


def _text(node: object) -> str:
    assert isinstance(node, ex.Binary)
    divisor = node.right
    if isinstance(divisor, ex.Name):
        return f"'{node.op} {divisor.name}'"
    if isinstance(divisor, ex.Member):
        return f"'{node.op} {divisor.name}'"
    return f"'{node.op} (...)'"


RULE = Rule("RL205", "integer-division", Level.INFORMATION, __doc__, BAD, GOOD, check=check)

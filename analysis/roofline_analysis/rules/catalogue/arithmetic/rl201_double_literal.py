"""A double literal makes single-precision code compute in double precision.

`2.0 * x` with a `float x` converts `x` to double, multiplies in double and converts back. Most GPUs
have few double-precision units: on an RTX 3080 one for 64 of single precision, so its
double-precision roof, and with it the ridge, is 64 times lower, and a handful of such literals
makes a kernel compute-bound. Write `2.0f`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from roofline_analysis.regions.kernel_summary import Work
from roofline_analysis.rules.expression_rewrites import Swap, swap_findings
from roofline_analysis.rules.model import Edit, Level, Match
from roofline_analysis.rules.node_index import Located
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.units import Function

BAD = """\
__global__ void smooth(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}

int main() {
    int n = 1 << 22;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    smooth<<<n / 256, 256>>>(n, x, y);
}
"""

GOOD = BAD.replace("0.25 *", "0.25f *").replace("0.5 *", "0.5f *")

_DOUBLE = re.compile(
    rb"(?<![\w.])(?:\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?![\w.])"
)


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Double literals that cause much of the kernel's double-precision arithmetic."""
    if not kernel.prediction.dp_flops or kernel.has_guessed_types:
        return
    lines: dict[tuple[object, int], list[Located]] = {}
    for located in kernel.nodes(ex.Literal):
        node = located.node
        if not isinstance(node, ex.Literal) or node.type_name != "double":
            continue
        if not _has_doubles(kernel, located.function):
            lines.setdefault((located.function, node.line), []).append(located)
    swaps = []
    for group in lines.values():
        edits = _edits(kernel, group)
        swaps += [Swap(one, _single, edit) for one, edit in zip(group, edits, strict=True)]
    swaps = [s for s in swaps if kernel.work_at([s.site], Work.DP)]
    yield from swap_findings(
        kernel, swaps, _message, "Make the literals single precision", exact=False
    )


def _has_doubles(kernel: KernelSubject, function: Function) -> bool:
    """Whether a function computes in double precision by its own declarations."""
    variables = (*function.params, *(
        located.node
        for located in kernel.nodes(st.Variable)
        if located.function is function and isinstance(located.node, st.Variable)
    ))  # fmt: skip
    return any(variable.type.name == "double" for variable in variables)


def _single(node: Any) -> ex.Expression:
    return ex.Literal(node.line, node.value, "float")


def _edits(kernel: KernelSubject, group: Sequence[Located]) -> list[Edit | None]:
    text = kernel.text(group[0].function.path)
    if text is not None:
        found = text.matches(_DOUBLE, group[0].node.line)
        if len(found) == len(group):
            return [text.replace(m.end(), m.end(), "f") for m in found]
    return [None] * len(group)


def _message(swaps: Sequence[Swap]) -> str:
    values = dict.fromkeys(
        f"{swap.located.node.value:g}"
        for swap in swaps
        if isinstance(swap.located.node, ex.Literal)
        and isinstance(swap.located.node.value, (int, float))
    )
    shown = ", ".join(list(values)[:4])
    return (
        f"the double literals {shown} make single-precision values double; write them with the"
        " suffix f"
    )


RULE = Rule(
    "RL201", "double-literal", Level.INFORMATION, __doc__, BAD, GOOD, check=check, fixes=True
)

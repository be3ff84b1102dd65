"""A division by a square root.

`1.0f / sqrtf(x)` is a square root of some eight instructions and a division of as many. `rsqrtf(x)`
gives the reciprocal root in two, with an error of two units in the last place. The compiler
replaces one by the other only if it may relax floating-point rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from roofline_analysis.rules.expression_rewrites import Swap, swap_findings
from roofline_analysis.rules.model import Edit, Level, Match
from roofline_analysis.rules.node_index import Located, called_name
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program.units import Dialect

BAD = """\
__global__ void forces(int n, const float *x, float *f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f, here = x[i];
    for (int k = 0; k < n; k++) {
        float d = x[k] - here;
        sum += 1.0f / sqrtf(d * d + 0.01f);
    }
    f[i] = sum;
}

int main() {
    int n = 1 << 15;
    float *x, *f;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&f, n * sizeof(float));
    forces<<<n / 256, 256>>>(n, x, f);
}
"""

GOOD = BAD.replace("1.0f / sqrtf(", "rsqrtf(")

_ONE = re.compile(rb"(?<![\w.])1(?:\.0*)?f?\s*$")


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Quotients whose divisor is a call of ``sqrt``."""
    if kernel.kernel.dialect not in (Dialect.CUDA, Dialect.HIP):
        return
    lines: dict[tuple[object, int], list[Located]] = {}
    for located in kernel.nodes(ex.Binary):
        if _is_quotient(kernel, located):
            lines.setdefault((located.function, located.node.line), []).append(located)
    swaps = [
        Swap(located, _build, edit)
        for group in lines.values()
        for located, edit in zip(group, _edits(kernel, group), strict=True)
    ]
    yield from swap_findings(kernel, swaps, _message, "Use rsqrt", exact=False)


def _is_quotient(kernel: KernelSubject, located: Located) -> bool:
    node = located.node
    if not isinstance(node, ex.Binary) or node.op != "/" or not isinstance(node.right, ex.Call):
        return False
    if "__host__" in located.function.qualifiers:
        return False  # The host's compiler knows no rsqrt.
    name = called_name(node.right)
    if name == "sqrtf":
        return True
    kind = kernel.types(located.function).of(node.right.args[0]) if node.right.args else None
    return name == "sqrt" and kind in ("float", "double")


def _root(node: Any) -> str:
    return "rsqrtf" if called_name(node.right) == "sqrtf" else "rsqrt"


def _build(node: Any) -> ex.Expression:
    root = ex.Call(node.line, ex.Name(node.line, _root(node)), node.right.args)
    if isinstance(node.left, ex.Literal) and node.left.value == 1:
        return root
    return ex.Binary(node.line, "*", node.left, root)


def _edits(kernel: KernelSubject, group: Sequence[Located]) -> list[Edit | None]:
    text = kernel.text(group[0].function.path)
    node = group[0].node
    assert isinstance(node, ex.Binary)
    assert isinstance(node.right, ex.Call)
    name = called_name(node.right) or ""
    if text is None or len(group) != 1:
        return [None] * len(group)
    pattern = re.compile(rb"/\s*(?:std\s*::\s*)?" + name.encode() + rb"\s*\(")
    found = text.matches(pattern, node.line)
    if len(found) != 1:
        return [None]
    start, end = found[0].start(), found[0].end() - 1
    one = _ONE.search(text.code, text.bounds(node.line)[0], start)
    if isinstance(node.left, ex.Literal) and node.left.value == 1 and one is not None:
        return [text.replace(one.start(), end, _root(node))]
    return [text.replace(start, end, f"* {_root(node)}")]


def _message(swaps: Sequence[Swap]) -> str:
    roots = dict.fromkeys(_root(swap.located.node) for swap in swaps)
    return f"divisions by a square root; '{', '.join(roots)}' gives the reciprocal in one step"


RULE = Rule(
    "RL209", "reciprocal-square-root", Level.HINT, __doc__, BAD, GOOD, check=check, fixes=True
)

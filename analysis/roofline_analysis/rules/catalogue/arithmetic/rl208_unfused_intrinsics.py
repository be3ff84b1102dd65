"""Intrinsics that prevent a fused multiply-add.

The compiler fuses `a * b + c` into one multiply-add, which counts two operations and takes one
instruction. `__fmul_rn` and `__fadd_rn` say that it must not. Where that is not meant, use `fmaf`,
or plain operators: the arithmetic peak is that of multiply-adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from roofline_analysis.rules.expression_rewrites import Swap, swap_findings
from roofline_analysis.rules.model import Edit, Level, Match
from roofline_analysis.rules.node_index import Located, called_name
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex

BAD = """\
__global__ void polynomial(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    for (int k = 0; k < 4096; k++) value = __fadd_rn(__fmul_rn(value, 0.9f), 0.5f);
    x[i] = value;
}

int main() {
    int n = 1 << 20;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    polynomial<<<n / 256, 256>>>(n, x);
}
"""

GOOD = BAD.replace("__fadd_rn(__fmul_rn(value, 0.9f), 0.5f)", "fmaf(value, 0.9f, 0.5f)")

_PAIRS: Final = {"__fadd_rn": ("__fmul_rn", "fmaf"), "__dadd_rn": ("__dmul_rn", "fma")}


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Sums by intrinsic of which one operand is a product by intrinsic."""
    swaps = [
        Swap(located, _build, _edit(kernel, located))
        for located in kernel.nodes(ex.Call)
        if _product(located.node) is not None
    ]
    yield from swap_findings(kernel, swaps, _message, "Use a fused multiply-add", exact=False)


def _build(call: Any) -> ex.Expression:
    place = _product(call)
    assert place is not None
    product = call.args[place]
    name = ex.Name(call.line, _PAIRS[called_name(call) or ""][1])
    return ex.Call(call.line, name, (*product.args, call.args[1 - place]))


def _message(swaps: Sequence[Swap]) -> str:
    names = dict.fromkeys(
        called_name(swap.located.node) for swap in swaps if isinstance(swap.located.node, ex.Call)
    )
    return (
        f"{', '.join(f'{name!r}' for name in names)} of a product keeps the compiler from fusing"
        " the two into one instruction"
    )


def _product(node: Any) -> int | None:
    """Which operand of a sum is a product."""
    name = called_name(node) if isinstance(node, ex.Call) else None
    if name not in _PAIRS or len(node.args) != 2:
        return None
    for place, argument in enumerate(node.args):
        if isinstance(argument, ex.Call) and called_name(argument) == _PAIRS[name][0]:
            return place
    return None


def _edit(kernel: KernelSubject, located: Located) -> Edit | None:
    text = kernel.text(located.function.path)
    node = located.node
    assert isinstance(node, ex.Call)
    name, place = called_name(node) or "", _product(node)
    found = text.calls(name, node.line) if text is not None else []
    if text is None or len(found) != 1 or place is None or len(found[0][2]) != 2:
        return None
    start, end, arguments = found[0]
    first, last = arguments[place]
    inner = text.code.find(b"(", first, last)
    parts = text.arguments(inner + 1, last - 1)
    if inner < 0 or text.closing(inner) != last - 1 or len(parts) != 2:
        return None
    operands = (*map(text.at, parts), text.at(arguments[1 - place]))
    return text.replace(start, end, f"{_PAIRS[name][1]}({', '.join(operands)})")


RULE = Rule("RL208", "unfused-intrinsics", Level.HINT, __doc__, BAD, GOOD, check=check, fixes=True)

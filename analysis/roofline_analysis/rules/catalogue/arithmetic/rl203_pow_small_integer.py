"""A power with a small constant exponent.

`powf(x, 2.0f)` computes a logarithm and an exponential to full accuracy, some 60 operations where
one product does; with nvcc `pow(x, 2)` of C++ does so in double precision. The compiler does not
replace it unless it may relax floating-point rules. Write the product, or `sqrtf` for the exponent
0.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roofline_analysis.rules.expression_rewrites import Swap, swap_findings
from roofline_analysis.rules.model import Edit, Level, Match
from roofline_analysis.rules.node_index import Located, called_name, is_pure
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex

BAD = """\
__global__ void energy(int n, const float *v, float *e) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) e[i] = 0.5f * powf(v[i], 2.0f) + 0.25f * powf(v[i], 4.0f);
}

int main() {
    int n = 1 << 22;
    float *v, *e;
    cudaMalloc(&v, n * sizeof(float));
    cudaMalloc(&e, n * sizeof(float));
    energy<<<n / 256, 256>>>(n, v, e);
}
"""

GOOD = BAD.replace("powf(v[i], 2.0f)", "v[i] * v[i]").replace(
    "powf(v[i], 4.0f)", "(v[i] * v[i] * v[i] * v[i])"
)

_POWERS = ("pow", "powf", "powi", "powif")
_LARGEST = 4
"""The largest exponent whose power is worth writing as a product."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Calls of ``pow`` with the constant 2, 3, 4 or 0.5."""
    lines: dict[tuple[object, int, str], list[Located]] = {}
    for located in kernel.nodes(ex.Call):
        assert isinstance(located.node, ex.Call)
        name = called_name(located.node)
        if name in _POWERS and len(located.node.args) == 2:
            lines.setdefault((located.function, located.node.line, name), []).append(located)
    swaps = []
    for (_, _, name), group in lines.items():
        edits = _edits(kernel, group, name)
        for located, edit in zip(group, edits, strict=True):
            assert isinstance(located.node, ex.Call)
            exponent = _exponent(located.node)
            if exponent is not None and is_pure(located.node.args[0]):
                swaps.append(Swap(located, _build, edit))
    yield from swap_findings(kernel, swaps, _message, "Write the power as a product", exact=False)


def _exponent(call: Any) -> float | None:
    """The constant exponent, if a product or a root can replace the power; else None."""
    node = call.args[1]
    if isinstance(node, ex.Cast):
        node = node.operand
    if not isinstance(node, ex.Literal) or not isinstance(node.value, (int, float)):
        return None
    value = float(node.value)
    return value if value == 0.5 or value in range(2, _LARGEST + 1) else None


def _build(call: Any) -> ex.Expression:
    base, exponent = call.args[0], _exponent(call)
    if exponent == 0.5:
        return ex.Call(call.line, ex.Name(call.line, "sqrt"), (base,))
    product: ex.Expression = base
    for _ in range(int(exponent or 1) - 1):
        product = ex.Binary(call.line, "*", product, base)
    return product


def _edits(kernel: KernelSubject, group: Sequence[Located], name: str) -> list[Edit | None]:
    text = kernel.text(group[0].function.path)
    found = text.calls(name, group[0].node.line) if text is not None else []
    if text is None or len(found) != len(group):
        return [None] * len(group)
    edits: list[Edit | None] = []
    for located, (start, end, arguments) in zip(group, found, strict=True):
        exponent = _exponent(located.node)
        assert isinstance(located.node, ex.Call)
        if exponent is None or len(arguments) != 2:
            edits.append(None)
            continue
        base = text.at(arguments[0])
        plain = isinstance(located.node.args[0], (ex.Name, ex.Index, ex.Member, ex.Literal))
        factor = base if plain else f"({base})"
        if exponent == 0.5:
            new = f"{'sqrtf' if name.endswith('f') else 'sqrt'}({base})"
        else:
            new = f"({' * '.join([factor] * int(exponent))})"
        edits.append(text.replace(start, end, new))
    return edits


def _message(swaps: Sequence[Swap]) -> str:
    calls = [swap.located.node for swap in swaps]
    exponents = dict.fromkeys(f"{_exponent(call):g}" for call in calls)
    name = called_name(calls[0]) if isinstance(calls[0], ex.Call) else "pow"
    return (
        f"'{name}' with the constant exponent {', '.join(exponents)} costs as much as for any"
        " exponent; write it as a product or a root"
    )


RULE = Rule(
    "RL203", "pow-small-integer", Level.INFORMATION, __doc__, BAD, GOOD, check=check, fixes=True
)

"""Several divisions by the same value.

An IEEE division is a sequence of about ten instructions with a branch, a product is one. Where a
vector is divided by its length, component by component, divide 1 by the length once and multiply
by that; the compiler does not do so by itself, as the last bit of results may differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from roofline_analysis.language.types import is_float
from roofline_analysis.rules.expression_rewrites import Swap, swap_findings
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import (
    FunctionNodes,
    Located,
    called_name,
    names_in,
    same,
)
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void pull(int n, const float4 *x, float4 *v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float vx = 0.0f, vy = 0.0f, vz = 0.0f;
    for (int k = 0; k < n; k++) {
        float dx = x[k].x - x[i].x, dy = x[k].y - x[i].y, dz = x[k].z - x[i].z;
        float cube = dx * dx * dx + dy * dy * dy + dz * dz * dz + 1.0f;
        vx += dx / cube;
        vy += dy / cube;
        vz += dz / cube;
    }
    v[i] = make_float4(vx, vy, vz, 0.0f);
}

int main() {
    int n = 1 << 15;
    float4 *x, *v;
    cudaMalloc(&x, n * sizeof(float4));
    cudaMalloc(&v, n * sizeof(float4));
    pull<<<n / 128, 128>>>(n, x, v);
}
"""

GOOD = (
    BAD.replace("+ 1.0f;\n", "+ 1.0f;\n        float inverse = 1.0f / cube;\n")
    .replace("dx / cube", "dx * inverse")
    .replace("dy / cube", "dy * inverse")
    .replace("dz / cube", "dz * inverse")
)

_LEAST_GAIN: Final = 0.1
"""The least share of the time to save, as products round otherwise. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Groups of divisions by one variable, or one field, that stand side by side."""
    swaps = [
        Swap(located, _build, None)
        for function in kernel.functions
        for group in _groups(kernel, function)
        for located in group
    ]
    yield from swap_findings(kernel, swaps, _message, None, exact=False, least=_LEAST_GAIN)


def _groups(kernel: KernelSubject, function: FunctionNodes) -> Iterator[list[Located]]:
    """The divisions of a function by the same value, where there are two and more."""
    groups: list[list[Located]] = []
    for located in _divisions(kernel, function):
        divisor = _divisor(located.node)
        for group in groups:
            first = group[0]
            beside = first.loops == located.loops and first.branches == located.branches
            if beside and same(_divisor(first.node), divisor):
                group.append(located)
                break
        else:
            groups.append([located])
    yield from (g for g in groups if len(g) > 1 and not _is_changed_between(kernel, function, g))


def _divisions(kernel: KernelSubject, function: FunctionNodes) -> Iterator[Located]:
    """The divisions of floats by a variable or a field."""
    types = kernel.types(function.function)
    for located in (*function.by_type.get(ex.Binary, ()), *function.by_type.get(ex.Assign, ())):
        divisor = _divisor(located.node)
        if isinstance(divisor, (ex.Name, ex.Member)):
            name = types.of(divisor)
            if name is not None and is_float(name):
                yield located


def _divisor(node: object) -> ex.Expression | None:
    if isinstance(node, ex.Binary) and node.op == "/":
        return node.right
    return node.value if isinstance(node, ex.Assign) and node.op == "/=" else None


def _is_changed_between(
    kernel: KernelSubject, function: FunctionNodes, group: Sequence[Located]
) -> bool:
    """Whether the divisor may have another value at the last of some divisions."""
    divisor = _divisor(group[0].node)
    names = names_in(divisor)
    lines = [located.node.line for located in group]
    first, last = min(lines), max(lines)
    for each in function.by_type.get(st.Variable, ()):
        if isinstance(each.node, st.Variable) and each.node.name in names:
            if first < each.node.line <= last:
                return True  # another variable of the name
    for each in function.by_type.get(ex.Call, ()):
        if first <= each.node.line <= last and _may_change(kernel, each.node, names):
            return True
    changes = (*function.by_type.get(ex.Assign, ()), *function.by_type.get(ex.Update, ()))
    for each in changes:
        node = each.node
        target = node.target if isinstance(node, ex.Assign) else node
        if first <= node.line <= last and names & names_in(target):
            if not (isinstance(divisor, ex.Member) and _is_other_field(target, divisor)):
                return True
    return False


def _may_change(kernel: KernelSubject, call: object, names: set[str]) -> bool:
    """Whether a function of the program is given one of some names, perhaps by reference."""
    if not isinstance(call, ex.Call):
        return False
    name = called_name(call)
    known = name is None or name in kernel.type_system.symbols.functions
    return known and any(names & names_in(argument) for argument in call.args)


def _is_other_field(target: object, divisor: ex.Member) -> bool:
    return isinstance(target, ex.Member) and target.name != divisor.name


def _build(node: Any) -> ex.Expression:
    divisor = _divisor(node)
    assert divisor is not None
    inverse = ex.Binary(node.line, "/", ex.Literal(node.line, 1.0, "float"), divisor)
    if isinstance(node, ex.Assign):
        return ex.Assign(node.line, "*=", node.target, inverse)
    return ex.Binary(node.line, "*", node.left, inverse)


def _message(swaps: Sequence[Swap]) -> str:
    shown = list(dict.fromkeys(_shown(_divisor(swap.located.node)) for swap in swaps))
    return (
        f"{len(swaps)} divisions by {', '.join(shown[:4])}: divide 1 by it once, and multiply"
        if len(shown) == 1
        else f"{len(swaps)} divisions by {', '.join(shown[:4])}: divide 1 by each, and multiply"
    )


def _shown(divisor: ex.Expression | None) -> str:
    return f"'{divisor.name}'" if isinstance(divisor, (ex.Name, ex.Member)) else "it"


RULE = Rule("RL213", "repeated-divisor", Level.HINT, __doc__, BAD, GOOD, check=check)

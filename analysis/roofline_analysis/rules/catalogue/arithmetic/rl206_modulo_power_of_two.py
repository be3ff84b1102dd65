"""The remainder of a signed number by a power of two.

For an unsigned number, `i % 32` is one instruction, `i & 31`. For a signed one the compiler must
get negative numbers right, which takes four; it does not know that an index is never negative.
Write `i & 31`, or make the index unsigned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from roofline_analysis.device.assigned import body_facts
from roofline_analysis.rules.expression_rewrites import Swap, swap_findings
from roofline_analysis.rules.model import Edit, Level, Match
from roofline_analysis.rules.node_index import Located, Node
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void mix(int n, int rounds, unsigned *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value = x[i];
    for (int k = 0; k < rounds; k++) {
        int at = i + k;
        value ^= (at % 32) + (at % 8);
    }
    x[i] = value;
}

int main() {
    int n = 1 << 20;
    unsigned *x;
    cudaMalloc(&x, n * sizeof(unsigned));
    mix<<<n / 256, 256>>>(n, 100, x);
}
"""

GOOD = BAD.replace("at % 32", "at & 31").replace("at % 8", "at & 7")

_REMAINDER = re.compile(rb"(?<![\w.)\]])(\w+(?:\.\w+)?)(\s*)%(\s*)(\d+)(?![\w.])")
_INDICES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_MAX_DEPTH = 6
"""The deepest nesting of operations whose sign is looked for."""


_LEAST_GAIN = 0.1
"""The least share of the time to save. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Remainders by powers of two of signed numbers that are never negative."""
    lines: dict[tuple[object, int], list[Located]] = {}
    for located in kernel.nodes(ex.Binary):
        assert isinstance(located.node, ex.Binary)
        if located.node.op == "%" and _is_signed_index(kernel, located):
            lines.setdefault((located.function, located.node.line), []).append(located)
    swaps = [
        Swap(located, _build, edit)
        for group in lines.values()
        for located, edit in zip(group, _edits(kernel, group), strict=True)
    ]
    yield from swap_findings(
        kernel, swaps, _message, "Use & instead of %", exact=True, least=_LEAST_GAIN, lazy=True
    )


def _is_signed_index(kernel: KernelSubject, located: Located) -> bool:
    node = located.node
    assert isinstance(node, ex.Binary)
    divisor = node.right.value if isinstance(node.right, ex.Literal) else None
    if not isinstance(divisor, int) or divisor < 2 or divisor & (divisor - 1):
        return False
    assert isinstance(node.right, ex.Literal)
    if node.right.type_name.startswith("unsigned"):
        return False
    kind = kernel.types(located.function).of(node.left)
    signed = kind in ("int", "long", "long long", "short")
    return signed and _is_nonnegative(kernel, located, node.left, 0)


def _is_nonnegative(kernel: KernelSubject, located: Located, node: object, depth: int) -> bool:
    """Whether an index is never negative: computed from thread indices and rising counters."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ex.Literal):
        return isinstance(node.value, (int, float)) and node.value >= 0
    if isinstance(node, ex.Member):
        return isinstance(node.base, ex.Name) and node.base.name in _INDICES
    if isinstance(node, ex.Cast):
        return _is_nonnegative(kernel, located, node.operand, depth + 1)
    if isinstance(node, ex.Binary) and node.op in ("+", "*", "/", "%", ">>", "&"):
        return _is_nonnegative(kernel, located, node.left, depth + 1) and _is_nonnegative(
            kernel, located, node.right, depth + 1
        )
    if isinstance(node, ex.Name):
        return _never_falls_below(kernel, located, node.name, depth)
    return False


def _never_falls_below(kernel: KernelSubject, located: Located, name: str, depth: int) -> bool:
    declared: list[Node] = [
        each.node
        for each in kernel.nodes(st.Variable)
        if each.function is located.function
        and isinstance(each.node, st.Variable)
        and each.node.name == name
    ]
    body = located.function.body
    if not declared or body is None:
        return False
    for change in body_facts(body).of(name):
        if change.op == "++":
            continue
        rises = change.op in ("+=", "=") and change.value is not None and change.whole
        if not rises or not _is_nonnegative(kernel, located, change.value, depth + 1):
            return False
    return all(
        variable.init is not None and _is_nonnegative(kernel, located, variable.init, depth + 1)
        for variable in declared
        if isinstance(variable, st.Variable)
    )


def _build(node: Any) -> ex.Expression:
    mask = ex.Literal(node.line, node.right.value - 1, "int")
    return ex.Binary(node.line, "&", node.left, mask)


def _edits(kernel: KernelSubject, group: Sequence[Located]) -> list[Edit | None]:
    text = kernel.text(group[0].function.path)
    found = text.matches(_REMAINDER, group[0].node.line) if text is not None else []
    plain = all(
        isinstance(each.node, ex.Binary) and isinstance(each.node.left, (ex.Name, ex.Member))
        for each in group
    )
    if text is None or len(found) != len(group) or not plain:
        return [None] * len(group)
    edits: list[Edit | None] = []
    for m in found:
        mask = int(m[4]) - 1
        enclosed = text.code[: m.start()].rstrip()[-1:] == b"(" and (
            text.code[m.end() :].lstrip()[:1] == b")"
        )
        new = f"{m[1].decode()}{m[2].decode()}&{m[3].decode()}{mask}"
        edits.append(text.replace(m.start(), m.end(), new if enclosed else f"({new})"))
    return edits


def _message(swaps: Sequence[Swap]) -> str:
    shown = dict.fromkeys(
        f"'% {swap.located.node.right.value}'"
        for swap in swaps
        if isinstance(swap.located.node, ex.Binary)
        and isinstance(swap.located.node.right, ex.Literal)
    )
    return (
        f"{', '.join(shown)} of a signed number that is never negative takes four instructions,"
        " & takes one"
    )


RULE = Rule(
    "RL206", "modulo-power-of-two", Level.INFORMATION, __doc__, BAD, GOOD, check=check, fixes=True
)

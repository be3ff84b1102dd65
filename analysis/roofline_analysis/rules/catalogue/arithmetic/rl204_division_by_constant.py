"""A floating-point division whose divisor does not change.

An IEEE division is a sequence of about ten instructions with a branch, a product is one. Where the
divisor is a constant, or the same in all runs of a loop, its reciprocal is computed once and
multiplied by; the compiler does not do so by itself, as the last bit of results may differ.
Divisions by powers of two are products already.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roofline_analysis.device.assigned import body_facts, children
from roofline_analysis.language.types import is_float
from roofline_analysis.rules.expression_rewrites import Swap, swap_findings
from roofline_analysis.rules.model import Edit, Level, Match
from roofline_analysis.rules.node_index import Located, names_in, within
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex

BAD = """\
__global__ void relax(int n, int m, float h, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
    for (int k = 0; k < m; k++) value = (value + 1.0f) / h + value / 3.0f;
    x[i] = value;
}

int main() {
    int n = 1 << 20;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    relax<<<n / 256, 256>>>(n, 500, 0.7f, x);
}
"""

GOOD = BAD.replace("/ h", "* (1.0f / h)").replace("/ 3.0f", "* (1.0f / 3.0f)")

_DIVISION = re.compile(rb"(?<![/*])/(?![/*=])")
_DIVISOR = re.compile(
    rb"\s*(?:[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?)(?![\w.(\[]|->)"
)


_LEAST_GAIN = 0.1
"""The least share of the time to save, as products round otherwise. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Divisions by a literal, or in a loop by a variable that the loop does not change."""
    lines: dict[tuple[object, int], list[Located]] = {}
    for located in kernel.nodes(ex.Binary):
        assert isinstance(located.node, ex.Binary)
        if located.node.op == "/":
            lines.setdefault((located.function, located.node.line), []).append(located)
    swaps = []
    for group in lines.values():
        edits = _edits(kernel, group)
        for located, edit in zip(group, edits, strict=True):
            if _is_fixed(kernel, located):
                swaps.append(Swap(located, _build, edit))
    yield from swap_findings(
        kernel, swaps, _message, "Multiply by the reciprocal", exact=False, least=_LEAST_GAIN
    )


def _is_fixed(kernel: KernelSubject, located: Located) -> bool:
    """Whether a division is of floats and its divisor is invariant."""
    node = located.node
    assert isinstance(node, ex.Binary)
    divisor, types = node.right, kernel.types(located.function)
    if isinstance(divisor, ex.Literal):
        value = divisor.value
        if not isinstance(value, (int, float)) or isinstance(node.left, ex.Literal) or not value:
            return False
        if abs(math.frexp(value)[0]) == 0.5:
            return False  # a power of two
        left = types.of(node.left)
        return is_float(divisor.type_name) or (left is not None and is_float(left))
    if not isinstance(divisor, ex.Name) or not located.loops:
        return False
    name = types.of(divisor)
    if name is None or not is_float(name):
        return False
    facts = body_facts(located.loops[-1])
    changing = {change.name for change in facts.changes} | facts.declared
    if divisor.name in changing:
        return False
    # An invariant division is moved out of the loop by the compiler.
    calls = any(isinstance(each, (ex.Call, ex.Index)) for each in within(node.left))
    return calls or bool(names_in(node.left) & changing)


def _build(node: Any) -> ex.Expression:
    one = ex.Literal(node.line, 1.0, "float")
    if isinstance(node.right, ex.Literal):
        kind = "double" if node.right.type_name == "double" else "float"
        value = node.right.value
        known = float(value) if isinstance(value, (int, float)) else 1.0
        inverse: ex.Expression = ex.Literal(node.line, 1.0 / known, kind)
    else:
        inverse = ex.Binary(node.line, "/", one, node.right)
    return ex.Binary(node.line, "*", node.left, inverse)


def _edits(kernel: KernelSubject, group: Sequence[Located]) -> list[Edit | None]:
    text = kernel.text(group[0].function.path)
    found = text.matches(_DIVISION, group[0].node.line) if text is not None else []
    if text is None or len(found) != len(group):
        return [None] * len(group)
    # Outer divisions come before inner ones in the model, later ones first in the text.
    ordered = _by_text(group)
    edits: list[Edit | None] = []
    for located in group:
        assert isinstance(located.node, ex.Binary)
        m = found[ordered.index(located)]
        divisor = _DIVISOR.match(text.code, m.end())
        if divisor is None:
            edits.append(None)
            continue
        word = divisor[0].decode().strip()
        kind = kernel.types(located.function).of(located.node)
        one = "1.0f" if kind == "float" else "1.0"
        edits.append(text.replace(m.start(), divisor.end(), f"* ({one} / {word})"))
    return edits


def _by_text(group: Sequence[Located]) -> list[Located]:
    """Divisions of one line in the order of their operators in the text."""
    inside = {id(each.node): each for each in group}
    ordered: list[Located] = []
    for each in group:
        if each not in ordered:
            _enter_divisions(each.node, inside, ordered)
    return ordered


def _enter_divisions(node: object, inside: Mapping[int, Located], ordered: list[Located]) -> None:
    """Enter the divisions in a node, those of a left operand before its own."""
    if isinstance(node, ex.Binary) and id(node) in inside:
        _enter_divisions(node.left, inside, ordered)
        ordered.append(inside[id(node)])
        _enter_divisions(node.right, inside, ordered)
        return
    for child in children(node):
        _enter_divisions(child, inside, ordered)


def _message(swaps: Sequence[Swap]) -> str:
    shown = dict.fromkeys(_divisor_text(swap.located.node) for swap in swaps)
    return f"divisions by {', '.join(list(shown)[:4])}, which do not change, could be products"


def _divisor_text(node: object) -> str:
    assert isinstance(node, ex.Binary)
    if isinstance(node.right, ex.Literal):
        return f"{node.right.value}"
    return f"'{node.right.name}'" if isinstance(node.right, ex.Name) else "a constant"


RULE = Rule(
    "RL204", "division-by-constant", Level.HINT, __doc__, BAD, GOOD, check=check, fixes=True
)

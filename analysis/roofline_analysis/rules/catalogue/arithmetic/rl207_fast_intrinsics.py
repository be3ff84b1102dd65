"""Accurate functions where a fast intrinsic may do.

`sinf`, `logf` and similar functions compute to full single precision, in 15 to 60 instructions.
`__sinf`, `__logf`, `__powf` use the special-function units in a few instructions, at an error that
grows with the argument; `expf` does nearly so by itself. `--use_fast_math` does so for a whole
file. Only where the accuracy suffices: look at the error bounds in the CUDA programming guide.
Nothing is said at assumed sizes: who gives up accuracy wants to know for what. Nor is anything said
of functions that are compiled for the host, too, which has no intrinsics, nor of arguments that a
loop carries on or counts up: their errors add up, or grow with the argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from roofline_analysis.rules.expression_rewrites import Swap, swap_findings
from roofline_analysis.rules.local_sources import changed_by_loop, is_made_of
from roofline_analysis.rules.model import Edit, Level, Match
from roofline_analysis.rules.node_index import Located, called_name
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program.units import Dialect

BAD = """\
__global__ void iterate(int n, int rounds, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < rounds; k++) sum += 0.5f * sinf(x[k] + x[i]);
    y[i] = sum;
}

int main() {
    int n = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    iterate<<<n / 256, 256>>>(n, 100, x, y);
}
"""

GOOD = BAD.replace("sinf", "__sinf")

_INTRINSICS: Final = {
    "sinf": "__sinf",
    "cosf": "__cosf",
    "tanf": "__tanf",
    "logf": "__logf",
    "log2f": "__log2f",
    "log10f": "__log10f",
    "powf": "__powf",
}
_LEAST_GAIN = 0.2
"""The least share of the time to save; less is not worth the lost accuracy."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Calls of single-precision functions that have a fast intrinsic."""
    if kernel.kernel.dialect not in (Dialect.CUDA, Dialect.HIP):
        return
    lines: dict[tuple[object, int, str], list[Located]] = {}
    for located in kernel.nodes(ex.Call):
        assert isinstance(located.node, ex.Call)
        if "__host__" in located.function.qualifiers:
            continue
        name = called_name(located.node)
        if name is None or _intrinsic(kernel, located, name) is None:
            continue
        if not _is_carried_on(located):
            lines.setdefault((located.function, located.node.line, name), []).append(located)
    swaps = []
    for (_, _, name), group in lines.items():
        for located, edit in zip(group, _edits(kernel, group, name), strict=True):
            swaps.append(Swap(located, _build, edit))
    yield from swap_findings(
        kernel, swaps, _message, "Use the fast intrinsics", exact=False, least=_LEAST_GAIN
    )


def _intrinsic(kernel: KernelSubject, located: Located, name: str) -> str | None:
    if name.startswith("pow") and _has_constant_exponent(located):
        return None
    found = _INTRINSICS.get(name)
    if found is not None or f"{name}f" not in _INTRINSICS:
        return found
    # Of C++'s overloads the single-precision one.
    assert isinstance(located.node, ex.Call)
    types = kernel.types(located.function)
    if all(types.of(arg) == "float" for arg in located.node.args):
        return _INTRINSICS[f"{name}f"]
    return None


def _is_carried_on(located: Located) -> bool:
    """Whether a loop counts an argument up, or carries on what it is made of."""
    if not located.loops or not isinstance(located.node, ex.Call):
        return False
    changed = frozenset[str]().union(*map(changed_by_loop, located.loops))
    return any(is_made_of(argument, changed) for argument in located.node.args)


def _has_constant_exponent(located: Located) -> bool:
    """Whether a power may have a negative base, which the intrinsic does not support."""
    node = located.node
    return isinstance(node, ex.Call) and any(isinstance(a, ex.Literal) for a in node.args[1:])


def _build(call: Any) -> ex.Expression:
    name = called_name(call) or ""
    found = _INTRINSICS.get(name) or _INTRINSICS[f"{name}f"]
    return ex.Call(call.line, ex.Name(call.line, found), call.args)


def _edits(kernel: KernelSubject, group: Sequence[Located], name: str) -> list[Edit | None]:
    text = kernel.text(group[0].function.path)
    found = text.calls(name, group[0].node.line) if text is not None else []
    if text is None or len(found) != len(group):
        return [None] * len(group)
    new = _INTRINSICS.get(name) or _INTRINSICS[f"{name}f"]
    return [
        text.replace(start, text.code.index(name.encode(), start) + len(name), new)
        for start, _, _ in found
    ]


def _message(swaps: Sequence[Swap]) -> str:
    names = dict.fromkeys(
        called_name(swap.located.node) for swap in swaps if isinstance(swap.located.node, ex.Call)
    )
    shown = ", ".join(f"'{name}'" for name in names)
    return f"{shown} computed to full accuracy; fast intrinsics would do if that is not needed"


RULE = Rule(
    "RL207",
    "fast-intrinsics",
    Level.HINT,
    __doc__,
    BAD,
    GOOD,
    check=check,
    fixes=True,
    by_sizes=True,
)

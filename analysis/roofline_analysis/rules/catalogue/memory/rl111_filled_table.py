"""Each thread fills a table of constants of its own.

An array of constants that a kernel declares and reads at an index of run time must have an address.
NVIDIA's compiler gives each thread an array in local memory, and each thread writes all elements
before it reads one, `const` or `constexpr` or not: 256 floats are a kilobyte of stores a thread.
With `static` there is one table for all threads, which the caches hold; `__constant__` outside the
function is best where the threads of a warp read the same element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace
from roofline_analysis.rules.effects import matters
from roofline_analysis.rules.model import Edit, Fix, Level, Match
from roofline_analysis.rules.node_index import Located
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void grade(int n, const unsigned char *x, float *y) {
    const float weights[16] = {0.5f, 1.f, 1.5f, 2.f, 2.5f, 3.f, 3.5f, 4.f,
                               4.5f, 5.f, 5.5f, 6.f, 6.5f, 7.f, 7.5f, 8.f};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = weights[x[i] & 15];
}

int main() {
    int n = 1 << 22;
    unsigned char *x;
    float *y;
    cudaMalloc(&x, n);
    cudaMalloc(&y, n * sizeof(float));
    grade<<<n / 256, 256>>>(n, x, y);
}
"""

GOOD = BAD.replace("    const float", "    static const float")

_LEAST_GAIN: Final = 0.1
"""The least share of the launch's time that a finding saves. Chosen, not measured."""
_DECLARATION: Final = re.compile(
    rb"(?:^|(?<=[;{]))[ \t]*((?:const|constexpr)\b)[^;]*=", re.MULTILINE
)


def check(kernel: KernelSubject) -> Iterator[Match]:
    """All tables of constants that threads fill, together."""
    filled = {
        access.site
        for region in kernel.judged.demanding
        for access in region.accesses
        if access.array.space is MemorySpace.LOCAL and access.mode is AccessMode.WRITE
    }
    tables = [
        each
        for each in kernel.nodes(st.Variable)
        if (each.function.path, each.node.line) in filled and _is_table(each.node)
    ]
    if not tables:
        return
    nodes = {id(each.node) for each in tables}

    def rewrite(before: Any, node: Any) -> Any:
        """A table that is one for all threads; other nodes as they are."""
        shared = id(before) in nodes
        return replace(node, qualifiers=node.qualifiers | {"static"}) if shared else node

    effect = kernel.effect_of_rewriting(rewrite, (each.function for each in tables))
    if not matters(effect, _LEAST_GAIN):
        return
    edits = _edits(kernel, tables)
    fix = Fix("Make one table for all threads", edits) if edits else None
    names = ", ".join(dict.fromkeys(f"'{_name(each)}'" for each in tables))
    holds = "holds" if len(tables) == 1 else "hold"
    yield kernel.found(
        f"{names} {holds} constants alone, and each thread writes them to local memory before it"
        " reads one; declare it static",
        [(each.function.path, each.node.line) for each in tables],
        effect,
        fix,
    )


def _is_table(node: object) -> bool:
    """Whether a variable is an array that is declared constant."""
    return (
        isinstance(node, st.Variable)
        and bool(node.type.dims)
        and (node.type.const or "constexpr" in node.qualifiers)
        and not node.type.volatile
        and isinstance(node.init, (ex.InitList, ex.Literal))
    )


def _name(located: Located) -> str:
    return located.node.name if isinstance(located.node, st.Variable) else ""


def _edits(kernel: KernelSubject, tables: Sequence[Located]) -> tuple[Edit, ...]:
    """What makes the tables static; nothing for functions that hosts call, too."""
    edits = []
    for located in tables:
        text = kernel.text(located.function.path)
        if text is None or "__host__" in located.function.qualifiers:
            return ()
        found = text.matches(_DECLARATION, located.node.line)
        if len(found) != 1:
            return ()
        start = found[0].start(1)
        edits.append(text.replace(start, start, "static "))
    return tuple(edits)


RULE = Rule("RL111", "filled-table", Level.INFORMATION, __doc__, BAD, GOOD, check=check, fixes=True)

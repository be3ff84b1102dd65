"""Lanes of a warp access different words of one bank of shared memory.

Shared memory has 32 banks, each of which serves one word a clock. In `tile[threadIdx.x][k]` with
rows of 32 words all lanes fall into one bank, and the request takes 32 clocks. Pad the rows by one
word, `tile[32][33]`: then each lane has a bank of its own. Where the block is not known nothing is
said, as that decides which threads make a warp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from roofline_analysis.regions.kernel_summary import Array, MemorySpace, Site
from roofline_analysis.rules.accesses import (
    WarpAccess,
    by_array,
    depends_on_data,
    is_spread_by_argument,
    shown_name,
    warp_accesses,
)
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Effect, Fix, Level, Match
from roofline_analysis.rules.node_index import Located
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void transpose(int n, const float *a, float *b) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    b[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    int n = 1024;
    float *a, *b;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    for (int i = 0; i < 100; i++) transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(n, a, b);
}
"""

GOOD = BAD.replace("tile[32][32]", "tile[32][33]")


_LEAST_GAIN = 0.1
"""The least share of the time that having no conflicts saves. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Shared arrays with requests that take more clocks than they have words."""
    if not kernel.is_block_known:
        return  # which threads make a warp is a guess
    slow = {
        array: found
        for array, items in by_array(warp_accesses(kernel, MemorySpace.SHARED)).items()
        if (found := [item for item in items if _is_slow(kernel, item)])
    }
    alone = {array: kernel.effect(_without_conflicts(items)) for array, items in slow.items()}
    matter = [array for array in slow if matters(alone[array], _LEAST_GAIN)]
    fixed = {array: _padded(kernel, array, alone[array]) for array in matter}
    for array in matter:
        effect, fix = fixed[array]
        if fix is not None:
            yield _found(kernel, [array], slow[array], effect, fix)
    left = [array for array in matter if fixed[array][1] is None]
    if left:
        items = [item for array in left for item in slow[array]]
        yield _found(kernel, left, items, kernel.effect(_without_conflicts(items)), None)


def _found(
    kernel: KernelSubject,
    arrays: Sequence[Array],
    items: Sequence[WarpAccess],
    effect: Effect,
    fix: Fix | None,
) -> Match:
    worst = max(_ways(item) for item in items)
    names = ", ".join(dict.fromkeys(shown_name(array) for array in arrays))
    return kernel.found(
        f"requests for {names} in shared memory fall {worst:.0f} times into one bank"
        + (f"; pad its rows by {_counted(_at_once(kernel, arrays[0]))}" if fix else ""),
        _slowest_first(items),
        effect,
        fix,
    )


def _slowest_first(items: Sequence[WarpAccess]) -> list[Site]:
    """The lines of accesses, that with most clocks of conflicts first."""
    ordered = sorted(items, key=lambda i: i.warp_runs * (_words(i) - i.request.wavefronts))
    return list(dict.fromkeys(item.access.site for item in ordered))


def _without_conflicts(items: Sequence[WarpAccess]) -> Change:
    requests = {item.access: replace(item.request, wavefronts=_words(item)) for item in items}
    return Change(requests=requests)  # type: ignore[arg-type]


def _is_slow(kernel: KernelSubject, item: WarpAccess) -> bool:
    if _ways(item) < 2.0 or depends_on_data(item.access):
        return False
    return not (kernel.keeps_quiet_of_guesses and is_spread_by_argument(item.access.offset))


def _words(item: WarpAccess) -> float:
    return max(1.0, item.access.size_bytes / 4.0)


def _ways(item: WarpAccess) -> float:
    """Words that a request takes from its busiest bank, per word of a lane; 1: no conflict."""
    return item.request.wavefronts / _words(item)


def _padded(kernel: KernelSubject, array: Array, alone: Effect) -> tuple[Effect, Fix | None]:
    """The effect of padding the rows by what is accessed at once, and the edit that does so.

    ``alone`` is that of having no conflicts; it is returned where padding gains less than half.
    """
    padded, fix = _rows_padded(kernel, array.name.partition("@")[0], _at_once(kernel, array))
    if padded is None or not matters(padded, 0.5 * (1 - alone.new_time_ns / alone.time_ns)):
        return alone, None
    return padded, fix


def _at_once(kernel: KernelSubject, array: Array) -> int:
    """The most elements of an array that are accessed at once: rows stay aligned to as many."""
    element_bytes = kernel.type_system.size(replace(array.element, dims=())) or 1
    sizes = (
        access.size_bytes
        for region in kernel.summary.root.walk()
        for access in region.accesses
        if access.array.name == array.name
    )
    return max(1, *(int(size // element_bytes) for size in sizes))


def _rows_padded(
    kernel: KernelSubject, name: str, elements: int
) -> tuple[Effect | None, Fix | None]:
    """The effect of longer rows and the edit that makes them; None where they cannot be made."""
    declared = [
        located
        for located in kernel.nodes(st.Variable)
        if isinstance(located.node, st.Variable)
        and located.node.name == name
        and "__shared__" in located.node.qualifiers
    ]
    if len(declared) != 1 or not _is_padable(kernel, declared[0]):
        return None, None
    variable = declared[0].node
    assert isinstance(variable, st.Variable)
    last = variable.type.dims[-1]
    longer = ex.Binary(variable.line, "+", last, ex.Literal(variable.line, elements, "int"))  # type: ignore[arg-type]

    def rewrite(before: Any, node: Any) -> Any:
        """The declaration with longer rows; other nodes as they are."""
        if before is not variable:
            return node
        return replace(
            variable, type=replace(variable.type, dims=(*variable.type.dims[:-1], longer))
        )

    effect = kernel.effect_of_rewriting(rewrite, [declared[0].function])
    return effect, _edit(kernel, declared[0], len(variable.type.dims), elements)


def _is_padable(kernel: KernelSubject, declared: Located) -> bool:
    """Whether all uses of an array index each of its dimensions."""
    variable = declared.node
    assert isinstance(variable, st.Variable)
    dims = variable.type.dims
    if len(dims) < 2 or any(dim is None for dim in dims):
        return False
    uses = 0
    whole = 0
    for located in kernel.nodes(ex.Name):
        assert isinstance(located.node, ex.Name)
        if located.node.name == variable.name and located.function is declared.function:
            uses += 1
    for located in kernel.nodes(ex.Index):
        node: Any = located.node
        depth = 0
        while isinstance(node, ex.Index):
            node, depth = node.base, depth + 1
        if isinstance(node, ex.Name) and node.name == variable.name and depth == len(dims):
            whole += 1
    return uses == whole


def _edit(kernel: KernelSubject, declared: Located, dims: int, elements: int) -> Fix | None:
    variable = declared.node
    assert isinstance(variable, st.Variable)
    text = kernel.text(declared.function.path)
    if text is None:
        return None
    pattern = re.compile(rb"\b" + variable.name.encode() + rb"\s*((?:\[[^\[\]]*\]\s*)+)")
    found = text.matches(pattern, variable.line)
    if len(found) != 1 or found[0][1].count(b"[") != dims:
        return None
    end = text.code.rindex(b"]", found[0].start(1), found[0].end(1))
    start = text.code.rindex(b"[", found[0].start(1), end) + 1
    bound = text.at((start, end)).strip()
    new = str(int(bound) + elements) if bound.isdecimal() else f"{bound} + {elements}"
    return Fix(
        f"Pad the rows of '{variable.name}' by {_counted(elements)}",
        (text.replace(start, end, new),),
    )


def _counted(elements: int) -> str:
    return "one element" if elements == 1 else f"{elements} elements"


RULE = Rule(
    "RL108", "bank-conflicts", Level.INFORMATION, __doc__, BAD, GOOD, check=check, fixes=True
)

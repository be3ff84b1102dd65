"""Pointers that may name the same memory make the compiler load again.

After a store through one pointer, what was loaded through another may have changed, so the compiler
loads it again, and cannot move loads before a loop that stores. In a loop that costs a request in
each run; once in a thread it costs next to nothing, as L1 still has the line. `__restrict__` on the
parameters says that they name different memory. It is only right where they do: the finding is made
where all launches pass different allocations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from roofline_analysis.host.values import Buffer, Pointer
from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace, Region
from roofline_analysis.rules.accesses import trips
from roofline_analysis.rules.effects import matters
from roofline_analysis.rules.model import Edit, Fix, Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program.statements import Variable
from roofline_core.program.units import Dialect

BAD = """\
__global__ void lift(int n, int m, const float *basis, const float *x, float *y, float *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < m; k++) {
        y[(k & 3) * n + i] = basis[k] * x[i];
        z[(k & 3) * n + i] = basis[k] + x[i];
    }
}

int main() {
    int n = 1 << 14, m = 4096;
    float *basis, *x, *y, *z;
    cudaMalloc(&basis, m * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, 4 * n * sizeof(float));
    cudaMalloc(&z, 4 * n * sizeof(float));
    lift<<<n / 256, 256>>>(n, m, basis, x, y, z);
}
"""

GOOD = BAD.replace(
    "*basis, const float *x", "*__restrict__ basis, const float *__restrict__ x"
).replace("float *y, float *z)", "float *__restrict__ y, float *__restrict__ z)")

_LEAST_TRIPS: Final = 8.0
"""Runs of a loop whose second loads are worth a finding. Chosen, not measured."""
_LEAST_GAIN: Final = 0.1
"""The least share of the launch's time that a finding saves. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Kernels that load again what a store through another pointer might have changed."""
    function = kernel.kernel
    if function.dialect not in (Dialect.CUDA, Dialect.HIP):
        return
    pointers = [p for p in function.params if p.type.pointers == 1 and not p.type.dims]
    if len(pointers) < 2 or all(p.type.restrict for p in pointers):
        return
    if not _loads_again(kernel) or not _are_apart(kernel, pointers):
        return
    apart = replace(
        function,
        params=tuple(
            replace(p, type=replace(p.type, restrict=True)) if p in pointers else p
            for p in function.params
        ),
    )
    effect = kernel.effect_of_kernel(apart)
    if not matters(effect, _LEAST_GAIN):
        return
    edits = _edits(kernel, [p for p in pointers if not p.type.restrict])
    fix = Fix("Declare the pointers __restrict__", edits) if edits else None
    names = ", ".join(f"'{p.name}'" for p in pointers if not p.type.restrict)
    yield kernel.found(
        f"stores may change what {names} point to, as far as the compiler can tell, so values are"
        " loaded again; all launches pass different allocations: declare them __restrict__",
        [(function.path, function.name_span.line)],
        effect,
        fix,
        function.name_span,
    )


def _loads_again(kernel: KernelSubject) -> bool:
    """Whether runs of a loop load an address twice, with a store to another array between."""
    stored: dict[object, list[Region]] = {}
    seen: set[object] = set()
    for region in kernel.judged.demanding:
        loop = region.innermost_loop
        for access in region.accesses:
            if access.array.space is not MemorySpace.GLOBAL:
                continue
            if access.mode is AccessMode.WRITE:
                stored.setdefault(access.array, []).append(region)
                continue
            key = (access.array, access.offset, loop)
            others = [r for array in stored if array is not access.array for r in stored[array]]
            if key in seen and loop is not None and trips(kernel, loop) >= _LEAST_TRIPS:
                if any(loop in each.ancestors() for each in others):
                    return True
            seen.add(key)
    return False


def _are_apart(kernel: KernelSubject, pointers: Sequence[Variable]) -> bool:
    """Whether every launch passes different allocations for the pointers."""
    places = [kernel.kernel.params.index(p) for p in pointers]
    for launch in kernel.launches:
        if launch.context is None:
            return False
        buffers: list[Buffer] = []
        for place in places:
            value = launch.context.args[place] if place < len(launch.context.args) else None
            if not isinstance(value, Pointer) or value.buffer is None:
                return False
            buffers.append(value.buffer)
        if len({id(buffer) for buffer in buffers}) != len(buffers):
            return False
    return True


def _edits(kernel: KernelSubject, pointers: Sequence[Variable]) -> tuple[Edit, ...]:
    function = kernel.kernel
    text = kernel.text(function.path)
    if text is None:
        return ()
    start = text.bounds(function.name_span.end_line)[0] + function.name_span.end_column
    opening = text.code.find(b"(", start)
    closing = text.closing(opening) if opening >= 0 else None
    if closing is None:
        return ()
    edits = []
    for pointer in pointers:
        pattern = re.compile(rb"\*\s*(" + re.escape(pointer.name.encode()) + rb")\b(?!\s*\[)")
        found = list(pattern.finditer(text.code, opening, closing))
        if len(found) != 1:
            return ()
        at = found[0].start(1)
        edits.append(text.replace(at, at, "__restrict__ "))
    return tuple(edits)


RULE = Rule(
    "RL106", "missing-restrict", Level.INFORMATION, __doc__, BAD, GOOD, check=check, fixes=True
)

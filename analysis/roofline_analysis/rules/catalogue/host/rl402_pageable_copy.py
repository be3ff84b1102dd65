"""An asynchronous copy of pageable memory.

The GPU can only fetch memory that is pinned. From `malloc`, `new` or a vector the driver first
copies into a pinned buffer of its own, in which the call waits: `cudaMemcpyAsync` is not
asynchronous then, and reaches about half of the bus's bandwidth. Allocate with `cudaMallocHost`, or
register the memory with `cudaHostRegister`. Pinning takes about as long as a copy, so what is
copied once is left alone: only copies in a loop are reported, outside of which the memory is
allocated, and of these none of up to 64 kB or of unknown size. A copy to the host that it reads
without waiting rests on the call's waiting: with pinned memory it needs a synchronization.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_analysis.rules.copies import TO_HOST, Copy, copies
from roofline_analysis.rules.copy_sizes import most_bytes
from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Level, Match, Related
from roofline_analysis.rules.node_index import Located, called_name, names_in, within
from roofline_analysis.rules.rule import Rule
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
#include <cstdlib>
__global__ void scale(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}

int main() {
    int n = 1 << 22;
    float *x = (float *)malloc(n * sizeof(float));
    float *d_x;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_x, n * sizeof(float));
    for (int k = 0; k < 100; k++) {
        cudaMemcpyAsync(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice, stream);
        scale<<<n / 256, 256, 0, stream>>>(n, d_x);
    }
}
"""

GOOD = BAD.replace("float *x = (float *)malloc(n * sizeof(float));", "float *x;").replace(
    "    float *d_x;\n", "    float *d_x;\n    cudaMallocHost(&x, n * sizeof(float));\n"
)

_PAGEABLE: Final = frozenset(("malloc", "calloc", "realloc", "aligned_alloc"))
_PINNING: Final = frozenset(
    f"{prefix}{name}"
    for prefix in ("cuda", "hip")
    for name in ("MallocHost", "HostAlloc", "HostRegister", "HostMalloc", "MallocManaged")
)

_STAGED_BYTES: Final = 64 * 1024
"""Copies from pageable memory up to this size return before they happen: CUDA Driver API, "API
synchronization behavior"."""
_LARGE_BYTES: Final = 2**20
"""The size from which the bus's bandwidth matters more than the call. Chosen, not measured."""


def check(program: HostProgram) -> Iterator[Match]:
    """Asynchronous copies whose host side was allocated by C or C++."""
    found: dict[object, dict[str, tuple[Copy, int]]] = {}
    for copy in copies(program):
        name = copy.host
        if not copy.asynchronous or name is None or isinstance(copy.call.args[2], ex.SizeOf):
            continue
        where = _allocation(program, copy, name)
        if where is None or not _is_repeated(copy, where):
            continue
        if not _is_pinned(program, name) and _matters(program, copy):
            found.setdefault(copy.located.function, {}).setdefault(name, (copy, where))
    for named in found.values():
        names = ", ".join(f"'{name}'" for name in named)
        is_pageable = "is pageable memory" if len(named) == 1 else "are pageable memory"
        first, _ = next(iter(named.values()))
        yield program.found(
            f"{names} {is_pageable}: an asynchronous copy waits while the driver copies through a"
            " buffer of its own; allocate with cudaMallocHost",
            first.call.line,
            related=tuple(
                Related(program.path, where, f"'{name}' is allocated here")
                for name, (_, where) in named.items()
            ),
        )


def _matters(program: HostProgram, copy: Copy) -> bool:
    """Whether a copy takes longer than its call, and the host does something meanwhile.

    Up to 64 kB the driver keeps the bytes with the command, and the call does not wait.
    """
    if _is_read_at_once(program, copy):
        return False
    size = most_bytes(program, copy)
    least = _LARGE_BYTES if _waits_next(program, copy) else _STAGED_BYTES
    return size is not None and size > least


def _is_repeated(copy: Copy, allocated: int) -> bool:
    """Whether a loop runs a copy several times that does not allocate the memory each time."""
    return any(not loop.line <= allocated <= copy.call.line for loop in copy.located.loops)


def _is_read_at_once(program: HostProgram, copy: Copy) -> bool:
    """Whether the host reads the copy and has not waited: a race with pinned memory."""
    if copy.direction != TO_HOST:
        return False
    here = [
        located
        for located in program.nodes(ex.Name, ex.Call)
        if located.function is copy.located.function and located.node.line > copy.call.line
    ]
    reads = [n.node.line for n in here if isinstance(n.node, ex.Name) and n.node.name == copy.host]
    waits = [n.node.line for n in here if (_runtime_name(n.node) or "").endswith("Synchronize")]
    return bool(reads) and (not waits or min(reads) < min(waits))


def _waits_next(program: HostProgram, copy: Copy) -> bool:
    """Whether the next call of the runtime waits for the device."""
    later = [
        (located.node.line, name)
        for located in program.nodes(ex.Call, ex.Launch)
        if located.function is copy.located.function and located.node.line > copy.call.line
        if (name := _runtime_name(located.node)) is not None
    ]
    following = [name for line, name in later if line == min(later)[0]]
    return bool(following) and all(name.endswith("Synchronize") for name in following)


def _runtime_name(node: object) -> str | None:
    if isinstance(node, ex.Launch):
        return "launch"
    name = called_name(node) if isinstance(node, ex.Call) else None
    return name if name is not None and name.startswith(("cuda", "hip")) else None


def _allocation(program: HostProgram, copy: Copy, name: str) -> int | None:
    """The line in the same function that allocates a variable's memory by C or C++."""
    for located in program.nodes(st.Variable, ex.Assign):
        node = located.node
        if located.function is not copy.located.function:
            continue
        if isinstance(node, st.Variable) and node.name == name:
            if node.type.name in ("std::vector", "vector") or node.type.dims:
                return node.line
            value: object = node.init
        elif isinstance(node, ex.Assign) and isinstance(node.target, ex.Name):
            value = node.value if node.target.name == name else None
        else:
            continue
        if value is not None and _allocates(value):
            return node.line
    return None


def _allocates(value: object) -> bool:
    return any(
        isinstance(each, ex.New) or (isinstance(each, ex.Call) and called_name(each) in _PAGEABLE)
        for each in within(value)
    )


def _is_pinned(program: HostProgram, name: str) -> bool:
    def mentions(located: Located) -> bool:
        """Whether the variable stands anywhere in the call."""
        return name in names_in(located.node)

    return any(mentions(located) for located, _ in program.calls(*_PINNING))


RULE = Rule("RL402", "pageable-copy", Level.INFORMATION, __doc__, BAD, GOOD, check_host=check)

"""Few fields of large structures are used.

Memory moves whole sectors. Of an array of structures of which a kernel uses few fields, the other
fields travel too. Keep each field in an array of its own (a structure of arrays), or split the
structure into what is used together: then only what is used moves, and neighbouring threads access
neighbouring elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.kernel_summary import MemorySpace
from roofline_analysis.rules.accesses import (
    WarpAccess,
    by_array,
    depends_on_data,
    shown_name,
    sites_of,
    stride,
    warp_accesses,
)
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject

BAD = """\
struct Particle { float x, y, z, mass; float vx, vy, vz, charge; float fx, fy, fz, age; };

__global__ void ages(int n, float dt, Particle *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].age += dt;
}

int main() {
    int n = 1 << 22;
    Particle *p;
    cudaMalloc(&p, n * sizeof(Particle));
    ages<<<n / 256, 256>>>(n, 0.1f, p);
}
"""

GOOD = """\
__global__ void ages(int n, float dt, float *age) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) age[i] += dt;
}

int main() {
    int n = 1 << 22;
    float *age;
    cudaMalloc(&age, n * sizeof(float));
    ages<<<n / 256, 256>>>(n, 0.1f, age);
}
"""

_LEAST_SIZE = 16
"""The least size of a structure in bytes; in smaller ones unused fields share used sectors."""
_OF_LIBRARIES = ("curandState", "hiprandState", "rocrand_state")
"""Structures whose fields nobody can take apart."""
_LEAST_GAIN = 0.1
"""The least share of the time to save, as changing a data layout is much work."""
_MOST_USED = 0.6
"""The largest share of used bytes; where more are used, structures are well moved whole."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Arrays of structures of which a part is used, and the cost of moving the rest."""
    traffic = {item.array: item for item in kernel.judged.traffic.arrays}
    for array, items in by_array(warp_accesses(kernel, MemorySpace.GLOBAL)).items():
        struct = kernel.type_system.symbols.find_struct(array.element.name)
        if struct is None or array.element.pointers or array.indirect or array not in traffic:
            continue
        if struct.name.startswith(_OF_LIBRARIES):
            continue
        step, element = _step(kernel, items), replace(array.element, dims=())
        if step is None or step != kernel.type_system.size(element):
            continue  # Neighbouring threads take no neighbouring structures.
        used = _used(items, step)
        if not 0 < used <= _MOST_USED * step:
            continue
        moved = traffic[array]
        # Of a sector at least one field is used.
        saved = (moved.read_bytes + moved.write_bytes) * (1.0 - _kept(items, step, used))
        change = Change(
            requests={item.access: item.coalesced() for item in items}, dram_bytes=-saved
        )
        effect = kernel.effect(change)
        if matters(effect, _LEAST_GAIN):
            yield kernel.found(
                f"of each '{struct.name}' in {shown_name(array)}, {step:.0f} bytes apart,"
                f" {used:.0f} bytes are used; keep these fields in arrays of their own",
                sites_of(items),
                effect,
            )


def _step(kernel: KernelSubject, items: Sequence[WarpAccess]) -> float | None:
    """Bytes between the structures of neighbouring threads; None if unknown or different."""
    steps = set()
    for item in items:
        if depends_on_data(item.access):
            return None
        steps.add(stride(kernel, item.access, THREAD["threadIdx.x"]))
    (step,) = steps if len(steps) == 1 else (None,)
    size = max(item.access.offset.offset + item.access.size_bytes for item in items)
    if step is None or step < _LEAST_SIZE or size > step or step > 4096:
        return None
    return step


def _used(items: Sequence[WarpAccess], step: float) -> float:
    """Bytes of a structure that some access touches."""
    bytes_used: set[int] = set()
    for item in items:
        first = int(item.access.offset.offset % step)
        bytes_used.update(range(first, first + item.access.size_bytes))
    return float(len(bytes_used))


def _kept(items: Sequence[WarpAccess], step: float, used: float) -> float:
    """The share of the traffic that remains if only the used bytes move."""
    sectors: set[float] = set()
    for item in items:
        first = item.access.offset.offset % step
        sectors.add(first // item.sector_bytes)
        sectors.add((first + item.access.size_bytes - 1) // item.sector_bytes)
    return min(1.0, used / min(step, items[0].sector_bytes * len(sectors)))


RULE = Rule(
    "RL102",
    "array-of-structures",
    Level.INFORMATION,
    __doc__,
    BAD,
    GOOD,
    check=check,
    by_sizes=True,
)

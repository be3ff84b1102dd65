"""The memory accesses of a judged launch, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.kernel_summary import Access, Array, MemorySpace, Region, Site
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.timing.demand import WarpRequest
from roofline_analysis.timing.requests import LINE_BYTES
from roofline_analysis.verdict.analyse import LaunchAnalysis, Target
from roofline_core.algebra.symbol_scopes import DATA_SCOPES
from roofline_core.algebra.symbolic import Symbol
from roofline_core.program.records import record


@record(frozen=True, slots=True, eq=False)
class WarpAccess:
    """One access with what warps ask of memory for it."""

    access: Access
    region: Region
    request: WarpRequest
    warp_runs: float
    active: float
    """Lanes of a warp that take part, on average."""
    sector_bytes: int
    """Bytes that memory transfers at least."""

    @property
    def array(self) -> Array:
        """What is accessed."""
        return self.access.array

    @property
    def least_sectors(self) -> float:
        """Sectors of a request whose lanes access neighbouring elements."""
        return max(1.0, self.access.size_bytes * self.active / self.sector_bytes)

    def coalesced(self) -> WarpRequest:
        """The request with neighbouring elements for neighbouring lanes."""
        sectors = min(self.request.sectors, self.least_sectors)
        lines = max(1.0, sectors * self.sector_bytes / LINE_BYTES)
        return replace(
            self.request, sectors=sectors, wavefronts=min(self.request.wavefronts, lines)
        )


def warp_accesses(kernel: KernelSubject, *spaces: MemorySpace) -> Iterator[WarpAccess]:
    """The accesses to memory of some spaces."""
    return (
        item for item in requests_of(kernel.judged, kernel.target) if item.array.space in spaces
    )


def requests_of(judged: LaunchAnalysis, target: Target) -> Iterator[WarpAccess]:
    """The accesses of the regions that run, with what warps ask of memory for them."""
    architecture = target.gpu.architecture
    warp, sector = float(architecture.warp_size), architecture.sector_bytes
    for region, item in zip(judged.demanding, judged.demand.regions, strict=True):
        active = min(warp, judged.execution.regions[region].runs / item.warp_runs)
        for access, request in zip(region.accesses, item.requests, strict=True):
            yield WarpAccess(access, region, request, item.warp_runs, active, sector)


def by_array(items: Iterator[WarpAccess]) -> dict[Array, list[WarpAccess]]:
    """Accesses put together by what they access."""
    found: dict[Array, list[WarpAccess]] = {}
    for item in items:
        found.setdefault(item.array, []).append(item)
    return found


def stride(kernel: KernelSubject, access: Access, index: Symbol) -> float | None:
    """Bytes from one value of an index to the next; None where that is not one number."""
    if index not in access.offset.symbols():
        return 0.0
    coefficient = access.offset.coefficient(index)
    if coefficient is None:
        return None
    value = kernel.judged.execution.environment.evaluate(coefficient)
    return float(value) if isinstance(value, (int, float)) else None


def lane_stride(kernel: KernelSubject, access: Access) -> float | None:
    """Bytes from one lane of a warp to the next, where lanes differ in ``threadIdx.x``."""
    return stride(kernel, access, THREAD["threadIdx.x"])


def depends_on_data(access: Access) -> bool:
    """Whether the address is more than indices, arguments and loop counters."""
    if access.array.indirect:
        return True
    return any(symbol.scope in DATA_SCOPES for symbol in access.offset.symbols())


def trips(kernel: KernelSubject, loop: Region) -> float:
    """Mean runs of a loop for each run of what is around it."""
    runs = kernel.judged.execution.regions.get(loop)
    return runs.trips if runs is not None else 1.0


def shown_name(array: Array) -> str:
    """``'x'``: what the source calls an array."""
    return f"'{array.name.removesuffix('[]').partition('@')[0]}'"


def sites_of(items: Sequence[WarpAccess]) -> list[Site]:
    """The lines of accesses, the one that asks for most first."""
    ordered = sorted(items, key=lambda i: -i.warp_runs * max(i.request.sectors, 1.0))
    return list(dict.fromkeys(item.access.site for item in ordered))

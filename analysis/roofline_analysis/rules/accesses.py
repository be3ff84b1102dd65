"""The memory accesses of a judged launch, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.kernel_summary import Access, Array, MemorySpace, Region, Site
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.timing.demand import WarpRequest
from roofline_analysis.traffic.coalescing import LINE_BYTES, least_sectors
from roofline_analysis.verdict.analyse import LaunchAnalysis, Target
from roofline_core.algebra.symbol_scopes import DATA_SCOPES, SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.records import record


@record(frozen=True, slots=True, eq=False)
class WarpAccess:
    """One access, the memory request of each warp for it, and how many warps make it."""

    access: Access
    region: Region
    request: WarpRequest
    warp_runs: float
    active: float
    """Lanes of a warp that take part, on average."""
    sector_bytes: int
    """Bytes of the smallest transfer from memory."""

    @property
    def array(self) -> Array:
        """The accessed array."""
        return self.access.array

    @property
    def least_sectors(self) -> float:
        """Sectors of a request whose lanes access neighbouring elements."""
        return least_sectors(self.access, self.active, self.sector_bytes)

    def coalesced(self) -> WarpRequest:
        """The request with neighbouring elements for neighbouring lanes."""
        sectors = min(self.request.sectors, self.least_sectors)
        lines = max(1.0, sectors * self.sector_bytes / LINE_BYTES)
        return replace(
            self.request, sectors=sectors, wavefronts=min(self.request.wavefronts, lines)
        )


def warp_accesses(kernel: KernelSubject, *spaces: MemorySpace) -> Iterator[WarpAccess]:
    """The accesses to arrays in the given memory spaces."""
    return (
        item for item in requests_of(kernel.judged, kernel.target) if item.array.space in spaces
    )


def requests_of(judged: LaunchAnalysis, target: Target) -> Iterator[WarpAccess]:
    """The accesses of all regions that run, each with its memory request."""
    architecture = target.gpu.architecture
    warp, sector = float(architecture.warp_size), architecture.sector_bytes
    for region, item in zip(judged.demanding, judged.demand.regions, strict=True):
        active = min(warp, judged.execution.regions[region].runs / item.warp_runs)
        for access, request in zip(region.accesses, item.requests, strict=True):
            yield WarpAccess(access, region, request, item.warp_runs, active, sector)


def by_array(items: Iterator[WarpAccess]) -> dict[Array, list[WarpAccess]]:
    """The accesses of each array."""
    found: dict[Array, list[WarpAccess]] = {}
    for item in items:
        found.setdefault(item.array, []).append(item)
    return found


def stride(kernel: KernelSubject, access: Access, index: Symbol) -> float | None:
    """Bytes between the addresses of consecutive values of an index; None if not constant."""
    if index not in access.offset.symbols():
        return 0.0
    coefficient = access.offset.coefficient(index)
    if coefficient is None:
        return None
    value = kernel.judged.execution.environment.evaluate(coefficient)
    return float(value) if isinstance(value, (int, float)) else None


def lane_stride(kernel: KernelSubject, access: Access) -> float | None:
    """Bytes between the addresses of consecutive ``threadIdx.x``; None if not constant."""
    return stride(kernel, access, THREAD["threadIdx.x"])


def depends_on_data(access: Access) -> bool:
    """Whether the address depends on data, not only on indices, arguments and loop counters."""
    if access.array.is_anywhere:
        return True
    return any(symbol.scope in DATA_SCOPES for symbol in access.offset.symbols())


def is_spread_by_argument(offset: Expr) -> bool:
    """Whether an argument, which may be a guess, decides how far lanes are apart."""
    for monomial in offset.terms:
        symbols = Expr({monomial: 1}).symbols()
        by_thread = any(symbol.name.startswith("threadIdx") for symbol in symbols)
        if by_thread and any(symbol.scope is SymbolScope.PARAM for symbol in symbols):
            return True
    return False


def trips(kernel: KernelSubject, loop: Region) -> float:
    """The mean trip count of a loop; 1 for a loop that was not counted."""
    runs = kernel.judged.execution.regions.get(loop)
    return runs.trips if runs is not None else 1.0


def goes_over_grid(loop: Region) -> bool:
    """Whether a loop is grid-stride: its runs are what the grid leaves of the data."""
    symbols = loop.trips.symbols() if loop.trips is not None else ()
    return any(symbol.name.startswith("gridDim") for symbol in symbols)


def shown_name(array: Array) -> str:
    """The array's name in the source, quoted: ``'x'``."""
    return f"'{array.name.removesuffix('[]').partition('@')[0]}'"


def sites_of(items: Sequence[WarpAccess]) -> list[Site]:
    """The lines of accesses, the one with most memory traffic first."""
    ordered = sorted(items, key=lambda i: -i.warp_runs * max(i.request.sectors, 1.0))
    return list(dict.fromkeys(item.access.site for item in ordered))


def touches_volatile(loop: Region) -> bool:
    """Whether a loop accesses volatile memory, whose accesses no compiler moves or merges."""
    return any(access.array.element.volatile for each in loop.walk() for access in each.accesses)

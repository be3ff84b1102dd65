"""DRAM traffic of a launch: compulsory traffic, capacity misses of L2, write-back.

Each allocation's compulsory traffic is the union of its accesses' footprints. If the resident
blocks together touch more than L2 holds, data shared between waves of blocks is fetched again. L2
is write-back: each written sector is written to DRAM once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    Array,
    KernelSummary,
    MemorySpace,
    Site,
)
from roofline_analysis.traffic.access_footprints import AccessFootprint, footprints_of
from roofline_analysis.traffic.array_footprints import credible_size, footprint_of
from roofline_analysis.traffic.caches import Caches
from roofline_analysis.traffic.coalescing import WarpAddresses
from roofline_analysis.traffic.code_size import code_bytes, launch_bytes
from roofline_analysis.traffic.footprint import sector_bytes
from roofline_analysis.traffic.refetch import loop_refetches, missed_share, refetches_of_later_loops
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, stage

FLOOR_BYTES: Final = 2048.0
"""The least DRAM bytes of a library's kernel: its arguments and bookkeeping.

Assumed, chosen without measurement; ``code_size`` has the value for kernels in source."""
_NONE: Final = (0.0, 0.0)
_KEPT_WHOLE: Final = 1 / 40
"""Written bytes, as a share of L2, up to which all stay in L2.

Fitted: ``write_back_share`` says to what."""
_KEPT_NONE: Final = 1.6
"""Written bytes, as a multiple of L2, from which nearly none stay in L2. Fitted likewise."""
_LEAST_WRITTEN_BACK: Final = 0.02
"""The least share of written bytes that is written back. Assumed, chosen without measurement."""


@record(frozen=True, slots=True)
class ArrayTraffic:
    """DRAM bytes of one allocation in a launch."""

    array: Array
    read_bytes: float
    write_bytes: float
    size_bytes: float | None
    footprints: tuple[AccessFootprint, ...]
    first_read_bytes: float = 0.0
    """Distinct bytes read: compulsory traffic, whatever the size of L2."""
    written_bytes: float = 0.0
    """Bytes written: distinct bytes, plus bytes evicted from L2 and written again."""

    @property
    def moves(self) -> bool:
        """Whether any of its bytes cross DRAM."""
        return self.read_bytes + self.write_bytes > 0


@record(frozen=True, slots=True)
class Traffic:
    """DRAM bytes of a launch."""

    read_bytes: float
    write_bytes: float
    arrays: tuple[ArrayTraffic, ...]
    by_site: Mapping[Site, tuple[float, float]]
    """``(bytes read, bytes written)`` of each source line that accesses memory."""
    uncertain_bytes: float
    """Bytes computed from unknown addresses or unknown allocation sizes."""
    warp: WarpAddresses
    """The coalescing of the launch's accesses."""
    bus: tuple[ArrayTraffic, ...] = ()
    """The same of allocations in mapped host memory: bytes that cross the bus, not DRAM's."""

    @property
    def bus_read_bytes(self) -> float:
        """Bytes read from the memory of the host."""
        return sum(item.read_bytes for item in self.bus)

    @property
    def bus_write_bytes(self) -> float:
        """Bytes written to the memory of the host."""
        return sum(item.write_bytes for item in self.bus)

    @property
    def kept_bytes(self) -> float:
        """Written bytes that L2 still holds when the launch ends; ``write_bytes`` lacks them."""
        shared = (item for item in self.arrays if item.array.space is not MemorySpace.LOCAL)
        return sum(item.written_bytes - item.write_bytes for item in shared)

    @property
    def code_bytes(self) -> float:
        """Bytes of code and arguments among those read."""
        return self.read_bytes - sum(item.read_bytes for item in self.arrays)

    def compulsory(self) -> Traffic:
        """The same traffic with what L2 holds written back, without local arrays and code.

        Nobody reads a thread's own arrays after it; that they leave the caches costs time, but a
        larger cache would do without. A kernel's code is no data: it is all that is left of one
        that moves none.
        """
        arrays = [_compulsory(item) for item in self.arrays]
        reads = sum(item.read_bytes for item in arrays)
        writes = sum(item.write_bytes for item in arrays)
        return replace(
            self,
            read_bytes=reads if reads + writes else self.code_bytes,
            write_bytes=writes,
            arrays=tuple(arrays),
            by_site=_by_site(arrays),
        )


def _compulsory(item: ArrayTraffic) -> ArrayTraffic:
    if item.array.space is MemorySpace.LOCAL:
        return replace(item, read_bytes=0.0, write_bytes=0.0)
    return replace(item, write_bytes=item.written_bytes)


_ByArray = dict[Array, list[AccessFootprint]]


@stage(Stage.TRAFFIC)
def dram_traffic(
    summary: KernelSummary,
    execution: Execution,
    resident_blocks: int,
    caches: Caches,
    sizes: Mapping[str, float],
    host_arrays: frozenset[str] = frozenset(),
) -> Traffic:
    """The DRAM traffic of one launch, in bytes.

    ``sizes`` has the bytes of allocations by array name. ``host_arrays`` names arrays in mapped
    host memory, whose traffic crosses the bus instead: L2 holds what is read of it, and all that is
    written leaves it.
    """
    warp = WarpAddresses(execution, caches.sector_bytes, summary.tickets)
    device: _ByArray = {}
    host: _ByArray = {}
    for item in footprints_of(summary, execution, resident_blocks, warp):
        found = host if item.access.array.name in host_arrays else device
        found.setdefault(item.access.array, []).append(item)
    waves = max(1.0, _volume(execution.grid) / max(1, resident_blocks))
    threads = float(execution.threads)
    arrays, lines, uncertain = _arrays(device, caches, waves, sizes, threads)
    bus, _, _ = _arrays(host, caches, waves, sizes, threads)
    share = write_back_share(
        lines + sum(item.write_bytes for item in arrays if item.array.space is MemorySpace.LOCAL),
        caches.l2_bytes,
        caches.keeps_written,
    )
    moved = 1.0 + caches.check_bits_share
    arrays = [_with_check_bits(item, share, moved) for item in arrays]
    read_total = sum(item.read_bytes for item in arrays)
    read_total += moved * (launch_bytes(summary) + code_bytes(summary, execution))
    write_total = sum(item.write_bytes for item in arrays)
    by_site = _by_site(arrays)
    uncertain *= moved
    return Traffic(read_total, write_total, tuple(arrays), by_site, uncertain, warp, tuple(bus))


def _with_check_bits(item: ArrayTraffic, written_back: float, moved: float) -> ArrayTraffic:
    """What DRAM moves for an array: of what is written, the share that is written back."""
    return replace(
        item,
        read_bytes=item.read_bytes * moved,
        write_bytes=item.write_bytes * written_back * moved,
        first_read_bytes=item.first_read_bytes * moved,
        written_bytes=item.written_bytes * moved,
    )


def _arrays(
    by_array: _ByArray,
    caches: Caches,
    waves: float,
    sizes: Mapping[str, float],
    threads: float,
) -> tuple[list[ArrayTraffic], float, float]:
    """The traffic behind L2 of each allocation, all that is written included.

    Also the bytes of the lines that are modified, local memory's left out, and the bytes at unknown
    addresses.
    """
    l2_bytes = caches.l2_bytes
    again = loop_refetches(by_array, caches, waves, sizes, threads)
    later = refetches_of_later_loops(by_array, caches, waves, sizes, threads)
    footprints = {
        array: footprint_of(
            items, credible_size(items, sizes.get(array.name)), waves, threads, l2_bytes
        )
        for array, items in by_array.items()
    }
    per_wave = sum(footprint.wave for footprint in footprints.values())
    missed = missed_share(per_wave, l2_bytes)
    arrays = []
    lines = uncertain = 0.0
    for array, footprint in footprints.items():
        refetched = max(0.0, waves * footprint.wave_read - footprint.read) * missed
        in_loops, between = again.get(array, _NONE), later.get(array, _NONE)
        extra_read, extra_written = in_loops[0] + between[0], in_loops[1] + between[1]
        read = footprint.read + max(refetched, extra_read, footprint.thrashed_read)
        written = footprint.written + max(extra_written, footprint.thrashed_written)
        if array.space is MemorySpace.LOCAL:
            # The next wave reuses local-memory addresses, and a thread reads only what it wrote.
            read, written = extra_read, footprint.written * missed + extra_written
        else:
            # A modified line occupies its full size in L2, however few of its sectors are written.
            lines += max(written, footprint.written_lines)
        size, first = sizes.get(array.name), min(read, footprint.read)
        items = tuple(by_array[array])
        arrays.append(ArrayTraffic(array, read, written, size, items, first, written))
        if any(item.random or item.box is None for item in items):
            uncertain += read + written
    return arrays, lines, uncertain


def _volume(dims: tuple[int, int, int]) -> int:
    return dims[0] * dims[1] * dims[2]


def write_back_share(
    written_bytes: float, l2_bytes: float, keeps_written: float | None = None
) -> float:
    """The share of written bytes that reach DRAM before the kernel ends.

    The rest stays in L2 as modified lines. On an RTX 3080 (5 MB of L2), DRAM receives nearly
    nothing of 128 KB, half of 1 MB and nearly all of 8 MB: close to linear in the logarithm.
    Fitted to the measured DRAM bytes of development kernels whose traffic is otherwise exact.
    With ``keeps_written`` the rest is that share of L2, however much is written.
    """
    if written_bytes <= 0:
        return 1.0
    if keeps_written is not None:
        return max(_LEAST_WRITTEN_BACK, 1.0 - keeps_written * l2_bytes / written_bytes)
    share = math.log(written_bytes / (l2_bytes * _KEPT_WHOLE)) / math.log(_KEPT_NONE / _KEPT_WHOLE)
    return min(1.0, max(_LEAST_WRITTEN_BACK, share))


def _by_site(arrays: list[ArrayTraffic]) -> dict[Site, tuple[float, float]]:
    result: dict[Site, tuple[float, float]] = {}
    for item in arrays:
        for access, (read, written) in access_shares(item).items():
            old = result.get(access.site, (0.0, 0.0))
            result[access.site] = old[0] + read, old[1] + written
    return result


def access_shares(item: ArrayTraffic) -> dict[Access, tuple[float, float]]:
    """``(bytes read, bytes written)`` of each access to an allocation.

    The allocation's bytes are divided in proportion to what each access would touch alone.
    """
    alone = {each.access: _alone(each) for each in item.footprints}

    def shares(mode: AccessMode, total: float) -> dict[Access, float]:
        """``total`` bytes divided among the accesses of a mode; atomic ones are of each."""
        known = {
            each: amount for each, amount in alone.items() if each.mode in (mode, AccessMode.ATOMIC)
        }
        whole = sum(known.values())
        return {each: total * amount / whole for each, amount in known.items()} if whole else {}

    read, written = (
        shares(AccessMode.READ, item.read_bytes),
        shares(AccessMode.WRITE, item.write_bytes),
    )
    return {access: (read.get(access, 0.0), written.get(access, 0.0)) for access in alone}


def _alone(item: AccessFootprint) -> float:
    most = item.executions * item.sectors_each
    return min(sector_bytes(item.box, item.sector), most) if item.box is not None else most

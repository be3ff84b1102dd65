"""Accesses to neighbouring elements of shared memory that one instruction makes.

A thread that reads `tile[4 * t]` to `tile[4 * t + 3]` reads them by one instruction of 16 bytes:
compilers merge such loads and stores where they see that the first address is a multiple of the
size, as they do for shared arrays, which they place themselves. nvcc 13 makes `LDS.128` of these
four loads for sm_80, and `LDS.64` and `STS.64` of the two fields of a structure of 8 bytes, aligned
or not. Pointers to global memory may begin anywhere, and their accesses stay apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from roofline_analysis.regions.kernel_summary import Access, AccessMode, MemorySpace, Region
from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbolic import Expr

WIDTHS: Final = (16, 8)
"""Bytes that one instruction can move besides 4, the widest first."""
_MOST_COPIES: Final = 64
"""Copies of an unrolled loop that are looked at. A limit on the work."""
_Place = tuple[int, AccessMode, int, Expr]


def merged_widths(region: Region) -> Mapping[Access, int]:
    """The bytes of the instruction that makes an access together with others of its region.

    Accesses that have an instruction of their own are not in it.
    """
    groups: dict[_Place, dict[Number, list[Access]]] = {}
    for access in region.accesses:
        if access.array.space is MemorySpace.SHARED and access.mode is not AccessMode.ATOMIC:
            offset, copies = _copied(access, region)
            start = offset.offset
            place = (id(access.array), access.mode, access.size_bytes, offset - start)
            for copy in range(copies):
                at = start + copy * access.size_bytes
                groups.setdefault(place, {}).setdefault(at, []).append(access)
    widths: dict[Access, int] = {}
    for (_, _, size, rest), by_start in groups.items():
        widest = _widest_aligned(rest)
        for start, accesses in by_start.items():
            for width in WIDTHS:
                if size < width <= widest and _are_all_there(start, size, width, by_start):
                    for access in accesses:
                        widths[access] = max(width, widths.get(access, 0))
                    break
    return widths


def _copied(access: Access, region: Region) -> tuple[Expr, int]:
    """An access of an unrolled loop, the loop's counter left out, and its neighbouring copies.

    One copy where no such loop goes from element to element.
    """
    for loop in region.loops():
        if not loop.unrolled or loop.counter is None or loop.trips is None:
            break
        step, trips = access.offset.coefficient(loop.counter), loop.trips.constant
        if step is not None and step.constant == access.size_bytes and trips is not None:
            return access.offset.without(loop.counter), max(1, min(int(trips), _MOST_COPIES))
    return access.offset, 1


def _widest_aligned(rest: Expr) -> int:
    """The widest instruction of whose size every address is a multiple, less its constant part."""
    numbers: Sequence[Number] = tuple(rest.terms.values())
    return next((width for width in WIDTHS if all(n % width == 0 for n in numbers)), 0)


def _are_all_there(start: Number, size: int, width: int, others: Mapping[Number, object]) -> bool:
    """Whether all elements of the aligned piece of memory around one are accessed."""
    first = start - start % width
    return all(first + at in others for at in range(0, width, size))

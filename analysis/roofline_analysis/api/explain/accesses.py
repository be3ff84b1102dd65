"""Step 4: what a launch accesses, array by array."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofline_analysis.api.explain.formula import formula
from roofline_analysis.api.explain.kernel_records import AccessFacts, ArrayFacts
from roofline_analysis.names.signature import type_text
from roofline_analysis.regions.kernel_summary import APART, Access, Array, Region
from roofline_analysis.rules.accesses import WarpAccess, requests_of
from roofline_analysis.traffic.access_footprints import AccessFootprint
from roofline_analysis.traffic.dram import ArrayTraffic, access_shares
from roofline_analysis.traffic.footprint import sector_bytes
from roofline_analysis.verdict.analyse import LaunchAnalysis, Target
from roofline_core.algebra.symbolic import Expr

_Shares = Mapping[Access, tuple[float, float]]


def array_facts(judged: LaunchAnalysis, target: Target) -> tuple[ArrayFacts, ...]:
    """The arrays, those with most DRAM traffic first, then as they are met."""
    asked = {item.access: item for item in requests_of(judged, target)}
    by_array: dict[Array, list[tuple[Access, Region]]] = {}
    for region in judged.summary.root.walk():
        for access in region.accesses:
            by_array.setdefault(access.array, []).append((access, region))
    moved = {item.array: item for item in judged.traffic.arrays}
    made = [
        _array(array, accesses, moved.get(array), asked, judged)
        for array, accesses in by_array.items()
    ]
    return tuple(sorted(made, key=lambda each: -(each.read_bytes + each.write_bytes)))


def _array(
    array: Array,
    accesses: list[tuple[Access, Region]],
    moved: ArrayTraffic | None,
    asked: Mapping[Access, WarpAccess],
    judged: LaunchAnalysis,
) -> ArrayFacts:
    footprints = {item.access: item for item in moved.footprints} if moved is not None else {}
    shares: _Shares = access_shares(moved) if moved is not None else {}
    size = array.size_bytes.constant if array.size_bytes is not None else None
    return ArrayFacts(
        name=array.name.partition("@")[0].removesuffix("[]"),
        space=array.space.value,
        element=type_text(replace(array.element, dims=())),
        size_bytes=moved.size_bytes if moved is not None else None if size is None else float(size),
        first_read_bytes=moved.first_read_bytes if moved is not None else 0.0,
        read_bytes=moved.read_bytes if moved is not None else 0.0,
        written_bytes=moved.written_bytes if moved is not None else 0.0,
        write_bytes=moved.write_bytes if moved is not None else 0.0,
        accesses=tuple(
            _access(
                access, _runs(region, judged), footprints.get(access), asked.get(access), shares
            )
            for access, region in accesses
        ),
    )


def _runs(region: Region, judged: LaunchAnalysis) -> float:
    runs = judged.execution.regions.get(region)
    return runs.runs if runs is not None else 0.0


def _access(
    access: Access,
    runs: float,
    footprint: AccessFootprint | None,
    asked: WarpAccess | None,
    shares: _Shares,
) -> AccessFacts:
    behind_l1 = asked is not None and asked.request.sectors > 0
    box = footprint.box if footprint is not None else None
    read, written = shares.get(access, (0.0, 0.0))
    return AccessFacts(
        path=access.site[0],
        line=access.site[1],
        mode=access.mode,
        size_bytes=access.size_bytes,
        offset=_address(access),
        loads=access.yields.name if access.yields is not None else None,
        pattern=_pattern(footprint) if footprint is not None else None,
        executions=runs,
        requests=asked.warp_runs if asked is not None else 0.0,
        active_lanes=asked.active if asked is not None else None,
        sectors_per_request=asked.request.sectors if asked is not None and behind_l1 else None,
        least_sectors_per_request=(
            asked.least_sectors if asked is not None and behind_l1 else None
        ),
        clocks_per_request=asked.request.wavefronts if asked is not None else None,
        footprint_bytes=(
            sector_bytes(box, footprint.sector)
            if footprint is not None and box is not None
            else None
        ),
        dram_read_bytes=read,
        dram_write_bytes=written,
    )


def _address(access: Access) -> str:
    """The bytes from an array's begin; of an object that is pointed to, behind its pointer."""
    if not access.array.apart:
        return formula(access.offset) or ""
    terms = access.offset.terms.items()
    pointer = Expr(
        {atoms: n // APART for atoms, n in terms if isinstance(n, int) and not n % APART}
    )
    inside = formula(access.offset - pointer * APART) or ""
    return f"*({formula(pointer)}) + {inside}"


def _pattern(footprint: AccessFootprint) -> str:
    if footprint.random:
        return "data-dependent"
    if footprint.box is None:
        return "not affine"
    dimensions = footprint.box.dimensions
    return ", ".join(f"{_step(d.stride)} x {d.extent:g}" for d in dimensions) or "one place"


def _step(stride: float) -> str:
    """A stride in bytes, or that each place is in an object of its own."""
    return "apart" if abs(stride) >= APART else f"{stride:g}"

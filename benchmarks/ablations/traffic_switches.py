"""What is guessed of a launch's sizes, addresses, caches and time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ablations.model import Replacement, Switch, Unswitched, Witness, differs, gives, skips
from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.kernel_summary import KernelSummary, Region
from roofline_analysis.traffic import code_size
from roofline_analysis.traffic.access_footprints import AccessFootprint
from roofline_analysis.traffic.index_ranges import IndexRanges
from roofline_core.algebra.symbolic import Symbol


def _uncut(region: Region, execution: Execution, extents: Mapping[Symbol, float]) -> IndexRanges:
    return IndexRanges(dict(extents), ())


def _believed(items: list[AccessFootprint], size: float | None) -> float | None:
    return size


def _is_hardly_reached(summary: KernelSummary, execution: Execution | None = None) -> bool:
    """Whether less of a kernel's code is reached than the least that is fetched."""
    reached = code_size._instructions(summary.root, execution)
    whole = code_size._instructions(summary.root, None)
    return reached <= code_size._LEAST_REACHED * whole


SWITCHES: Final = (
    Switch(
        "gathers.all_local",
        "addresses from data all lie near those of neighbours",
        (gives("roofline_analysis.traffic.gathers.has_locality", True),),
    ),
    Switch(
        "gathers.searches",
        "searches by halving read at random",
        (gives("roofline_analysis.traffic.gathers.halves", False),),
        removes=(
            "roofline_analysis.traffic.gathers.halves",
            "roofline_analysis.traffic.gathers.missed_in_searches",
        ),
    ),
    Switch(
        "gathers.all_random",
        "addresses from data all are random",
        (gives("roofline_analysis.traffic.gathers.has_locality", False),),
    ),
    Switch(
        "gathers.missed_bytes",
        "random reads that L2 does not hold are not fetched again",
        (gives("roofline_analysis.traffic.gathers.missed_bytes", 0.0),),
    ),
    Switch(
        "sizes_from_guards.cover",
        "guards do not tell open sizes",
        (skips("roofline_analysis.launch.sizes_from_guards.cover"),),
        Witness("roofline_analysis.launch.sizes_from_guards._infer", lambda found, _: found),
        removes=(
            "roofline_analysis.launch.sizes_from_guards.cover",
            "roofline_analysis.launch.sizes_from_guards._infer",
        ),
    ),
    Switch(
        "sizes_from_guards.fit",
        "assumed sizes stay where guards let nobody through",
        (skips("roofline_analysis.launch.sizes_from_guards.fit"),),
        Witness("roofline_analysis.launch.sizes_from_guards._fit"),
        removes=(
            "roofline_analysis.launch.sizes_from_guards.fit",
            "roofline_analysis.launch.sizes_from_guards._fit",
        ),
    ),
    Switch(
        "index_ranges",
        "guards cut no addresses",
        (
            Replacement(
                "roofline_analysis.traffic.index_ranges.cut_by_guards",
                _uncut,
                lambda cut, args: bool(cut.conditions) or differs(dict(args[2]), cut.extents),
            ),
        ),
        removes=("roofline_analysis.traffic.index_ranges",),
    ),
    Switch(
        "index_ranges.shares",
        "conditions that are no ranges of indices cut no addresses",
        (gives("roofline_analysis.traffic.index_ranges.IndexRanges.share_of", 1.0),),
    ),
    Switch(
        "index_ranges.otherwise",
        "what the other side of a branch touches does not count",
        (gives("roofline_analysis.traffic.index_ranges._otherwise", False),),
    ),
    Switch(
        "index_axes",
        "addresses that are not affine are not evaluated",
        (gives("roofline_analysis.traffic.index_axes.read_axes", None),),
        removes=("roofline_analysis.traffic.index_axes",),
    ),
    Switch(
        "array_footprints.credible_size",
        "sizes of allocations are believed although accesses reach beyond",
        (
            Replacement(
                "roofline_analysis.traffic.array_footprints.credible_size",
                _believed,
                lambda size, args: differs(size, args[1]),
            ),
        ),
    ),
    Switch(
        "refetch.loops",
        "loops fetch nothing again",
        (gives("roofline_analysis.traffic.refetch.loop_refetches", {}),),
    ),
    Switch(
        "refetch.missed_share",
        "L2 holds what is used again, in loops and between waves",
        (gives("roofline_analysis.traffic.refetch.missed_share", 0.0),),
        removes=("roofline_analysis.traffic.refetch",),
    ),
    Switch(
        "dram.write_back_share",
        "all that is written reaches DRAM",
        (gives("roofline_analysis.traffic.dram.write_back_share", 1.0),),
    ),
    Switch(
        "code_size.code",
        "machine code is not fetched",
        (gives("roofline_analysis.traffic.code_size.code_bytes", 0.0),),
        removes=(
            "roofline_analysis.traffic.code_size.code_bytes",
            "roofline_analysis.traffic.code_size._instructions",
        ),
    ),
    Switch(
        "code_size.launch",
        "a launch fetches nothing but code and data",
        (gives("roofline_analysis.traffic.code_size.launch_bytes", 0.0),),
    ),
    Switch(
        "code_size.least_reached",
        "of code that is hardly reached nothing is fetched",
        (Replacement("roofline_analysis.traffic.code_size._LEAST_REACHED", 0.0),),
        Witness(
            "roofline_analysis.traffic.code_size.code_bytes",
            lambda _, args: _is_hardly_reached(*args),
        ),
    ),
    Switch(
        "demand.line_atomics",
        "atomics on one line do not wait for one another",
        (gives("roofline_analysis.timing.demand._line_atomics", 0.0),),
    ),
    Switch(
        "demand.l1",
        "L1 holds nothing",
        (gives("roofline_analysis.timing.demand._l1_missed", 1.0),),
    ),
    Switch(
        "requests.scatter",
        "each lane of a scattered access has a sector of its own",
        (Replacement("roofline_analysis.traffic.coalescing.SCATTER", 1.0),),
        Witness(
            "roofline_analysis.traffic.coalescing.WarpAddresses.sectors_and_lines",
            lambda _, args: args[3] is not None,
        ),
    ),
)

UNSWITCHED: Final = (
    Unswitched(
        "crossover",
        "roofline_analysis.verdict.crossover",
        "finds the number at which a class changes; no prediction rests on it",
    ),
    Unswitched(
        "background",
        "roofline_analysis.traffic.background",
        "off by default: traffic of the measuring machine, added only where a person says so",
    ),
)

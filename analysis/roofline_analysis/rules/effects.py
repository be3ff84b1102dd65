"""The effect of a change: a judged launch with part of its demand replaced, predicted anew.

A ``Change`` says what becomes of the work and the requests of regions and of the DRAM traffic. It
is scored by the same rules as the launch itself: ridges for the class, ``timing`` for the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from roofline_analysis.host.values import ARGUMENT_COUNT
from roofline_analysis.regions.kernel_summary import Access, AccessMode, Region, Work
from roofline_analysis.regions.unknowns import UnknownKind
from roofline_analysis.rules.model import Effect
from roofline_analysis.timing.demand import Demand, RegionDemand, WarpRequest
from roofline_analysis.timing.launch_time import launch_time
from roofline_analysis.verdict.analyse import LaunchAnalysis, Target
from roofline_analysis.verdict.bus import class_of
from roofline_analysis.verdict.features import COLUMNS
from roofline_analysis.verdict.prediction import Prediction
from roofline_core.program.precision import Precision

LEAST_GAIN: Final = 0.05
"""The least share of the time that a finding must save, unless it changes the class."""
LEAST_GAIN_NS: Final = 1_000.0
"""The least saving in ns: launch times vary by some hundreds from run to run."""
_FOR_ASSUMED_SIZES: Final = 2.0
"""By how much more a finding must save where sizes are assumed: what saves a tenth at one size may
save nothing at another."""
LEAST_AT_GUESSED_SIZES: Final = 1.0 / 3.0
"""The least share of the time that it must save where more is assumed than that the program is run
without arguments, for which its source has sizes of its own. Readers of 60 findings found most of
those at known sizes useful, and few of those that save less than this at assumed ones."""
_LEAST_NS_AT_GUESSED_SIZES: Final = 2_500.0
"""The least saving in ns there: about what a launch itself costs."""
_MOST_ASSUMED: Final = 32
"""The most assumptions that a gain may rest on: with more it is no prediction."""
_NOTICED: Final = 0.005
"""The least relative change of bytes or operations; a smaller one is rounding."""


@dataclass(slots=True)
class Change:
    """Differences in the demand of a launch; the defaults change nothing."""

    work: dict[Region, list[float]] = field(default_factory=dict)
    """By region: operations added to each run, indexed by ``Work``; negative ones are removed."""
    requests: dict[Access, WarpRequest | None] = field(default_factory=dict)
    """The new request of an access; None removes the access."""
    warp_runs: dict[Region, float] = field(default_factory=dict)
    """By region: the factor of the number of warps that run it."""
    dram_bytes: float = 0.0
    """Bytes added to the DRAM traffic; negative ones are removed."""
    contention: float = 1.0
    """The factor of the time that atomic operations on one address wait for each other."""
    paths: float = 1.0
    """The factor of the longest path of a warp."""
    barriers: float = 1.0
    """The factor of the number of barriers in each region."""
    blocks: int | None = None
    """The number of blocks that share the work; None: unchanged."""
    blocks_per_sm: int | None = None

    def add(self, region: Region, kind: Work, amount: float) -> None:
        """Add work to each run of a region."""
        row = self.work.setdefault(region, [0.0] * len(Work))
        row[kind] += amount


def scored(judged: LaunchAnalysis, target: Target, change: Change) -> Effect:
    """The effect of a change on a launch."""
    prediction, demand = judged.prediction, judged.demand
    regions = judged.demanding
    changed = tuple(
        _changed(region, item, change) for region, item in zip(regions, demand.regions, strict=True)
    )
    scale = {
        region: judged.execution.regions[region].runs
        for region in change.work
        if region in judged.execution.regions
    }
    operations = {}
    for precision, column in COLUMNS.items():
        now = prediction.operations(precision) or 0.0
        added = sum(change.work[region][column] * runs for region, runs in scale.items())
        operations[precision] = max(0.0, now + added)
    now_bytes = prediction.dram_bytes or 0.0
    moved = max(1.0, now_bytes + change.dram_bytes)
    timing = launch_time(
        _launched(replace(demand, regions=changed), change),
        max(1.0, moved * judged.crossing_share),
        target.gpu,
        target.roofline,
        change.blocks_per_sm or judged.blocks_per_sm,
        bus_bytes=prediction.bus.total_bytes if prediction.bus is not None else 0.0,
    )
    return effect_between(prediction, operations, moved, timing.total_ns, target)


def _launched(demand: Demand, change: Change) -> Demand:
    blocks = change.blocks or demand.blocks
    shared = demand.blocks / blocks  # Each block does so much of what one did.
    regions = demand.regions
    if shared != 1.0:
        regions = tuple(replace(each, in_block=each.in_block * shared) for each in regions)
    return replace(
        demand,
        blocks=blocks,
        regions=regions,
        grid_reductions=demand.grid_reductions * change.contention,
        line_atomics=demand.line_atomics * change.contention,
    )


def _changed(region: Region, item: RegionDemand, change: Change) -> RegionDemand:
    delta = change.work.get(region)
    factor = change.warp_runs.get(region, 1.0)
    touched = change.requests and any(access in change.requests for access in region.accesses)
    if delta is None and not touched and change.paths == 1.0 and change.barriers == 1.0:
        return item if factor == 1.0 else _as_often(item, factor)
    work = item.work
    if delta is not None:
        work = tuple(max(0.0, old + new) for old, new in zip(work, delta, strict=True))
    kept = []
    loads = sum(1 for q in item.requests if q.sectors and q.mode is not AccessMode.WRITE)
    for access, request in zip(region.accesses, item.requests, strict=True):
        new = change.requests.get(access, request)
        if new is not None:
            kept.append(new)
    left = sum(1 for q in kept if q.sectors and q.mode is not AccessMode.WRITE)
    rounds = item.rounds * (left / loads if loads else 1.0)
    return replace(
        item,
        work=work,
        requests=tuple(kept),
        rounds=rounds,
        warp_runs=item.warp_runs * factor,
        longest=item.longest * factor * change.paths,
        in_block=item.in_block * factor,
        barriers=round(item.barriers * change.barriers),
    )


def _as_often(item: RegionDemand, factor: float) -> RegionDemand:
    """A region's demand with so many times the warps; what one run costs stays known."""
    made = RegionDemand(
        item.warp_runs * factor,
        item.longest * factor,
        item.in_block * factor,
        item.work,
        item.requests,
        item.branches,
        item.rounds,
        item.barriers,
        item.exchanges,
    )
    made.known.update(item.known)
    return made


def effect_between(
    before: Prediction,
    operations: Mapping[Precision, float],
    moved: float,
    time_ns: float,
    target: Target,
) -> Effect:
    """The effect of replacing a prediction's operations, DRAM bytes and time by these."""
    saved_bytes = (before.dram_bytes or 0.0) - moved
    if abs(saved_bytes) < _NOTICED * (before.dram_bytes or 1.0):
        saved_bytes = 0.0
    saved = {}
    for precision, amount in operations.items():
        now = before.operations(precision) or 0.0
        if abs(now - amount) > _NOTICED * max(now, amount):
            saved[precision] = now - amount
    return Effect(
        saved_bytes=saved_bytes,
        saved_operations=saved,
        intensity={p: amount / moved for p, amount in operations.items() if amount},
        time_ns=before.time_ns or 0.0,
        new_time_ns=time_ns,
        verdict=before.verdict,
        new_verdict=class_of(operations, moved, target.roofline, target.rule, _bus_ns(before)),
        assumed=before.unknowns,
    )


def _bus_ns(prediction: Prediction) -> float | None:
    """The time on the bus to the host, which changes of a kernel are taken to leave as it is."""
    return prediction.bus.time_ns if prediction.bus is not None else None


def are_sizes_guessed(effect: Effect) -> bool:
    """Whether more is assumed of sizes than that the program is run without arguments."""
    names = {each.name for each in effect.assumed if each.kind is UnknownKind.HOST}
    return bool(names - {ARGUMENT_COUNT})


def are_trips_guessed(effect: Effect) -> bool:
    """Whether loops of the kernel are taken to run a number of times that nothing fixes."""
    return any(each.kind is UnknownKind.TRIPS for each in effect.assumed)


def are_branches_guessed(effect: Effect) -> bool:
    """Whether it is assumed how many threads take a branch of the kernel."""
    return any(each.kind is UnknownKind.BRANCH for each in effect.assumed)


def matters(effect: Effect, least: float = LEAST_GAIN) -> bool:
    """Whether an effect is large enough to be shown: larger unasked where sizes are assumed."""
    least_ns = LEAST_GAIN_NS
    if effect.at_assumed_sizes and not effect.asked:
        if len(effect.assumed) > _MOST_ASSUMED:
            return False
        least *= _FOR_ASSUMED_SIZES
        if are_sizes_guessed(effect):
            least = max(least, LEAST_AT_GUESSED_SIZES)
            least_ns = _LEAST_NS_AT_GUESSED_SIZES
    if effect.time_ns - effect.new_time_ns < least_ns:
        return False
    return 1.0 - effect.new_time_ns / effect.time_ns >= least

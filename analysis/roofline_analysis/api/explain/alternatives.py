"""Step 8: what was assumed, and what the launch would be with other numbers in its place.

A number of the host program is bound anew with everything that follows from it. Trips and shares
that were estimated are scaled: the runs of the region and of all inside it, and of the other side
of a branch.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from roofline_analysis.api.explain.records import Alternative, Assumption
from roofline_analysis.counting.execution import Execution, RegionRuns
from roofline_analysis.counting.warps import chance_of_any
from roofline_analysis.host.values import ARGUMENT_COUNT
from roofline_analysis.regions.conditions import negation
from roofline_analysis.regions.kernel_summary import Region, RegionForm, Role, Site
from roofline_analysis.regions.unknowns import UnknownKind, UnknownUsed
from roofline_analysis.verdict.analyse import Target
from roofline_analysis.verdict.crossover import OpenNumber, open_numbers
from roofline_analysis.verdict.launch import (
    BoundLaunch,
    analyse_again,
    analyse_launch,
    with_other_sizes,
)
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record

_SHAPES: Final = ("grid size", "block size")
"""What the binding calls dimensions that no launch gives."""
_ROUNDING: Final = 1e-9
"""Tolerance for two shares that make a whole."""


def assumptions(launch: BoundLaunch, target: Target, tried: int) -> tuple[Assumption, ...]:
    """All that was assumed for a launch; what changes the class first, then the time most.

    Other numbers are tried for at most ``tried`` numbers of the host and as many estimates, those
    with most work in their regions first.
    """
    estimates = _of_estimates(launch, target, tried)
    found = [*_of_host(launch, target, tried), *estimates]
    now_ns = launch.prediction.time_ns or 0.0
    verdict = launch.prediction.verdict

    def rank(each: Assumption) -> tuple[bool, float]:
        """The order: another class first, then the largest change of the time."""
        other_class = any(one.verdict is not verdict for one in each.alternatives)
        changes = (abs((one.time_ns or now_ns) - now_ns) for one in each.alternatives)
        return not other_class, -max(changes, default=-1.0)

    return tuple(sorted(found, key=rank))


# -- numbers of the host program


def _of_host(launch: BoundLaunch, target: Target, tried: int) -> Iterator[Assumption]:
    summary, context, bound = launch.judged.summary, launch.context, launch.bound
    told: set[object] = set()
    numbers = open_numbers(summary, context, bound, target)
    for number in itertools.islice(numbers, tried):
        told |= _names(number)
        yield _host_number(number, launch, target)
    left = (u for u in bound.unknowns if u.name not in told and _key(u) not in told)
    for unknown in dict.fromkeys(left):
        if unknown.name == ARGUMENT_COUNT and told:
            continue  # it decides whether the numbers above are read at all
        others = _with_shape(unknown, launch, target) if unknown.name in _SHAPES else ()
        yield Assumption(
            unknown.name,
            unknown.kind,
            unknown.why,
            unknown.assumed,
            unknown.path,
            unknown.line,
            tuple(others),
        )


def _key(unknown: UnknownUsed) -> object:
    return unknown.name, unknown.path, unknown.line


def _names(number: OpenNumber) -> set[object]:
    unknown = number.unknown
    if unknown is None:
        return {number.name}
    return {(unknown.name, unknown.path, unknown.line)}


def _host_number(number: OpenNumber, launch: BoundLaunch, target: Target) -> Assumption:
    unknown = number.unknown
    bound = [u for u in launch.bound.unknowns if u.name == number.name]
    why = unknown.why if unknown is not None else bound[0].why if bound else ""
    if unknown is not None and unknown.name != number.name:
        why = f"{unknown.name}: {why}"
    return Assumption(
        name=number.name,
        kind=UnknownKind.HOST,
        why=why,
        value=float(number.now),
        path=unknown.path if unknown is not None else None,
        line=unknown.line if unknown is not None else None,
        alternatives=tuple(_with_number(number, launch, target)),
    )


def _with_number(number: OpenNumber, launch: BoundLaunch, target: Target) -> Iterator[Alternative]:
    """Half and double the number, if putting the present one in its place changes nothing."""
    same = number.bound(number.now)
    if same is None:
        return
    verdict = analyse_again(launch, target, bound=same).prediction.verdict
    if verdict is not launch.prediction.verdict:
        return
    for value in (number.now // 2, number.now * 2):
        bound = number.bound(value) if value else None
        if bound is not None:
            yield _alternative(float(value), analyse_again(launch, target, bound=bound), target)


def _with_shape(unknown: UnknownUsed, launch: BoundLaunch, target: Target) -> Iterator[Alternative]:
    """Another grid or block where no launch gives one; sizes and the other of both follow."""
    summary, context = launch.judged.summary, launch.context
    of_grid = unknown.name == "grid size"
    now = launch.bound.grid if of_grid else launch.bound.block
    for factor in (0.5, 2.0):
        dims = _scaled_dims(now, factor)
        if dims == now:
            continue
        grid, block = (dims, launch.bound.block) if of_grid else (None, dims)
        value = float(dims[0] if of_grid else dims[0] * dims[1] * dims[2])
        made = analyse_launch(summary, context, target, launch.bindings, grid, block)
        yield _alternative(value, made, target)


def _scaled_dims(dims: Dim3, factor: float) -> Dim3:
    return max(1, int(dims[0] * factor)), dims[1], dims[2]


def _alternative(value: float, launch: BoundLaunch, target: Target) -> Alternative:
    made = with_other_sizes(launch, target).prediction
    return Alternative(value, made.verdict, made.confidence, made.time_ns, made.dram_bytes)


# -- trips and shares that data decides


@record(frozen=True, slots=True)
class _Estimate:
    """The loops or guards of one source line whose trips or shares were estimated."""

    kind: UnknownKind
    regions: tuple[Region, ...]

    @property
    def site(self) -> Site:
        """The source line, as its first region has it."""
        return self.regions[0].site


def _of_estimates(launch: BoundLaunch, target: Target, tried: int) -> Iterator[Assumption]:
    execution = launch.judged.execution
    found = [*_estimates(execution, UnknownKind.TRIPS), *_estimates(execution, UnknownKind.BRANCH)]
    found.sort(key=lambda each: -_work_in(each, execution))
    for at, estimate in enumerate(found):
        runs = execution.regions[estimate.regions[0]]
        is_loop = estimate.kind is UnknownKind.TRIPS
        value = runs.trips if is_loop else runs.share
        others = () if at >= tried else _other_values(value, most=None if is_loop else 1.0)
        path, line = estimate.site
        yield Assumption(
            name=f"trips of the loop at line {line}" if is_loop else f"branch at line {line}",
            kind=estimate.kind,
            why=runs.why,
            value=value,
            path=path,
            line=line,
            alternatives=tuple(
                _alternative(
                    other,
                    analyse_again(launch, target, execution=_with(execution, estimate, factor)),
                    target,
                )
                for other, factor in others
            ),
        )


def _estimates(execution: Execution, kind: UnknownKind) -> Iterator[_Estimate]:
    """The estimates by source line; of the two sides of a branch the first."""
    loops = kind is UnknownKind.TRIPS
    regions = execution.assumed_trips if loops else execution.assumed_conditions
    by_site: dict[Site, list[Region]] = {}
    taken: set[Region] = set()
    for region in dict.fromkeys(regions):
        if region not in taken:
            by_site.setdefault(region.site, []).append(region)
            taken.update(_other_side(region, execution))
    return (_Estimate(kind, tuple(each)) for each in by_site.values())


def _other_side(region: Region, execution: Execution) -> tuple[Region, ...]:
    """Of a branch: its ``else``, or what follows for those that did not leave, if it was estimated.

    None or one. It stands beside the branch, and its condition is the opposite.
    """
    if region.form is not RegionForm.GUARD or region.parent is None:
        return ()
    beside = region.parent.children
    at = next(at for at, each in enumerate(beside) if each is region)
    share = execution.regions[region].share
    for other in (*beside[max(0, at - 1) : at], *beside[at + 1 : at + 2]):
        runs = execution.regions.get(other)
        if runs is None or not runs.assumed or abs(runs.share + share - 1.0) > _ROUNDING:
            continue
        if _opposite(region, other) or _opposite(other, region):
            return (other,)
    return ()


def _opposite(one: Region, other: Region) -> bool:
    """Whether a guard lets through whom another does not."""
    if one.role is Role.EXITS and other.role is Role.FALLS_THROUGH:
        return True
    condition = one.conditions[0] if len(one.conditions) == 1 else None
    return condition is not None and negation(condition) == other.conditions


def _other_values(value: float, most: float | None) -> list[tuple[float, float]]:
    """Half and double, at most ``most``, each with its factor."""
    found = []
    for factor in (0.5, 2.0):
        other = value * factor if most is None else min(most, value * factor)
        if value > 0.0 and other != value:
            found.append((other, other / value))
    return found


def _with(execution: Execution, estimate: _Estimate, factor: float) -> Execution:
    """The execution with the estimate scaled, no share beyond 1 and none twice."""
    regions = dict(execution.regions)
    lanes = min(32.0, float(execution.block[0] * execution.block[1] * execution.block[2]))
    scaled: set[Region] = set()
    for region in estimate.regions:
        if region in scaled:
            continue
        share = execution.regions[region].share
        others = _other_side(region, execution)
        opposite = next((each for each in others if each in scaled), None)
        if opposite is not None:
            own = _rest(execution, regions, opposite)
        elif estimate.kind is UnknownKind.BRANCH and share > 0.0:
            own = min(factor, 1.0 / share)
        else:
            own = factor
        _scale(regions, region, own, lanes)
        for other in others:
            if other not in scaled:
                _scale(regions, other, _rest(execution, regions, region), lanes)
        scaled.update((region, *others))
    return Execution(
        execution.grid,
        execution.block,
        execution.environment,
        regions,
        execution.lanes,
        execution.assumed_trips,
        execution.assumed_conditions,
    )


def _rest(execution: Execution, regions: dict[Region, RegionRuns], region: Region) -> float:
    """How many times as much is left for the other side of a branch that was scaled."""
    left = 1.0 - execution.regions[region].share
    return max(0.0, 1.0 - regions[region].share) / left if left > 0.0 else 1.0


def _scale(regions: dict[Region, RegionRuns], region: Region, factor: float, lanes: float) -> None:
    """A region and all in it run so many times as often, warps as the chance of any lane tells."""
    top = regions[region]
    in_warps = factor
    if region.form is RegionForm.GUARD and 0.0 < top.share < 1.0:
        share = min(1.0, top.share * factor)
        in_warps = chance_of_any(share, lanes) / chance_of_any(top.share, lanes)
    for each in region.walk():
        runs = regions.get(each)
        if runs is not None:
            regions[each] = replace(
                runs,
                runs=runs.runs * factor,
                warp_runs=runs.warp_runs * in_warps,
                longest=runs.longest * in_warps,
                in_block=runs.in_block * in_warps,
            )
    inner = regions[region]
    regions[region] = (
        replace(inner, trips=inner.trips * factor)
        if region.form is RegionForm.LOOP
        else replace(inner, share=min(1.0, inner.share * factor))
    )


def _work_in(estimate: _Estimate, execution: Execution) -> float:
    """Operations and accesses in the regions of an estimate, over the whole launch."""
    total = 0.0
    for top in estimate.regions:
        for region in top.walk():
            runs = execution.regions.get(region)
            if runs is not None:
                each = sum(map(sum, region.work.values())) + len(region.accesses)
                total += each * runs.runs
    return total

"""Step 3: how often each part of a kernel runs, and why; step 5: what its lines compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.api.explain.formula import LONGEST, formula
from roofline_analysis.api.explain.kernel_records import LineWork, Operations, RegionFacts
from roofline_analysis.counting.execution import Execution, RegionRuns
from roofline_analysis.regions.kernel_summary import Region, RegionForm, Role, Site, Work
from roofline_analysis.verdict.analyse import LaunchAnalysis
from roofline_analysis.verdict.register_moves import moves_share
from roofline_core.algebra.symbolic import apply

_NOT_KNOWN: Final = "?"

SourceLines = Callable[[Path], Sequence[str]]
"""The lines of a file; empty where it cannot be read."""


def region_facts(judged: LaunchAnalysis) -> tuple[RegionFacts, ...]:
    """The regions, each followed by those inside it; those that were not counted are left out."""
    share = moves_share(judged.summary, judged.execution)
    return tuple(_regions(judged.summary.root, judged.execution, share, 0))


def line_work(judged: LaunchAnalysis, lines: SourceLines) -> tuple[LineWork, ...]:
    """The operations of source lines that have some, by path and line."""
    rows: dict[Site, list[float]] = {}
    executions: dict[Site, float] = {}
    for region in judged.summary.root.walk():
        runs = judged.execution.regions.get(region)
        if runs is None:
            continue
        for site, row in region.work.items():
            total = rows.setdefault(site, [0.0] * len(Work))
            for kind in Work:
                total[kind] += row[kind] * runs.runs
            executions[site] = max(executions.get(site, 0.0), runs.runs * region.walked_runs)
    share = moves_share(judged.summary, judged.execution)
    return tuple(
        LineWork(
            site[0],
            site[1],
            _source(site, lines),
            executions[site],
            _operations(rows[site], share=share),
        )
        for site in sorted(rows, key=lambda site: (str(site[0]), site[1]))
        if any(rows[site])
    )


def _source(site: Site, lines: SourceLines) -> str | None:
    text, line = lines(site[0]), site[1]
    return text[line - 1].strip()[:LONGEST] if 0 < line <= len(text) else None


def _operations(row: Sequence[float], runs: float = 1.0, *, share: float) -> Operations:
    moves = row[Work.INT] * runs * share
    return Operations(
        sp_flops=row[Work.SP] * runs,
        dp_flops=row[Work.DP] * runs,
        hp_flops=row[Work.HP] * runs,
        int_ops=row[Work.INT] * runs + moves,
        int_moves=moves,
        tensor_flops=row[Work.TENSOR] * runs,
        special_ops=row[Work.SPECIAL] * runs,
        conversion_ops=row[Work.CONVERSION] * runs,
    )


def _regions(
    region: Region, execution: Execution, share: float, depth: int
) -> Iterator[RegionFacts]:
    runs = execution.regions.get(region)
    if runs is None or (region.role is Role.SLOW and not runs.runs):
        return
    yield _facts(region, runs, share, depth)
    for child in region.children:
        yield from _regions(child, execution, share, depth + 1)


def _facts(region: Region, runs: RegionRuns, share: float, depth: int) -> RegionFacts:
    work = [sum(row[kind] for row in region.work.values()) for kind in Work]
    return RegionFacts(
        depth=depth,
        form=region.form,
        role=region.role.name.lower(),
        path=region.site[0],
        line=region.site[1],
        counter=region.counter.name if region.counter is not None else None,
        formula=_formula(region),
        runs=runs.runs,
        warp_runs=runs.warp_runs,
        trips=runs.trips,
        share=runs.share,
        estimated=runs.assumed,
        why=runs.why,
        unrolled=region.unrolled,
        walked_runs=region.walked_runs,
        barriers=region.barriers,
        operations=_operations(work, runs.runs, share=share),
        accesses=len(region.accesses),
    )


def _formula(region: Region) -> str | None:
    """The conditions of a guard with ``?`` for those of which nothing is known, or the trips."""
    if region.form is RegionForm.LOOP:
        return formula(region.trips)
    if region.dividend is not None:
        return formula(apply("eq", region.dividend))
    if all(condition is None for condition in region.conditions):
        return None
    return " && ".join(formula(each) or _NOT_KNOWN for each in region.conditions)

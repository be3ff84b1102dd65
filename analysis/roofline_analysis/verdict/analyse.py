"""From a kernel's summary and a launch to a prediction: counts, traffic, roofline, time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from roofline_analysis.counting.data_samples import DrawnNumbers
from roofline_analysis.counting.execution import Execution, execute
from roofline_analysis.launch.binding import Binding
from roofline_analysis.regions.kernel_summary import (
    KernelSummary,
    Region,
    RegionForm,
    Site,
    Work,
)
from roofline_analysis.regions.unknowns import UnknownKind, UnknownUsed
from roofline_analysis.timing.demand import Demand, demanding_regions, launch_demand
from roofline_analysis.timing.launch_time import Timing, launch_time
from roofline_analysis.timing.occupancy import Occupancy, occupancy
from roofline_analysis.traffic.background import NO_BACKGROUND, Background
from roofline_analysis.traffic.dram import Traffic, dram_traffic
from roofline_analysis.verdict.confidence import LEAST, confidence
from roofline_analysis.verdict.features import COLUMNS, grounds_of
from roofline_analysis.verdict.prediction import (
    Evidence,
    LedgerLine,
    Prediction,
    PredictionSource,
    Utilisation,
)
from roofline_analysis.verdict.rule import precision_verdicts, verdict_of
from roofline_analysis.verdict.sight import sight_of
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, stage
from roofline_hardware_db import Gpu, Roofline

_DEFAULT_CACHE_BYTES: Final = 4 * 2**20
"""L2 bytes of a GPU whose L2 size is unknown. Assumed, chosen without measurement."""
_EVIDENCE: Final = 6
"""The most lines of the source that a verdict names as its evidence."""


@record(frozen=True, slots=True)
class Target:
    """The GPU a launch is judged on."""

    gpu: Gpu
    roofline: Roofline
    background: Background = NO_BACKGROUND


@record(frozen=True, slots=True)
class LaunchAnalysis:
    """A prediction and the counts from which it was computed."""

    prediction: Prediction
    execution: Execution
    traffic: Traffic
    demand: Demand
    timing: Timing
    blocks_per_sm: int
    """Blocks resident on one SM at a time."""
    summary: KernelSummary

    @property
    def demanding(self) -> tuple[Region, ...]:
        """The regions of ``demand``, in its order."""
        return tuple(demanding_regions(self.summary, self.execution))


@record(frozen=True, slots=True)
class Counted:
    """What a launch does on a GPU, without a verdict."""

    execution: Execution
    resident: Occupancy
    traffic: Traffic
    totals: Mapping[Work, float]
    """Work of each kind over the whole launch."""

    @property
    def operations(self) -> dict[Precision, float]:
        """Operations of each precision over the whole launch."""
        return {precision: self.totals[column] for precision, column in COLUMNS.items()}


def count_launch(
    summary: KernelSummary, binding: Binding, gpu: Gpu, execution: Execution | None = None
) -> Counted:
    """Count the operations and bytes of one launch on a GPU.

    ``execution`` reuses the counts made for another GPU of the same warp size; None: count anew.
    """
    architecture = gpu.architecture
    if execution is None:
        execution = execute(
            summary.root,
            binding.grid,
            binding.block,
            binding.values,
            architecture.warp_size,
            binding.sizes,
            DrawnNumbers(binding.draws, summary.meanings),
        )
    threads = binding.block[0] * binding.block[1] * binding.block[2]
    shared = summary.shared_bytes + binding.dynamic_shared_bytes
    resident = occupancy(gpu, threads, summary.registers_per_thread, shared)
    traffic = dram_traffic(
        summary,
        execution,
        resident.blocks_per_sm * gpu.sm_count,
        gpu.last_cache_bytes or _DEFAULT_CACHE_BYTES,
        binding.sizes,
        frozenset(binding.host_arrays),
        architecture.sector_bytes,
    )
    return Counted(execution, resident, traffic, work_totals(summary, execution))


@stage(Stage.PREDICT)
def judge(
    summary: KernelSummary,
    binding: Binding,
    target: Target,
    execution: Execution | None = None,
) -> LaunchAnalysis:
    """Judge one launch of a kernel; the result also has the counts behind the prediction.

    ``execution``, if given, is used instead of counting the launch anew.
    """
    architecture = target.gpu.architecture
    counted = count_launch(summary, binding, target.gpu, execution)
    execution, resident, traffic = counted.execution, counted.resident, counted.traffic
    demand = launch_demand(
        summary, execution, traffic, architecture.warp_size, architecture.sector_bytes
    )
    timing = launch_time(
        demand,
        traffic.read_bytes + traffic.write_bytes,
        target.gpu,
        target.roofline,
        resident.blocks_per_sm,
    )
    launched = binding.grid[0] * binding.grid[1] * binding.grid[2]
    used = Utilisation(launched, resident.blocks_per_sm, target.gpu.sm_count, resident.limiter)
    besides = target.background.bytes_during(timing.total_ns)
    traffic = replace(traffic, read_bytes=traffic.read_bytes + besides)
    totals, operations = counted.totals, counted.operations
    moved = traffic.read_bytes + traffic.write_bytes
    verdicts = precision_verdicts(operations, moved, target.roofline)
    unknowns = (*binding.unknowns, *_assumptions(execution))
    grounds = grounds_of(summary, execution, traffic, operations, target.roofline, len(unknowns))
    sight = sight_of(summary, execution)
    prediction = Prediction(
        verdict=verdict_of(verdicts) if sight.suffices else None,
        confidence=confidence(grounds) if sight.suffices else LEAST,
        source=PredictionSource.STATIC,
        limiting=timing.limiting,
        sp_flops=totals[Work.SP],
        dp_flops=totals[Work.DP],
        hp_flops=totals[Work.HP],
        int_ops=totals[Work.INT],
        tensor_flops=totals[Work.TENSOR],
        dram_read_bytes=traffic.read_bytes,
        dram_write_bytes=traffic.write_bytes,
        time_ns=timing.total_ns,
        precision_verdicts=verdicts,
        unknowns=unknowns,
        evidence=_evidence(summary, execution, traffic),
        ledger=_ledger(summary, execution, traffic),
        regime=used.regime,
        utilisation=used,
        occupancy=resident.share,
        grid=binding.grid,
        block=binding.block,
        time_depends_on=binding.guessed,
        sight=sight,
        grounds=grounds,
    )
    return LaunchAnalysis(
        prediction, execution, traffic, demand, timing, resident.blocks_per_sm, summary
    )


def work_totals(summary: KernelSummary, execution: Execution) -> dict[Work, float]:
    """Work of each kind over the whole launch."""
    totals = dict.fromkeys(Work, 0.0)
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is None or not runs.runs:
            continue
        for row in region.work.values():
            for kind in Work:
                totals[kind] += row[kind] * runs.runs
    return totals


def _assumptions(execution: Execution) -> tuple[UnknownUsed, ...]:
    """The assumptions made for loops and branches that depend on data."""
    result = []
    for region in execution.assumed_trips:
        path, line = region.site
        runs = execution.regions[region]
        result.append(
            UnknownUsed(
                f"trips of the loop at line {line}",
                runs.why,
                runs.trips,
                path,
                line,
                UnknownKind.TRIPS,
            )
        )
    for region in execution.assumed_conditions:
        path, line = region.site
        runs = execution.regions[region]
        result.append(
            UnknownUsed(
                f"branch at line {line}",
                runs.why,
                runs.share,
                path,
                line,
                UnknownKind.BRANCH,
            )
        )
    return tuple(result)


# -- the ledger


def _ledger(
    summary: KernelSummary, execution: Execution, traffic: Traffic
) -> tuple[LedgerLine, ...]:
    rows: dict[Site, list[float]] = {}
    executions: dict[Site, float] = {}
    notes: dict[Site, list[str]] = {}
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is None:
            continue
        _note_region(region.form, region.site, runs.trips, runs.share, runs.assumed, notes)
        copies = region.walked_runs
        if copies > 1:
            notes.setdefault(region.site, []).append(f"loop: {copies} trips, unrolled")
        for site, row in region.work.items():
            total = rows.setdefault(site, [0.0] * len(Work))
            for kind in Work:
                total[kind] += row[kind] * runs.runs
            executions[site] = max(executions.get(site, 0.0), runs.runs * copies)
        for access in region.accesses:
            rows.setdefault(access.site, [0.0] * len(Work))
            executions[access.site] = max(executions.get(access.site, 0.0), runs.runs * copies)
    for site in (*traffic.by_site, *notes):
        rows.setdefault(site, [0.0] * len(Work))
    lines = []
    for site in sorted(rows, key=lambda s: (str(s[0]), s[1])):
        row = rows[site]
        read, written = traffic.by_site.get(site, (0.0, 0.0))
        lines.append(
            LedgerLine(
                path=site[0],
                line=site[1],
                sp_flops=row[Work.SP],
                dp_flops=row[Work.DP],
                hp_flops=row[Work.HP],
                int_ops=row[Work.INT],
                tensor_flops=row[Work.TENSOR],
                dram_read_bytes=read,
                dram_write_bytes=written,
                executions=executions.get(site, 0.0),
                notes=tuple(dict.fromkeys(notes.get(site, ()))),
            )
        )
    return tuple(lines)


def _note_region(
    form: RegionForm,
    site: Site,
    trips: float,
    share: float,
    assumed: bool,
    notes: dict[Site, list[str]],
) -> None:
    guess = " (assumed)" if assumed else ""
    if form is RegionForm.LOOP:
        notes.setdefault(site, []).append(f"loop: {trips:,.6g} trips{guess}")
    elif form is RegionForm.GUARD and share < 1.0:
        notes.setdefault(site, []).append(f"branch: taken by {share:.1%} of threads{guess}")


def _evidence(
    summary: KernelSummary, execution: Execution, traffic: Traffic
) -> tuple[Evidence, ...]:
    """The source lines that contribute most operations and most bytes."""
    found: list[tuple[float, Evidence]] = []
    names = {
        Work.SP: "single-precision operations",
        Work.DP: "double-precision operations",
        Work.HP: "half-precision operations",
        Work.INT: "integer operations",
        Work.TENSOR: "tensor-core operations",
    }
    totals = work_totals(summary, execution)
    per_line: dict[tuple[Site, Work], float] = {}
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is None:
            continue
        for site, row in region.work.items():
            for kind in names:
                if row[kind]:
                    per_line[site, kind] = per_line.get((site, kind), 0.0) + row[kind] * runs.runs
    for (site, kind), amount in per_line.items():
        if totals[kind]:
            found.append((amount / totals[kind], Evidence(site[0], site[1], names[kind], amount)))
    moved = traffic.read_bytes + traffic.write_bytes
    for item in traffic.arrays:
        for what, amount in (("read", item.read_bytes), ("written", item.write_bytes)):
            if amount and item.footprints:
                site = item.footprints[0].access.site
                text = f"DRAM bytes {what} of '{item.array.name}'"
                found.append((amount / moved, Evidence(site[0], site[1], text, amount)))
    found.sort(key=lambda pair: -pair[0])
    return tuple(evidence for _, evidence in found[:_EVIDENCE])

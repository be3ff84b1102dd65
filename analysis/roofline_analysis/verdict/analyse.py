"""From a kernel's summary and a launch to a prediction: counts, traffic, roofline, time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from roofline_analysis.counting.data_samples import DrawnNumbers
from roofline_analysis.counting.execution import Execution, LoadedNumbers, execute
from roofline_analysis.device.costs.compilers import CompilerProfile, compiler_of
from roofline_analysis.launch.binding import Binding
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.index_sources import index_sources
from roofline_analysis.regions.kernel_summary import (
    KernelSummary,
    MemorySpace,
    Region,
    Work,
    once_a_summary,
)
from roofline_analysis.regions.unknowns import UnknownKind, UnknownUsed
from roofline_analysis.timing.demand import Demand, demanding_regions, launch_demand
from roofline_analysis.timing.launch_time import Timing, launch_time
from roofline_analysis.timing.occupancy import Occupancy, occupancy
from roofline_analysis.traffic.background import NO_BACKGROUND, Background
from roofline_analysis.traffic.caches import Caches
from roofline_analysis.traffic.dram import Traffic, dram_traffic
from roofline_analysis.verdict.bus import judged_by_bus
from roofline_analysis.verdict.collisions import colliding_bytes
from roofline_analysis.verdict.confidence import LEAST, confidence
from roofline_analysis.verdict.features import COLUMNS, grounds_of
from roofline_analysis.verdict.ledger import evidence_of, ledger_of, work_totals
from roofline_analysis.verdict.prediction import (
    Prediction,
    PredictionSource,
    Utilisation,
    Verdict,
)
from roofline_analysis.verdict.rule import (
    COMPULSORY,
    STUDY,
    VerdictRule,
    precision_verdicts,
    verdict_of,
)
from roofline_analysis.verdict.sight import NEARLY_ALL, Sight, sight_of
from roofline_core.program.float_math import FloatMathOfFiles
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, stage
from roofline_core.program.units import Function
from roofline_core.settings import CompilerName
from roofline_hardware_db import Gpu, Roofline

_MANY_BLOCKS: Final = 100
_LITTLE_BYTES: Final = 65536.0
"""DRAM bytes that are next to nothing for that many blocks. Assumed, chosen without measurement."""
_LONGEST_GUESSED_NS: Final = 60e9
"""The longest launch of guessed sizes that is judged. Assumed: kernels take far less than a minute.
"""
_IDLE_BYTES: Final = 0.25
"""DRAM bytes per thread below which most threads of a launch are taken to have nothing to do: one
element of 4 bytes for 16 of them. Assumed, chosen without measurement."""
_WORK_OF_A_THREAD: Final = 128.0
"""Operations below which a thread may have found no more than its place and a bound. Assumed,
chosen without measurement."""
_WORK_TO_LEAVE: Final = 32.0
"""Operations of a thread that leaves before it comes to any data, at most. Assumed likewise."""
_DEFAULT_CACHE_BYTES: Final = 4 * 2**20
"""L2 bytes of a GPU whose L2 size is unknown. Assumed, chosen without measurement."""

_REST: Final = 8.0
"""Times the operations of what was followed that a kernel may compute which is too long to be
followed to its end. Assumed, chosen without measurement."""
_UNIFIED_SINCE: Final = 7.0
"""The compute capability from which one memory is both shared memory and first cache."""
_HALVES_SINCE: Final = 8.0
"""The compute capability from which GPUs with HBM have a large L2, in two halves."""
_KEPT_OF_HALVES: Final = 0.5
"""The share of such an L2 that modified lines fill before any is written back.

Fitted to the measured DRAM bytes of kernels that mostly write, on an A100 (40 MB) and an H100
(50 MB): nothing of 4 MB crosses, of 30 MB 10 and 5, of 134 MB 117 and 112."""


@record(frozen=True, slots=True)
class Target:
    """The GPU a launch is judged on."""

    gpu: Gpu
    roofline: Roofline
    background: Background = NO_BACKGROUND
    rule: VerdictRule = COMPULSORY
    """What decides the class."""
    compiler: CompilerName = "auto"
    """Whose machine code is counted."""
    float_math: FloatMathOfFiles = FloatMathOfFiles()
    """How exactly it was told to compute."""

    def compiler_of(self, kernel: Function) -> CompilerProfile:
        """The compiler of a kernel, with the options of the kernel's file."""
        math = self.float_math.of(kernel.path)
        amd = self.gpu.vendor == "AMD"
        return compiler_of(self.compiler, kernel.dialect, math, amd=amd)


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
    counted: Counted
    """What the launch does, whatever the rule of the class."""
    crossing_share: float = 1.0
    """The bytes that cross DRAM's pins while the launch runs, over those of ``traffic``."""

    @property
    def demanding(self) -> tuple[Region, ...]:
        """The regions of ``demand``, in its order."""
        return tuple(demanding_regions(self.summary, self.execution))


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
            LoadedNumbers(
                _drawn_numbers(summary, binding),
                index_sources(summary),
                summary.loop_numbers,
                summary.tickets,
                summary.meanings,
                binding.guessed_arguments,
            ),
        )
    threads = binding.block[0] * binding.block[1] * binding.block[2]
    shared = summary.shared_bytes + binding.dynamic_shared_bytes
    resident = occupancy(gpu, threads, summary.registers_per_thread, shared)
    traffic = dram_traffic(
        summary,
        execution,
        resident.blocks_per_sm * gpu.sm_count,
        _caches(gpu, resident.blocks_per_sm * shared),
        binding.sizes,
        frozenset() if gpu.shares_host_memory else frozenset(binding.host_arrays),
    )
    return Counted(execution, resident, traffic, work_totals(summary, execution))


def _drawn_numbers(summary: KernelSummary, binding: Binding) -> DrawnNumbers:
    """The samples of a launch; those of the launch before where they are the same.

    Launches of a kernel that are tried for other sizes mostly have the same, so that the odds of
    branches need not be found again.
    """
    last = _last_drawn(summary)
    if not last or not last[0].holds(binding.draws):
        last[:] = [DrawnNumbers(binding.draws, summary.meanings)]
    return last[0]


@once_a_summary
def _last_drawn(summary: KernelSummary) -> list[DrawnNumbers]:
    """Room for the samples of the last launch; the summary keeps it."""
    return []


def _caches(gpu: Gpu, shared_bytes_per_sm: float) -> Caches:
    """The caches of a GPU. The first ones are what shared memory leaves of a memory for both.

    They are taken for nothing where they are small: on GPUs of others than NVIDIA, and before
    compute capability 7.
    """
    architecture = gpu.architecture
    first, capability = 0.0, architecture.compute_capability
    if capability is not None and float(capability) >= _UNIFIED_SINCE:
        first = max(0.0, architecture.occupancy.shared_bytes_per_sm - shared_bytes_per_sm)
    last = gpu.last_cache_bytes or _DEFAULT_CACHE_BYTES
    halves = gpu.has_hbm and capability is not None and float(capability) >= _HALVES_SINCE
    return Caches(
        last,
        first * gpu.sm_count,
        architecture.sector_bytes,
        gpu.check_bits_share,
        _KEPT_OF_HALVES if halves else None,
    )


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
        bus_bytes=traffic.bus_read_bytes + traffic.bus_write_bytes,
    )
    crossing = traffic.read_bytes + traffic.write_bytes
    besides = target.background.bytes_during(timing.total_ns)
    ruled = traffic.compulsory() if target.rule.compulsory else traffic
    by_rule = ruled.read_bytes + ruled.write_bytes
    ruled = replace(ruled, read_bytes=ruled.read_bytes + besides)
    prediction = _prediction(summary, binding, target, replace(counted, traffic=ruled), timing)
    if target.rule is not STUDY and prediction.sight is not None:
        moved = crossing + besides
        by_study = _decided(prediction.sight, counted.operations, moved, target.roofline, STUDY)
        prediction = replace(prediction, study_verdict=by_study)
    if target.rule.compulsory:
        left_out = traffic.code_bytes if any(item.moves for item in ruled.arrays) else 0.0
        prediction = replace(prediction, kept_bytes=traffic.kept_bytes, code_bytes=left_out)
    return LaunchAnalysis(
        prediction,
        execution,
        ruled,
        demand,
        timing,
        resident.blocks_per_sm,
        summary,
        counted,
        crossing / by_rule if by_rule else 1.0,
    )


def _prediction(
    summary: KernelSummary,
    binding: Binding,
    target: Target,
    counted: Counted,
    timing: Timing,
) -> Prediction:
    """The prediction from counts with traffic by the rule."""
    execution, resident, traffic = counted.execution, counted.resident, counted.traffic
    launched = binding.grid[0] * binding.grid[1] * binding.grid[2]
    used = Utilisation(launched, resident.blocks_per_sm, target.gpu.sm_count, resident.limiter)
    totals, operations = counted.totals, counted.operations
    moved = traffic.read_bytes + traffic.write_bytes
    verdicts = precision_verdicts(operations, moved, target.roofline)
    unknowns = (*binding.unknowns, *_assumptions(execution))
    sight = _sight(summary, binding, counted, timing)
    grounds = replace(
        grounds_of(
            summary, execution, traffic, operations, target.roofline, target.rule, len(unknowns)
        ),
        unseen_share=1.0 - sight.share,
        guessed_sizes=len(binding.guessed),
        moves_little=launched >= _MANY_BLOCKS and moved < _LITTLE_BYTES,
    )
    verdict = _decided(sight, operations, moved, target.roofline, target.rule)
    if binding.grid_guessed and verdict is Verdict.COMPUTE_BOUND:
        # What threads do before they find that there is nothing to do is no work.
        sight = replace(sight, idle_bytes=_idle_bytes(binding, moved, operations))
        if sight.idle_bytes is not None and binding.grid_invented:
            verdict = None
    elif binding.guessed and _does_nothing(summary, counted, binding):
        sight = replace(sight, idle_bytes=moved / max(1, launched * math.prod(binding.block)))
        verdict = None
    idle = sight.idle_bytes is not None
    prediction = Prediction(
        verdict=verdict,
        confidence=confidence(grounds) if verdict is not None and not idle else LEAST,
        source=PredictionSource.STATIC,
        limiting=timing.limiting,
        time_limit=timing.limit,
        sp_flops=totals[Work.SP],
        dp_flops=totals[Work.DP],
        hp_flops=totals[Work.HP],
        int_ops=totals[Work.INT],
        tensor_flops=totals[Work.TENSOR],
        dram_read_bytes=traffic.read_bytes,
        dram_write_bytes=traffic.write_bytes,
        time_ns=timing.total_ns if sight.too_long_ns is None else None,
        precision_verdicts=verdicts,
        unknowns=unknowns,
        evidence=evidence_of(summary, execution, traffic),
        ledger=ledger_of(summary, execution, traffic),
        regime=used.regime,
        utilisation=used,
        occupancy=resident.share,
        grid=binding.grid,
        block=binding.block,
        time_depends_on=binding.guessed,
        sight=sight,
        grounds=grounds,
    )
    return judged_by_bus(prediction, traffic, operations, target.gpu, target.roofline, target.rule)


def _sight(summary: KernelSummary, binding: Binding, counted: Counted, timing: Timing) -> Sight:
    """What was followed of a launch, and what speaks against sizes that are guessed."""
    found = sight_of(summary, counted.execution, counted.traffic)
    found = replace(found, fault=binding.fault or _endless(counted.execution))
    if not binding.guessed:
        return found
    too_long = timing.total_ns if timing.total_ns > _LONGEST_GUESSED_NS else None
    return replace(found, colliding_bytes=colliding_bytes(counted.traffic), too_long_ns=too_long)


def _does_nothing(summary: KernelSummary, counted: Counted, binding: Binding) -> bool:
    """Whether guessed bounds keep all threads of a launch from what the kernel accesses.

    A kernel that only measures arithmetic stores where the compiler cannot see that it never does:
    that is no bound, or behind much work.
    """
    threads = math.prod((*binding.grid, *binding.block))
    if max(counted.operations.values(), default=0.0) >= _WORK_TO_LEAVE * threads:
        return False
    accessing = [
        region
        for region in summary.root.walk()
        if any(access.array.space is MemorySpace.GLOBAL for access in region.accesses)
    ]
    runs = counted.execution.regions
    return bool(accessing) and all(
        (region not in runs or runs[region].runs <= 0.0) and _is_behind_bounds(region, binding)
        for region in accessing
    )


def _is_behind_bounds(region: Region, binding: Binding) -> bool:
    """Whether a comparison of a guessed argument guards a region."""
    conditions = (c for guard in region.guards() for c in guard.conditions if c is not None)
    compared = (single_apply(condition) for condition in conditions)
    return any(
        atom is not None
        and atom.op in ("lt", "le")
        and not binding.guessed_arguments.isdisjoint(atom.symbols)
        for atom in compared
    )


def _endless(execution: Execution) -> str | None:
    """Why a launch never ends; None where nothing is known against it."""
    if execution.endless is None:
        return None
    line, trips = execution.endless
    return f"its loop at line {line} has {trips:.3g} trips, more than can ever run"


def _idle_bytes(
    binding: Binding, moved: float, operations: Mapping[Precision, float]
) -> float | None:
    """The DRAM bytes per thread where a guessed grid seems to leave most threads without work.

    None where it does not: threads that reckon much have work, if a launch asks for them.
    """
    blocks = math.prod(binding.grid)
    threads = blocks * math.prod(binding.block)
    idle = binding.grid_invented or max(operations.values()) < _WORK_OF_A_THREAD * threads
    idle = (
        idle and binding.grid_guessed and blocks >= _MANY_BLOCKS and moved < _IDLE_BYTES * threads
    )
    return moved / threads if idle else None


def _decided(
    sight: Sight,
    operations: Mapping[Precision, float],
    moved: float,
    roofline: Roofline,
    rule: VerdictRule,
) -> Verdict | None:
    """The class, if enough was seen for it; None where the unseen bytes would change it.

    Also where those would that colliding stores hide.
    """
    if not sight.suffices:
        return None
    found = verdict_of(precision_verdicts(operations, moved, roofline), rule)
    if found is Verdict.COMPUTE_BOUND and not sight.stores:
        return None  # At least its results move besides.
    if not sight.is_whole:
        more = {precision: _REST * amount for precision, amount in operations.items()}
        if verdict_of(precision_verdicts(more, moved, roofline), rule) is not found:
            return None  # What it computes behind the limit is not known.
    besides = sight.colliding_bytes
    if sight.share < NEARLY_ALL:
        besides += sight.unseen_bytes
    if not besides:
        return found
    with_unseen = precision_verdicts(operations, moved + besides, roofline)
    return found if verdict_of(with_unseen, rule) is found else None


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

"""Hold the time model against measured kernels, term by term, and refit its constants.

Run ``python benchmarks/fit_timing.py --dataset CSV --sources FOLDER``; it takes about a minute.

The fit uses measured operations and bytes: each launch's demand is scaled by measured over
predicted operations, and DRAM bytes are the measured ones, so that no constant makes up for wrong
counts. Programs are put into two halves by a hash of their name; constants fitted to one half are
judged on the other. The error of a kernel is the logarithm of its ratio, cut off at a factor of
five: a wrong trip count must not pull at a latency.
"""

import argparse
import hashlib
import math
import pickle
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import roofline_analysis.verdict.analyse as predict_module
from roofline_analysis.timing.demand import Demand
from roofline_analysis.timing.launch_time import CONSTANTS, Timing, TimingConstants, launch_time
from roofline_core.settings import Settings
from roofline_hardware_db import ClockKind, Gpu, Roofline, find_gpu
from roofline_study.dataset import MeasuredKernel, read_dataset
from roofline_study.judge import Inputs, judge_program
from roofline_study.programs import ProgramAnalyser

_WORST = math.log(5.0)
_STEPS = (0.6, 0.8, 1.25, 1.6)
_FITTED = (
    *("issue_overhead", "l2_latency", "dram_latency", "hbm_latency", "next_load"),
    "dependent_shared",
    *("block_start", "grid_reduction_ns", "atomic_ns", "overlap", "dram_share"),
    *("team_start", "team_turn", "nested_start", "nested_turn"),
    *("l2_bytes_per_sm", "launch_clocks", "launch_ns_per_sm"),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One measured kernel and what the analyser made of it."""

    program: str
    language: str
    time_ns: float
    measured_bytes: float
    measured_operations: float
    predicted_bytes: float
    predicted_operations: float
    demand: Demand
    blocks_per_sm: int

    def ratio(self, gpu: Gpu, constants: TimingConstants, *, true_counts: bool) -> float:
        """Predicted over measured time."""
        demand, moved = self.demand, self.predicted_bytes
        if true_counts:
            moved = self.measured_bytes
            if self.measured_operations and self.predicted_operations:
                factor = self.measured_operations / self.predicted_operations
                demand = replace(demand, scale=min(100.0, max(0.01, factor)))
        roofline = gpu.roofline(ClockKind.BASE)
        timing = launch_time(demand, moved, gpu, roofline, self.blocks_per_sm, constants)
        return timing.total_ns / self.time_ns


def collect(rows: Sequence[MeasuredKernel], sources: Path, gpu: str) -> list[Sample]:
    """Analyse every row's program and keep what its time is computed from."""
    groups: dict[str, list[MeasuredKernel]] = {}
    for row in rows:
        groups.setdefault(row.program, []).append(row)
    with Pool() as pool:
        work = partial(_collect_program, sources=sources, gpu=gpu)
        return [s for found in pool.imap_unordered(work, groups.values()) for s in found]


def _collect_program(rows: list[MeasuredKernel], *, sources: Path, gpu: str) -> list[Sample]:
    calls: dict[float, tuple[Demand, int]] = {}

    def recorded(
        demand: Demand, moved: float, gpu_: Gpu, roofline: Roofline, blocks: int, **rest: float
    ) -> Timing:
        """The time of a launch; its demand is kept by that time."""
        timing = launch_time(demand, moved, gpu_, roofline, blocks, **rest)
        calls[timing.total_ns] = (demand, blocks)
        return timing

    predict_module.launch_time = recorded  # type: ignore[assignment]
    inputs = Inputs(sources, Settings(gpu=gpu, clock="base", rule="study"))
    found = []
    for judged in judge_program(rows, inputs=inputs, analyser=ProgramAnalyser.real()):
        row, prediction = judged.row, judged.prediction
        if prediction is None or prediction.time_ns not in calls:
            continue
        demand, blocks = calls[prediction.time_ns]
        counted = [(row.sp_flops, prediction.sp_flops), (row.dp_flops, prediction.dp_flops)]
        if row.int_ops is not None:
            counted.append((row.int_ops, prediction.int_ops))
        found.append(
            Sample(
                program=row.program,
                language=row.language,
                time_ns=row.time_ns,
                measured_bytes=row.dram_bytes,
                measured_operations=sum(measured or 0.0 for measured, _ in counted),
                predicted_bytes=prediction.dram_bytes or 0.0,
                predicted_operations=sum(predicted or 0.0 for _, predicted in counted),
                demand=demand,
                blocks_per_sm=blocks,
            )
        )
    return found


Score = Callable[[TimingConstants], float]


def median_error(ratios: Sequence[float]) -> float:
    """The median absolute error, as a share of the measured time."""
    return statistics.median(abs(ratio - 1.0) for ratio in ratios)


def loss(ratios: Sequence[float]) -> float:
    """The mean logarithm of the error, cut off."""
    return statistics.fmean(min(abs(math.log(ratio)), _WORST) for ratio in ratios)


def fit(samples: Sequence[Sample], gpu: Gpu) -> TimingConstants:
    """The constants after two passes of changing one at a time."""
    best, found = CONSTANTS, _loss_of(samples, gpu, CONSTANTS)
    for _ in range(2):
        for name in _FITTED:
            for step in _STEPS:
                tried = replace(best, **{name: getattr(best, name) * step})
                if (score := _loss_of(samples, gpu, tried)) < found:
                    best, found = tried, score
    return best


def _loss_of(samples: Sequence[Sample], gpu: Gpu, constants: TimingConstants) -> float:
    return loss([s.ratio(gpu, constants, true_counts=True) for s in samples])


def variants() -> Iterator[tuple[str, TimingConstants]]:
    """The model as its terms are added, first to last."""
    huge = 1e12
    without = replace(
        CONSTANTS,
        l2_bytes_per_sm=huge,
        issue_overhead=0.0,
        overlap=60.0,
        **dict.fromkeys(_LATENCIES, 0.0),
    )
    yield "arithmetic pipes, DRAM, L1 and launch", without
    without = replace(without, issue_overhead=CONSTANTS.issue_overhead)
    yield "+ issue of all instructions", without
    without = replace(without, l2_bytes_per_sm=CONSTANTS.l2_bytes_per_sm)
    yield "+ L2", without
    chain = (
        *("dependent", "dependent_dp", "dependent_special", "dependent_shared", "exchange"),
        "barrier",
    )
    without = replace(without, **{name: getattr(CONSTANTS, name) for name in chain})
    yield "+ latency of dependent instructions", without
    memory = ("l1_latency", "l2_latency", "dram_latency", "next_load")
    without = replace(without, **{name: getattr(CONSTANTS, name) for name in memory})
    yield "+ latency of memory", without
    without = replace(without, **{name: getattr(CONSTANTS, name) for name in _STARTS})
    yield "+ start of blocks and teams", without
    without = replace(
        without, grid_reduction_ns=CONSTANTS.grid_reduction_ns, atomic_ns=CONSTANTS.atomic_ns
    )
    yield "+ contention", without
    yield "+ imperfect overlap (all)", CONSTANTS


_STARTS = ("block_start", "team_start", "team_turn", "nested_start", "nested_turn")
_LATENCIES = (
    *("dependent", "dependent_dp", "dependent_special", "dependent_shared", "exchange"),
    *("barrier", "l1_latency", "l2_latency", "dram_latency", "next_load", *_STARTS),
    *("grid_reduction_ns", "atomic_ns"),
)


def _half(program: str) -> int:
    """CUDA and OpenMP versions of a program fall into one half."""
    name = program.rsplit("-", 1)[0]
    return hashlib.sha256(name.encode()).digest()[0] & 1


def main() -> None:
    """Print the table, the cross-validated fit and how sensitive each constant is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--gpu", default="RTX 3080")
    parser.add_argument("--keep", type=Path, help="file that keeps what was collected")
    parser.add_argument("--fit", action="store_true", help="refit, in two halves of the programs")
    options = parser.parse_args()
    gpu = find_gpu(options.gpu)
    if options.keep is not None and options.keep.exists():
        samples = pickle.loads(options.keep.read_bytes())
    else:
        samples = collect(read_dataset(options.dataset), options.sources, options.gpu)
        if options.keep is not None:
            options.keep.write_bytes(pickle.dumps(samples))
    languages = {
        name: [s for s in samples if s.language == name]
        for name in sorted({s.language for s in samples})
    }
    print(f"{'median error of time':42}", *(f"{n:>6} {'(pred.)':>8}" for n in languages))
    for name, constants in variants():
        print(f"{name:42}", *_errors(languages, gpu, constants))
    if options.fit:
        _cross_validate(samples, languages, gpu)


def _errors(
    languages: Mapping[str, list[Sample]], gpu: Gpu, constants: TimingConstants
) -> Iterator[str]:
    for held in languages.values():
        true = [s.ratio(gpu, constants, true_counts=True) for s in held]
        predicted = [s.ratio(gpu, constants, true_counts=False) for s in held]
        yield f"{median_error(true):6.3f} {median_error(predicted):8.3f}"


def _cross_validate(
    samples: Sequence[Sample], languages: Mapping[str, list[Sample]], gpu: Gpu
) -> None:
    halves = [[s for s in samples if _half(s.program) == half] for half in (0, 1)]
    fitted = [fit(half, gpu) for half in halves]
    print(f"{'fitted to all programs':42}", *_errors(languages, gpu, fit(samples, gpu)))
    crossed: dict[str, list[list[float]]] = {name: [[], []] for name in languages}
    for half, constants in zip(reversed(halves), fitted, strict=True):
        for s in half:
            for place, true in enumerate((True, False)):
                crossed[s.language][place].append(s.ratio(gpu, constants, true_counts=true))
    cells = (f"{median_error(t):6.3f} {median_error(p):8.3f}" for t, p in crossed.values())
    print(f"{'fitted to the other half of the programs':42}", *cells)
    print("constants: shipped, fitted to each half; loss if multiplied by 2/3 and by 3/2")
    base = _loss_of(samples, gpu, CONSTANTS)
    for name in _FITTED:
        value = getattr(CONSTANTS, name)
        less, more = (
            _loss_of(samples, gpu, replace(CONSTANTS, **{name: value * f})) for f in (2 / 3, 1.5)
        )
        halves_text = ", ".join(f"{getattr(f, name):.4g}" for f in fitted)
        print(f"  {name:18} {value:8.4g}  {halves_text:20} {less - base:+.4f} {more - base:+.4f}")


if __name__ == "__main__":
    main()

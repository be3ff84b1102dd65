"""Compares the versions of programs that exist in several dialects.

    python benchmarks/dialect_agreement.py DIR [--dialects cuda,hip] [--jobs 1] [--gpu "RTX 3080"]

``x-cuda``, ``x-hip`` and ``x-omp`` under DIR are one program; all are run with the arguments of the
first one's ``make run``. Kernels are paired by name, offloaded regions by that of the function
around them, and those of one name by order. Whole programs are compared by the kernel that takes
most of the predicted time, and by the share of that time that is spent in compute-bound kernels.
Programs whose versions disagree are listed with both predictions.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from pathlib import Path

from corpus.folders import executables, program_folders, run_arguments
from corpus.limited import FailedError, limited
from corpus.versions import KernelFigures, Version, dominant, matched, share_bound

from roofline_analysis.api import AnalysisCache, ProgramAnalysis
from roofline_analysis.host.values import LaunchContext
from roofline_core.program.precision import Precision
from roofline_core.program.units import Function
from roofline_core.settings import Settings

Job = tuple[Path, tuple[str, ...] | None]


def figures_of(
    analysis: ProgramAnalysis, kernel: Function, launch: LaunchContext | None
) -> KernelFigures:
    """The prediction for one launch, as plain values."""
    prediction = analysis.judge_launch(kernel, launch).prediction
    repeat = launch.repeat.constant if launch is not None and launch.repeat is not None else None
    return KernelFigures(
        name=kernel.name,
        place=f"{kernel.path.parent.name}/{kernel.path.name}:{kernel.name_span.line}",
        dialect=kernel.dialect.value,
        bound=prediction.verdict.value if prediction.verdict is not None else None,
        time_ns=prediction.time_ns,
        repeat=None if repeat is None else float(repeat),
        operations={p.value: prediction.operations(p) for p in Precision},
        dram_bytes=prediction.dram_bytes,
        grid=prediction.grid,
        block=prediction.block,
        launched=launch is not None,
        certain=launch is not None and launch.certain,
        unknowns=tuple(f"{u.name} ({u.why}): {u.assumed}" for u in prediction.unknowns),
    )


def read_version(job: Job, gpu: str) -> Version:
    """Analyses one version of a program; of several launches of a kernel the first counts."""
    folder, arguments = job
    settings = Settings(gpu=gpu, args=arguments)
    kernels: dict[str, KernelFigures] = {}
    cache = AnalysisCache()
    for paths in executables(folder):
        analysis = ProgramAnalysis.load(paths, settings, argv=arguments, cache=cache)
        for kernel in analysis.functions:
            launches = analysis.launches_of(kernel)
            found = figures_of(analysis, kernel, launches[0] if launches else None)
            known = kernels.get(found.place)
            if known is None or (found.launched and not known.launched):
                kernels[found.place] = found
    return Version(folder.name, tuple(kernels.values()))


def read(job: Job, gpu: str, limit: float) -> Version:
    """The figures of one version of a program; what failed if it did not end in ``limit`` s."""
    try:
        return limited(partial(read_version, gpu=gpu), job, limit)
    except FailedError as failure:
        return Version(job[0].name, (), str(failure))


def jobs_of(directory: Path, dialects: list[str], limit: int | None) -> dict[str, list[Job]]:
    """The versions of each program that has several, with the arguments they share."""
    folders: defaultdict[str, list[Path]] = defaultdict(list)
    for dialect in dialects:
        for folder in program_folders(directory, f"-{dialect}"):
            folders[folder.name.removesuffix(f"-{dialect}")].append(folder)
    result = {}
    for name, versions in sorted(folders.items())[:limit]:
        if len(versions) > 1:
            given = [found for each in versions if (found := run_arguments(each)) is not None]
            result[name] = [(folder, given[0] if given else None) for folder in versions]
    return result


def describe(kernel: KernelFigures) -> str:
    """One kernel's prediction on one line."""
    operations = ", ".join(
        f"{name} {value:.3g} ({value / kernel.dram_bytes:.3g}/B)" if kernel.dram_bytes else name
        for name, value in kernel.operations.items()
        if value
    )
    seen = "" if kernel.certain else ", uncertain" if kernel.launched else ", no launch found"
    text = (
        f"{kernel.bound or '?'} {kernel.name} {kernel.place} [{kernel.dialect}] grid {kernel.grid} "
        f"block {kernel.block}{seen}: {operations}; {kernel.dram_bytes or 0:.4g} B, "
        f"{kernel.time_ns or 0:.4g} ns x {kernel.repeat}"
    )
    if kernel.unknowns:
        text += f"; unknown: {'; '.join(kernel.unknowns[:6])}"
    return text


class Tally:
    """The agreement of one pair of dialects."""

    def __init__(self, one: str, other: str) -> None:
        self.title = f"{one} and {other}"
        self.programs = self.dominant_agrees = self.all_agree = self.same_share = 0
        self.kernels = self.kernels_agree = self.like = 0
        self.without = 0
        self.lines: list[str] = []

    def add(self, name: str, one: Version, other: Version) -> None:
        """Compares two versions of a program."""
        if one.error or other.error or not one.kernels or not other.kernels:
            self.without += 1
            self.lines.append(f"{name}: {one.problem} / {other.problem}")
            return
        self.programs += 1
        first, second = dominant(one), dominant(other)
        same = first.bound == second.bound
        self.dominant_agrees += same
        self.same_share += abs(share_bound(one) - share_bound(other)) < 0.25
        pairs = matched(one, other)
        apart = [pair for pair in pairs if pair[0].bound != pair[1].bound]
        self.kernels += len(pairs)
        self.kernels_agree += len(pairs) - len(apart)
        self.like += sum(a.alike(b) for a, b in pairs)
        self.all_agree += not apart and same
        if not same and (first, second) not in apart:
            apart.append((first, second))
        self.lines += [f"{name}:\n  {describe(a)}\n  {describe(b)}" for a, b in apart]

    def show(self) -> None:
        """Prints the totals, then the disagreements."""
        print(
            f"{self.title}: {self.programs} programs; the dominant kernel's class agrees for "
            f"{self.dominant_agrees}, all classes for {self.all_agree}, the time spent in "
            f"compute-bound kernels to 25% for {self.same_share}; {self.kernels} kernels paired, "
            f"{self.kernels_agree} of one class, {self.like} with operations and bytes within 1%; "
            f"{self.without} programs could not be compared"
        )
        for line in self.lines:
            print(line)


def main() -> int:
    """Check all versions of all programs and print how far each two dialects agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--dialects", default="cuda,hip,omp", help="endings of the folders' names")
    parser.add_argument("--gpu", default="RTX 3080")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a version")
    parser.add_argument("--programs", type=int, default=None, help="programs to compare")
    given = parser.parse_args()
    dialects = given.dialects.split(",")
    programs = jobs_of(given.directory, dialects, given.programs)
    jobs = [job for versions in programs.values() for job in versions]
    with ThreadPoolExecutor(given.jobs) as pool:
        versions = dict(
            zip(
                (folder.name for folder, _ in jobs),
                pool.map(partial(read, gpu=given.gpu, limit=given.limit), jobs),
                strict=True,
            )
        )
    print(f"{len(programs)} programs in several of {given.dialects}, on {given.gpu}")
    agree_in_all(programs, versions)
    for one, other in combinations(dialects, 2):
        tally = Tally(one, other)
        for name in programs:
            pair = [versions.get(f"{name}-{dialect}") for dialect in (one, other)]
            if pair[0] is not None and pair[1] is not None:
                tally.add(name, pair[0], pair[1])
        if tally.programs:
            tally.show()
    return 0


def agree_in_all(programs: dict[str, list[Job]], versions: dict[str, Version]) -> None:
    """Prints for how many programs every version's dominant kernel is of one class."""
    complete = agreeing = 0
    for jobs in programs.values():
        read_ones = [versions[folder.name] for folder, _ in jobs]
        if all(version.kernels for version in read_ones):
            complete += 1
            agreeing += len({dominant(version).bound for version in read_ones}) == 1
    print(f"the dominant kernel is of one class in all versions of {agreeing} of {complete}")


if __name__ == "__main__":
    sys.exit(main())

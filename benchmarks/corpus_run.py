"""Analyses every program of a folder whole, each in a process with a time limit.

    python benchmarks/corpus_run.py DIR [--names -hip] [--jobs 1] [--limit 60] [--args]

Prints how many kernels were found, for how many the host code's launches were followed to them and
surely happen, and lists exceptions, internal errors that problems tell of, programs stopped by the
time limit and the slowest ones. With ``--args`` the host code runs with the arguments of the
Makefile's ``make run``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from corpus.folders import (
    executables,
    program_folders,
    run_arguments,
    takes_files_from_beside,
)
from corpus.limited import FailedError, limited

from roofline_analysis.api import FileReport, ProgramAnalysis, analyze_paths
from roofline_analysis.api.cache import AnalysisCache
from roofline_analysis.api.entry import file_report
from roofline_core.settings import SOURCE_SUFFIXES, Settings

GPU = "RTX 3080"


@dataclass
class Outcome:
    """What became of one program."""

    name: str
    seconds: float = 0.0
    kernels: int = 0
    followed: int = 0
    """Kernels that a launch was followed to."""
    certain: int = 0
    """Kernels with a launch that surely happens."""
    error: str | None = None
    internal: list[str] = field(default_factory=list)
    unlaunched: list[str] = field(default_factory=list)


def read_reports(folder: Path, settings: Settings) -> list[FileReport]:
    """The reports of a program's files, read as the batch check and as its Makefile say."""
    files = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in SOURCE_SUFFIXES]
    reports = list(analyze_paths([p for p in files if p.is_file()], settings))
    if not takes_files_from_beside(folder):
        return reports
    for paths in executables(folder):
        analysis = ProgramAnalysis.load(paths, settings, argv=settings.args, cache=AnalysisCache())
        for path in dict.fromkeys(kernel.path for kernel in analysis.functions):
            reports.append(file_report(analysis, path))
    return reports


def analyse(folder: Path, with_arguments: bool) -> Outcome:
    """Check one program and count its kernels by how surely a launch of them was found."""
    arguments = run_arguments(folder) if with_arguments else None
    outcome = Outcome(folder.name)
    started = time.monotonic()
    reports = read_reports(folder, Settings(gpu=GPU, args=arguments))
    outcome.seconds = time.monotonic() - started
    launches: dict[tuple[str, int], list[bool]] = {}
    for report in reports:
        outcome.internal += [
            f"{p.path}:{p.line}: {p.message}" for p in report.problems if "internal" in p.message
        ]
        for kernel in report.kernels:
            place = (str(kernel.path), kernel.name_span.line)
            launches.setdefault(place, []).extend(launch.certain for launch in kernel.launches)
    outcome.kernels = len(launches)
    outcome.followed = sum(bool(certain) for certain in launches.values())
    outcome.certain = sum(any(certain) for certain in launches.values())
    outcome.unlaunched = [f"{path}:{line}" for (path, line), met in launches.items() if not met]
    return outcome


def run_one(limit: float, with_arguments: bool, folder: Path) -> Outcome:
    """Analyses a program in a process of its own and ends that after ``limit`` seconds."""
    try:
        return limited(partial(analyse, with_arguments=with_arguments), folder, limit)
    except FailedError as failure:
        return Outcome(folder.name, error=str(failure))


def show(outcomes: list[Outcome], shown: int) -> int:
    """Prints what happened; the number of failures."""
    kernels = sum(outcome.kernels for outcome in outcomes)
    followed = sum(outcome.followed for outcome in outcomes)
    certain = sum(outcome.certain for outcome in outcomes)
    internal = [line for outcome in outcomes for line in dict.fromkeys(outcome.internal)]
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    print(
        f"programs {len(outcomes)}, exceptions and stops {len(failed)}, internal errors "
        f"{len(internal)}; kernels {kernels}, with a launch {followed} "
        f"({100 * followed / max(1, kernels):.2f}%), with one that surely happens {certain}; "
        f"{sum(outcome.seconds for outcome in outcomes):.0f} s"
    )
    kinds = Counter((outcome.error or "").strip().splitlines()[-1] for outcome in failed)
    for kind, count in kinds.most_common():
        print(f"  {count} times {kind}")
    for outcome in failed[:shown]:
        print(f"--- {outcome.name}\n{outcome.error}")
    for line in internal[:shown]:
        print(f"internal: {line}")
    slowest = sorted(outcomes, key=lambda outcome: -outcome.seconds)[:10]
    print("slowest:", ", ".join(f"{o.name} {o.seconds:.1f} s" for o in slowest))
    places = [place for outcome in outcomes for place in outcome.unlaunched]
    for place in places[:shown]:
        print(f"no launch found of the kernel at {place}")
    return len(failed) + len(internal)


def main() -> int:
    """Check all programs of a folder and print the totals; 1 if any failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--names", default="", help="programs whose folder's name ends so")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a program")
    parser.add_argument("--args", action="store_true", help="run with the Makefile's arguments")
    parser.add_argument("--shown", type=int, default=20, help="entries of each list")
    given = parser.parse_args()
    folders = program_folders(given.directory, given.names)
    with ThreadPoolExecutor(given.jobs) as pool:
        outcomes = list(pool.map(partial(run_one, given.limit, given.args), folders))
    return 1 if show(outcomes, given.shown) else 0


if __name__ == "__main__":
    sys.exit(main())

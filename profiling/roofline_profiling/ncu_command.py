"""The command line that Nsight Compute is run with, by the options of its documentation."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_profiling.errors import ProfilerError
from roofline_profiling.ncu_metrics import METRICS

PROGRAM = "ncu"
_PLACES = (
    "/usr/local/cuda/bin/ncu",
    "/opt/nvidia/nsight-compute/*/ncu",
    "/usr/local/cuda-*/bin/ncu",
)


@dataclass(frozen=True, slots=True)
class Options:
    """The kernels and launches to profile, and how."""

    kernel: str | None = None
    """A regular expression for kernel names, without namespaces; None for all kernels."""
    launches: int | None = 1
    """The number of launches of each kernel to profile, from the first; None for all."""
    report: Path | None = None
    """Also write Nsight Compute's own report here, with the counters of source lines."""
    ncu: str | None = None
    """The path of Nsight Compute; None to look for it."""
    limit_s: float = 600.0
    """The most seconds that the program may run under the profiler."""


def find_ncu(given: str | None) -> str:
    """The profiler's path: as given, on ``PATH``, or where it is installed by default.

    Raises ProfilerError.
    """
    found = shutil.which(given or PROGRAM)
    if found is None and given is None:
        roots = (sorted(Path("/").glob(place[1:]), reverse=True) for place in _PLACES)
        found = next((str(path) for paths in roots for path in paths), None)
    if found is None:
        what = f"'{given}' is no program" if given else "Nsight Compute (ncu) is not installed"
        raise ProfilerError(
            f"{what}: it comes with the CUDA toolkit; name it with --ncu PATH, or profile where it"
            " is, with the command that --dry-run prints, and --validate or import its output here"
        )
    return found


def command_line(
    ncu: str,
    program: Sequence[str],
    options: Options,
    log: str,
    *,
    left_out: frozenset[str] = frozenset(),
) -> list[str]:
    """What is run: caches are flushed and clocks locked to base before each launch.

    ``log`` is the file that the table goes to; ``left_out`` are metrics that the GPU lacks.
    Raises ProfilerError for a filter that cannot be expressed.
    """
    metrics = ",".join(metric for metric in METRICS if metric not in left_out)
    command = [
        ncu, "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "demangled",
        "--cache-control", "all", "--clock-control", "base", "--replay-mode", "kernel",
        "--target-processes", "all", "--metrics", metrics,
    ]  # fmt: skip
    command += _selection(options)
    if options.report is not None:
        command += ["--section", "SourceCounters", "--export", str(options.report)]
        command += ["--force-overwrite"]
    return [*command, "--log-file", log, *program]


def import_command(ncu: str, report: Path, log: str) -> list[str]:
    """The command that converts a report into a table."""
    return [
        ncu, "--import", str(report), "--csv", "--page", "raw", "--print-units", "base",
        "--print-kernel-base", "demangled", "--log-file", log,
    ]  # fmt: skip


def _selection(options: Options) -> list[str]:
    """``--kernel-id context:stream:name:invocation``, whose parts may be regular expressions."""
    if options.kernel is not None and ":" in options.kernel:
        raise ProfilerError(
            f"--kernel '{options.kernel}': Nsight Compute's filter cannot hold a colon; give the"
            " kernel's name without its namespaces"
        )
    name = f"regex:{options.kernel}" if options.kernel is not None else ""
    if options.launches is None:
        return ["--kernel-name", name] if name else []
    numbers = "|".join(map(str, range(1, options.launches + 1)))
    return ["--kernel-id", f"::{name}:{numbers}"]

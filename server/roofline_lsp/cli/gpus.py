"""``roofline-lsp gpus``: the GPUs that kernels can be judged for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.output import write
from roofline_lsp.hardware_db import ClockKind, Gpu, find_gpu, gpu_names
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.reports.table import aligned
from roofline_lsp.reports.units import UNKNOWN, significant
from roofline_lsp.settings import CLOCKS

COLUMNS = (
    "name", "SMs", "clock", "MHz", "GB/s", "SP", "DP", "INT", "ridge SP", "ridge DP", "ridge INT",
)  # fmt: skip
"""Peaks are in 10^9 operations per second, ridges in operations per byte.

The clock is not the one asked for where that one is not published.
"""

_SHOWN = (Precision.SP, Precision.DP, Precision.INT)


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp gpus",
        description="List GPUs with their peaks in 10^9 operations per second, a multiply-add"
        " counting as two, and their ridges in operations per DRAM byte.",
        allow_abbrev=False,
    )
    made.add_argument(
        "pattern",
        nargs="?",
        default="",
        metavar="PATTERN",
        help="only GPUs with this in their name, or the one that it is another name of",
    )
    made.add_argument("--clock", choices=CLOCKS, default="boost", help="default: boost")
    return made


def run(argv: Sequence[str]) -> int:
    """Print the table, and return the exit code. Raises UnknownGpuError."""
    options = parser().parse_args(argv)
    names = matching(options.pattern)
    clock = ClockKind(options.clock)
    rows = [COLUMNS, *(_row(find_gpu(name), clock) for name in names)]
    write("\n".join(aligned(rows, right=range(1, len(COLUMNS)))) + "\n")
    return OK


def matching(pattern: str) -> tuple[str, ...]:
    """The names that contain the pattern, or else the GPU that it is another name of.

    Raises UnknownGpuError, which names the nearest GPUs.
    """
    folded = pattern.casefold()
    names = tuple(name for name in gpu_names() if folded in name.casefold())
    return names or (find_gpu(pattern).name,)


def _row(gpu: Gpu, clock: ClockKind) -> tuple[str, ...]:
    roofline = gpu.roofline(clock)
    peaks = [roofline.peaks_gops.get(precision) for precision in _SHOWN]
    return (
        gpu.name,
        str(gpu.sm_count),
        roofline.clock.value,
        f"{roofline.clock_mhz:.0f}",
        significant(roofline.bandwidth_gbs, 4),
        *(UNKNOWN if peak is None else f"{peak:.0f}" for peak in peaks),
        *(significant(roofline.ridge(precision), 4) for precision in _SHOWN),
    )

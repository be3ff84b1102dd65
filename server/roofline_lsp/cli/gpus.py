"""``roofline-lsp gpus``: the GPUs that kernels can be judged for."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path

from roofline_analysis.api.targets import gpu_of
from roofline_core.program.errors import RooflineError
from roofline_core.program.precision import Precision
from roofline_core.settings import CLOCKS, Settings
from roofline_core.text.table import aligned
from roofline_core.text.units import UNKNOWN, significant
from roofline_hardware_db import ClockKind, Gpu, find_gpu, gpu_names
from roofline_hardware_db.detect import AUTO, present_gpus
from roofline_hardware_db.errors import UnknownGpuError
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.options import resolved
from roofline_lsp.cli.output import write
from roofline_lsp.formats.gpu_json import gpus_document

COLUMNS = (
    "name", "arch", "SMs", "clock", "MHz", "GB/s", "DP", "SP", "HP", "INT", "tensor",
    "ridge DP", "ridge SP", "ridge INT",
)  # fmt: skip
"""Peaks are in 10^9 operations per second, ridges in operations per byte.

The clock is not the one asked for where that one is not published.
"""


class NoGpuError(RooflineError):
    """There is no GPU in this machine."""


_PEAKS = (Precision.DP, Precision.SP, Precision.HP, Precision.INT, Precision.TENSOR)
_RIDGES = (Precision.DP, Precision.SP, Precision.INT)


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp gpus",
        description="List GPUs with their peaks in 10^9 operations per second, a multiply-add"
        " counting as two, and their ridges in operations per DRAM byte. The GPU that is meant"
        " stands first, and is shown with the source of each figure; the others are listed.",
        allow_abbrev=False,
    )
    add = made.add_argument
    add(
        "pattern",
        nargs="?",
        default="",
        metavar="PATTERN",
        help="only GPUs with this in their name, or the one that it is another name of:"
        " an alias, a PCI id (10de:2206), a slice (H100 1g.10gb), a GPU of the settings,"
        " auto (the GPU of this machine)",
    )
    add("--compare", nargs=2, metavar=("A", "B"), help="two GPUs side by side, and their ratio")
    add(
        "--measure",
        action="store_true",
        help="compile and run benchmarks on the GPU of this machine (PATTERN: its name, if it is"
        ' not found), and keep what it reaches for the setting ceilings = "measured"',
    )
    add("--sources", action="store_true", help="the source of each figure, for every GPU listed")
    add("--clock", choices=CLOCKS, default="boost", help="default: boost")
    add("--format", choices=("text", "json"), default="text", help="default: text")
    add("--config", type=Path, metavar="FILE", help="a settings file, instead of searching for one")
    return made


def run(argv: Sequence[str]) -> int:
    """Print the table, and return the exit code.

    Raises UnknownGpuError, SettingsError, NoGpuError and MeasurementError.
    """
    options = parser().parse_args(argv)
    clock = ClockKind(options.clock)
    settings = resolved(Path.cwd(), file=options.config)
    if options.measure:
        from roofline_lsp.cli.gpu_measuring import measured_lines  # noqa: PLC0415

        gpu = gpu_of(settings, options.pattern) if options.pattern else _present()[0]
        write("\n".join(measured_lines(gpu)) + "\n")
        return OK
    best = None
    if options.compare is not None:
        gpus = [gpu_of(settings, name) for name in options.compare]
    else:
        gpus = matching(options.pattern, settings)
        best = _best(options.pattern, gpus, settings)
        if options.pattern:
            gpus.sort(key=lambda gpu: _rank(gpu, options.pattern, best))
    measured = settings.ceilings == "measured"
    if options.format == "json":
        write(json.dumps(gpus_document(gpus, clock, measured=measured), indent=2) + "\n", data=True)
    elif options.compare is not None:
        from roofline_lsp.cli.gpu_sheet import compared  # noqa: PLC0415

        write("\n".join(compared(gpus[0], gpus[1], clock, measured=measured)) + "\n")
    else:
        told = gpus if options.sources else [best] if best is not None else []
        write("\n".join(_listed(gpus, clock, told, measured=measured)) + "\n")
    return OK


def _best(pattern: str, gpus: Sequence[Gpu], settings: Settings) -> Gpu | None:
    """The one of several GPUs that a pattern names by itself, as ``--gpu`` does; else None."""
    if len(gpus) == 1:
        return gpus[0]
    if not pattern:
        return None
    try:
        named = gpu_of(settings, pattern)
    except UnknownGpuError:
        return None
    return next((gpu for gpu in gpus if gpu.name == named.name), None)


def _rank(gpu: Gpu, pattern: str, best: Gpu | None) -> int:
    """The best match goes first, then GPUs with the pattern as words of their names, then others.

    ``A100 PCIe 40GB`` goes before ``RTX A1000``.
    """
    if gpu is best:
        return 0
    words = rf"(?<!\w){re.escape(pattern)}(?!\w)"
    return 1 if re.search(words, gpu.name, re.IGNORECASE) else 2


def matching(pattern: str, settings: Settings) -> list[Gpu]:
    """The GPUs whose names contain the pattern, or else the one that it is another name of.

    GPUs of the settings are listed with those of the database. Raises UnknownGpuError, which names
    the nearest GPUs.
    """
    own = [gpu.name for gpu in settings.gpus if gpu.like is not None or gpu.file is not None]
    if pattern.casefold() == AUTO:
        return _present()
    folded = pattern.casefold()
    names = [name for name in (*own, *gpu_names()) if folded in name.casefold()]
    if names and not _is_exact(pattern):
        return [gpu_of(settings, name) for name in names]
    return [gpu_of(settings, pattern)]


def _present() -> list[Gpu]:
    """The GPUs of this machine. Raises NoGpuError."""
    found = list(present_gpus())
    if not found:
        raise NoGpuError("this machine has no GPU that the database knows")
    return found


def _is_exact(pattern: str) -> bool:
    """Whether the pattern is the full name of a GPU, even if longer names contain it."""
    try:
        return pattern != "" and find_gpu(pattern).name.casefold() == pattern.casefold()
    except UnknownGpuError:
        return False


def _listed(
    gpus: Sequence[Gpu], clock: ClockKind, told: Sequence[Gpu], *, measured: bool
) -> list[str]:
    """The table, then the sheets of ``told``."""
    rows = [COLUMNS, *(_row(gpu, clock, measured=measured) for gpu in gpus)]
    lines = aligned(rows, right=range(2, len(COLUMNS)))
    if told:
        from roofline_lsp.cli.gpu_sheet import sheet  # noqa: PLC0415

        for gpu in told:
            lines += ["", *sheet(gpu, clock, measured=measured)]
    return lines


def _row(gpu: Gpu, clock: ClockKind, *, measured: bool) -> tuple[str, ...]:
    roofline = gpu.roofline(clock, measured=measured)
    peaks = [roofline.peaks_gops.get(precision) for precision in _PEAKS]
    return (
        gpu.name,
        gpu.architecture.name,
        str(gpu.sm_count),
        roofline.clock.value,
        f"{roofline.clock_mhz:.0f}",
        significant(roofline.bandwidth_gbs, 4),
        *(UNKNOWN if peak is None else f"{peak:.0f}" for peak in peaks),
        *(significant(roofline.ridge(precision), 4) for precision in _RIDGES),
    )

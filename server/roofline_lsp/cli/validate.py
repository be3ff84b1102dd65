"""``roofline-lsp --validate``: measurements held against predictions."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roofline_core.settings import Settings, merge
from roofline_lsp.cli.exit_codes import FINDINGS, OK
from roofline_lsp.cli.options import (
    DATA_SET,
    add_analysis_options,
    add_process_options,
    analysis_layer,
    resolved,
)
from roofline_lsp.cli.output import write
from roofline_lsp.cli.progress import ProgressBar

if TYPE_CHECKING:
    from roofline_profiling.measurement import Measurement
    from roofline_profiling.validate import Validation

FORMATS = ("text", "json", "csv")

_Bodies = tuple[str | None, ...] | None


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp --validate",
        description="Hold measured kernels against what is predicted of them: class, operations,"
        " bytes, intensity and time, and which of them is off. Reports are .ncu-rep files, what"
        " `ncu --csv` prints, CSV files of rocprofv3 and rocprof-compute, and data sets. Without"
        " one, what was profiled or imported earlier is taken.",
        allow_abbrev=False,
    )
    add = made.add_argument
    add("--validate", action="store_true", help=argparse.SUPPRESS)
    add("reports", nargs="*", type=Path, metavar="REPORT", help="a profiler's report")
    add(
        "--sources",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the project; for a data set, what holds a folder of sources for each program;"
        " default: the current folder",
    )
    add_analysis_options(made)
    add("--args", metavar="ARGV", help="the command line that was profiled, quoted")
    add("--config", type=Path, metavar="FILE", help="a settings file, instead of searching for one")
    for name in ("--background-gbs", "--background-period-ms"):
        add(name, type=float, metavar="X", help="as in `roofline-lsp evaluate`")
    _add_output_options(made)
    return made


def _add_output_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add("--format", choices=FORMATS, default="text", help="default: text")
    add("--output", type=Path, metavar="FILE", help="write the result here")
    add("--plot", type=Path, metavar="FILE", help="also draw the roofline: .svg, .png or .pdf")
    add("--all", action="store_true", help="list every launch in the text")
    add(
        "--min-accuracy",
        type=_share,
        metavar="SHARE",
        help="exit with 1 if fewer classes are right: 0.8, or 80%%",
    )
    add_process_options(made)


def run(argv: Sequence[str]) -> int:
    """Validate, write the result, and return the exit code.

    Raises ReportError, StoreError, ValidationError, SettingsError and UnknownGpuError.
    """
    options = parser().parse_args(argv)
    from roofline_lsp.cli.validate_plot import write_plot  # noqa: PLC0415
    from roofline_lsp.formats.roofline_plot import check_plot  # noqa: PLC0415

    if options.plot is not None:
        check_plot(options.plot)
    validation = _validated(options)
    if options.plot is not None:
        write_plot(validation, options.plot)
    write(_text(validation, options), options.output, data=options.format == "json")
    wanted, accuracy = options.min_accuracy, validation.accuracy
    if wanted is None or (accuracy is not None and accuracy >= wanted):
        return OK
    shown = "no class was measured" if accuracy is None else f"accuracy {accuracy:.3f}"
    print(f"roofline-lsp: {shown}, less than --min-accuracy {wanted:g}", file=sys.stderr)
    return FINDINGS


def _validated(options: argparse.Namespace) -> Validation:
    from roofline_analysis.api import gpu_used  # noqa: PLC0415 - the analyser brings the parsers along
    from roofline_profiling.validate import ValidationTask, validate  # noqa: PLC0415

    measurements, bodies, problems = _measurements(options)
    settings = _settings(options, measurements)
    task = ValidationTask(
        options.sources,
        settings,
        gpu_used(settings),
        jobs=options.jobs or os.cpu_count() or 1,
        limit_s=options.time_limit,
        bodies=bodies,
    )
    with ProgressBar(sys.stderr, enabled=not options.no_progress) as bar:
        return validate(measurements, task, problems=problems, progress=bar.show)


def _measurements(
    options: argparse.Namespace,
) -> tuple[tuple[Measurement, ...], _Bodies, tuple[str, ...]]:
    """What to validate, and what could not be read of it."""
    from roofline_analysis.api import project_root  # noqa: PLC0415
    from roofline_profiling.importing import read_reports  # noqa: PLC0415
    from roofline_profiling.store import load  # noqa: PLC0415
    from roofline_profiling.store_path import store_path  # noqa: PLC0415

    if options.reports:
        found = read_reports(options.reports)
        return found.measurements, None, found.problems
    path = store_path(project_root(options.sources))
    stored = load(path)
    problems = [f"{path}: {stored.unreadable} lines are no record"] if stored.unreadable else []
    launches = tuple(replace(each.measurement, program=None) for each in stored.records)
    return launches, tuple(each.body for each in stored.records), tuple(problems)


def _settings(options: argparse.Namespace, measurements: Sequence[Measurement]) -> Settings:
    """A data set stands for itself; otherwise the project's settings hold.

    The GPU is the one that was measured on, where the reports agree on one and none is asked for.
    """
    from roofline_profiling.import_store import gpu_name  # noqa: PLC0415

    layer = analysis_layer(options)
    if measurements and all(each.program is not None for each in measurements):
        settings = merge(DATA_SET, layer)
    else:
        settings = resolved(options.sources, layer, file=options.config)
    gpus = {gpu_name(each.gpu) for each in measurements if each.gpu is not None}
    if options.gpu is None and len(gpus) == 1:
        settings = replace(settings, gpu=gpus.pop())
    # Counters show what crosses DRAM while a kernel runs: the study's bytes.
    settings = replace(settings, rule="study")
    # What profilers lock a GPU to, and so what measured classes are judged by.
    return settings if options.clock is not None else replace(settings, clock="base")


def _text(validation: Validation, options: argparse.Namespace) -> str:
    from roofline_profiling import data_report, text_report  # noqa: PLC0415

    if options.format == "json":
        return data_report.as_json(validation)
    if options.format == "csv":
        return data_report.as_csv(validation)
    return text_report.as_text(validation, show_all=options.all)


def _share(text: str) -> float:
    """An argparse type: ``0.8`` or ``80%``."""
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share such as 0.8 or 80%")
    return number

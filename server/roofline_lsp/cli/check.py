"""``roofline-lsp --check``: a report about files, for people, other programs and CI."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from roofline_analysis.api import gpu_used, project_root
from roofline_analysis.report.report import FileReport, GpuUsed, Report, Verdict
from roofline_core.program.stages import Stage, measured, stage
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import Layer
from roofline_lsp.cli.batch import analyse, prepared
from roofline_lsp.cli.exit_codes import FAILED, FINDINGS, OK
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.options import analysis_layer, turned_on
from roofline_lsp.cli.output import write
from roofline_lsp.cli.progress import ProgressBar
from roofline_lsp.cli.statistics import statistics
from roofline_lsp.formats.registry import JSON_FORMATS, renderer
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.formats.text import problem_line
from roofline_lsp.formats.units import counted
from roofline_lsp.ratchet.issues import issues_of
from roofline_lsp.ratchet.result import CheckResult
from roofline_lsp.ratchet.source_lines import SourceLines
from roofline_profiling.errors import StoreError
from roofline_profiling.store_path import store_path


def run(options: argparse.Namespace) -> int:
    """Analyse what ``--check`` names, write the report, and return the exit code.

    Raises SettingsError, UnknownGpuError and OutputError.
    """
    if not options.statistics:
        return _run(options)
    with measured() as clock:
        code = _run(options)
    sys.stderr.write(statistics(clock))
    return code


def _run(options: argparse.Namespace) -> int:
    asked = options.llm or ("unsure" if options.llm_preview else None)
    work = prepared(options.check, _layers(options, asked), options.config)
    settings, found = work.settings, work.found
    gpu = gpu_used(settings)
    with ProgressBar(sys.stderr, enabled=not options.no_progress) as bar:
        analysed = analyse(found, settings, bar.show, work.root) if found.files else []
    analysed = _with_measurements(analysed, gpu, settings.args, found.problems)
    if asked is not None:
        from roofline_lsp.cli import llm  # noqa: PLC0415 - for those who ask alone

        if options.llm_preview:
            print(f"{settings.advisor.model}: {llm.previewed(analysed, settings, asked).text()}")
            return OK
        progress = not options.no_progress
        analysed = llm.with_opinions(analysed, settings, asked, progress=progress)
    report = Report(gpu, with_problems(analysed, found.problems))
    result = CheckResult(report, issues_of(report.files, SourceLines(read_regular)))
    if not any(file.kernels for file in report.files):
        _print_problems(report, tuple(Severity))
        files = counted(len(found.files), "file")
        print(f"roofline-lsp: nothing to check: no kernel in {files} read", file=sys.stderr)
        return FAILED
    _deliver(result, options)
    return exit_code(report, options.fail_on)


def _layers(options: argparse.Namespace, asked: str | None) -> tuple[Layer, ...]:
    """What the command line says; asking the model turns the advisor on for this run."""
    own = analysis_layer(options)
    return (own,) if asked is None else (own, turned_on())


def _with_measurements(
    files: list[FileReport],
    gpu: GpuUsed,
    args: tuple[str, ...] | None,
    problems: list[Problem],
) -> list[FileReport]:
    """The reports with measurements of their kernels, where the project has a store of them."""
    if not any(store_path(project_root(file.path.absolute().parent)).exists() for file in files):
        return files
    from roofline_profiling.overlay import MeasurementIndex  # noqa: PLC0415 - seldom needed

    index = MeasurementIndex()
    try:
        return [index.beside(file, gpu, args) for file in files]
    except StoreError as error:
        path, _, message = str(error).partition(": ")
        problems.append(Problem(Severity.WARNING, message, Path(path)))
        return files


def exit_code(report: Report, fail_on: str | None) -> int:
    """1 if anything was not read, or if a kernel is of the class to fail on; else 0."""
    problems = (problem for file in report.files for problem in file.problems)
    if any(problem.severity is Severity.ERROR for problem in problems):
        return FINDINGS
    unwanted = Verdict(fail_on.upper()) if fail_on else None
    verdicts = [kernel.verdict for file in report.files for kernel in file.kernels]
    return FINDINGS if unwanted is not None and unwanted in verdicts else OK


def with_problems(
    files: Iterable[FileReport], problems: Iterable[Problem]
) -> tuple[FileReport, ...]:
    """Reports with each problem put to its file's; a path without a report gets an empty one."""
    reports = {file.path: file for file in files}
    for problem in problems:
        path = problem.path or Path()
        known = reports.get(path, FileReport(path, ()))
        reports[path] = replace(known, problems=(*known.problems, problem))
    return tuple(reports.values())


def _deliver(result: CheckResult, options: argparse.Namespace) -> None:
    to_terminal = options.output is None and not options.quiet
    style = ColourStyle.of_stream(sys.stdout) if to_terminal else ColourStyle()
    if to_terminal or options.output is not None:
        text = stage(Stage.REPORT)(renderer(options.format))(result, style)
        write(text, options.output, data=options.format in JSON_FORMATS)
    if not to_terminal or options.format != "text":
        _print_problems(result.report, (Severity.ERROR,))


def _print_problems(report: Report, severities: Sequence[Severity]) -> None:
    """On standard error, where standard output does not tell people."""
    style = ColourStyle.of_stream(sys.stderr)
    for file in report.files:
        for problem in file.problems:
            if problem.severity in severities:
                print(problem_line(file.path, problem, style), file=sys.stderr)

"""``roofline-lsp --check``: a report about files, for people, other programs and CI."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Final

from roofline_analysis.api import gpu_used
from roofline_analysis.report.report import FileReport, Report
from roofline_core.program.stages import Stage, measured, stage
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import PYTHON_SUFFIXES, SOURCE_SUFFIXES, Layer
from roofline_core.text.units import counted
from roofline_lsp.cli.batch import Prepared, analyse, prepared, projects_around
from roofline_lsp.cli.contracts import with_gpus
from roofline_lsp.cli.elsewhere import told_of_elsewhere
from roofline_lsp.cli.exit_codes import FAILED, FINDINGS, OK
from roofline_lsp.cli.fail_on import FailOn, blamed
from roofline_lsp.cli.files import Collected, read_regular
from roofline_lsp.cli.held import compared, has_baseline
from roofline_lsp.cli.judging import judged
from roofline_lsp.cli.measured import Measurements
from roofline_lsp.cli.options import analysis_layer, batch_options, turned_on
from roofline_lsp.cli.output import write
from roofline_lsp.cli.progress import ProgressBar
from roofline_lsp.cli.standard_input import input_report, named_input, read_input
from roofline_lsp.cli.statistics import by_rule, statistics
from roofline_lsp.formats.full import problem_line
from roofline_lsp.formats.registry import JSON_FORMATS, WITH_SIZES, renderer
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.issues import PROBLEM, IssueSeverity
from roofline_lsp.ratchet.result import CheckResult

_SOURCES: Final = SOURCE_SUFFIXES | PYTHON_SUFFIXES
_MOST_CULPRITS: Final = 20
"""The most reasons to fail that are named on standard error."""


def run(options: argparse.Namespace) -> int:
    """Analyse what ``--check`` names, write the report, and return the exit code.

    Raises RooflineError for what nothing can be done with.
    """
    if options.watch:
        from roofline_lsp.cli.watching import watch  # noqa: PLC0415 - for those who ask alone

        return watch(options.check, lambda: _once(options))
    return _once(options)


def _once(options: argparse.Namespace) -> int:
    if not options.statistics:
        return _run(options)
    with measured() as clock:
        code = _run(options)
    sys.stderr.write(statistics(clock))
    return code


def _run(options: argparse.Namespace) -> int:
    asked = options.llm or ("unsure" if options.llm_preview else None)
    fail_on = FailOn.of(options.fail_on, baseline=has_baseline(options))
    if options.plot is not None:
        _roofline_plot().check_plot(options.plot)
    name = named_input(options.check, options.stdin_filename)
    work = _work(options, asked, name)
    settings, found = work.settings, work.found
    if options.changed_since is not None:
        found = _only_changed(work, options.changed_since)
    gpu = gpu_used(settings)
    text = read_input() if name is not None else None

    def reader(path: Path) -> bytes | None:
        """The text from standard input for the file that it stands for; else the file's bytes."""
        return text if path == name else read_regular(path)

    settings, gpus = with_gpus(settings, found.files if name is None else [name], reader)
    shown = {options.format, *(each for each, _ in options.also)}
    settings = replace(settings, size_ranges=not shown.isdisjoint(WITH_SIZES))
    analysed: list[FileReport] = []
    with ProgressBar(sys.stderr, enabled=not options.no_progress) as bar:
        if name is not None and text is not None:
            analysed = [input_report(text, name, settings, work.root)]
        elif found.files:
            analysed = analyse(found, settings, bar.show, work.root, batch_options(options))
    analysed = Measurements(gpu, settings).beside(analysed, found.problems)
    if asked is not None:
        from roofline_lsp.cli import llm  # noqa: PLC0415 - for those who ask alone

        if options.llm_preview:
            print(f"{settings.advisor.model}: {llm.previewed(analysed, settings, asked).text()}")
            return OK
        progress = not options.no_progress
        analysed = llm.with_opinions(analysed, settings, asked, progress=progress)
    files = with_problems(analysed, found.problems)
    report = Report(gpu, files, settings.settings_profile)
    if not any(file.kernels for file in report.files):
        return _nothing(report, replace(work, found=found), options)
    result = judged(report, settings, gpus, reader)
    if options.fix or options.diff:
        return _with_fixes(report, options, name)
    result = blamed(compared(result, options, work), fail_on)
    _deliver(result, options)
    if options.plot is not None:
        _roofline_plot().write_report_plot(report, options.plot)
    return OK if options.exit_zero else exit_code(result)


def _roofline_plot() -> ModuleType:
    from roofline_lsp.formats import roofline_plot  # noqa: PLC0415 - for those who ask alone

    return roofline_plot


def _with_fixes(report: Report, options: argparse.Namespace, name: Path | None) -> int:
    """Show what fixes change, or make them and check again; returns the exit code."""
    from roofline_lsp.cli import fixing  # noqa: PLC0415 - for those who ask alone

    if name is not None:
        raise fixing.FixError("--fix and --diff are for files; standard input is none")
    found = fixing.fixed(report.files, inexact=options.inexact_fixes)
    if options.diff:
        write(fixing.difference(found), options.output)
    else:
        fixing.write_fixes(found)
    for line in fixing.told(found, applied_now=not options.diff):
        print(f"roofline-lsp: {line}", file=sys.stderr)
    if options.diff:
        return FINDINGS if found.texts and not options.exit_zero else OK
    return _run(argparse.Namespace(**{**vars(options), "fix": False}))


def _work(options: argparse.Namespace, asked: str | None, name: Path | None) -> Prepared:
    layers = _layers(options, asked)
    if name is not None:  # its folder is only where settings and linked files are looked for
        return with_selection(prepared([], layers, options.config, start=name.parent), options)
    return collected_work(options, options.check, layers)


def collected_work(
    options: argparse.Namespace, paths: Sequence[str], layers: Sequence[Layer]
) -> Prepared:
    """The files that paths stand for, and their settings. Raises SettingsError."""
    ignore_files = not options.no_ignore_files
    work = prepared(paths, layers, options.config, ignore_files=ignore_files)
    return with_selection(work, options)


def with_selection(work: Prepared, options: argparse.Namespace) -> Prepared:
    """With the rules of ``--extend-select`` besides those of the settings."""
    more = [word for each in options.extend_select or () for word in each.split(",") if word]
    if not more or not work.settings.select:  # without `select` all rules are on
        return work
    selected = (*work.settings.select, *more)
    return replace(work, settings=replace(work.settings, select=selected))


def _layers(options: argparse.Namespace, asked: str | None) -> tuple[Layer, ...]:
    """What the command line says; asking the model turns the advisor on for this run."""
    own = analysis_layer(options)
    return (own,) if asked is None else (own, turned_on())


def _only_changed(work: Prepared, name: str) -> Collected:
    """What was found without files that are as they were at a revision. Raises GitError."""
    from roofline_lsp.cli.changed import changed_files  # noqa: PLC0415 - for those who ask alone
    from roofline_lsp.cli.git import revision  # noqa: PLC0415 - as above

    since = revision(work.root, name)
    projects = projects_around(work.found, work.settings, work.root)
    files = changed_files(work.found.files, projects, since)
    return replace(work.found, files=files)


def _nothing(report: Report, work: Prepared, options: argparse.Namespace) -> int:
    """Say that there is no kernel, which is as it should be where only changes are checked."""
    _print_problems(_of_sources(report, work.found.files), tuple(Severity))
    if options.changed_since is not None:
        print(f"roofline-lsp: no kernel changed since {options.changed_since}", file=sys.stderr)
        if options.output is not None or options.also or options.format not in _WITH_PROBLEMS:
            _deliver(CheckResult(report), options)  # whoever reads it finds a report
        return OK
    found = work.found
    files = counted(len(found.files), "file")
    there = told_of_elsewhere(report.files)
    strange = [each for each in found.files if each.suffix.lower() not in _SOURCES]
    hint = f"; '{strange[0]}' is no source by its name" if strange else ""
    hint = f"; {there}" if there else hint
    print(f"roofline-lsp: nothing to check: no kernel in {files} read{hint}", file=sys.stderr)
    return FAILED


def _of_sources(report: Report, read: Sequence[Path]) -> Report:
    """A report without what a parser says of lines of a README or the like that was named."""
    strange = {each for each in read if each.suffix.lower() not in _SOURCES}
    files = tuple(
        replace(file, problems=tuple(each for each in file.problems if each.line is None))
        if file.path in strange
        else file
        for file in report.files
    )
    return replace(report, files=files)


def exit_code(result: CheckResult) -> int:
    """1 if anything was not read, or something fails the check; else 0.

    Where the result is held to a baseline, what was not read then, either, is no reason.
    """
    return FINDINGS if has_unread(result) or result.culprits else OK


def has_unread(result: CheckResult) -> bool:
    """Whether anything was not read that a baseline, if there is one, does not know of."""
    return any(
        issue.code == PROBLEM and issue.severity is IssueSeverity.ERROR and issue.is_new
        for issue in result.issues
    )


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
    for name, path in options.also:
        write(renderer(name)(result, ColourStyle()), path, data=name in JSON_FORMATS)
    if not to_terminal or options.format not in _WITH_PROBLEMS:
        _print_problems(result.report, (Severity.ERROR,))
    _print_culprits(result)
    if options.statistics:
        sys.stderr.write(by_rule(result))


_WITH_PROBLEMS: Final = frozenset({"text", "full", "concise"})
"""The formats in which people see what could not be read."""


def _print_problems(report: Report, severities: Sequence[Severity]) -> None:
    """On standard error, where standard output does not tell people."""
    style = ColourStyle.of_stream(sys.stderr)
    for file in report.files:
        for problem in file.problems:
            if problem.severity in severities:
                print(problem_line(file.path, problem, style), file=sys.stderr)


def _print_culprits(result: CheckResult) -> None:
    tell_reasons([(culprit.where, culprit.message) for culprit in result.culprits])


def tell_reasons(reasons: Sequence[tuple[str, str]]) -> None:
    """Why the check fails, on standard error, whatever else is printed: places and messages."""
    for where, message in reasons[:_MOST_CULPRITS]:
        print(f"roofline-lsp: fails: {where}: {message}", file=sys.stderr)
    more = len(reasons) - _MOST_CULPRITS
    if more > 0:
        print(f"roofline-lsp: fails: and {counted(more, 'more reason')}", file=sys.stderr)

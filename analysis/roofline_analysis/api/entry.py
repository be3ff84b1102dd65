"""The entry that every front end calls: files in, reports out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from roofline_analysis.api.cache import AnalysisCache
from roofline_analysis.api.elsewhere import kernels_elsewhere
from roofline_analysis.api.findings import FindingsMaker
from roofline_analysis.api.kernel_launches import (
    distinct_launches,
    launch_contexts,
    launch_report,
)
from roofline_analysis.api.kernel_results import KernelAnalysis
from roofline_analysis.api.launch_errors import launch_errors
from roofline_analysis.api.library_calls import library_call_reports
from roofline_analysis.api.program import ProgramAnalysis, ProgramPlace
from roofline_analysis.api.what_if import class_by_size, launch_what_if
from roofline_analysis.api.wishes import Wishes, grant
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.names.signature import signature
from roofline_analysis.project.files import Reader, read_file
from roofline_analysis.project.programs import beside, files_of_program, worth_reading
from roofline_analysis.project.project import ProjectIndex
from roofline_analysis.project.run_commands import offered_command
from roofline_analysis.report.notes import (
    command_line_offered,
    left_out,
    not_judged,
    not_rewalked,
    sizes_left_out,
    stopped,
    summed_up,
    too_many,
    waits_for_arguments,
    walked_too_much,
)
from roofline_analysis.report.report import (
    FileReport,
    Finding,
    KernelReport,
    SizeRange,
    WhatIf,
)
from roofline_analysis.rules.subject import MOST_REWALKED
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.program.crash import guarded
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, count, stage
from roofline_core.program.units import Function, Problem
from roofline_core.settings import Settings, args_of

MOST_SIZED = 100
"""Kernels of one file for which it is looked for the sizes at which their classes change."""
MOST_SIZED_ACCESSES = 1_000
"""Accesses to memory in the kernels of one file, after which no further one is judged for other
sizes: each is counted for each size. A limit on the work.
"""
_MOST_STATEMENTS = 3_000
"""The most statements walked for the instances of one kernel before the last. A limit on the work.
"""
_MAX_KERNELS = 500
"""The most kernels of one file that are judged. A limit on the work."""
_MOST_WALKED = 16_000
"""Statements walked in the kernels of one file, after which no further one is judged. A limit on
the work."""


def analyze(
    text: bytes,
    path: Path,
    settings: Settings,
    *,
    reader: Reader = read_file,
    cache: AnalysisCache | None = None,
    project: ProjectIndex | None = None,
    findings: bool = True,
) -> FileReport:
    """Analyse one file, saved or not, with the files that are linked with it.

    ``project`` finds the linked files, with ``text`` as the file's contents; without ``project``
    the file's own folder is searched. A file without any sign of a kernel is not parsed. Bad code
    gives a partial report with problems, never an exception. Without ``findings`` no rule is
    applied, which is faster. Raises ``UnknownGpuError`` for a GPU that the database does not have.
    """
    analysis = program_of(text, path, settings, reader=reader, cache=cache, project=project)
    if analysis is None:
        return FileReport(path, ())
    return file_report(analysis, path, findings=findings)


def program_of(
    text: bytes,
    path: Path,
    settings: Settings,
    *,
    reader: Reader = read_file,
    cache: AnalysisCache | None = None,
    project: ProjectIndex | None = None,
) -> ProgramAnalysis | None:
    """The program of a file, of which ``file_report`` tells more; parameters as of ``analyze``.

    None for a file without any sign of a kernel. Raises ``UnknownGpuError``.
    """

    def overlaid(wanted: Path) -> bytes | None:
        """The text given for ``path``; other files by the reader."""
        return text if wanted == path else reader(wanted)

    if not worth_reading(path, text):
        return None
    if project is None:
        project = beside(path, overlaid)
    project.put(path, text)
    units = files_of_program(path, project)
    folders = project.include_dirs(units)
    return ProgramAnalysis.load(
        units,
        settings,
        argv=args_of(settings, units),
        reader=overlaid,
        cache=cache,
        place=ProgramPlace(folders, project.root, frozenset((path,))),
    )


def kernels_of_file(analysis: ProgramAnalysis, path: Path) -> list[Function]:
    """The kernels that a file of a program defines, in source order."""
    kernels = [f for f in analysis.functions if f.path == path]
    return sorted(kernels, key=lambda f: (f.span.line, f.span.column))


def kernel_of_report(analysis: ProgramAnalysis, report: KernelReport) -> Function | None:
    """The kernel of a report; None if the program no longer has it."""
    for kernel in analysis.functions:
        same = kernel.path == report.path and kernel.name_span == report.name_span
        if same and kernel.qualified_name == report.qualified_name:
            return kernel
    return None


@stage(Stage.REPORT)
def file_report(
    analysis: ProgramAnalysis,
    path: Path,
    *,
    findings: bool = True,
    wishes: Wishes | None = None,
) -> FileReport:
    """The report of one file of a program; without ``findings`` no rule is applied.

    Kernels that ``wishes`` tells of are known before the others.
    """
    kernels = kernels_of_file(analysis, path)
    count("files checked")
    count("kernels", len(kernels))
    finder = FindingsMaker(analysis)
    faults: list[Problem] = []
    problems: list[Problem] = []
    made = _kernel_reports(analysis, kernels, finder, faults, findings, wishes)
    reports = tuple(made.reports.values())
    if made.left:
        problems.append(walked_too_much(made.left, _MOST_WALKED))
    problems.extend(_problems_of_text(analysis, path))
    problems.extend(p for p in analysis.results.problems() if p.path == path)
    met = [len(distinct_launches(analysis.launches_of(kernel))) for kernel in made.reports]
    problems.extend(not_judged(zip(reports, met, strict=True)))
    problems.extend(too_many(kernels, _MAX_KERNELS))
    problems.extend(analysis.stated.problems(path, analysis.functions, analysis.host.launches))
    problems.extend(_offered(analysis, path, reports) if findings else ())
    limits = MOST_SIZED, MOST_SIZED_ACCESSES
    unsized = made.unsized if findings and analysis.settings.size_ranges else ()
    problems.extend(sizes_left_out(unsized, len(kernels), *limits))
    long = [kernel for kernel in made.reports if analysis.results.longest(kernel) > MOST_REWALKED]
    problems.extend(not_rewalked(long, MOST_REWALKED) if findings else ())
    for kernel in made.reports:
        wrong = launch_errors(kernel.name, launch_contexts(analysis, kernel))
        problems.extend(each for each in wrong if each.path == path)
    problems.extend(stopped(analysis.host.stops, path, reports))
    problems.extend(p for p in analysis.build_problems if p.path == path)
    calls = guarded(
        lambda: library_call_reports(analysis, path),
        faults,
        "in its calls of libraries, which are left out",
        path,
        None,
    )
    in_host: tuple[Finding, ...] = ()
    if findings:
        placed = guarded(
            lambda: finder.in_file(path, reports),
            faults,
            "in the rules for its host code, whose findings are left out",
            path,
            None,
        )
        reports, in_host = placed or (reports, ())
    problems.extend(faults)
    problems.extend(
        each if each.path == path else replace(each, path=path, line=None)
        for each in analysis.host.faults
    )
    return FileReport(
        path,
        reports,
        summed_up(problems, notes=analysis.settings.notes),
        calls or (),
        in_host,
        looked_for_findings=findings,
        excluded=left_out(problems),
        elsewhere=() if kernels else kernels_elsewhere(analysis, path),
    )


@record(frozen=True, slots=True)
class _KernelReports:
    """What was made of the kernels of one file."""

    reports: dict[Function, KernelReport]
    unsized: list[KernelReport]
    """Those made without looking for the sizes at which the class changes."""
    left: Sequence[Function]
    """The kernels that are not judged, as those before them took too long to walk."""


def _kernel_reports(
    analysis: ProgramAnalysis,
    kernels: Sequence[Function],
    finder: FindingsMaker,
    faults: list[Problem],
    findings: bool,
    wishes: Wishes | None,
) -> _KernelReports:
    """Judge the kernels of one file, one after another, up to the limits on the work."""
    made: dict[Function, KernelReport] = {}
    unsized: list[KernelReport] = []
    walked = accesses = 0
    for number, kernel in enumerate(kernels[:_MAX_KERNELS]):
        if walked > _MOST_WALKED:
            return _KernelReports(made, unsized, kernels[number:])
        if wishes is not None:  # What goes wrong is told in the kernel's own turn.
            grant(
                wishes,
                kernels[:_MAX_KERNELS],
                analysis.launches_of,
                lambda wished: _guarded_report(analysis, wished, finder, [], findings=False),
            )
        sized = len(kernels) <= MOST_SIZED and accesses <= MOST_SIZED_ACCESSES
        analysis.results.look_for_sizes(kernel, wanted=sized)
        report = _guarded_report(analysis, kernel, finder, faults, findings)
        walked += analysis.results.statements(kernel)
        accesses += analysis.results.accesses(kernel)
        if report is not None:
            made[kernel] = report
            if not sized:
                unsized.append(report)
    return _KernelReports(made, unsized, ())


def _problems_of_text(analysis: ProgramAnalysis, path: Path) -> Iterator[Problem]:
    """What could not be read of a file.

    Each body of a program with kernels is read for it, whether or not the analysis came to it: the
    same text has the same problems, whatever an editor's earlier texts made the analysis read.
    """
    for unit in analysis.program.all_units():
        if unit.path == path:
            yield from unit.problems
            methods = (method for struct in unit.structs for method in struct.methods)
            for function in (*unit.functions, *methods) if analysis.functions else ():
                _ = function.body
                yield from function.body_problems


def _offered(
    analysis: ProgramAnalysis, path: Path, reports: Sequence[KernelReport]
) -> list[Problem]:
    """A note with a command line of the program, where its sizes wait for one and there is one.

    It stands in one file of a program: that with ``main``, or else the first with kernels.
    """
    if analysis.command_line_is_known or not analysis.settings.notes:
        return []
    waiting = [each for each in reports if waits_for_arguments(each.prediction)]
    if not waiting:
        return []
    units = analysis.program.all_units()
    mains = [unit.path for unit in units if any(each.name == "main" for each in unit.functions)]
    if len(mains) != 1:
        return []
    with_kernels = sorted({kernel.path for kernel in analysis.functions})
    if path != (mains[0] if mains[0] in with_kernels else with_kernels[0]):
        return []
    found = offered_command(mains[0], analysis.build_reader)
    return [] if found is None else [command_line_offered(found, waiting[0])]


@np.errstate(all="ignore")  # What overflows is infinite, or no number: no warning mends it.
def _guarded_report(
    analysis: ProgramAnalysis,
    kernel: Function,
    finder: FindingsMaker,
    faults: list[Problem],
    findings: bool,
) -> KernelReport | None:
    """A kernel's report; None, with its name in a problem, where an internal error is met."""
    line = kernel.name_span.line
    what = f"in kernel '{kernel.name}', which is left out"
    known = guarded(lambda: _plain_report(analysis, kernel), faults, what, kernel.path, line)
    if known is None or not findings:
        return known
    what = f"in the rules for kernel '{kernel.name}', whose findings are left out"
    full = guarded(lambda: _full_report(analysis, kernel, finder), faults, what, kernel.path, line)
    return full or known


def _full_report(
    analysis: ProgramAnalysis, kernel: Function, finder: FindingsMaker
) -> KernelReport:
    """A kernel's report with all its findings."""
    found = analysis.results.report(kernel)
    if found is None:
        known = _judged(analysis, kernel)
        finder.know(kernel, known.launches)
        found = replace(
            known.report,
            findings=finder.in_kernel(kernel, known.launches),
            size_ranges=_size_ranges(analysis, kernel, known.launches[0]),
        )
        analysis.results.put_report(kernel, found)
    return found


def _size_ranges(
    analysis: ProgramAnalysis, kernel: Function, launch: BoundLaunch
) -> tuple[SizeRange, ...]:
    """The class of a launch for other sizes, if it was judged with assumed ones."""
    if not analysis.results.sized or not analysis.settings.size_ranges:
        return ()
    if not launch.prediction.time_depends_on:
        return ()
    return tuple(class_by_size(analysis, kernel, launch))


def _plain_report(analysis: ProgramAnalysis, kernel: Function) -> KernelReport:
    """A kernel's report; it has findings if they were looked for before."""
    return analysis.results.report(kernel) or _judged(analysis, kernel).report


def _judged(analysis: ProgramAnalysis, kernel: Function) -> KernelAnalysis:
    """A kernel's launches judged, once."""
    found = analysis.results.judged(kernel)
    if found is None:
        found = _judge(analysis, kernel)
        analysis.results.put_judged(kernel, found)
    return found


def _judge(analysis: ProgramAnalysis, kernel: Function) -> KernelAnalysis:
    contexts = launch_contexts(analysis, kernel)
    judged: list[BoundLaunch] = []
    walked: dict[int, int] = {}
    for context in contexts or (None,):
        judged.append(analysis.judge_launch(kernel, context))
        summary = judged[-1].judged.summary
        walked[id(summary)] = summary.statements
        if sum(walked.values()) > _MOST_STATEMENTS:
            break
    launches = tuple(
        launch_report(analysis, kernel, context, launch)
        for context, launch in zip(contexts, judged, strict=False)
    )
    report = KernelReport(
        name=signature(kernel),
        base_name=kernel.name,
        qualified_name=kernel.qualified_name,
        dialect=kernel.dialect,
        path=kernel.path,
        span=kernel.span,
        name_span=kernel.name_span,
        launches=launches,
        prediction=judged[0].prediction,
        what_if=(
            launches[0].what_if
            if launches
            else launch_what_if(analysis, kernel, judged[0], analysis.settings.what_if)
        ),
        body_hash=analysis.body_hash(kernel),
    )
    return KernelAnalysis(report, tuple(judged))


@np.errstate(all="ignore")
def suggestions_for(analysis: ProgramAnalysis, report: KernelReport) -> tuple[Finding, ...] | None:
    """What rules find in a kernel that somebody asks about, computed on demand.

    Of naive versions, tests and the like there is more than the report has. None if the program no
    longer has that kernel.
    """
    kernel = kernel_of_report(analysis, report)
    if kernel is None:
        return None
    launches = _judged(analysis, kernel).launches
    finder = FindingsMaker(analysis)
    finder.know(kernel, launches)
    return finder.asked_of(kernel, launches)


@np.errstate(all="ignore")
def what_if_of(
    analysis: ProgramAnalysis, report: KernelReport, launch: int | None, names: Sequence[str]
) -> WhatIf | None:
    """The class of a launch on other GPUs and at other sizes, computed on demand.

    ``launch`` is the index in ``report.launches``; None for a kernel without launches. Returns
    None if the program no longer has that kernel.
    """
    kernel = kernel_of_report(analysis, report)
    if kernel is None:
        return None
    found = () if launch is None else launch_contexts(analysis, kernel)
    contexts: Sequence[LaunchContext | None] = (None,) if launch is None else found
    if (launch or 0) < len(contexts):
        judged = analysis.judge_launch(kernel, contexts[launch or 0])
        return launch_what_if(analysis, kernel, judged, names)
    return None

"""The kernels of a file explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from roofline_analysis.api.entry import kernel_of_report
from roofline_analysis.api.explain.launch import explained, lines_with_work, on_line
from roofline_analysis.api.explain.launches import outline
from roofline_analysis.api.explain.records import Explanation, KernelExplanation, LaunchExplanation
from roofline_analysis.api.kernel_choice import NoSuchKernelError, chosen_kernels
from roofline_analysis.api.kernel_launches import launch_contexts
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.api.targets import gpu_used
from roofline_analysis.api.what_if import crossover
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.names.signature import signature, title_of
from roofline_analysis.report.report import KernelReport
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, stage
from roofline_core.program.units import Function


@record(frozen=True, slots=True)
class Question:
    """What a person asks about a file."""

    kernel: str | None = None
    """A name or a part of one; None for all kernels."""
    line: int | None = None
    """Accesses and operations of this source line alone; without a name the kernel around it."""
    launch: int | None = None
    """The launch to explain, from 1; None for the one that stands for the kernel in reports."""
    tried: int = 10
    """For how many assumed numbers, and as many estimates, others are tried."""


@stage(Stage.REPORT)
def explain_file(analysis: ProgramAnalysis, path: Path, question: Question) -> Explanation:
    """Explain kernels of a file of a program.

    Raises NoSuchKernelError where there is nothing that is asked about, naming what there is.
    """
    kernels = chosen_kernels(analysis, path, question.kernel, question.line)
    texts = _Texts(analysis)
    found = [_kernel(analysis, kernel, question, texts) for kernel in kernels]
    if question.line is not None:
        found = _confined(found, path, question.line)
    return _explanation(analysis, path, question.line, found)


@np.errstate(all="ignore")
def explain_kernel(
    analysis: ProgramAnalysis, report: KernelReport, question: Question
) -> Explanation | None:
    """Explain the kernel that a report is of; None if the program does not have it any more.

    Of the question launch and ``tried`` hold. Raises NoSuchKernelError for a launch it has not.
    """
    kernel = kernel_of_report(analysis, report)
    if kernel is None:
        return None
    found = _kernel(analysis, kernel, question, _Texts(analysis))
    return _explanation(analysis, kernel.path, None, [found])


def _explanation(
    analysis: ProgramAnalysis, path: Path, line: int | None, kernels: Sequence[KernelExplanation]
) -> Explanation:
    settings = analysis.settings
    read = (problem for unit in analysis.program.all_units() for problem in unit.problems)
    problems = (*(each for each in read if each.path in (None, path)), *analysis.host.problems)
    return Explanation(
        path,
        gpu_used(settings),
        settings.args,
        line,
        tuple(kernels),
        tuple(dict.fromkeys(problems)),
    )


class _Texts:
    """The lines of source files, each read once."""

    def __init__(self, analysis: ProgramAnalysis) -> None:
        self._reader = analysis.reader
        self._known: dict[Path, list[str]] = {}

    def __call__(self, path: Path) -> Sequence[str]:
        if path not in self._known:
            text = self._reader(path) or b""
            self._known[path] = text.decode("utf-8", "replace").splitlines()
        return self._known[path]


def _kernel(
    analysis: ProgramAnalysis, kernel: Function, question: Question, texts: _Texts
) -> KernelExplanation:
    number = question.launch
    contexts: Sequence[LaunchContext] = launch_contexts(analysis, kernel)
    if number is not None and not 0 < number <= len(contexts):
        raise NoSuchKernelError(_no_launch(kernel, number, len(contexts)))
    launches = [analysis.judge_launch(kernel, context) for context in contexts]
    at = (number or 1) - 1
    launch = launches[at] if launches else analysis.judge_launch(kernel, None)
    return KernelExplanation(
        name=signature(kernel),
        title=title_of(kernel.dialect, kernel.qualified_name, kernel.name),
        dialect=kernel.dialect,
        launch_number=at + 1 if launches else None,
        launches=tuple(outline(n, kernel, each) for n, each in enumerate(launches, 1)),
        explained=_explained(analysis, kernel, launch, texts, question.tried),
        problems=launch.judged.summary.problems,
    )


def _explained(
    analysis: ProgramAnalysis, kernel: Function, launch: BoundLaunch, texts: _Texts, tried: int
) -> LaunchExplanation:
    point = crossover(analysis, kernel, launch)
    count = len(analysis.launches_of(kernel))
    return explained(launch, analysis.target, count, texts, crossover=point, tried=tried)


def _no_launch(kernel: Function, number: int, count: int) -> str:
    if not count:
        return f"there is no launch {number} of '{kernel.name}': none was found"
    last = "there is 1 launch" if count == 1 else f"the launches are 1 to {count}"
    return f"there is no launch {number} of '{kernel.name}'; {last}"


def _confined(
    kernels: Sequence[KernelExplanation], path: Path, line: int
) -> list[KernelExplanation]:
    """The kernels with something on a line, confined to it."""
    made = []
    for kernel in kernels:
        there = on_line(kernel.explained, line)
        if there.arrays or there.lines:
            made.append(replace(kernel, explained=there))
    if not made:
        known = sorted({n for kernel in kernels for n in lines_with_work(kernel.explained)})
        lines = ", ".join(map(str, known)) or "none"
        raise NoSuchKernelError(
            f"{path}:{line}: no access and no operation of a kernel is on this line;"
            f" lines with some are {lines}"
        )
    return made

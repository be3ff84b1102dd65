"""Kernels of several files, revisions or names held against the first of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from roofline_analysis.api.compare.differences import finding_changes, line_differences, ratio
from roofline_analysis.api.compare.matching import Side, matched
from roofline_analysis.api.compare.records import (
    Alone,
    ComparedFinding,
    KernelComparison,
    NumberUsed,
    Variant,
    VariantChange,
    VariantComparison,
)
from roofline_analysis.api.entry import file_report
from roofline_analysis.api.explain.records import TimeTerm
from roofline_analysis.api.kernel_launches import launch_contexts
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.api.targets import gpu_used
from roofline_analysis.names.signature import signature, title_of
from roofline_analysis.report.report import FileReport, KernelReport, Prediction
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, stage
from roofline_core.program.units import Function, Problem

_EXACT = 1e-9
"""Relative difference up to which two numbers of launches are the same."""


@stage(Stage.REPORT)
def compare(sides: Sequence[Side]) -> VariantComparison:
    """Compare the kernels of two or more sides, all judged with the settings of the first.

    Raises NoSuchKernelError where it cannot be told which kernels are meant.
    """
    groups, alone = matched(sides)
    reports = _Reports()
    kernels = []
    for group in groups:
        made = [_taken(side, kernel, reports) for side, kernel in zip(sides, group, strict=True)]
        changes = tuple(_change(made[0], other) for other in made[1:])
        title = made[0].variant.title
        kernels.append(KernelComparison(title, tuple(each.variant for each in made), changes))
    settings = sides[0].analysis.settings
    return VariantComparison(
        gpu_used(settings),
        settings.args,
        tuple(kernels),
        tuple(Alone(side.label, signature(each), each.name_span.line) for side, each in alone),
        tuple(dict.fromkeys(reports.problems())),
    )


@record(frozen=True, slots=True)
class _Taken:
    """A variant with what it was made of."""

    variant: Variant
    prediction: Prediction
    text: Callable[[Path, int], str]


class _Reports:
    """The report of each file of each side, made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Path], FileReport] = {}

    def of(self, side: Side) -> FileReport:
        """The report of a side's file."""
        key = (id(side.analysis), side.path)
        if key not in self._known:
            self._known[key] = file_report(side.analysis, side.path)
        return self._known[key]

    def problems(self) -> Iterator[Problem]:
        """The problems of those that were asked for, each with its path."""
        for report in self._known.values():
            yield from (replace(each, path=each.path or report.path) for each in report.problems)


def _taken(side: Side, kernel: Function, reports: _Reports) -> _Taken:
    analysis = side.analysis
    contexts = launch_contexts(analysis, kernel)
    launch = analysis.judge_launch(kernel, contexts[0] if contexts else None)
    report = next(
        (
            each
            for each in reports.of(side).kernels
            if each.name_span == kernel.name_span and each.qualified_name == kernel.qualified_name
        ),
        None,
    )
    variant = _variant(side, kernel, launch, report)
    return _Taken(variant, launch.prediction, _texts(analysis))


def _variant(
    side: Side, kernel: Function, launch: BoundLaunch, report: KernelReport | None
) -> Variant:
    made, context = launch.prediction, launch.context
    limit = made.time_limit
    shown = report.launches[0].arguments if report is not None and report.launches else ()
    return Variant(
        label=side.label,
        path=side.path,
        revision=side.revision,
        line=kernel.name_span.line,
        kernel=signature(kernel),
        title=title_of(kernel.dialect, kernel.qualified_name, kernel.name),
        verdict=made.verdict,
        confidence=made.confidence,
        operations={each: made.operations(each) for each in Precision},
        intensities={each: made.intensity(each) for each in Precision},
        dram_read_bytes=made.dram_read_bytes,
        dram_write_bytes=made.dram_write_bytes,
        time_ns=made.time_ns,
        resource=limit.resource if limit is not None else None,
        time_terms=tuple(TimeTerm(*term) for term in launch.judged.timing.terms_ns.items()),
        occupancy=made.occupancy,
        launch_path=context.path if context is not None else None,
        launch_line=context.line if context is not None else None,
        launches=len(side.analysis.launches_of(kernel)),
        grid=made.grid,
        block=made.block,
        numbers=tuple(
            NumberUsed(each.name, each.used, bool(each.assumed))
            for each in shown
            if each.used is not None
        ),
        depends_on=tuple(dict.fromkeys(made.time_depends_on)),
        findings=tuple(_findings(report)),
    )


def _findings(report: KernelReport | None) -> Iterator[ComparedFinding]:
    for each in report.findings if report is not None else ():
        line = each.span.line
        yield ComparedFinding(each.code, each.rule, each.level, each.message, each.path, line)


def _change(first: _Taken, other: _Taken) -> VariantChange:
    before, after = first.prediction, other.prediction
    gone, new = finding_changes(
        first.variant.findings, other.variant.findings, first.text, other.text
    )
    return VariantChange(
        label=other.variant.label,
        time_ratio=ratio(after.time_ns, before.time_ns),
        bytes_ratio=ratio(after.dram_bytes, before.dram_bytes),
        findings_gone=gone,
        findings_new=new,
        lines=line_differences(before, after, first.text, other.text),
        notes=tuple(_notes(first.variant, other.variant)),
    )


def _notes(first: Variant, other: Variant) -> Iterator[str]:
    """Why amounts and times of two variants may differ for another reason than their code."""
    theirs = {each.name: each.value for each in other.numbers}
    for number in first.numbers:
        value = theirs.get(number.name)
        if value is not None and abs(value - number.value) > _EXACT * abs(number.value):
            yield (
                f"{number.name} is {number.value:.10g} in {first.label} and {value:.10g} in"
                f" {other.label}: amounts and times are of other sizes; where the program takes it"
                " from its command line, --args gives both the same"
            )
    yield from _assumed(first, other)
    for side in (first, other):
        if side.launch_line is None:
            yield f"no launch of {side.title} was found in {side.label}: its dimensions are assumed"


def _assumed(first: Variant, other: Variant) -> Iterator[str]:
    """The sizes that nothing fixes, said once where they are the same on both sides."""
    if first.depends_on and first.depends_on == other.depends_on:
        yield f"amounts and times rest on assumed sizes: {_names(first)}"
        return
    for side in (first, other):
        if side.depends_on:
            yield f"amounts and time of {side.label} rest on assumed sizes: {_names(side)}"


def _names(side: Variant) -> str:
    named = ", ".join(side.depends_on)
    words = any(name.startswith("argv[") or name == "argc" for name in side.depends_on)
    return f"{named}; --args gives the program its command line" if words else named


def _texts(analysis: ProgramAnalysis) -> Callable[[Path, int], str]:
    """The text of a line of the program's files, each file read once."""
    known: dict[Path, list[str]] = {}

    def text(path: Path, line: int) -> str:
        """The line of this 1-based number; empty where there is none or the file cannot be read."""
        if path not in known:
            read = analysis.reader(path) or b""
            known[path] = read.decode("utf-8", "replace").splitlines()
        lines = known[path]
        return lines[line - 1] if 0 < line <= len(lines) else ""

    return text

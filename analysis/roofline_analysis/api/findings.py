"""The rules applied to a program's kernels and to a file's host code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from roofline_analysis.api.kernel_lookup import launches_of
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.report.report import Finding, KernelReport
from roofline_analysis.rules.dead_kernels import NamedKernels
from roofline_analysis.rules.engine import host_findings, kernel_findings
from roofline_analysis.rules.host_program import HostLaunch, HostProgram
from roofline_analysis.rules.program_time import KernelTime, ProgramTime, is_noticed
from roofline_analysis.rules.selection import Selection
from roofline_analysis.rules.source_text import SourceText
from roofline_analysis.rules.subject import Beside, KernelSubject
from roofline_analysis.rules.suppressions import apply, suppressions_in, unused
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.program.units import Function

_MAX_LAUNCHES = 40
"""The most launches of a program that host rules examine."""
_MOST_WALKED = 6_000
"""Statements of the kernels whose launches host rules ask for, in all their instances, after which
these know no further launch. A limit on the work."""
_NUMBERS: Final = re.compile(r"\d[\d.,]*")


class FindingsMaker:
    """Computes the findings of one file's report; caches judged launches."""

    def __init__(self, analysis: ProgramAnalysis) -> None:
        """Raises UnknownRuleError if the settings name a rule that does not exist."""
        self._analysis = analysis
        self._selection = Selection.of(analysis.settings)
        self._rules = self._selection.rules()
        self._named = NamedKernels(analysis.types.symbols)
        self._texts: dict[Path, SourceText | None] = {}
        self._known: dict[tuple[int, int], BoundLaunch] = {}
        self._asked: dict[tuple[int, int], BoundLaunch | None] = {}
        self._walks: dict[int, int] = {}
        """The statements of each walk that host rules rest on."""

    def know(self, kernel: Function, launches: Iterable[BoundLaunch]) -> None:
        """Add launches of a kernel that are already judged to the cache."""
        for launch in launches:
            self._known[id(kernel), id(launch.context)] = launch

    def asked_of(self, kernel: Function, launches: Sequence[BoundLaunch]) -> tuple[Finding, ...]:
        """What somebody who asks about a kernel is told: also what nobody is told unasked.

        Those that settings or comments suppress are left out.
        """
        on = [
            each
            for each in self.in_kernel(kernel, launches, asked=True)
            if self._selection.holds(each.code, each.path)
        ]
        text = self._text(kernel.path)
        return tuple(on if text is None else apply(on, text, suppressions_in(text)))

    def in_kernel(
        self, kernel: Function, launches: Sequence[BoundLaunch], *, asked: bool = False
    ) -> tuple[Finding, ...]:
        """All findings of a kernel, including those that settings or comments suppress.

        ``asked``: also those of which nobody is told unasked.
        """
        if not self._rules:
            return ()
        analysis = self._analysis
        own = {id(context) for context in analysis.launches_of(kernel)}
        others = [each for each in analysis.host.launches if id(each) not in own]
        subject = KernelSubject(
            kernel,
            launches,
            analysis.types,
            analysis.target,
            analysis.nodes,
            self._text,
            Beside(others, self._named),
        )
        subject.asked = asked
        return kernel_findings(subject, self._rules)

    def in_file(
        self, path: Path, kernels: Sequence[KernelReport]
    ) -> tuple[tuple[KernelReport, ...], tuple[Finding, ...]]:
        """The kernels without suppressed findings, and the file's findings outside kernels."""
        text = self._text(path) if self._rules else None
        if text is None:
            return tuple(kernels), ()
        comments = suppressions_in(text)
        seen: set[object] = set()

        def kept(findings: Sequence[Finding], own: KernelTime | None = None) -> tuple[Finding, ...]:
            """Those findings that are on, not suppressed, worth a notice and not yet shown."""
            on = [f for f in findings if self._selection.holds(f.code, f.path)]
            left = [f for f in apply(on, text, comments) if _place(f) not in seen]
            left = [f for f in left if is_noticed(f, own)]
            seen.update(map(_place, left))
            once: dict[object, Finding] = {}
            for finding in left:
                once.setdefault(_statement(finding), finding)
            return tuple(once.values())

        # What else the program runs is not known to kept reports, so it is weighed here.
        time = self._time()
        reports = tuple(
            kernel
            if not kernel.findings
            else replace(
                kernel,
                findings=kept(kernel.findings, time.of(kernel.path, kernel.name_span)),
            )
            for kernel in kernels
        )
        host = kept(host_findings(self._host(path, text), self._rules))
        on = frozenset(rule.code for rule in self._rules if self._selection.holds(rule.code, path))
        return reports, (*host, *kept(unused(comments, text, on)))

    def _host(self, path: Path, text: SourceText) -> HostProgram:
        analysis = self._analysis
        functions = {
            (function.name_span.line, function.qualified_name): function
            for unit in analysis.program.all_units()
            if unit.path == path
            for function in (
                *unit.functions,
                *(method for struct in unit.structs for method in struct.methods),
            )
            if function.has_body and runs_on_host(function)
        }
        return HostProgram(
            path,
            tuple(functions.values()),
            self._launches,
            analysis.types.symbols,
            analysis.target,
            analysis.nodes,
            text,
        )

    def _time(self) -> ProgramTime:
        """The time of the program's launches; of none where it has no ``main`` that was followed.

        Launches that are met outside it run nobody knows how often.
        """
        host = self._analysis.host
        mains = self._analysis.types.symbols.functions.get("main", ())
        followed = any(each.has_body for each in mains) and not host.stops
        known = followed and len(host.launches) <= _MAX_LAUNCHES
        known = known and all(each.kernel.has_body for each in host.launches)
        return ProgramTime(self._launches() if known else ())

    def _launches(self) -> list[HostLaunch]:
        shown = self._analysis.host.launches[:_MAX_LAUNCHES]
        # Launches that outlived an edit name their kernels as these were before it.
        kernels = self._analysis.functions
        now = {id(each): kernel for kernel in kernels for each in launches_of(kernel, shown)}
        return [
            HostLaunch(
                context, partial(self._judged_once, now.get(id(context), context.kernel), context)
            )
            for context in shown
            if context.kernel.has_body
        ]

    def _judged_once(self, kernel: Function, context: LaunchContext) -> BoundLaunch | None:
        key = (id(kernel), id(context))
        if key not in self._asked:
            # Whether it was judged for a report makes no difference: kept reports do not tell.
            enough = sum(self._walks.values()) > _MOST_WALKED
            self._asked[key] = None if enough else self._judged(kernel, context)
        return self._asked[key]

    def _judged(self, kernel: Function, context: LaunchContext) -> BoundLaunch:
        found = self._known.get((id(kernel), id(context)))
        if found is None:
            found = self._analysis.judge_launch(kernel, context)
        summary = found.judged.summary
        self._walks[id(summary)] = summary.statements
        return found

    def _text(self, path: Path) -> SourceText | None:
        if path not in self._texts:
            raw = self._analysis.reader(path)
            self._texts[path] = None if raw is None else SourceText(path, raw)
        return self._texts[path]


def _statement(finding: Finding) -> object:
    """The key of what is said of a place, without numbers: a loop walked twice has others."""
    return _place(finding), _NUMBERS.sub("", finding.message)


def _place(finding: Finding) -> object:
    """The key of a finding, to drop duplicates from functions that several kernels share."""
    return finding.code, finding.path, finding.span

"""What was found out of a program's kernels, and what of it an edit elsewhere leaves true."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TypeAlias

from roofline_analysis.regions.kernel_summary import KernelSummary, accesses_in
from roofline_analysis.report.report import KernelReport
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Problem

_Walk: TypeAlias = tuple[Function, tuple[tuple[str, str], ...]]
"""A kernel, and its template parameters as text."""


@record(frozen=True, slots=True)
class KernelAnalysis:
    """A kernel's report before rules were applied to it."""

    report: KernelReport
    launches: tuple[BoundLaunch, ...]
    """The launches in it, or the kernel without one."""


class KernelResults:
    """The walks, judgements and reports of kernels. Its owner puts them in and looks them up.

    What ``take_over`` brings from before an edit counts as found out here once it is looked up.
    """

    def __init__(self) -> None:
        self._summaries: dict[_Walk, KernelSummary] = {}
        self._summaries_before: dict[_Walk, KernelSummary] = {}
        self._judged: dict[Function, KernelAnalysis] = {}
        """Kernels that rules are still to be applied to."""
        self._reports: dict[Function, KernelReport] = {}
        self._reports_before: dict[Function, KernelReport] = {}
        self._unsized: set[Function] = set()
        """Those whose reports were made without looking for sizes."""
        self.sized = True
        """Whether the report under way tells the sizes at which classes change."""

    def look_for_sizes(self, kernel: Function, *, wanted: bool) -> None:
        """Say whether the next kernel's report is to tell them; one made otherwise is not taken."""
        self.sized = wanted
        if (kernel in self._unsized) is wanted:
            self._reports.pop(kernel, None)
            self._reports_before.pop(kernel, None)

    def take_over(self, before: KernelResults, current: Set[int], judged: Set[int]) -> None:
        """Take what an earlier analysis found out of kernels, by ``id``.

        Walks are taken of those that are ``current``, the rest of those of which launches and all
        that these load are as before, too: ``judged``.
        """
        self._summaries_before = {
            walk: summary
            for walk, summary in {**before._summaries_before, **before._summaries}.items()
            if id(walk[0]) in current
        }
        self._unsized = {kernel for kernel in before._unsized if id(kernel) in current}
        reports = {**before._reports_before, **before._reports}
        self._reports_before = {k: each for k, each in reports.items() if id(k) in judged}
        self._judged = {k: each for k, each in before._judged.items() if id(k) in judged}

    def summary(self, kernel: Function, bindings: Mapping[str, Type | int]) -> KernelSummary | None:
        """What one thread of a kernel does, for one binding of its template parameters."""
        walk = _walk(kernel, bindings)
        found = self._summaries.get(walk) or self._summaries_before.get(walk)
        if found is not None:
            self._summaries[walk] = found
        return found

    def put_summary(
        self, kernel: Function, bindings: Mapping[str, Type | int], summary: KernelSummary
    ) -> None:
        """Keep a walk."""
        self._summaries[_walk(kernel, bindings)] = summary

    def judged(self, kernel: Function) -> KernelAnalysis | None:
        """A kernel's report before rules were applied; None once its whole report is made."""
        found = self._judged.get(kernel)
        if found is not None:
            self._count_walks(kernel)
        return found

    def put_judged(self, kernel: Function, judged: KernelAnalysis) -> None:
        """Keep a kernel's judgement until its report is put."""
        self._judged[kernel] = judged

    def report(self, kernel: Function) -> KernelReport | None:
        """The report of a kernel, findings and all."""
        found = self._reports.get(kernel)
        if found is None:
            found = self._reports_before.get(kernel)
            if found is not None:
                self._count_walks(kernel)
                self._reports[kernel] = found
        return found

    def put_report(self, kernel: Function, report: KernelReport) -> None:
        """Keep a kernel's report, and free what it was made of."""
        self._reports[kernel] = report
        (self._unsized.discard if self.sized else self._unsized.add)(kernel)
        self._judged.pop(kernel, None)

    def statements(self, kernel: Function) -> int:
        """Those that were walked for a kernel's report, in all its instances."""
        return sum(found.statements for walk, found in self._summaries.items() if walk[0] is kernel)

    def accesses(self, kernel: Function) -> int:
        """The accesses to memory in the walks of a kernel, in all its instances."""
        walks = (found for walk, found in self._summaries.items() if walk[0] is kernel)
        return sum(map(accesses_in, walks))

    def longest(self, kernel: Function) -> int:
        """The most statements that were walked for one of its instances."""
        found = (each.statements for walk, each in self._summaries.items() if walk[0] is kernel)
        return max(found, default=0)

    def problems(self) -> tuple[Problem, ...]:
        """What could not be followed in the kernels that were looked at."""
        return tuple(p for summary in self._summaries.values() for p in summary.problems)

    def _count_walks(self, kernel: Function) -> None:
        """Count the walks of a kernel from before an edit among those made, for their problems."""
        for walk, summary in self._summaries_before.items():
            if walk[0] is kernel:
                self._summaries[walk] = summary


def _walk(kernel: Function, bindings: Mapping[str, Type | int]) -> _Walk:
    return kernel, tuple(sorted((name, repr(value)) for name, value in bindings.items()))

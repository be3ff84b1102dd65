"""Reports on their way through the pipe, without the kernels that the other end has already.

While somebody types in one kernel, the reports of the others stay the same objects in the worker.
Both ends remember the last report of each file; the worker sends the places of such kernels in it
in their stead.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from roofline_analysis.report.report import KernelReport
from roofline_lsp.server.worker.jobs import Analysed, JobOutcome


class Sender:
    """The worker's end. One sender speaks to one receiver, and no answer is lost between them."""

    def __init__(self) -> None:
        self._sent: dict[Path, tuple[KernelReport, ...]] = {}

    def shortened(self, answer: JobOutcome) -> JobOutcome:
        """The answer in the form that is sent."""
        value = answer.value
        if not isinstance(value, Analysed):
            return answer
        report = value.report
        places = {id(kernel): at for at, kernel in enumerate(self._sent.get(report.path, ()))}
        unchanged = {
            at: places[id(kernel)]
            for at, kernel in enumerate(report.kernels)
            if id(kernel) in places
        }
        self._sent[report.path] = report.kernels
        if not unchanged:
            return answer
        new = tuple(kernel for at, kernel in enumerate(report.kernels) if at not in unchanged)
        short = replace(value, report=replace(report, kernels=new), unchanged=unchanged)
        return replace(answer, value=short)


class Receiver:
    """The server's end."""

    def __init__(self) -> None:
        self._received: dict[Path, tuple[KernelReport, ...]] = {}

    def restored(self, answer: JobOutcome) -> JobOutcome:
        """The answer as the worker computed it."""
        value = answer.value
        if not isinstance(value, Analysed):
            return answer
        report, unchanged = value.report, value.unchanged
        if unchanged:
            before, new = self._received[report.path], iter(report.kernels)
            count = len(report.kernels) + len(unchanged)
            kernels = tuple(
                before[unchanged[at]] if at in unchanged else next(new) for at in range(count)
            )
            report = replace(report, kernels=kernels)
            answer = replace(answer, value=replace(value, report=report, unchanged={}))
        self._received[report.path] = report.kernels
        return answer

"""JUnit's XML, which every CI shows: a file is a suite, a kernel a test."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.report.report import FileReport, KernelReport
from roofline_core.program.units import Severity
from roofline_lsp.formats.concise import kernel_line
from roofline_lsp.formats.issue_lines import issue_line
from roofline_lsp.formats.paths import shown_path
from roofline_lsp.formats.sight import undecided
from roofline_lsp.formats.strangers import xml_text
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult, Culprit


def render(result: CheckResult, _style: ColourStyle) -> str:
    """A kernel without verdict is skipped, a file that could not be read an error.

    What fails the check without being a kernel's is a failure of a test named after its place.
    """
    suites = [_Suite(file, result) for file in result.report.files]
    blamed = {id(culprit) for suite in suites for culprit in suite.blamed}
    others = [culprit for culprit in result.culprits if id(culprit) not in blamed]
    tests = sum(suite.tests for suite in suites) + len(others)
    failures = sum(suite.failures for suite in suites) + len(others)
    errors = sum(suite.errors for suite in suites)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="roofline-lsp" tests="{tests}" failures="{failures}" errors="{errors}">',
        *(line for suite in suites if suite.tests for line in suite.lines),
    ]
    if others:
        lines += [
            f'  <testsuite name="check" tests="{len(others)}" failures="{len(others)}" errors="0">',
            *(line for culprit in others for line in _failed(culprit)),
            "  </testsuite>",
        ]
    return "\n".join((*lines, "</testsuites>")) + "\n"


class _Suite:
    """One file: its lines, and how many tests, failures and errors they hold."""

    def __init__(self, file: FileReport, result: CheckResult) -> None:
        self.blamed: list[Culprit] = []
        self.failures = self.skipped = 0
        self._result = result
        cases = [line for kernel in file.kernels for line in self._kernel(kernel)]
        unread = [each for each in file.problems if each.severity is Severity.ERROR]
        self.errors = len(unread)
        self.tests = len(file.kernels) + len(unread)
        name = xml_text(shown_path(file.path))
        for problem in unread:
            message = xml_text(problem.message)
            cases.append(f'    <testcase classname="{name}" name="read">')
            cases += [f'      <error message="{message}"/>', "    </testcase>"]
        counts = (
            f'tests="{self.tests}" failures="{self.failures}" errors="{self.errors}"'
            f' skipped="{self.skipped}"'
        )
        self.lines = [f'  <testsuite name="{name}" {counts}>', *cases, "  </testsuite>"]

    def _kernel(self, kernel: KernelReport) -> Iterator[str]:
        path = str(kernel.path)
        culprits = [
            each
            for each in self._result.culprits
            if (each.path, each.kernel) == (path, kernel.qualified_name)
        ]
        self.blamed += culprits
        self.failures += bool(culprits)
        classname, name = xml_text(shown_path(kernel.path)), xml_text(kernel.title)
        # JUnit's file and line are a habit of some readers, and ignored by the others.
        place = f'file="{classname}" line="{kernel.name_span.line}"'
        yield f'    <testcase classname="{classname}" name="{name}" {place}>'
        if culprits:
            messages = "; ".join(each.message for each in culprits)
            yield f'      <failure message="{xml_text(messages)}"/>'
        elif kernel.prediction.verdict is None:
            self.skipped += 1
            reason = undecided(kernel.prediction.sight)
            yield f'      <skipped message="{xml_text(f"undecided: {reason}")}"/>'
        yield f"      <system-out>{xml_text(self._told(kernel))}</system-out>"
        yield "    </testcase>"

    def _told(self, kernel: KernelReport) -> str:
        style = ColourStyle()
        files = {kernel.path, *(finding.path for finding in kernel.findings)}
        issues = [
            issue_line(issue, style)
            for issue in self._result.issues
            if issue.kernel == kernel.qualified_name and issue.path in files
        ]
        return "\n".join((kernel_line(kernel, style), *issues))


def _failed(culprit: Culprit) -> Iterator[str]:
    yield f'    <testcase classname="check" name="{xml_text(culprit.where)}">'
    yield f'      <failure message="{xml_text(culprit.message)}"/>'
    yield "    </testcase>"

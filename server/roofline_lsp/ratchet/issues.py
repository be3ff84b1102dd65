"""What a linter would print: findings, problems and contracts as one kind of value."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import FileReport, Finding, Level
from roofline_core.program.records import record
from roofline_core.program.units import Problem, Severity
from roofline_lsp.ratchet.source_lines import ShownPlace, SourceLines

PROBLEM: Final = "problem"
"""The code of what could not be read in full."""
CONTRACT: Final = "contract"
"""The code of a contract that is not kept, or cannot be checked."""

_NUMBERS: Final = re.compile(r"\d[\d.,]*")


class IssueSeverity(Enum):
    """How much an issue weighs; the heaviest first."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


_OF_LEVEL: Final = {
    Level.WARNING: IssueSeverity.WARNING,
    Level.INFORMATION: IssueSeverity.INFORMATION,
    Level.HINT: IssueSeverity.HINT,
}
_OF_PROBLEM: Final = {
    Severity.ERROR: IssueSeverity.ERROR,
    Severity.WARNING: IssueSeverity.WARNING,
    Severity.NOTE: IssueSeverity.INFORMATION,
}


@record(frozen=True, slots=True)
class IssueEdit:
    """Text that replaces a place; it is inserted where the place is empty."""

    path: Path
    place: ShownPlace
    text: str


@record(frozen=True, slots=True)
class IssueRelated:
    """Another place that an issue is about."""

    path: Path
    line: int
    message: str


@record(frozen=True, slots=True)
class Issue:
    """One thing to tell about one place."""

    code: str
    """A rule's code, ``contract`` or ``problem``."""
    name: str
    """A rule's name, the kind of contract, or ``problem``."""
    severity: IssueSeverity
    message: str
    path: Path
    place: ShownPlace
    kernel: str
    """The qualified name of the kernel; empty for host code and whole files."""
    fingerprint: str
    """The same as long as kernel, rule and the line's text are: moved code keeps it."""
    line_key: str
    """The same without the kernel, by which issues of a renamed kernel are known again."""
    fix: str | None = None
    """The title of the quick fix."""
    edits: tuple[IssueEdit, ...] = ()
    """Of the quick fix; empty where a place of it has no columns."""
    related: tuple[IssueRelated, ...] = ()
    is_new: bool = True
    """Whether a baseline lacks it; True without a baseline."""

    @property
    def label(self) -> str:
        """``RL103 strided-access``; ``problem``."""
        return self.code if self.code == self.name else f"{self.code} {self.name}"


def issues_of(files: Iterable[FileReport], lines: SourceLines) -> tuple[Issue, ...]:
    """Findings and problems, file by file, by place."""
    found: list[Issue] = []
    for file in files:
        of_file = list(_of_file(file, lines))
        of_file.sort(key=lambda each: (str(each.path), each.place.line or 0, each.code))
        found += of_file
    return tuple(found)


def _of_file(file: FileReport, lines: SourceLines) -> Iterator[Issue]:
    seen = Counter[tuple[str, ...]]()
    for kernel in file.kernels:
        for finding in kernel.findings:
            yield _finding(finding, kernel.qualified_name, lines, seen)
    for finding in file.findings:
        yield _finding(finding, "", lines, seen)
    for problem in file.problems:
        yield _problem(problem, file.path, lines, seen)


def _finding(
    finding: Finding, kernel: str, lines: SourceLines, seen: Counter[tuple[str, ...]]
) -> Issue:
    text = lines.normalised(finding.path, finding.span.line)
    edits = [
        IssueEdit(edit.path, place, edit.text)
        for edit in (finding.fix.edits if finding.fix is not None else ())
        if (place := lines.point(edit.path, edit.span)) is not None
    ]
    whole = finding.fix is not None and len(edits) == len(finding.fix.edits)
    return Issue(
        finding.code,
        finding.rule,
        _OF_LEVEL[finding.level],
        finding.message,
        finding.path,
        lines.place(finding.path, finding.span),
        kernel,
        *keys(kernel, finding.code, text, seen),
        fix=finding.fix.title if finding.fix is not None else None,
        edits=tuple(edits) if whole else (),
        related=tuple(IssueRelated(at.path, at.line, at.message) for at in finding.related),
    )


def _problem(
    problem: Problem, file: Path, lines: SourceLines, seen: Counter[tuple[str, ...]]
) -> Issue:
    path = problem.path or file
    text = lines.normalised(path, problem.line) + _NUMBERS.sub("#", problem.message)
    return Issue(
        PROBLEM,
        PROBLEM,
        _OF_PROBLEM[problem.severity],
        problem.message,
        path,
        ShownPlace(problem.line),
        "",
        *keys("", PROBLEM, text, seen),
    )


def keys(kernel: str, code: str, text: str, seen: Counter[tuple[str, ...]]) -> tuple[str, str]:
    """The fingerprint and the line key of an issue.

    ``text`` is the normalised text of its line, ``seen`` counts the issues of its file that agree
    in all of these, which are told apart by their order.
    """
    parts = (kernel, code, text)
    nth = seen[parts]
    seen[parts] += 1
    return _digest(*parts, str(nth)), _digest(code, text)


def _digest(*parts: str) -> str:
    whole = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(whole).hexdigest()[:32]

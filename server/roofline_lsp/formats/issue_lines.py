"""An issue on a line, as linters print them."""

from __future__ import annotations

from typing import Final

from roofline_core.program.units import Severity
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.issues import PROBLEM, Issue, IssueSeverity

_NOTE: Final = Severity.NOTE.value
"""What a problem is called that costs the result nothing, as in the report in full."""


def issue_line(issue: Issue, style: ColourStyle) -> str:
    """``src/main.cu:4:3: RL103 strided-access: message``; problems as ``warning: message``."""
    where = issue_place(issue)
    if issue.code == PROBLEM:
        paint = style.red if issue.severity is IssueSeverity.ERROR else style.yellow
        word = _NOTE if issue.severity is IssueSeverity.INFORMATION else issue.severity.value
        return f"{style.bold(f'{where}:')} {paint(word)}: {issue.message}"
    fix = f"; fix: {issue.fix}" if issue.fix is not None else ""
    return f"{style.bold(f'{where}:')} {issue.label}: {issue.message}{fix}"


def issue_place(issue: Issue) -> str:
    """``src/main.cu:4:3``, as far as it is known."""
    numbers = (issue.place.line, issue.place.column)
    return ":".join((str(issue.path), *(str(each) for each in numbers if each is not None)))

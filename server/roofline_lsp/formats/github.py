"""Annotations of GitHub Actions: commands on standard output that mark lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_lsp.formats.paths import shown_path
from roofline_lsp.formats.strangers import github_message, github_property
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.issues import Issue, IssueSeverity
from roofline_lsp.ratchet.result import CheckResult

_COMMANDS = {
    IssueSeverity.ERROR: "error",
    IssueSeverity.WARNING: "warning",
    IssueSeverity.INFORMATION: "notice",
    IssueSeverity.HINT: "notice",
}


def render(result: CheckResult, _style: ColourStyle) -> str:
    """A command an issue that is new, errors where it fails the check; then other reasons to."""
    reasons = {culprit.issue for culprit in result.culprits if culprit.issue is not None}
    lines = [_issue(issue, issue in reasons) for issue in result.issues if issue.is_new]
    for culprit in result.culprits:
        if culprit.issue is None:
            text = f"{culprit.where}: {culprit.message}"
            lines.append(f"::error title=roofline-lsp::{github_message(text)}")
    return "".join(f"{line}\n" for line in lines)


def _issue(issue: Issue, fails: bool) -> str:
    properties = {"file": shown_path(issue.path), **dict(_place(issue)), "title": issue.label}
    told = ",".join(f"{key}={github_property(value)}" for key, value in properties.items())
    command = "error" if fails else _COMMANDS[issue.severity]
    return f"::{command} {told}::{github_message(issue.message)}"


def _place(issue: Issue) -> Iterator[tuple[str, str]]:
    """Columns only within one line, as annotations have them there alone."""
    place = issue.place
    if place.line is None:
        return
    yield "line", str(place.line)
    if place.end_line is not None:
        yield "endLine", str(place.end_line)
    if place.end_line == place.line and place.column is not None and place.end_column is not None:
        yield "col", str(place.column)
        yield "endColumn", str(place.end_column - 1)

"""GitLab's code quality report: a list of issues that merge requests compare by fingerprints."""

from __future__ import annotations

import hashlib
import json

from roofline_lsp.formats.paths import shown_path
from roofline_lsp.formats.strangers import plain
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.issues import Issue, IssueSeverity
from roofline_lsp.ratchet.result import CheckResult

_SEVERITIES = {
    IssueSeverity.ERROR: "critical",
    IssueSeverity.WARNING: "major",
    IssueSeverity.INFORMATION: "minor",
    IssueSeverity.HINT: "info",
}


def render(result: CheckResult, _style: ColourStyle) -> str:
    """The issues that have a line, which the format demands; others stand in the other formats."""
    told = [_issue(issue) for issue in result.issues if issue.place.line is not None]
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _issue(issue: Issue) -> dict[str, object]:
    path = shown_path(issue.path)
    # GitLab wants each to be the only one with its fingerprint, so the file is part of it.
    whole = f"{path}\0{issue.fingerprint}".encode("utf-8", "surrogatepass")
    return {
        "description": plain(issue.message),
        "check_name": issue.label,
        "fingerprint": hashlib.sha256(whole).hexdigest()[:32],
        "severity": _SEVERITIES[issue.severity],
        "location": {"path": path, "lines": {"begin": issue.place.line}},
    }

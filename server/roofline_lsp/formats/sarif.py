"""SARIF 2.1.0, which code hosts show beside the lines of a pull request.

Findings and contracts are results; what could not be read is a notification of the run. A place
without known columns is its line, one without a line the file alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import KernelReport
from roofline_analysis.rules import RULES
from roofline_lsp.formats.paths import uri
from roofline_lsp.formats.rounding import rounded
from roofline_lsp.formats.rules import rule_page
from roofline_lsp.formats.strangers import plain
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.formats.tool import TOOL_NAME, tool_version
from roofline_lsp.ratchet.issues import PROBLEM, Issue, IssueEdit, IssueSeverity
from roofline_lsp.ratchet.result import CheckResult
from roofline_lsp.ratchet.source_lines import ShownPlace

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT: Final = "kernelRuleAndLineText/v1"
"""The name of our fingerprints, whose number grows when they are computed differently."""

_LEVELS: Final = {
    IssueSeverity.ERROR: "error",
    IssueSeverity.WARNING: "warning",
    IssueSeverity.INFORMATION: "note",
    IssueSeverity.HINT: "note",
}
_OWN_RULES: Final = {
    "contract": "A kernel keeps the contracts that its source or the settings state",
}

Json = dict[str, object]


def render(result: CheckResult, _style: ColourStyle) -> str:
    """One run, with the rules that its results name and the figures of every kernel."""
    told = [issue for issue in result.issues if issue.code != PROBLEM]
    noted = [issue for issue in result.issues if issue.code == PROBLEM]
    codes = sorted({issue.code for issue in told})
    run: Json = {
        "tool": {
            "driver": {
                "name": TOOL_NAME,
                "version": tool_version(),
                "rules": [_rule(code) for code in codes],
            }
        },
        "invocations": [
            {
                "executionSuccessful": all(
                    issue.severity is not IssueSeverity.ERROR for issue in noted
                ),
                "toolExecutionNotifications": [_notification(issue) for issue in noted],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(issue, codes, result) for issue in told],
        "properties": {
            "gpu": result.report.gpu.name,
            "kernels": [_kernel(each) for file in result.report.files for each in file.kernels],
        },
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _rule(code: str) -> Json:
    rule = RULES.get(code)
    if rule is None:
        return {"id": code, "name": code, "shortDescription": {"text": _OWN_RULES[code]}}
    page = rule_page(rule)
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.title},
        "help": {"text": rule.text.strip(), "markdown": page},
    }


def _result(issue: Issue, codes: Sequence[str], result: CheckResult) -> Json:
    told: Json = {
        "ruleId": issue.code,
        "ruleIndex": codes.index(issue.code),
        "level": _LEVELS[issue.severity],
        "message": {"text": plain(issue.message)},
        "locations": [_location(issue.path, issue.place, issue.kernel)],
        "partialFingerprints": {FINGERPRINT: issue.fingerprint},
    }
    if issue.related:
        told["relatedLocations"] = [
            {**_location(at.path, ShownPlace(at.line)), "message": {"text": plain(at.message)}}
            for at in issue.related
        ]
    if issue.edits:
        changes = [_change(edit) for edit in issue.edits]
        told["fixes"] = [
            {"description": {"text": plain(issue.fix or "")}, "artifactChanges": changes}
        ]
    if result.comparison is not None:
        told["baselineState"] = "new" if issue.is_new else "unchanged"
    return told


def _notification(issue: Issue) -> Json:
    return {
        "level": _LEVELS[issue.severity],
        "message": {"text": plain(issue.message)},
        "locations": [_location(issue.path, issue.place)],
    }


def _location(path: Path, place: ShownPlace, kernel: str = "") -> Json:
    physical: Json = {"artifactLocation": _artifact(path)}
    region = _region(place)
    if region:
        physical["region"] = region
    found: Json = {"physicalLocation": physical}
    if kernel:
        found["logicalLocations"] = [{"fullyQualifiedName": kernel, "kind": "function"}]
    return found


def _artifact(path: Path) -> Json:
    address, relative = uri(path)
    return {"uri": address, "uriBaseId": "%SRCROOT%"} if relative else {"uri": address}


def _region(place: ShownPlace) -> Json:
    known = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    return {key: value for key, value in known.items() if value is not None}


def _change(edit: IssueEdit) -> Json:
    replacement = {"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.text}}
    return {"artifactLocation": _artifact(edit.path), "replacements": [replacement]}


def _kernel(kernel: KernelReport) -> Json:
    prediction = kernel.prediction
    return {
        "name": kernel.qualified_name,
        "uri": uri(kernel.path)[0],
        "line": kernel.name_span.line,
        "class": None if kernel.verdict is None else kernel.verdict.value,
        "confidence": rounded(prediction.confidence),
        "time_ns": rounded(prediction.time_ns),
        "dram_bytes": rounded(prediction.dram_bytes),
    }

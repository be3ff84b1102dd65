"""``--statistics``: what a run cost and what each rule found, for people, on standard error."""

from __future__ import annotations

from collections import Counter

from roofline_core.program.stages import Stage, StageClock
from roofline_core.text.table import aligned
from roofline_lsp.ratchet.issues import PROBLEM
from roofline_lsp.ratchet.result import CheckResult

_REST = "the rest"
_COUNTS = (
    "files read",
    "bytes read",
    "files checked",
    "reports known before",
    "programs",
    "files parsed",
    "files known before",
    "headers preprocessed",
    "headers known before",
    "functions lowered",
    "kernels",
    "kernels walked",
    "walks known before",
    "launches judged",
    "findings",
)
"""In the order they are shown in; what never happened is left out."""


def statistics(clock: StageClock) -> str:
    """Seconds, share and calls of each stage, then what was counted."""
    total = clock.total_s
    rows = [
        (stage.value, clock.seconds[stage], str(clock.calls[stage]))
        for stage in Stage
        if clock.calls[stage]
    ]
    rows.append((_REST, max(0.0, total - sum(clock.seconds.values())), ""))
    lines = ["stage             seconds   share     calls"]
    for name, seconds, calls in (*rows, ("total", total, "")):
        share = seconds / total if total else 0.0
        lines.append(f"{name:16}{seconds:9.3f}{share:8.1%}{calls:>10}".rstrip())
    lines.append("")
    for what in _COUNTS:
        if clock.counts[what]:
            lines.append(f"{what:24}{clock.counts[what]:>12}")
    return "\n".join(lines) + "\n"


def by_rule(result: CheckResult) -> str:
    """How often each rule found something, the most frequent first; empty where none did."""
    found = Counter(issue.label for issue in result.issues if issue.code != PROBLEM)
    fixes = Counter(issue.label for issue in result.issues if issue.fix is not None)
    if not found:
        return ""
    ordered = sorted(found.items(), key=lambda each: (-each[1], each[0]))
    rows = [(str(count), name, f"{fixes[name]} with a fix") for name, count in ordered]
    return "\n".join(aligned(rows, right=(0,))) + "\n\n"

"""What a check adds to the JSON report."""

from __future__ import annotations

from collections.abc import Mapping

from roofline_lsp.formats.rounding import rounded
from roofline_lsp.ratchet.comparison import SinceBaseline
from roofline_lsp.ratchet.figures import KernelFigures
from roofline_lsp.ratchet.result import CheckResult

Values = Mapping[str, object]


def check_values(result: CheckResult) -> Values:
    """The keys of the JSON report that hold contracts, changes, and why the check fails."""
    return {
        "contracts": [
            {
                "text": each.text,
                "kernel": each.kernel or None,
                "path": str(each.path),
                "line": each.line,
                "state": each.state.value,
                "message": each.message or None,
            }
            for each in result.contracts
        ],
        "comparison": None if result.comparison is None else _comparison(result.comparison),
        "fails": [{"where": each.where, "message": each.message} for each in result.culprits],
    }


def _comparison(made: SinceBaseline) -> Values:
    return {
        "since": made.since,
        "unchanged": made.unchanged,
        "changes": [
            {
                "kernel": change.shown.qualified_name,
                "path": change.shown.path,
                "change": change.fate.value,
                "class_before": _class(change.before),
                "class_after": _class(change.after),
                "figures": [
                    {
                        "name": each.name,
                        "before": rounded(each.before),
                        "after": rounded(each.after),
                    }
                    for each in change.quantities
                ],
            }
            for change in made.changes
        ],
    }


def _class(kernel: KernelFigures | None) -> str | None:
    return None if kernel is None or kernel.verdict is None else kernel.verdict.value

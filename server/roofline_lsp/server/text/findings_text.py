"""Findings in hovers and lenses: what mending one gains comes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roofline_analysis.report.report import Finding
from roofline_analysis.rules.finding_text import LEAST_SPEEDUP, problem_of
from roofline_core.text.units import ratio_text
from roofline_lsp.formats.markdown import MarkupStyle

_MOST_FINDINGS = 5


def gain(finding: Finding) -> str | None:
    """``1.17× as fast``; None where the model does not tell it, or mending gains no time."""
    effect = finding.effect
    if effect is None or effect.speedup < LEAST_SPEEDUP:
        return None
    where = " at the sizes assumed" if effect.at_assumed_sizes else ""
    if not where and effect.at_assumed_trips:
        where = " at the trips assumed"
    return f"{ratio_text(effect.speedup)}× as fast{where}"


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by what they gain, the most first; those without a figure by their places."""
    return sorted(
        findings,
        key=lambda each: (
            -(each.effect.speedup if each.effect is not None else 1.0),
            each.span.line,
            each.code,
        ),
    )


def findings_text(findings: Sequence[Finding], style: MarkupStyle) -> str | None:
    """A bullet for each finding, the one that gains most first; None without findings."""
    if not findings:
        return None
    items = [_item(finding, style) for finding in ranked(findings)[:_MOST_FINDINGS]]
    if len(findings) > _MOST_FINDINGS:
        items.append(f"and {len(findings) - _MOST_FINDINGS} more")
    return style.bullets(items)


def counted(findings: Sequence[Finding]) -> str | None:
    """``2 findings, the best 1.17×``; None without findings."""
    if not findings:
        return None
    noun = "finding" if len(findings) == 1 else "findings"
    best = ranked(findings)[0].effect
    if best is None or best.speedup < LEAST_SPEEDUP:
        return f"{len(findings)} {noun}"
    which = ", " if len(findings) == 1 else ", the best "
    return f"{len(findings)} {noun}{which}{ratio_text(best.speedup)}×"


def _item(finding: Finding, style: MarkupStyle) -> str:
    gained = gain(finding)
    problem = problem_of(finding)
    first = f"{style.bold(gained)}: " if gained is not None else ""
    lines = sorted({finding.span.line, *_same_problem(finding)})
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {_listed(lines)}"
    fix = f"; fix: {style.prose(finding.fix.title)}" if finding.fix is not None else ""
    return f"{first}{style.prose(problem)} ({where}, {finding.code}){fix}"


def _same_problem(finding: Finding) -> list[int]:
    return [
        each.line
        for each in finding.related
        if each.path == finding.path and each.message == SAME_PROBLEM
    ]


SAME_PROBLEM = "here too"
"""What a rule says of another line with the same problem."""


def _listed(lines: Sequence[int]) -> str:
    return ", ".join(map(str, lines[:4])) + (" and more" if len(lines) > 4 else "")

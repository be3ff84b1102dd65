"""Comments that switch rules off for a line: ``// roofline: ignore[RL104] reason``.

A comment holds for the line that it stands on; alone on its line, for the next one with code.
Without brackets it holds for all rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from roofline_analysis.rules.model import Finding, Fix
from roofline_analysis.rules.registry import RULES, find_rule
from roofline_analysis.rules.source_text import SourceText

UNUSED: Final = "RL100"
MARK: Final = b"roofline:"

_MARKED: Final = re.compile(
    rb"(?://|/\*)[ \t]*roofline:[ \t]*ignore(?:[ \t]*\[(?P<codes>[^\]\n]*)\])?(?![\w-])"
)


@dataclass(slots=True)
class Suppression:
    """One comment that switches rules off."""

    start: int
    end: int
    """Offsets of the comment in the text."""
    line: int
    """The 1-based line for which it switches rules off."""
    codes: tuple[str, ...] | None
    """Codes as written; None for all rules."""
    used: set[str]


def suppressions_in(source: SourceText) -> list[Suppression]:
    """The comments in a text that switch rules off."""
    if MARK not in source.text:
        return []
    found = []
    for begin, end in source.comments:
        m = _MARKED.match(source.text, begin, end)
        if m is None:
            continue
        own = source.span(begin, begin).line
        start, _ = source.bounds(own)
        alone = not source.text[start:begin].strip()
        codes = None
        if m["codes"] is not None:
            words = m["codes"].decode("utf-8", "replace").split(",")
            codes = tuple(word.strip() for word in words if word.strip())
        line = _next_code(source, own) if alone else own
        found.append(Suppression(begin, end, line, codes, set()))
    return found


def _next_code(source: SourceText, line: int) -> int:
    last = source.text.count(b"\n") + 1
    for number in range(line + 1, last + 1):
        start, end = source.bounds(number)
        if source.code[start:end].strip():
            return number
    return line


def apply(
    findings: Iterable[Finding], source: SourceText, suppressions: Sequence[Suppression]
) -> list[Finding]:
    """The findings that no comment switches off; each comment records which codes it used."""
    kept = []
    for finding in findings:
        for each in suppressions:
            if finding.path == source.path and _covers(each, finding):
                each.used.add(finding.code)
                break
        else:
            kept.append(finding)
    return kept


def _covers(suppression: Suppression, finding: Finding) -> bool:
    if not finding.span.line <= suppression.line <= max(finding.span.line, finding.span.end_line):
        return False
    if suppression.codes is None:
        return True
    return any(word in (finding.code, finding.rule) for word in suppression.codes)


def unused(
    suppressions: Iterable[Suppression], source: SourceText, judged: frozenset[str]
) -> list[Finding]:
    """A finding for each comment, or code in one, that switches nothing off.

    ``judged`` are the rules that were on: of others nothing can be told.
    """
    rule = RULES[UNUSED]
    findings = []
    for each in suppressions:
        message = _complaint(each, judged)
        if message is None:
            continue
        start = each.start
        line_start, line_end = source.bounds(source.span(start, start).line)
        before = source.text[line_start:start]
        while start > line_start and source.text[start - 1 : start] in (b" ", b"\t"):
            start -= 1
        whole = not before.strip() and not source.text[each.end : line_end].strip()
        edit = (
            source.replace(line_start, min(line_end + 1, len(source.text)), "")
            if whole
            else source.replace(start, each.end, "")
        )
        findings.append(
            Finding(
                UNUSED,
                rule.name,
                rule.level,
                message,
                source.path,
                source.span(each.start, each.end),
                fix=Fix("Remove the comment", (edit,)),
            )
        )
    return findings


def _complaint(suppression: Suppression, judged: frozenset[str]) -> str | None:
    if suppression.codes is None:
        return None if suppression.used else "this comment switches nothing off"
    known = {word: find_rule(word) for word in suppression.codes}
    strange = [word for word, rule in known.items() if rule is None]
    if strange:
        return f"there is no rule {', '.join(strange)}"
    idle = [
        word
        for word, rule in known.items()
        if rule is not None and rule.code in judged and rule.code not in suppression.used
    ]
    if idle and len(idle) == len(known):
        return f"nothing here is switched off by ignore[{', '.join(idle)}]"
    return None

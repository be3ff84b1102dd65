"""Rules applied to kernels and host code."""

from __future__ import annotations

from collections.abc import Iterable

from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Finding, Match
from roofline_analysis.rules.number_text import effect_text
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program.stages import Stage, count, stage


@stage(Stage.RULES)
def kernel_findings(subject: KernelSubject, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """The findings of the rules in a kernel, in the order of lines."""
    found = [
        _finding(rule, each)
        for rule in rules
        if rule.check is not None
        for each in rule.check(subject)
    ]
    count("findings", len(found))
    return tuple(sorted(found, key=_place))


@stage(Stage.RULES)
def host_findings(program: HostProgram, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """The findings of the rules in the host code of a file, in the order of lines."""
    found = [
        _finding(rule, each)
        for rule in rules
        if rule.check_host is not None
        for each in rule.check_host(program)
    ]
    count("findings", len(found))
    return tuple(sorted(found, key=_place))


def _place(finding: Finding) -> tuple[str, int, int, str]:
    return str(finding.path), finding.span.line, finding.span.column, finding.code


def _finding(rule: Rule, found: Match) -> Finding:
    message = found.message.rstrip(".")
    if found.effect is not None:
        message = f"{message}. By the model: {effect_text(found.effect)}"
    return Finding(
        rule.code,
        rule.name,
        rule.level,
        message,
        found.path,
        found.span,
        found.effect,
        found.fix,
        found.related,
    )

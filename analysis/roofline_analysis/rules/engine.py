"""Rules applied to kernels and host code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Finding, Match
from roofline_analysis.rules.number_text import condition_text, effect_text
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.rules.sweeps import without_sweeps
from roofline_core.program.stages import Stage, count, stage


@stage(Stage.RULES)
def kernel_findings(subject: KernelSubject, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """The findings of the rules in a kernel, in the order of lines.

    None where too little of a launch was followed for a verdict. Where something was not followed,
    findings have no fix: it may be what the fix breaks.
    """
    sights = [launch.prediction.sight for launch in subject.launches]
    if not all(sight is None or sight.suffices for sight in sights):
        return ()
    complete = not any(sight is not None and sight.missing for sight in sights)
    found = [
        _finding(rule, each if complete else replace(each, fix=None))
        for rule in rules
        if rule.check is not None
        for each in without_sweeps(list(rule.check(subject)), subject.launches)
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
        told = condition_text(found.effect.assumed)
        message = f"{message}. By the model{told}: {effect_text(found.effect)}"
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

"""Rules applied to kernels and host code."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import Final

from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace
from roofline_analysis.rules.beside_the_point import (
    is_earlier_step,
    is_of_a_test,
    is_on_purpose,
    is_outdone,
    is_put_aside,
    only_tests_launch,
    runs_once,
)
from roofline_analysis.rules.effects import are_sizes_guessed
from roofline_analysis.rules.finding_text import finding_message
from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Finding, Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_analysis.rules.sweeps import without_sweeps
from roofline_core.program.stages import Stage, count, stage

_LEAST_AT_WORK: Final = 0.01
"""The least share of a kernel's assumed threads that reach its data. Chosen, not measured."""
_MOST_INSTANCES: Final = 4
"""The most other instances of a template in which a finding is looked for. A limit on the work."""


@stage(Stage.RULES)
def kernel_findings(subject: KernelSubject, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """The findings of the rules in a kernel, in the order of lines.

    None where too little of a launch was followed for a verdict, or where the sizes assumed for it
    contradict one another. Where something was not followed, findings have no fix: it may be what
    the fix breaks. What is found in few instances of a template is left out, and so is what rules
    ``by_sizes`` find at guessed sizes. Of a kernel that the program never launches, and of one that
    only prepares data for others or warms the GPU up, there are mistakes alone; so it is of kernels
    that tests alone launch, of those beside which a faster one stands, and of those that show what
    is slow. Nothing is said of files that are kept aside, and of a launch of one warp what is said
    of launches. All of that is told where somebody asked about the kernel.
    """
    if not subject.asked and is_put_aside(subject.kernel.path):
        return ()
    if not subject.asked:
        rules = _told_unasked(subject, rules)
    sights = [launch.prediction.sight for launch in subject.launches]
    if not all(sight is None or sight.suffices for sight in sights):
        return ()
    if _is_contradictory(subject):
        return ()
    complete = not any(sight is not None and sight.missing for sight in sights)
    found = [
        _finding(rule, each if complete else replace(each, fix=None))
        for rule in rules
        if rule.check is not None
        for each in without_sweeps(list(rule.check(subject)), subject.launches)
        if subject.asked or not (rule.by_sizes and _has_guessed_sizes(each))
        if _is_at_launch(each, subject) or _is_common(rule.check, subject)
    ]
    count("findings", len(found))
    return tuple(sorted(found, key=_place))


def _has_guessed_sizes(match: Match) -> bool:
    return match.effect is not None and are_sizes_guessed(match.effect)


def _told_unasked(subject: KernelSubject, rules: Iterable[Rule]) -> Iterable[Rule]:
    """The rules whose findings people want to hear of although they did not ask."""
    if (
        subject.never_launched
        or runs_once(subject.kernel.name, subject.kernel.path)
        or _only_lays_out_pointers(subject)
        or only_tests_launch(subject)
        or is_outdone(subject.kernel.qualified_name, subject.names_beside)
        or is_earlier_step(subject)
        or is_on_purpose(subject.kernel.name)
    ):
        return [rule for rule in rules if rule.level is Level.WARNING]
    if _is_one_block(subject):
        return [rule for rule in rules if rule.level is Level.WARNING or _is_of_launches(rule)]
    return rules


def _is_one_block(subject: KernelSubject) -> bool:
    """Whether host code launches no more than one block: it wants more, and nothing else."""
    return subject.is_block_known and all(
        math.prod(each.judged.execution.grid) == 1 and not each.bound.grid_invented
        for each in subject.launches
    )


def _is_of_launches(rule: Rule) -> bool:
    """Whether a rule is about grids, blocks and what keeps them from running."""
    return rule.code.startswith("RL3")


def _only_lays_out_pointers(subject: KernelSubject) -> bool:
    """Whether all that a kernel stores is pointers: those of a batch of matrices, say.

    They are few, and what is done by them takes far longer.
    """
    stored = [
        access.array
        for region in subject.judged.demanding
        for access in region.accesses
        if access.mode is not AccessMode.READ and access.array.space is MemorySpace.GLOBAL
    ]
    types = subject.type_system
    return bool(stored) and all(types.resolve(each.element).pointers for each in stored)


def _is_contradictory(subject: KernelSubject) -> bool:
    """Whether next to none of the threads assumed for a launch do anything."""
    sight = subject.prediction.sight
    if sight is not None and sight.idle_bytes is not None:
        return True
    if subject.launch.context is not None:
        return False
    runs = subject.judged.execution.regions
    shares = [
        math.prod(runs[guard].share for guard in region.guards() if guard.innermost_loop is None)
        for region in subject.judged.demanding
        if any(access.array.space is MemorySpace.GLOBAL for access in region.accesses)
    ]
    return bool(shares) and max(shares) < _LEAST_AT_WORK


def _is_at_launch(match: Match, subject: KernelSubject) -> bool:
    """Whether a finding is about one launch alone."""
    sites = {(each.context.path, each.context.line) for each in subject.launches if each.context}
    return (match.path, match.span.line) in sites


def _is_common(check: Callable[[KernelSubject], Iterable[Match]], subject: KernelSubject) -> bool:
    """Whether a rule finds something in half of the instances of a template that are tried."""
    tried = list(islice(subject.other_instances(), _MOST_INSTANCES))
    found = 1 + sum(any(True for _ in check(each)) for each in tried)
    return 2 * found >= 1 + len(tried)


@stage(Stage.RULES)
def host_findings(program: HostProgram, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """The findings of the rules in the host code of a file, in the order of lines.

    In a test there are mistakes alone, and nothing is said of a file that is kept aside.
    """
    if is_put_aside(program.path):
        return ()
    if is_of_a_test(program.path):
        rules = [rule for rule in rules if rule.level is Level.WARNING]
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
    return Finding(
        rule.code,
        rule.name,
        rule.level,
        finding_message(found.message, found.effect),
        found.path,
        found.span,
        found.effect,
        found.fix,
        found.related,
    )

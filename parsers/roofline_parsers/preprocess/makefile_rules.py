"""The lines and rules of Makefiles: what a default build makes, and how."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

COMPILERS = re.compile(
    r"(?:^|[\s/@-])(?:nvcc|hipcc|mpicxx|mpic\+\+|mpicc|(?:amd)?clang(?:\+\+)?|g\+\+|gcc|cc|c\+\+|(?:mpi)?icp[cx]|"
    r"ic[cx]|dpcpp|nvc(?:\+\+)?|pgc(?:c|\+\+)|CC)(?:-[\d.]+)?(?=\s)"
)

RUNNING = re.compile(r"(?:run|test|check|bench(?:mark)?)(?:[-_]\w+)?")
"""Names of targets whose commands run the program."""


@dataclass(slots=True)
class MakeRule:
    """Targets, what they need, and the commands that make them."""

    targets: list[str]
    prerequisites: list[str]
    recipe: list[str] = field(default_factory=list)


def goal(rules: Sequence[MakeRule]) -> list[str]:
    """The first target, which make makes unless it is told another; none of a pattern rule."""
    for rule in rules:
        if not rule.targets[0].startswith(".") and "%" not in rule.targets[0]:
            return rule.targets[:1]
    return []


def reachable(rules: Sequence[MakeRule]) -> list[MakeRule]:
    """The default goal's rule, those of all it depends on, and pattern rules."""
    by_target: dict[str, list[MakeRule]] = {}
    reached: dict[int, MakeRule] = {}
    waiting: list[MakeRule] = []
    for rule in rules:
        for target in rule.targets:
            by_target.setdefault(target, []).append(rule)
        if any("%" in target or target.startswith(".c") for target in rule.targets):
            waiting.append(rule)
    waiting += [rule for target in goal(rules) for rule in by_target[target]]
    while waiting:
        rule = waiting.pop()
        if id(rule) not in reached:
            reached[id(rule)] = rule
            waiting += [each for name in rule.prerequisites for each in by_target.get(name, ())]
    return [rule for rule in rules if id(rule) in reached]


def joined(text: str) -> Iterator[str]:
    """The lines of a Makefile, those that end with a backslash joined to the next."""
    pieces: list[str] = []
    for line in text.splitlines():
        own = line.strip(" \t") if pieces else line
        if own.endswith("\\"):
            pieces.append(own[:-1].rstrip(" \t"))
            continue
        yield " ".join((*pieces, own)) if pieces else line
        pieces = []
    if pieces:
        yield " ".join(pieces)


def makes_object(line: str) -> bool:
    """Whether a command compiles without linking."""
    return " -c " in f" {line} " or " -dc " in f" {line} "


def compiles(rule: MakeRule, suffix: str) -> bool:
    """Whether a pattern rule makes something from files with the suffix."""
    return bool(rule.recipe) and any(
        name.endswith(f"%{suffix}") or name.startswith(f"{suffix}.")
        for name in (*rule.prerequisites, *rule.targets)
    )

"""All rules: one for each module of ``catalogue`` and of its packages."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Final

from roofline_analysis.rules import catalogue
from roofline_analysis.rules.rule import Rule


def _load() -> dict[str, Rule]:
    rules = {}
    for module in pkgutil.walk_packages(catalogue.__path__, f"{catalogue.__name__}."):
        if not module.ispkg:
            rule = importlib.import_module(module.name).RULE
            rules[rule.code] = rule
    return dict(sorted(rules.items()))


RULES: Final[Mapping[str, Rule]] = _load()
"""The rules by code, in the order of codes."""


def find_rule(word: str) -> Rule | None:
    """The rule of a code or name, in upper or lower case; None if there is none."""
    folded = word.strip().casefold()
    for rule in RULES.values():
        if folded in (rule.code.casefold(), rule.name):
            return rule
    return None

"""All rules, found by looking at the modules of ``catalogue`` and of the packages in it."""

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
"""By code, in its order."""


def find_rule(word: str) -> Rule | None:
    """The rule of a code or a name, in any case."""
    folded = word.strip().casefold()
    for rule in RULES.values():
        if folded in (rule.code.casefold(), rule.name):
            return rule
    return None

"""The catalogue of performance-problem patterns, and what finds them in judged kernels.

A rule is one module of ``catalogue``: its docstring is its documentation, its two programs are its
tests. It looks at a kernel through a ``KernelSubject``, or at host code through a ``HostProgram``,
and asks the model what fixing the problem would save. What the model does not change by a few
percent is not worth a finding.

The names are imported when they are first asked for: what only shows findings does not load the
catalogue, and with it the analyser.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofline_analysis.rules.model import Edit, Effect, Finding, Fix, Level, Related
    from roofline_analysis.rules.registry import RULES, find_rule
    from roofline_analysis.rules.rule import Rule
    from roofline_analysis.rules.selection import Selection, UnknownRuleError

__all__ = [
    "RULES",
    "Edit",
    "Effect",
    "Finding",
    "Fix",
    "Level",
    "Related",
    "Rule",
    "Selection",
    "UnknownRuleError",
    "find_rule",
]

_HOMES = {
    "RULES": "roofline_analysis.rules.registry",
    "Rule": "roofline_analysis.rules.rule",
    "find_rule": "roofline_analysis.rules.registry",
    "Selection": "roofline_analysis.rules.selection",
    "UnknownRuleError": "roofline_analysis.rules.selection",
}
"""Modules by name; all others are of ``model``."""


def __getattr__(name: str) -> Any:
    """Import a public name from the module that defines it."""
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    home = _HOMES.get(name, "roofline_analysis.rules.model")
    value = globals()[name] = getattr(importlib.import_module(home), name)
    return value

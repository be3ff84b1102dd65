"""The catalogue of performance-problem patterns, and what finds them in judged kernels.

A rule is one module of ``catalogue``: its docstring is its documentation, its two programs are its
tests. It looks at a kernel through a ``KernelSubject``, or at host code through a ``HostProgram``,
and asks the model what mending the problem would do. Numbers that the model does not change by a
few percent are not worth a finding.
"""

from roofline_lsp.rules.model import Edit, Effect, Finding, Fix, Level, Related, Rule
from roofline_lsp.rules.registry import RULES, find_rule
from roofline_lsp.rules.selection import Selection, UnknownRuleError

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

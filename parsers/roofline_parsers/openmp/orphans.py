"""What a directive means inside a function that a kernel calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from roofline_core.program.directives import Directive
from roofline_core.program.statements import Block, Statement
from roofline_parsers.openmp.build import block
from roofline_parsers.openmp.kernels import Kernel, ThreadLevel
from roofline_parsers.openmp.regions import DeviceCode
from roofline_parsers.openmp.team_scope import team_names

_TEAM: Final = frozenset(("parallel", "distribute", "teams"))
_SHARED: Final = frozenset(
    ("for", "loop", "sections", "single", "master", "masked", "atomic", "barrier")
)


def device_form(
    directive: Directive, body: Statement | None
) -> Callable[[], Statement | None] | None:
    """Gives what one GPU thread does for the directive; None if that is what the body says.

    Work-sharing directives are taken to stand in a parallel region, ``parallel`` itself not to.
    """
    head = directive.constructs[0]
    if head not in _TEAM and head not in _SHARED:
        return None

    @cache
    def lowered() -> Statement:
        """What one thread does, made when it is first asked for."""
        level = ThreadLevel.TEAM if head in _TEAM else ThreadLevel.PARALLEL
        given = Block(directive.line, ()) if body is None else body
        code = DeviceCode(Kernel(team_names(given)), level)
        return block(directive.line, code.lower(directive, directive.constructs, given, {}))

    return lowered

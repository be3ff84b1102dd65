"""What the parts of one kernel share while it is spelled out."""

from __future__ import annotations

from enum import Enum

from roofline_core.program.expressions import Expression
from roofline_parsers.openmp.team_scope import TeamNames


class ThreadLevel(Enum):
    """Which threads of a team are at work."""

    TEAM = "team"
    """The sequential part of a team."""
    PARALLEL = "parallel"
    """All its threads."""
    SERIAL = "serial"
    """Each thread for itself: a parallel region inside a parallel region."""


class Kernel:
    """What the parts of one kernel share."""

    def __init__(
        self,
        names: TeamNames,
        memory: frozenset[str] = frozenset(),
        *,
        lone: bool = False,
        limit: Expression | None = None,
    ) -> None:
        self.names = names
        self.memory = memory
        """Captured variables that live in memory."""
        self.lone = lone
        """There is nothing parallel in it: one thread of a team does everything."""
        self.limit = limit
        """``thread_limit``: a ``num_threads`` of the same value leaves no thread out."""
        self.loops = 0

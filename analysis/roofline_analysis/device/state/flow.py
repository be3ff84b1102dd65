"""Control flow after a statement."""

from __future__ import annotations

from enum import Enum


class Flow(Enum):
    """Whether control reaches the next statement."""

    NEXT = 0
    """Control continues with the next statement."""
    EXIT = 1
    """Control leaves the stretch: ``return``, ``break`` or ``continue``, always."""

"""How control leaves a statement."""

from __future__ import annotations

from enum import Enum


class Flow(Enum):
    """What the statement after it can count on."""

    NEXT = 0
    """Control goes on to the statement after it."""
    EXIT = 1
    """Control leaves the stretch: ``return``, ``break`` or ``continue``, always."""

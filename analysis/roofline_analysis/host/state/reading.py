"""What an execution keeps of the files that the program reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

STEPS_FOR_EACH: Final = 100
"""Statements that a loop or call may execute after it has read something known, at the least.

A limit on the work, chosen without measurement."""


@dataclass(slots=True, eq=False)
class ReadingState:
    """The files of one execution, and the work that reading them may still cost."""

    left: int
    """Statements that may still be executed because something known was read."""
    open_files: list[Any] = field(default_factory=list)
    """Every ``OpenFile``, closed ones included."""
    written: set[str] = field(default_factory=set)
    """Names of files that the program opens for writing."""
    events: int = 0
    """How many known things were read."""

    def grant(self, wanted: int) -> int:
        """As many of the statements that are wanted as may still be granted."""
        granted = max(0, min(wanted, self.left))
        self.left -= granted
        self.events += 1
        return granted

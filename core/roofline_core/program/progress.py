"""How much this process has done so far, for a watchdog to see whether it gets on.

Nothing else is decided by it, so no result depends on how fast a machine is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(slots=True)
class Progress:
    """A count that only grows."""

    steps: int = 0
    """Stages entered, and statements of host and device code followed."""


PROGRESS: Final = Progress()
"""That of this process."""

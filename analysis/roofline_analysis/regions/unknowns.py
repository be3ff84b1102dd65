"""Quantities that no source fixes, with what was assumed for them."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from roofline_core.program.records import record


class UnknownKind(Enum):
    """What sort of quantity the source does not fix."""

    HOST = "host value"
    """A number that the host program decides: an argument, a size, the grid, the block."""
    TRIPS = "trips"
    """How often a loop of the kernel runs."""
    BRANCH = "branch"
    """How many threads take a branch of the kernel."""


@record(frozen=True, slots=True)
class UnknownUsed:
    """A quantity that the source does not fix, and what was assumed for it."""

    name: str
    why: str
    assumed: float | None
    path: Path | None = None
    line: int | None = None
    kind: UnknownKind = UnknownKind.HOST

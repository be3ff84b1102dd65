"""Quantities that the source does not fix, with the values assumed for them."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from roofline_core.program.records import record


class UnknownKind(Enum):
    """The kinds of quantities that the source does not fix."""

    HOST = "host value"
    """A number that the host program decides: an argument, a size, the grid, the block."""
    TRIPS = "trips"
    """The trip count of a loop in the kernel."""
    BRANCH = "branch"
    """The share of threads that take a branch of the kernel."""


@record(frozen=True, slots=True)
class UnknownUsed:
    """A quantity that the source does not fix, and the value assumed for it."""

    name: str
    why: str
    assumed: float | None
    path: Path | None = None
    line: int | None = None
    kind: UnknownKind = UnknownKind.HOST

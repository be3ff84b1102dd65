"""How a run does its work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from roofline_core.program.records import record

_MANY_PROGRAMS: Final = 8
"""Programs from which on it pays to start processes, each of which imports the analyser."""
_MOST_BY_ITSELF: Final = 8
"""The most processes where nobody says how many: they take a few hundred megabytes each."""


@record(frozen=True, slots=True)
class BatchOptions:
    """How a run does its work, which changes no result."""

    jobs: int | None = 1
    """Processes that analyse; None: as many as suit the processors and the programs."""
    cache: Path | None = None
    """The folder of reports kept between runs; None: none are kept or taken."""
    scheduler: str | None = None
    """The address of the Dask scheduler whose workers analyse; None: this machine does."""

    def processes_for(self, programs: int) -> int:
        """How many processes analyse so many programs."""
        if self.jobs is not None:
            return self.jobs
        return min(processors(), _MOST_BY_ITSELF) if programs >= _MANY_PROGRAMS else 1


def processors() -> int:
    """The processors that this process may use."""
    mine = getattr(os, "sched_getaffinity", None)  # macOS and Windows have none
    return len(mine(0)) if mine is not None else os.cpu_count() or 1

"""How a run does its work."""

from __future__ import annotations

from pathlib import Path

from roofline_core.program.records import record


@record(frozen=True, slots=True)
class BatchOptions:
    """How a run does its work, which changes no result."""

    jobs: int = 1
    """Processes that analyse."""
    cache: Path | None = None
    """The folder of reports kept between runs; None: none are kept or taken."""
    scheduler: str | None = None
    """The address of the Dask scheduler whose workers analyse; None: this machine does."""

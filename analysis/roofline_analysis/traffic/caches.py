"""The caches of a GPU, as far as DRAM traffic depends on them."""

from __future__ import annotations

from roofline_analysis.traffic.footprint import SECTOR_BYTES
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class Caches:
    """Sizes of the caches between the threads and DRAM."""

    l2_bytes: float
    """The last cache before DRAM."""
    l1_bytes: float = 0.0
    """What the first caches of all SMs hold together; 0: not known, or next to nothing."""
    sector_bytes: int = SECTOR_BYTES
    """The smallest transfer."""

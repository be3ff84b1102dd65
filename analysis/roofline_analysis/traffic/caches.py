"""What of a GPU's memory DRAM traffic depends on: its caches, and check bits."""

from __future__ import annotations

from roofline_analysis.traffic.footprint import SECTOR_BYTES
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class Caches:
    """The caches between the threads and DRAM, and what DRAM moves besides."""

    l2_bytes: float
    """The last cache before DRAM."""
    l1_bytes: float = 0.0
    """What the first caches of all SMs hold together; 0: not known, or next to nothing."""
    sector_bytes: int = SECTOR_BYTES
    """The smallest transfer."""
    check_bits_share: float = 0.0
    """Bytes of check bits that DRAM moves for each byte."""
    keeps_written: float | None = None
    """The share of the last cache that modified lines fill before any is written back.

    None: the more is written, the less of it is kept, from little on."""

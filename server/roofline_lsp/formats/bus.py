"""What crosses the bus to the host, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofline_analysis.report.report import BusUse
from roofline_core.text.units import scaled, significant

if TYPE_CHECKING:
    from roofline_analysis.api.explain.records import BusFacts


def bus_text(use: BusUse | BusFacts) -> str:
    """``limited by the bus: 201 MB over PCIe 4.0 x16 at 25.2 GB/s (134 MB read, ...)``."""
    moved = scaled(use.read_bytes + use.write_bytes, "B")
    over = f"{use.link} at {significant(use.bandwidth_gbs)} GB/s" if use.link else "the bus"
    parts = f"{scaled(use.read_bytes, 'B')} read, {scaled(use.write_bytes, 'B')} written"
    unknown = "" if use.link else "; its bandwidth is not known"
    start = "limited by the bus: " if use.limits else ""
    return f"{start}{moved} over {over} ({parts}){unknown}"

"""The bus between a GPU and the memory of its host."""

from typing import Final

from roofline_core.program.records import record

_LANE_GBS: Final = {
    1: 0.25,
    1.1: 0.25,
    2: 0.5,
    3: 8 * 128 / 130 / 8,
    4: 16 * 128 / 130 / 8,
    5: 32 * 128 / 130 / 8,
}
"""10^9 bytes per second of a PCI Express lane in one direction, by generation: the transfer rate
times the share of the line code (8b/10b, from generation 3 on 128b/130b)."""


@record(frozen=True, slots=True)
class HostLink:
    """A bus to host memory."""

    name: str
    """``PCIe 4.0 x16`` or ``NVLink-C2C``."""
    bandwidth_gbs: float
    """10^9 bytes per second in one direction, headers of packets included."""


def pcie_link(generation: float, lanes: int) -> HostLink | None:
    """A PCI Express bus; None for a generation whose rate is not known here."""
    lane = _LANE_GBS.get(generation)
    return None if lane is None else HostLink(f"PCIe {generation:.1f} x{lanes:g}", lane * lanes)

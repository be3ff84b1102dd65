"""The roofline of a GPU at one clock: its peaks, its bandwidth and the ridges between them."""

from collections.abc import Mapping
from enum import Enum

from roofline_core.program.precision import Precision
from roofline_core.program.records import record


class ClockKind(Enum):
    """Which of a GPU's clocks the peaks are computed at."""

    BASE = "base"
    """The guaranteed clock; what Nsight Compute locks to, and what the HPDC'25 paper uses."""
    BOOST = "boost"
    """The clock that vendors quote peaks at (AMD: the peak engine clock)."""


@record(frozen=True, slots=True)
class Roofline:
    """Peaks and bandwidth of one GPU at one clock.

    ``peaks_gops`` maps a precision to billions of operations per second, a multiply-add counting
    as two; a precision whose rate is unknown is absent. ``bandwidth_gbs`` is DRAM bandwidth in
    10^9 bytes per second. ``clock`` is the clock that was used, which is not the one asked for
    when that one is unknown.
    """

    clock: ClockKind
    clock_mhz: float
    peaks_gops: Mapping[Precision, float]
    bandwidth_gbs: float

    def __hash__(self) -> int:
        """By clock and bandwidth; a table cannot be hashed."""
        return hash((self.clock, self.clock_mhz, self.bandwidth_gbs))

    def ridge(self, precision: Precision) -> float | None:
        """Operations per byte at which the peak and the bandwidth meet; None if unknown.

        A kernel with a higher arithmetic intensity is compute-bound in that precision, one with
        a lower intensity bandwidth-bound.
        """
        peak_gops = self.peaks_gops.get(precision)
        return None if peak_gops is None else peak_gops / self.bandwidth_gbs

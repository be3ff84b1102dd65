"""DRAM traffic of the measuring machine itself, such as a display that is refreshed.

A GPU's counters see all traffic of its memory. On the machine of the RTX 3080 data set, every
launch longer than a sixtieth of a second has read at least 20 MB for each whole sixtieth: 1.2 GB/s
by the lower envelope of bytes over time (59 launches of 0.12 s and more, the lowest between 1.19
and 1.24), and hardly anything in launches of 8 to 16 ms. That is a display's frame. It is a
property of a measurement, not of a kernel, so by default there is none.
"""

from __future__ import annotations

import math

from roofline_core.program.records import record


@record(frozen=True, slots=True)
class Background:
    """DRAM traffic that does not come from the kernel."""

    gbs: float = 0.0
    """10^9 bytes per second, on average."""
    period_ms: float = 0.0
    """The traffic comes in bursts this far apart; 0 if it is steady."""

    def bytes_during(self, time_ns: float) -> float:
        """Bytes read during a launch of ``time_ns`` nanoseconds; bursts count in whole periods."""
        period_ns = self.period_ms * 1e6
        if period_ns > 0.0:
            time_ns -= math.fmod(time_ns, period_ns)
        return self.gbs * time_ns


NO_BACKGROUND = Background()

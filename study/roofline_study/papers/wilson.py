"""Wilson's interval of a share, for figures of which only the share and the number are known."""

from __future__ import annotations

import math

from roofline_study.bootstrap import Interval

_Z = 1.959963984540054
"""The normal distribution's quantile of 97.5%: intervals are of 95%."""


def wilson(share: float, count: float) -> Interval:
    """Where the true share lies with 95%, of ``count`` independent trials.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    spread = _Z * _Z / count
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return Interval(max(middle - half, 0.0), min(middle + half, 1.0))

"""What it would take to make the other class, in a sentence that reports share."""

from __future__ import annotations

from collections.abc import Mapping

from roofline_analysis.report.report import Verdict
from roofline_core.program.precision import Precision
from roofline_core.text.units import UNKNOWN, ratio_text

_DIGITS = 2


def other_class(verdict: Verdict | None, times: Mapping[Precision, float]) -> str | None:
    """``CB if INT operations were 2.6x as many, or DRAM bytes 2.6x fewer``.

    ``times`` has the intensity of each precision that decides over its ridge; None where there is
    no class or no such precision.
    """
    if verdict is None or not times:
        return None
    most = max(times.values())
    if verdict is Verdict.BANDWIDTH_BOUND:
        nearest = max(times, key=lambda precision: times[precision])
        far = _factor(1 / most)
        return f"CB if {nearest.title} operations were {far} as many, or DRAM bytes {far} fewer"
    above = [f"{p.title} {_factor(t)}" for p, t in times.items() if t > 1]
    return (
        f"BB if operations were fewer, {' and '.join(above)}, or DRAM bytes {_factor(most)} as many"
    )


def _factor(times: float) -> str:
    return f"{ratio_text(times, _DIGITS)}x" if times else UNKNOWN

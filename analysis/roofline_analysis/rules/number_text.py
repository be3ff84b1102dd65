"""The format of numbers in findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofline_analysis.regions.unknowns import UnknownKind, UnknownUsed
from roofline_analysis.rules.model import Effect
from roofline_core.program.precision import Precision
from roofline_core.text.units import duration, scaled

_UNITS: Mapping[Precision, str] = {
    Precision.SP: "SP flop",
    Precision.DP: "DP flop",
    Precision.HP: "HP flop",
    Precision.INT: "integer operations",
    Precision.TENSOR: "tensor-core flop",
}
_MOST_ASSUMED = 2
"""The most assumed numbers that a finding names."""
LEAST_SHARE = 0.01
"""The least share of a kernel's bytes or operations whose saving is mentioned."""


def plain(value: float) -> str:
    """``1,048,576``, ``0.25``: whole numbers with commas, others with three digits."""
    if abs(value) >= 1000 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.3g}"


def condition_text(assumed: Sequence[UnknownUsed]) -> str:
    """``, if n = 1024 and 3 more assumptions hold``; empty where nothing was assumed."""
    told = list(dict.fromkeys(text for each in assumed if (text := _assumption(each)) is not None))
    if not told:
        return ""
    more = len(told) - _MOST_ASSUMED
    if more <= 0:
        return f", if {' and '.join(told)}"
    rest = "another assumption holds" if more == 1 else f"{more} more assumptions hold"
    return f", if {', '.join(told[:_MOST_ASSUMED])} and {rest}"


def _assumption(unknown: UnknownUsed) -> str | None:
    """``n = 1024``; None without a value."""
    if unknown.assumed is None:
        return None
    if unknown.kind is UnknownKind.TRIPS:
        return f"the {unknown.name} are {plain(unknown.assumed)}"
    if unknown.kind is UnknownKind.BRANCH:
        return f"{unknown.assumed:.0%} of threads take the {unknown.name}"
    if unknown.name == "argc" and unknown.assumed == 1:
        return "the program has no arguments"
    return f"{unknown.name} = {plain(unknown.assumed)}"


def effect_text(effect: Effect, *, with_time: bool) -> str:
    """``saves 8 MB of DRAM traffic; SP intensity becomes 0.5; stays BB``.

    ``with_time``: the times, too, ``20 µs -> 20 µs (1.00x)``.
    """
    parts = []
    if effect.saved_bytes:
        verb = "saves" if effect.saved_bytes > 0 else "adds"
        parts.append(f"{verb} {scaled(abs(effect.saved_bytes), 'B')} of DRAM traffic")
    for precision, saved in effect.saved_operations.items():
        unit = _UNITS[precision]
        verb = "saves" if saved > 0 else "adds"
        if precision is Precision.INT:
            parts.append(f"{verb} {scaled(abs(saved))} {unit}")
        else:
            kind, name = unit.split(" ")
            parts.append(f"{verb} {scaled(abs(saved), name)} {kind}")
    if parts and (deciding := _deciding(effect)) is not None:
        parts.append(f"{deciding.title} intensity becomes {scaled(effect.intensity[deciding])}")
    if effect.verdict is not None and effect.new_verdict is not None:
        stays = "becomes" if effect.changes_class else "stays"
        parts.append(f"{stays} {effect.new_verdict.value}")
    if with_time and effect.at_assumed_sizes:
        parts.append(f"{effect.speedup:.2f}x as fast at the sizes assumed")
    elif with_time:
        times = f"{duration(effect.time_ns)} -> {duration(effect.new_time_ns)}"
        parts.append(f"{times} ({effect.speedup:.2f}x)")
    return "; ".join(parts)


def _deciding(effect: Effect) -> Precision | None:
    """The precision whose new intensity is shown: the one that changes, else the highest."""
    changed = [p for p in effect.saved_operations if p in effect.intensity]
    among = changed or list(effect.intensity)
    return max(among, key=lambda p: effect.intensity[p], default=None)

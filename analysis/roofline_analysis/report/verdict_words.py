"""A verdict in words: the class by the roofline, then the resource that decides the time."""

from __future__ import annotations

from typing import Final

from roofline_analysis.report.report import (
    GpuUsed,
    KernelReport,
    LaunchReport,
    Prediction,
    Resource,
    TimeLimit,
    Verdict,
)
from roofline_core.text.units import duration, percent, scaled, significant

RESOURCE_NAMES: Final = {
    Resource.DRAM: "DRAM",
    Resource.BUS: "the bus",
    Resource.L2: "L2",
    Resource.L1: "L1/shared memory",
    Resource.SP: "SP arithmetic",
    Resource.DP: "DP arithmetic",
    Resource.HP: "HP arithmetic",
    Resource.INT: "INT arithmetic",
    Resource.SPECIAL: "special functions",
    Resource.TENSOR: "tensor cores",
    Resource.ISSUE: "instruction issue",
    Resource.LATENCY: "latency",
    Resource.ATOMICS: "atomics",
    Resource.LAUNCH: "the launch itself",
}
_ARITHMETIC: Final = frozenset(
    (
        Resource.SP,
        Resource.DP,
        Resource.HP,
        Resource.INT,
        Resource.SPECIAL,
        Resource.TENSOR,
        Resource.ISSUE,
    )
)
_WORDS: Final = {
    "operations": "thread instructions",
    "instructions": "warp instructions",
    "clocks": "clocks in sequence",
    "atomics": "atomics in sequence",
}
INVENTED: Final = "an invented launch"
"""What a verdict rests on where no launch was found, or nothing of it is known."""
_WHOLE_LAUNCH: Final = "the launch"
"""What the sizes are called of a kernel whose numbers are all assumed."""
_MOST_SIZES: Final = 2


def agrees(verdict: Verdict, resource: Resource) -> bool:
    """Whether the time goes to the roof that the class is named after."""
    if verdict is Verdict.BANDWIDTH_BOUND:
        return resource in (Resource.DRAM, Resource.BUS)
    return resource in _ARITHMETIC


def class_words(prediction: Prediction) -> str:
    """``BB``; ``CB by intensity`` where the time goes elsewhere; ``undecided``."""
    verdict, limit = prediction.verdict, prediction.time_limit
    if verdict is None:
        return "undecided"
    if limit is None or agrees(verdict, limit.resource):
        return verdict.value
    return f"{verdict.value} by intensity"


def sure_words(prediction: Prediction) -> str:
    """``98%``, ``measured``, ``emulated``; empty without a class."""
    if prediction.source.is_observed:
        return prediction.source.value
    return percent(prediction.confidence) if prediction.verdict is not None else ""


def invented(launch: LaunchReport | None, prediction: Prediction) -> str | None:
    """``an invented launch``, ``assumed argv[1]``: what a verdict rests on that no source says."""
    if prediction.source.is_observed:
        return None
    if launch is None or _WHOLE_LAUNCH in prediction.time_depends_on:
        return INVENTED
    names = prediction.time_depends_on
    if not names:
        return None
    more = f" and {len(names) - _MOST_SIZES} more" if len(names) > _MOST_SIZES else ""
    return f"assumed {', '.join(names[:_MOST_SIZES])}{more}"


def for_words(kernel: KernelReport) -> str:
    """``for an invented launch``, ``for assumed argv[1]``; empty without a class or assumptions.

    It is of the launch that stands for the kernel.
    """
    launch = kernel.launches[0] if kernel.launches else None
    rests = invented(launch, kernel.prediction)
    return f"for {rests}" if rests is not None and kernel.prediction.verdict is not None else ""


def is_invented(kernel: KernelReport) -> bool:
    """Whether no launch was found that a verdict is for, or nothing of it is known."""
    return for_words(kernel) == f"for {INVENTED}"


def time_words(prediction: Prediction) -> str:
    """``time: DRAM, 134 MB at 1555 GB/s``; ``its time goes to L2: 19.4 GB at 7.5 TB/s, 2.6 ms``.

    Empty without a class: then the time is not known, either. Times that rest on assumed sizes are
    left out.
    """
    verdict, limit = prediction.verdict, prediction.time_limit
    if verdict is None or limit is None:
        return ""
    name = RESOURCE_NAMES[limit.resource]
    amount = ""
    if limit.amount is not None:
        amount = f"{amount_words(limit)}{_over(prediction)}{rate_words(limit)}"
    if amount and agrees(verdict, limit.resource):
        return f"time: {name}, {amount}"
    time = "" if prediction.time_depends_on else duration(limit.time_ns)
    shown = ", ".join(part for part in (amount, time) if part)
    return f"its time goes to {name}" + (f": {shown}" if shown else "")


def _over(prediction: Prediction) -> str:
    """`` over PCIe 4.0 x16`` where the time goes to a bus that is known; else empty."""
    limit, bus = prediction.time_limit, prediction.bus
    if limit is None or limit.resource is not Resource.BUS or bus is None or bus.link is None:
        return ""
    return f" over {bus.link}"


def time_in_short(prediction: Prediction) -> str | None:
    """``DRAM, 134 MB``; None without a class or a resource."""
    limit = prediction.time_limit
    if prediction.verdict is None or limit is None:
        return None
    name = RESOURCE_NAMES[limit.resource]
    return name if limit.amount is None else f"{name}, {amount_words(limit)}"


def amount_words(limit: TimeLimit) -> str:
    """``134 MB``, ``33.6 M operations``."""
    if limit.unit == "bytes":
        return scaled(limit.amount, "B")
    number = scaled(limit.amount)
    return f"{number} {_WORDS[limit.unit]}"


def rate_words(limit: TimeLimit) -> str:
    """`` at 1555 GB/s``, as the line of the GPU has it; empty for what is done in sequence."""
    if limit.per_second is None or limit.unit in ("clocks", "atomics"):
        return ""
    if limit.resource is Resource.BUS:
        return f" at {significant(limit.per_second / 1e9)} GB/s"
    if limit.resource is Resource.DRAM:
        return f" at {significant(limit.per_second / 1e9, 4)} GB/s"
    unit = "B/s" if limit.unit == "bytes" else "/s"
    return f" at {scaled(limit.per_second, unit)}"


def rule_words(gpu: GpuUsed) -> str | None:
    """What the study's rule is, where it is in force; None by the default rule."""
    if gpu.rule != "study":
        return None
    return (
        "classes by the study's rule: SP, DP and INT against the bytes that cross DRAM while the"
        " kernel runs"
    )


def other_rule(prediction: Prediction) -> str | None:
    """What the study's rule says instead, and why; None where it says the same."""
    by_study, verdict = prediction.study_verdict, prediction.verdict
    if by_study is None or verdict is None or by_study is verdict:
        return None
    if prediction.bus is not None and prediction.bus.limits:
        why = "it counts the bytes of DRAM alone"
    elif verdict is Verdict.BANDWIDTH_BOUND:
        kept = scaled(prediction.kept_bytes, "B")
        why = f"{kept} of what is written are still in L2 when the kernel ends"
    else:
        why = "it counts SP, DP and INT alone"
    return f"{by_study.value} by the study's rule: {why}"

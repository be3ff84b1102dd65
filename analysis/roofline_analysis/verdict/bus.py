"""The bus to the host: the time that a launch's traffic takes on it, and the class by it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from roofline_analysis.timing.launch_time import bus_bandwidth_gbs, bus_rate_gbs
from roofline_analysis.traffic.dram import Traffic
from roofline_analysis.verdict.confidence import confidence
from roofline_analysis.verdict.prediction import (
    BusUse,
    ConfidenceFeatures,
    Prediction,
    Verdict,
)
from roofline_analysis.verdict.rule import (
    LEAST_MARGIN,
    VerdictRule,
    precision_verdicts,
    verdict_of,
)
from roofline_core.program.precision import Precision
from roofline_hardware_db import Gpu, Roofline


def bus_time_ns(traffic: Traffic, gpu: Gpu, roofline: Roofline) -> float | None:
    """The time of a launch's traffic on the bus; None if nothing crosses it.

    Reads and writes are added up, though a bus can carry both at a time: the one kernel measured so
    far took 434 us on PCIe 4.0 x16 where this gives 499 us, and full overlap 333 us. Where the bus
    is not known this is the least that it can be: no bus is faster than the GPU's own memory.
    """
    moved = traffic.bus_read_bytes + traffic.bus_write_bytes
    if not moved:
        return None
    return moved / bus_rate_gbs(gpu, roofline)


def class_of(
    operations: Mapping[Precision, float],
    moved_bytes: float,
    roofline: Roofline,
    rule: VerdictRule,
    bus_ns: float | None,
) -> Verdict:
    """The class by operations, DRAM bytes and the time on the bus, None without traffic on it."""
    if rule.counts_bus and bus_ns is not None and bus_ns > _compute_ns(operations, roofline, rule):
        return Verdict.BANDWIDTH_BOUND
    return verdict_of(precision_verdicts(operations, moved_bytes, roofline), rule)


def _compute_ns(
    operations: Mapping[Precision, float], roofline: Roofline, rule: VerdictRule
) -> float:
    """The time of the deciding precision that takes longest, at its peak; 0 without operations."""
    times = (
        operations.get(precision, 0.0) / peak
        for precision in rule.deciding
        if (peak := roofline.peaks_gops.get(precision))
    )
    return max(times, default=0.0)


def judged_by_bus(
    prediction: Prediction,
    traffic: Traffic,
    operations: Mapping[Precision, float],
    gpu: Gpu,
    roofline: Roofline,
    rule: VerdictRule,
) -> Prediction:
    """A prediction by DRAM traffic with what crosses the bus, and judged by that where it limits.

    By a rule that does not count the bus it never limits. The same prediction if nothing crosses
    it.
    """
    time_ns = bus_time_ns(traffic, gpu, roofline)
    if time_ns is None:
        return prediction
    link = gpu.host_link
    compute_ns = _compute_ns(operations, roofline, rule)
    dram_ns = (traffic.read_bytes + traffic.write_bytes) / roofline.bandwidth_gbs
    limits = rule.counts_bus and time_ns > max(compute_ns, dram_ns)
    use = BusUse(
        read_bytes=traffic.bus_read_bytes,
        write_bytes=traffic.bus_write_bytes,
        link=link.name if link is not None else None,
        bandwidth_gbs=bus_bandwidth_gbs(link) if link is not None else None,
        time_ns=time_ns,
        limits=limits,
        dram_verdict=prediction.verdict,
        dram_confidence=prediction.confidence,
        dram_grounds=prediction.grounds,
    )
    if not limits or prediction.verdict is None or prediction.grounds is None:
        return replace(prediction, bus=use)
    margin = math.log(compute_ns / time_ns) if compute_ns else LEAST_MARGIN
    grounds = _grounds(prediction.grounds, traffic, margin)
    return replace(
        prediction,
        verdict=Verdict.BANDWIDTH_BOUND,
        confidence=confidence(grounds),
        grounds=grounds,
        bus=use,
    )


def _grounds(grounds: ConfidenceFeatures, traffic: Traffic, margin: float) -> ConfidenceFeatures:
    """The grounds of a class by the bus: the distance and the unknown addresses are the bus's."""
    moved = traffic.bus_read_bytes + traffic.bus_write_bytes
    unknown = sum(
        item.read_bytes + item.write_bytes
        for item in traffic.bus
        if any(each.random or each.box is None for each in item.footprints)
    )
    return replace(
        grounds, margin=margin, uncertain_share=min(1.0, unknown / moved) if moved else 0.0
    )

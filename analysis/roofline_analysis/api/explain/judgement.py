"""Step 6: how long a launch takes; step 7: its class, and how sure that is."""

from __future__ import annotations

from roofline_analysis.api.explain.records import (
    BusFacts,
    ConfidenceFeature,
    Intensity,
    TimeFacts,
    TimeTerm,
    VerdictFacts,
)
from roofline_analysis.timing.launch_time import CONSTANTS
from roofline_analysis.verdict.analyse import LaunchAnalysis, Target
from roofline_analysis.verdict.confidence import contributions
from roofline_analysis.verdict.prediction import BusUse, Crossover
from roofline_core.program.precision import Precision


def time_facts(judged: LaunchAnalysis) -> TimeFacts:
    """The time and how the launch fills the GPU."""
    timing, prediction = judged.timing, judged.prediction
    used = prediction.utilisation
    assert used is not None
    assert prediction.occupancy is not None
    return TimeFacts(
        time_ns=timing.total_ns,
        overlap_exponent=CONSTANTS.overlap,
        limiting=timing.limiting,
        resource=timing.limit.resource,
        terms=tuple(TimeTerm(name, time_ns) for name, time_ns in timing.terms_ns.items()),
        regime=used.regime,
        occupancy=prediction.occupancy,
        occupancy_limiter=used.limiter.value,
        blocks=used.blocks,
        blocks_per_sm=used.blocks_per_sm,
        sm_count=used.sm_count,
        waves=used.waves,
        tail_efficiency=used.tail_efficiency,
        depends_on=prediction.time_depends_on,
        registers_per_thread=judged.summary.registers_per_thread,
    )


def verdict_facts(
    judged: LaunchAnalysis, target: Target, crossover: Crossover | None
) -> VerdictFacts:
    """The class and what it follows from; ``crossover`` is where it changes, if that is known."""
    prediction, traffic = judged.prediction, judged.traffic
    grounds = prediction.grounds
    known = sum(array.read_bytes for array in traffic.arrays)
    return VerdictFacts(
        verdict=prediction.verdict,
        confidence=prediction.confidence,
        dram_read_bytes=traffic.read_bytes,
        dram_write_bytes=traffic.write_bytes,
        kept_bytes=prediction.kept_bytes,
        study_verdict=prediction.study_verdict,
        other_read_bytes=max(0.0, traffic.read_bytes - known),
        intensities=tuple(
            made
            for precision in Precision
            if (made := _intensity(judged, target, precision)) is not None
        ),
        confidence_features=tuple(
            ConfidenceFeature(each.name, each.value, each.log_odds)
            for each in (contributions(grounds) if grounds is not None else ())
        ),
        crossover=crossover,
        bus=_bus_facts(prediction.bus),
    )


def _bus_facts(use: BusUse | None) -> BusFacts | None:
    if use is None:
        return None
    return BusFacts(use.read_bytes, use.write_bytes, use.link, use.bandwidth_gbs, use.limits)


def _intensity(judged: LaunchAnalysis, target: Target, precision: Precision) -> Intensity | None:
    prediction = judged.prediction
    operations, ratio = prediction.operations(precision), prediction.intensity(precision)
    if not operations or ratio is None:
        return None
    return Intensity(
        precision=precision,
        operations=operations,
        ops_per_byte=ratio,
        ridge_ops_per_byte=target.roofline.ridge(precision),
        verdict=prediction.precision_verdicts.get(precision),
        decides=precision in target.rule.deciding,
    )

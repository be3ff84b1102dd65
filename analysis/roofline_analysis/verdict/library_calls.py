"""The verdict of a library call, by the same rule and roofline as for kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofline_analysis.host.library_call import LibraryCall
from roofline_analysis.host.values import ARGUMENT_COUNT
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_analysis.timing.launch_time import CONSTANTS, launch_overhead_ns
from roofline_analysis.timing.limiter import Limiter, Resource, TimeLimit
from roofline_analysis.traffic.dram import FLOOR_BYTES
from roofline_analysis.verdict.analyse import Target
from roofline_analysis.verdict.confidence import confidence
from roofline_analysis.verdict.prediction import (
    ConfidenceFeatures,
    Evidence,
    Prediction,
    PredictionSource,
)
from roofline_analysis.verdict.rule import margin, precision_verdicts, verdict_of
from roofline_core.algebra.symbolic import Expr, Symbol, constant
from roofline_core.program.precision import Precision


def judge_call(call: LibraryCall, target: Target) -> Prediction:
    """The prediction for one call; without a verdict if the call's bytes are unknown."""
    values = {symbol: constant(u.assumed) for symbol, u in call.unknowns.items()}
    work = call.work
    read, written = _number(work.read_bytes, values), _number(work.write_bytes, values)
    operations = {p: _number(amount, values) for p, amount in work.operations.items()}
    prediction = _undecided(call, operations, read, written)
    if read is None or written is None or None in operations.values():
        return prediction
    known = {p: amount for p, amount in operations.items() if amount is not None}
    moved = max(read + written, FLOOR_BYTES)
    verdicts = precision_verdicts(known, moved, target.roofline)
    times = _times(known, moved, target)
    limiting = max(times, key=lambda name: times[name])
    grounds = ConfidenceFeatures(
        margin(known, moved, target.roofline, target.rule), 0.0, 0.0, len(prediction.unknowns)
    )
    return replace(
        prediction,
        verdict=verdict_of(verdicts, target.rule),
        confidence=confidence(grounds),
        grounds=grounds,
        limiting=limiting,
        time_limit=_time_limit(limiting, times[limiting], moved, known, target),
        time_ns=times[limiting] + launch_overhead_ns(target.gpu, target.roofline),
        precision_verdicts=verdicts,
        time_depends_on=tuple(
            unknown.name for unknown in prediction.unknowns if unknown.name != ARGUMENT_COUNT
        ),
    )


def _number(amount: Expr | None, values: Mapping[Symbol, Expr]) -> float | None:
    known = amount.substitute(values).constant if amount is not None else None
    return max(0.0, float(known)) if known is not None else None


def _undecided(
    call: LibraryCall,
    operations: Mapping[Precision, float | None],
    read: float | None,
    written: float | None,
) -> Prediction:
    """A prediction without a verdict; precisions that the call does not use count 0 operations."""
    missing = call.work.missing
    unknown = None if missing is not None and not operations else 0.0
    return Prediction(
        verdict=None,
        confidence=0.0,
        source=PredictionSource.STATIC,
        limiting=None,
        sp_flops=operations.get(Precision.SP, unknown),
        dp_flops=operations.get(Precision.DP, unknown),
        hp_flops=operations.get(Precision.HP, unknown),
        int_ops=operations.get(Precision.INT, unknown),
        tensor_flops=operations.get(Precision.TENSOR, unknown),
        dram_read_bytes=read,
        dram_write_bytes=written,
        time_ns=None,
        precision_verdicts={},
        unknowns=_unknowns(call),
        evidence=_evidence(call, operations, read, written),
    )


def _unknowns(call: LibraryCall) -> tuple[UnknownUsed, ...]:
    found = [
        UnknownUsed(each.name, each.why, each.assumed, each.path, each.line)
        for each in call.unknowns.values()
    ]
    if call.work.missing is not None:
        found.append(UnknownUsed("traffic", call.work.missing, None, call.path, call.line))
    return tuple(found)


def _times(
    operations: Mapping[Precision, float], moved: float, target: Target
) -> dict[Limiter, float]:
    """Nanoseconds that each resource alone would need if the call occupied the whole GPU."""
    roofline = target.roofline
    result = {Limiter.BANDWIDTH: moved / (roofline.bandwidth_gbs * CONSTANTS.dram_share)}
    for precision, amount in operations.items():
        peak = roofline.peaks_gops.get(precision)
        if peak and amount:
            result[Limiter(precision.value)] = amount / peak
    return result


def _time_limit(
    limiting: Limiter,
    time_ns: float,
    moved: float,
    operations: Mapping[Precision, float],
    target: Target,
) -> TimeLimit:
    """The longest time, or that of the launch where it is longer."""
    overhead = launch_overhead_ns(target.gpu, target.roofline)
    if time_ns < overhead:
        return TimeLimit(Resource.LAUNCH, overhead, None, "", None)
    if limiting is Limiter.BANDWIDTH:
        rate = target.roofline.bandwidth_gbs * 1e9
        return TimeLimit(Resource.DRAM, time_ns, moved, "bytes", rate)
    precision = Precision(limiting.value)
    rate = target.roofline.peaks_gops[precision] * 1e9
    return TimeLimit(Resource(limiting.value), time_ns, operations[precision], "operations", rate)


_WORDS = {
    Precision.SP: "single-precision operations",
    Precision.DP: "double-precision operations",
    Precision.HP: "half-precision operations",
    Precision.INT: "integer operations",
    Precision.TENSOR: "tensor-core operations",
}


def _evidence(
    call: LibraryCall,
    operations: Mapping[Precision, float | None],
    read: float | None,
    written: float | None,
) -> tuple[Evidence, ...]:
    amounts = [(f"{_WORDS[p]} of {call.work.action}", a) for p, a in operations.items()]
    amounts += [("DRAM bytes read", read), ("DRAM bytes written", written)]
    return tuple(Evidence(call.path, call.line, what, amount) for what, amount in amounts if amount)

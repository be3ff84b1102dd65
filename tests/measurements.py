"""Measurements made up for tests."""

from __future__ import annotations

from roofline_analysis.report.report import Measured, Prediction


def measured_as_predicted(predicted: Prediction, *, gpu: str, origin: str) -> Measured:
    """A measurement that applies and finds all as predicted; nothing is known of its launch."""
    return Measured(
        verdict=predicted.verdict,
        gpu=gpu,
        sp_flops=predicted.sp_flops,
        dp_flops=predicted.dp_flops,
        hp_flops=predicted.hp_flops,
        int_ops=predicted.int_ops,
        tensor_flops=predicted.tensor_flops,
        dram_bytes=predicted.dram_bytes,
        time_ns=predicted.time_ns,
        grid=None,
        block=None,
        args=None,
        occupancy=None,
        stalls={},
        heat={},
        origin=origin,
        stale=False,
        applies=True,
        predicted=predicted,
        disagreement=None,
    )

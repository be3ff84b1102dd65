"""Which term is off, and how it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from roofline_analysis.report.report import (
    BusUse,
    GpuUsed,
    Limiter,
    Prediction,
    PredictionSource,
    UnknownUsed,
    Verdict,
)
from roofline_core.program.precision import Precision
from roofline_profiling.error_terms import gap_of, strongly_off, times
from roofline_profiling.measurement import Measurement
from roofline_profiling.substitution import measured_prediction

Measure = Callable[..., Measurement]
RIDGES = {Precision.SP: 33.0, Precision.DP: 0.5, Precision.INT: 16.5}
USED = GpuUsed("a GPU", "base", 1000.0, {}, 760.0, RIDGES)
CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND


def predicted(verdict: Verdict | None = BB, **values: Any) -> Prediction:
    made = Prediction(
        verdict=verdict,
        confidence=0.9,
        source=PredictionSource.STATIC,
        limiting=Limiter.BANDWIDTH,
        sp_flops=3e6,
        dp_flops=0.0,
        hp_flops=0.0,
        int_ops=7e6,
        tensor_flops=0.0,
        dram_read_bytes=8e6,
        dram_write_bytes=4e6,
        time_ns=17310.0,
        precision_verdicts={},
    )
    return replace(made, **values)


def test_counters_of_dram_do_not_refute_the_bus(measurement: Measure) -> None:
    use = BusUse(8e6, 4e6, "PCIe 4.0 x16", 25.2, 17310.0, True, CB, 0.9, None)
    made = predicted(bus=use, limiting=Limiter.BUS)
    launch = measurement(int_ops=7e8)
    assert launch.verdict(RIDGES) is CB
    shown = measured_prediction(made, launch, USED)
    assert (shown.verdict, shown.source) == (BB, PredictionSource.MEASURED)
    assert measured_prediction(predicted(), launch, USED).verdict is CB


def test_nothing_is_said_where_all_is_right(measurement: Measure) -> None:
    gap = gap_of(measurement(), predicted(), RIDGES)
    assert gap.text == ""
    assert gap.off is None
    assert gap.deciding is Precision.INT
    assert gap.intensity == pytest.approx(1)
    assert gap.ratios["dram_bytes"] == pytest.approx(1)
    assert gap.ratios["dp_flops"] is None
    assert not strongly_off(gap)


def test_bytes_that_are_off(measurement: Measure) -> None:
    gap = gap_of(measurement(int_ops=600e6), predicted(int_ops=600e6, dram_read_bytes=80e6), RIDGES)
    assert gap.off == "dram_bytes"
    assert gap.text == (
        "INT intensity 7.14 where 50 was measured (ridge 16.5): DRAM bytes 7x too many"
    )
    assert strongly_off(gap)


def test_operations_that_are_off_with_what_was_assumed(measurement: Measure) -> None:
    unknowns = tuple(UnknownUsed(name, "read", 1024.0) for name in ("n", "m", "k"))
    gap = gap_of(measurement(sp_flops=600e6), predicted(sp_flops=30e6, unknowns=unknowns), RIDGES)
    assert gap.off == "sp_flops"
    assert gap.text == (
        "SP intensity 2.5 where 50 was measured (ridge 33): SP operations 20x too few; "
        "assumed: n = 1024, m = 1024 and 1 more"
    )


def test_the_precision_that_was_taken_to_be_above(measurement: Measure) -> None:
    gap = gap_of(measurement(dp_flops=1e6), predicted(CB, dp_flops=12e6), RIDGES)
    assert gap.deciding is Precision.DP
    assert gap.off == "dp_flops"
    assert "DP operations 12x too many" in gap.text


def test_near_the_ridge(measurement: Measure) -> None:
    gap = gap_of(measurement(int_ops=205e6), predicted(int_ops=190e6), RIDGES)
    assert gap.off is None
    assert gap.text == (
        "INT intensity 15.8 where 17.1 was measured (ridge 16.5): near the ridge, operations and "
        "bytes are within 1.25x"
    )


def test_operations_not_predicted_at_all(measurement: Measure) -> None:
    none = gap_of(measurement(dp_flops=60e6), predicted(), RIDGES)
    assert none.off == "dp_flops"
    assert none.text.endswith("none of its DP operations were predicted")
    unknown = gap_of(measurement(dp_flops=60e6), predicted(None, dp_flops=None), RIDGES)
    assert unknown.text.endswith("its DP operations are not known")


def test_operations_that_were_not_measured(measurement: Measure) -> None:
    gap = gap_of(measurement(dp_flops=0.0), predicted(CB, dp_flops=12e6, time_ns=1e6), RIDGES)
    assert gap.off == "dp_flops"
    assert gap.text == (
        "DP intensity 1 where 0 was measured (ridge 0.5): DP operations were predicted, and none "
        "measured; time 58x too long"
    )


def test_long_names_of_unknowns_are_shortened(measurement: Measure) -> None:
    unknown = UnknownUsed(" ".join(["word"] * 40), "why", 5.0)
    gap = gap_of(measurement(), predicted(time_ns=1e6, unknowns=(unknown,)), RIDGES)
    assert gap.text.endswith("assumed: word word word word word word word... = 5")


def test_time_that_follows_the_bytes(measurement: Measure) -> None:
    gap = gap_of(measurement(), predicted(dram_read_bytes=32e6, time_ns=50000.0), RIDGES)
    assert gap.off == "time_ns"
    assert gap.text == "time 2.9x too long, as its DRAM bytes are 3x too many"


def test_time_by_itself(measurement: Measure) -> None:
    gap = gap_of(measurement(), predicted(time_ns=4000.0), RIDGES)
    assert gap.text == ("time 4.3x too short though its counts are right: the model of time is off")
    assert strongly_off(gap)


def test_a_launch_measured_in_part(measurement: Measure) -> None:
    bare = Measurement("k", time_ns=17310.0)
    gap = gap_of(bare, predicted(), RIDGES)
    assert gap.text == ""
    assert gap.deciding is Precision.INT
    assert gap.intensity is None


@pytest.mark.parametrize(
    ("ratio", "said"), [(2.9, "2.9x too many"), (0.25, "4x too few"), (1.0, "1x too many")]
)
def test_times(ratio: float, said: str) -> None:
    assert times(ratio) == said


def test_classes_of_measurements(measurement: Measure) -> None:
    assert measurement().verdict(RIDGES) is BB
    assert measurement(dp_flops=6.1e6).verdict(RIDGES) is CB
    assert measurement(dp_flops=6e6).verdict(RIDGES) is BB  # the ridge itself is not above it
    assert measurement(dram_read_bytes=0.0, dram_write_bytes=0.0).verdict(RIDGES) is CB
    assert measurement(dp_flops=None).verdict(RIDGES) is None
    assert measurement(dp_flops=None, sp_flops=1e12).verdict(RIDGES) is CB
    assert measurement(label=CB).verdict(RIDGES) is CB
    assert measurement(dram_read_bytes=None).verdict(RIDGES) is None
    assert measurement(dram_read_bytes=None, dp_flops=None).missing() == ("dp_flops", "dram_bytes")

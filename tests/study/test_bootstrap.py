from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_study.bootstrap import Floats, intervals
from roofline_study.metric_figures import METRIC_FIGURES
from roofline_study.metrics import Confusion


def share(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 6), min_size=1, max_size=20))
def test_the_figures_are_the_metrics_of_a_confusion(rows: list[tuple[int, ...]]) -> None:
    with np.errstate(divide="ignore", invalid="ignore"):
        for metric, figure in METRIC_FIGURES.items():
            expected = [getattr(Confusion(*row), metric) for row in rows]
            found = figure(np.array(rows, dtype=np.float64))
            assert [None if np.isnan(value) else value for value in found] == pytest.approx(
                expected
            )


def test_the_interval_is_that_of_the_binomial_where_programs_have_one_kernel() -> None:
    programs = [(1.0, 1.0)] * 80 + [(0.0, 1.0)] * 20
    found = intervals(programs, {"share": share})["share"]
    assert found is not None
    # A standard deviation of 0.04: 0.8 +- 1.96 * 0.04; the share moves in steps of 0.01.
    assert found.low == pytest.approx(0.722, abs=0.0151)
    assert found.high == pytest.approx(0.878, abs=0.0151)


def test_the_same_predictions_have_the_same_interval() -> None:
    programs = [(1.0, 2.0), (3.0, 3.0), (0.0, 1.0), (5.0, 9.0)]
    assert intervals(programs, {"share": share}) == intervals(programs, {"share": share})


def test_kernels_of_one_program_stand_or_fall_together() -> None:
    many = intervals([(1.0, 1.0)] * 50 + [(0.0, 1.0)] * 50, {"share": share})["share"]
    few = intervals([(25.0, 25.0), (0.0, 25.0), (25.0, 25.0), (0.0, 25.0)], {"share": share})
    assert many is not None
    wide = few["share"]
    assert wide is not None
    assert wide.high - wide.low > 3 * (many.high - many.low)


def test_all_right_has_no_width() -> None:
    found = intervals([(1.0, 1.0)] * 9, {"share": share})["share"]
    assert found is not None
    assert (found.low, found.high) == (1.0, 1.0)


def test_one_program_and_undefined_figures_have_no_interval() -> None:
    assert intervals([(1.0, 1.0)], {"share": share}) == {"share": None}
    assert intervals([], {"share": share}) == {"share": None}
    assert intervals([(0.0, 0.0)] * 5, {"share": share}) == {"share": None}

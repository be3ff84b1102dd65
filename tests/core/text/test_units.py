from __future__ import annotations

import pytest

from roofline_core.text.table import aligned
from roofline_core.text.units import (
    counted,
    dimensions,
    duration,
    exact,
    percent,
    ratio_text,
    scaled,
    significant,
)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (33_554_432.0, "FLOP", "33.6 MFLOP"),
        (4_194_304.0, "B", "4.19 MB"),
        (512.0, "B", "512 B"),
        (0.0, "B", "0 B"),
        (999.4, "B", "999 B"),
        (999.6, "B", "1 kB"),
        (999_999.0, "", "1 M"),
        (1500.0, "", "1.5 k"),
        (2.5e18, "OP", "2.5 EOP"),
        (7e21, "OP", "7 ZOP"),
        (1.09e25, "", "10.9 Y"),
        (2e30, "", "2 Q"),
        (-2e6, "B", "-2 MB"),
        (None, "B", "?"),
        (float("inf"), "B", "inf B"),
    ],
)
def test_amounts_are_scaled_to_three_digits(value: float | None, unit: str, text: str) -> None:
    assert scaled(value, unit) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.166666, "0.167"),
        (32.97, "33"),
        (1860.4, "1860"),
        (123456.7, "123457"),
        (1.5e7, "1.5e+07"),
        (0.00002, "2e-05"),
        (100.0, "100"),
        (None, "?"),
        (float("nan"), "nan"),
    ],
)
def test_plain_numbers_have_three_digits(value: float | None, text: str) -> None:
    assert significant(value) == text


def test_more_digits_on_demand() -> None:
    assert significant(760.3, 4) == "760.3"
    assert significant(0.51516, 4) == "0.5152"


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [
        (2_990_880.0, "2.99 ms"),
        (850.0, "850 ns"),
        (1000.0, "1 µs"),
        (0.25, "0.25 ns"),
        (0.0, "0 ns"),
        (999_999.0, "1 ms"),
        (18_240.0, "18.2 µs"),
        (1.5e9, "1.5 s"),
        (119.4e9, "119 s"),
        (150e9, "2.5 min"),
        (11_691e9, "3.25 h"),
        (2 * 86_400e9, "2 days"),
        (4.69e22, "1.49 M years"),
        (None, "?"),
    ],
)
def test_durations_take_the_largest_unit_that_fits(time_ns: float | None, text: str) -> None:
    assert duration(time_ns) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.8549, "0.855"),
        (1.0, "1"),
        (20.39, "20.4"),
        (999.96, "1,000"),
        (12_345.6, "12,300"),
        (3.65203e5, "365,000"),
        (4.6e8, "460 M"),
        (None, "?"),
        (float("inf"), "inf"),
    ],
)
def test_ratios_have_three_digits_and_no_exponent(ratio: float | None, text: str) -> None:
    assert ratio_text(ratio) == text


def test_ratios_of_two_digits() -> None:
    assert ratio_text(313.2, 2) == "310"
    assert ratio_text(14.3, 2) == "14"
    assert ratio_text(1.47, 2) == "1.5"
    assert ratio_text(365_203.0, 2) == "370,000"


def test_whole_numbers_are_shown_in_full() -> None:
    assert exact(1048576.0) == "1048576"
    assert exact(-3.0) == "-3"
    assert exact(0.123456) == "0.123"
    assert exact(1e20) == "1e+20"
    assert exact(float("inf")) == "inf"
    assert exact(None) == "?"


def test_shares_dimensions_and_counts() -> None:
    assert percent(0.875) == "88%"
    assert percent(None) == "?"
    assert dimensions((4, None, 1)) == "(4, ?, 1)"
    assert dimensions(None) == "?"
    assert counted(1, "kernel") == "1 kernel"
    assert counted(2, "kernel") == "2 kernels"
    assert counted(2, "class", "classes") == "2 classes"


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    rows = [["name", "n", "x"], ["saxpy", "12"], ["a", "3", "last"]]
    assert aligned(rows, right=(1,), indent="  ") == [
        "  name    n  x",
        "  saxpy  12",
        "  a       3  last",
    ]
    assert aligned([]) == []

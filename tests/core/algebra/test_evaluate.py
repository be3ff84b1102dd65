"""Environments made from others give what an environment made of the same values gives."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roofline_core.algebra.evaluate import (
    Environment,
    count_distinct,
    distinct,
    integers,
    median,
)
from roofline_core.algebra.operations import finite
from roofline_core.algebra.symbolic import apply, from_atom, make_symbol

SIZE, COLUMN, ROW = make_symbol("n"), make_symbol("i"), make_symbol("j")
LANES = st.lists(st.integers(-50, 50), min_size=4, max_size=4)


def test_a_restricted_environment_has_all_values() -> None:
    whole = Environment({SIZE: 7, COLUMN: np.arange(4)})
    part = whole.restricted(np.array([True, False, True, False]))
    assert part.values[SIZE] == 7
    assert list(part.values[COLUMN]) == [0, 2]
    assert list(part.values) == [SIZE, COLUMN]


def test_an_extended_environment_overrides() -> None:
    inner = Environment({SIZE: 7, COLUMN: np.arange(4)}).extended(SIZE, 9)
    assert inner.evaluate(from_atom(SIZE)) == 9
    assert inner.values[SIZE] == 9


def test_a_symbol_without_value_stays_unknown() -> None:
    inner = Environment({SIZE: 7}).restricted(np.array([0])).extended(COLUMN, 1)
    assert inner.evaluate(from_atom(ROW)) is None
    assert ROW not in inner.values


@given(
    lanes=LANES,
    keep=st.lists(st.integers(0, 3), min_size=1, max_size=6),
    counter=st.integers(0, 9),
    first=st.booleans(),
)
def test_chains_of_environments(
    lanes: list[int], keep: list[int], counter: int, first: bool
) -> None:
    picked = np.array(keep)
    i, j, n = map(from_atom, (COLUMN, ROW, SIZE))
    expr = apply("mod", i * n + j, 5) + apply("max", i, j) * 2
    outer = Environment({SIZE: 3, COLUMN: np.array(lanes)})
    outer.evaluate(apply("max", i, n))
    if first:
        inner = outer.extended(ROW, counter).restricted(picked)
    else:
        inner = outer.restricted(picked).extended(ROW, counter)
    plain = Environment({SIZE: 3, COLUMN: np.array(lanes)[picked], ROW: counter})
    made, expected = inner.evaluate(expr), plain.evaluate(expr)
    assert made is not None
    assert expected is not None
    assert np.array_equal(made, expected)


@given(st.lists(st.integers(-9, 9), max_size=40))
def test_distinct_numbers_are_those_of_numpy(numbers: list[int]) -> None:
    assert distinct(np.array(numbers)).tolist() == np.unique(numbers).tolist()


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_the_median_is_numpys(numbers: list[float]) -> None:
    assert median(np.array(numbers)) == np.median(numbers)


def test_lanes_are_divided_by_a_number_beyond_the_64_bit_integers() -> None:
    x = make_symbol("x", nonnegative=True)
    shifted = apply("shr", from_atom(x), 63)
    found = Environment({x: np.array([0, 1, 2**40])}).evaluate(shifted)
    assert found is not None
    assert np.asarray(found).tolist() == [0, 0, 0]


def test_a_mask_of_64_bits_keeps_its_bits() -> None:
    x = make_symbol("x", nonnegative=True)
    high = apply("and", from_atom(x), 0xFFFFFFFF00000000)
    found = Environment({x: np.array([5, 2**40 + 5])}).evaluate(high)
    assert found is not None
    assert np.asarray(found).tolist() == [0, 2**40]


@given(
    st.lists(st.integers(-(2**40), 2**40), min_size=1),
    st.integers(1, 2**40) | st.sampled_from([2**61, 2**62, 2**63]),
)
def test_lanes_are_divided_by_a_number_as_c_does(numbers: list[int], divisor: int) -> None:
    lanes = Environment({COLUMN: np.array(numbers)})
    quotients = lanes.evaluate(apply("div", from_atom(COLUMN), divisor))
    rests = lanes.evaluate(apply("mod", from_atom(COLUMN), divisor))
    assert quotients is not None
    assert rests is not None
    towards_zero = [abs(each) // divisor * (1 if each >= 0 else -1) for each in numbers]
    assert np.broadcast_to(quotients, len(numbers)).tolist() == towards_zero
    assert np.broadcast_to(rests, len(numbers)).tolist() == [
        each - divisor * quotient for each, quotient in zip(numbers, towards_zero, strict=True)
    ]


@given(st.lists(st.integers(-9, 9), min_size=1))
def test_a_sum_begins_with_its_first_lanes(numbers: list[int]) -> None:
    given_lanes = np.array(numbers)
    lanes = Environment({COLUMN: given_lanes, ROW: given_lanes.astype(float)})
    assert np.asarray(lanes.evaluate(from_atom(COLUMN))).tolist() == numbers
    assert np.asarray(lanes.evaluate(from_atom(ROW))).dtype == np.float64
    doubled = lanes.evaluate(1.0 * from_atom(COLUMN) + from_atom(COLUMN))
    assert np.asarray(doubled).tolist() == [2 * n for n in numbers]
    assert given_lanes.tolist() == numbers


def test_what_no_double_holds_is_not_finite() -> None:
    assert finite(3) == 3.0
    assert finite(-2.5) == -2.5
    for number in (10**400, -(10**400), math.inf, -math.inf, math.nan):
        assert finite(number) is None


@given(
    values=st.lists(st.integers(-(2**62), 2**62) | st.integers(-300, 300), min_size=1, max_size=9),
    times=st.integers(1, 90),
    step=st.sampled_from([1, 0.5, 0.1]),
)
def test_numbers_are_counted_as_sorting_counts_them(
    values: list[int], times: int, step: float
) -> None:
    for each in (np.array(values * times), np.array(values * times) * step):
        assert count_distinct(each) == len(distinct(each))


def test_infinities_and_what_is_no_number_are_counted_too() -> None:
    many = np.arange(1000) % 7
    for odd in (math.inf, -math.inf, math.nan):
        assert count_distinct(np.append(many, odd)) == 8
    assert count_distinct(np.array([-(2**62), 2**62] * 500)) == 2


@given(
    lanes=LANES,
    divisor=st.integers(2, 70) | st.sampled_from([2**31, 2**61]),
    factor=st.sampled_from([1, 2**40, -(2**40)]),
)
def test_remainders_by_one_number_are_those_of_c(
    lanes: list[int], divisor: int, factor: int
) -> None:
    values = [lane * factor for lane in lanes]
    found = Environment({COLUMN: np.array(values)}).evaluate(
        apply("mod", from_atom(COLUMN), divisor)
    )
    assert found is not None
    assert list(found) == [int(math.fmod(value, divisor)) for value in values]


@given(
    values=st.lists(
        st.floats(-1e30, 1e30)
        | st.sampled_from([math.nan, math.inf, -math.inf, 2.0**62, -(2.0**62)])
    )
)
def test_reals_become_integers_within_their_range(values: list[float]) -> None:
    most = 2**62
    expected = [
        0 if math.isnan(each) else int(min(max(each, -float(most)), float(most))) for each in values
    ]
    assert list(integers(np.array(values, dtype=np.float64))) == expected


def test_what_rests_on_no_value_that_changes_is_taken_over() -> None:
    """And a lane of a symbol that has another value now is worked out anew."""
    half, other = (apply("div", from_atom(moving), 2) for moving in (SIZE, COLUMN))
    outer = Environment({SIZE: np.array([8]), COLUMN: np.array([6])})
    first, second = outer.evaluate(half), outer.evaluate(other)
    assert first is not None
    assert second is not None
    inner = outer.with_values({COLUMN: np.arange(4)})
    assert inner.evaluate(half) is first
    found = inner.evaluate(other)
    assert found is not None
    assert found.tolist() == [0, 0, 1, 1]
    assert inner.values.keys() == {SIZE, COLUMN}
    assert second.tolist() == [3]

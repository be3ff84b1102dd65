"""The search for the size at which a class changes, held against trying every size."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.verdict.prediction import SizeRange, Verdict
from roofline_analysis.verdict.size_search import SizeClass, is_same_at_ends, search_sizes

Margin = Callable[[int], float | None]


def of(margin: float) -> SizeClass:
    verdict = Verdict.COMPUTE_BOUND if margin > 0.0 else Verdict.BANDWIDTH_BOUND
    return SizeClass(verdict, margin)


def searched(now: int, margin: Margin) -> tuple[SizeRange | None, list[int]]:
    """What the search finds, and the values that it tried."""
    tried: list[int] = []

    def class_for(value: int) -> SizeClass | None:
        tried.append(value)
        found = margin(value)
        return None if found is None else of(found)

    here = margin(now)
    assert here is not None
    return search_sizes("n", now, of(here), class_for), tried


def has_four_bits(value: int) -> bool:
    return value % (1 << max(0, value.bit_length() - 4)) == 0


@given(st.integers(3, 30), st.floats(0.3, 3.0), st.floats(-4.0, 4.0), st.booleans())
def test_the_flip_of_a_power_is_the_first_value_beyond_it(
    bits: int, power: float, octaves: float, falling: bool
) -> None:
    now = 1 << bits
    flip = now * 2.0**octaves
    sign = -1.0 if falling else 1.0
    found, tried = searched(now, lambda n: sign * power * math.log(n / flip))
    assert found is not None
    assert len(set(tried)) <= 16
    least, largest = min(tried), max(tried)
    assert (found.least, found.most) == (least, largest)
    if not least < flip < largest:
        return
    assert found.crossover is not None
    value = found.crossover.value
    assert has_four_bits(value)
    above = Verdict.BANDWIDTH_BOUND if falling else Verdict.COMPUTE_BOUND
    assert found.crossover.verdict is above
    assert value >= flip - 1e-6
    assert value * (1 - 2 / 16) <= flip + 1.0


def test_sizes_between_are_not_tried_where_all_known_ones_are_far_from_the_ridge() -> None:
    found, tried = searched(4096, lambda n: -3.0 - 0.1 * math.log(n / 4096))
    assert found == SizeRange("n", 1, 1 << 18, None)
    assert len(tried) == 2


def test_sizes_between_are_not_tried_where_they_hardly_differ() -> None:
    found, tried = searched(4096, lambda n: -0.5 + 0.01 * math.log(n / 4096))
    assert found is not None
    assert found.crossover is None
    assert len(tried) == 2


def test_sizes_between_are_tried_near_the_ridge() -> None:
    """A class that changes twice is not told, though the ends and the present value agree."""

    def margin(n: int) -> float:
        return 1.0 if 16 <= n <= 512 else -1.0

    found, tried = searched(4096, lambda n: margin(n) * (1.0 if n < 2048 else 0.3))
    assert found is None
    assert len(tried) > 3


def test_sizes_that_are_not_possible_are_left_out() -> None:
    found, _ = searched(1024, lambda n: None if n < 64 or n > 9000 else math.log(n / 500))
    assert found is not None
    assert (found.least, found.most) == (64, 4096)
    assert found.crossover is not None
    assert 500 <= found.crossover.value <= 576


@pytest.mark.parametrize("now", [1, 2, 7])
def test_small_numbers(now: int) -> None:
    found, _ = searched(now, lambda n: float(n - 4) or -0.1)
    assert found is not None
    assert found.crossover is not None
    assert found.crossover.value == 5


def test_the_bus_tells_no_distance_from_the_ridge() -> None:
    """The margin is 0 there, and halves of the range are tried instead."""

    def class_for(value: int) -> SizeClass:
        verdict = Verdict.COMPUTE_BOUND if value >= 1000 else Verdict.BANDWIDTH_BOUND
        return SizeClass(verdict, 0.0)

    found = search_sizes("n", 4096, class_for(4096), class_for)
    assert found is not None
    assert found.crossover is not None
    assert found.crossover.value == 1024


@pytest.mark.parametrize(("flip", "same"), [(1 << 30, True), (1 << 9, False), (1 << 14, False)])
def test_the_ends_tell_whether_the_class_is_for_all_sizes(flip: int, same: bool) -> None:
    """Of 1,024 the values tried go from 1 to 65,536."""
    now = of(math.log(flip / 1024))
    assert is_same_at_ends(1024, now, lambda n: of(math.log(flip / n))) is same


def test_a_size_that_fits_nothing_has_no_ends() -> None:
    assert not is_same_at_ends(1024, of(1.0), lambda _: None)

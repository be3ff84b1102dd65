from __future__ import annotations

import math
from collections import Counter

import pytest

from roofline_study.llmperf.regimes import (
    GroupRange,
    LaidOutFor,
    Regime,
    group_ranges,
    regime_of,
)
from roofline_study.llmperf.sampling import Configuration, Sampler, Strategy

MACHINE = LaidOutFor(units=16, items_per_unit=2048)
SAMPLER = Sampler(MACHINE, most_items=1 << 16, seed=3)


def regimes(found: tuple[Configuration, ...]) -> Counter[Regime]:
    return Counter(each.regime(MACHINE) for each in found)


def test_the_regimes_begin_where_units_and_their_room_are_full() -> None:
    assert regime_of(15, 64, MACHINE) is Regime.IDLE
    assert regime_of(16, 64, MACHINE) is Regime.UNDER_UTILISED
    # 2048 / 64 = 32 groups a unit, 512 in all.
    assert regime_of(511, 64, MACHINE) is Regime.UNDER_UTILISED
    assert regime_of(512, 64, MACHINE) is Regime.FULLY_UTILISED


def test_the_ranges_of_groups() -> None:
    assert group_ranges(64, MACHINE, 1 << 16) == {
        Regime.IDLE: GroupRange(1, 15),
        Regime.UNDER_UTILISED: GroupRange(16, 511),
        Regime.FULLY_UTILISED: GroupRange(512, 1024),
    }


def test_a_device_of_one_unit_is_never_idle_and_small_launches_never_fill_one() -> None:
    assert set(group_ranges(64, LaidOutFor(1), 1 << 20)) == {
        Regime.UNDER_UTILISED,
        Regime.FULLY_UTILISED,
    }
    assert set(group_ranges(64, MACHINE, 1 << 14)) == {Regime.IDLE, Regime.UNDER_UTILISED}


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("key", ["a", "b", "c"])
def test_iqr_launches_are_balanced_exactly(dimensions: int, key: str) -> None:
    found = SAMPLER.draw(Strategy.IQR, 24, dimensions, key)
    assert regimes(found) == dict.fromkeys(Regime, 8)
    for regime in Regime:
        inside = 0
        for each in found:
            if each.regime(MACHINE) is not regime:
                continue
            whole = group_ranges(each.group_items, MACHINE, 1 << 16)[regime]
            span = math.log2((whole.high + 1) / whole.low)
            low, high = (whole.low * 2 ** (span * q) for q in (0.25, 0.75))
            inside += round(low) <= each.group_count < round(high)
        # Half of them lie in the interquartile range.
        assert inside == 4


def test_each_regime_and_quarter_has_as_many_of_each_group_size() -> None:
    found = SAMPLER.draw(Strategy.IQR, 24, 1, "k")
    sizes = Counter((each.regime(MACHINE), each.group_items) for each in found)
    assert len(sizes) == 6
    assert set(sizes.values()) == {4}


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_uniform_launches_mostly_fill_the_device_and_importance_spreads_them(
    dimensions: int,
) -> None:
    uniform = regimes(SAMPLER.draw(Strategy.UNIFORM, 400, dimensions, "k"))
    importance = regimes(SAMPLER.draw(Strategy.IMPORTANCE, 400, dimensions, "k"))
    # Of 1,024 numbers 15 are below 16, of 10 octaves 4.
    assert uniform[Regime.IDLE] < 30
    assert 100 < importance[Regime.IDLE] < 220


def test_shapes_use_the_dimensions_that_are_asked_for() -> None:
    flat = SAMPLER.draw(Strategy.IQR, 12, 1, "k")
    assert all(each.groups[1:] == (1, 1) and each.local_size[1:] == (1, 1) for each in flat)
    square = SAMPLER.draw(Strategy.IQR, 12, 2, "k")
    assert any(each.groups[1] > 1 for each in square)
    assert all(each.groups[2] == 1 for each in square)
    cube = SAMPLER.draw(Strategy.IQR, 12, 3, "k")
    assert any(each.groups[2] > 1 for each in cube)


def test_a_required_group_size_is_kept_and_one_that_is_too_large_gives_nothing() -> None:
    found = SAMPLER.draw(Strategy.IQR, 6, 1, "k", ((48, 1, 1),))
    assert {each.local_size for each in found} == {(48, 1, 1)}
    assert SAMPLER.draw(Strategy.IQR, 6, 1, "k", ((1 << 17, 1, 1),)) == ()


def test_draws_repeat_by_seed_and_key() -> None:
    drawn = SAMPLER.draw(Strategy.IMPORTANCE, 9, 2, "k")
    assert SAMPLER.draw(Strategy.IMPORTANCE, 9, 2, "k") == drawn
    assert SAMPLER.draw(Strategy.IMPORTANCE, 9, 2, "other") != drawn
    assert Sampler(MACHINE, 1 << 16, seed=4).draw(Strategy.IMPORTANCE, 9, 2, "k") != drawn


def test_sizes_of_a_configuration() -> None:
    found = Configuration((3, 2, 1), (8, 4, 1))
    assert found.global_size == (24, 8, 1)
    assert (found.group_count, found.group_items, found.items) == (6, 32, 192)

"""Traffic of the measuring machine, and how a launch fills a GPU."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.timing.occupancy import OccupancyLimit, occupancy
from roofline_analysis.traffic.background import NO_BACKGROUND, Background
from roofline_analysis.verdict.prediction import Utilisation
from roofline_hardware_db import find_gpu


def test_there_is_no_background_by_default() -> None:
    assert NO_BACKGROUND.bytes_during(1e12) == 0.0


def test_steady_background_is_rate_times_time() -> None:
    assert Background(1.2).bytes_during(5e6) == pytest.approx(6e6)


@pytest.mark.parametrize(
    ("time_ms", "bursts"), [(9.9, 0), (10.0, 1), (19.0, 1), (20.5, 2), (1000, 100)]
)
def test_bursts_come_by_whole_periods(time_ms: float, bursts: int) -> None:
    found = Background(2.0, period_ms=10.0).bytes_during(time_ms * 1e6)
    assert found == pytest.approx(bursts * 2e7)


@given(
    st.one_of(st.just(0.0), st.floats(0.001, 100)),
    st.one_of(st.just(0.0), st.floats(0.1, 100)),
    st.floats(0, 1e10),
    st.floats(0, 1e10),
)
def test_a_longer_launch_never_sees_less(gbs: float, period: float, a: float, b: float) -> None:
    background = Background(gbs, period)
    burst = gbs * period * 1e6
    less, more = background.bytes_during(a), background.bytes_during(a + b)
    assert more >= less * (1 - 1e-9)
    assert less <= gbs * a * (1 + 1e-9)
    assert less >= gbs * a * (1 - 1e-9) - burst


@pytest.mark.parametrize(
    ("blocks", "regime", "waves", "tail"),
    [
        (1, "idle SMs", 1 / 408, 1 / 408),
        (67, "idle SMs", 67 / 408, 67 / 408),
        (68, "under-utilised", 1 / 6, 1 / 6),
        (407, "under-utilised", 407 / 408, 407 / 408),
        (408, "fully utilised", 1.0, 1.0),
        (612, "fully utilised", 1.5, 0.75),
        (816, "fully utilised", 2.0, 1.0),
    ],
)
def test_regimes_of_a_launch(blocks: int, regime: str, waves: float, tail: float) -> None:
    used = Utilisation(blocks, 6, 68, OccupancyLimit.WARPS)
    assert used.regime == regime
    assert used.waves == pytest.approx(waves)
    assert used.tail_efficiency == pytest.approx(tail)


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks", "limiter"),
    [
        (256, 32, 0, 6, "warps"),  # 48 warps
        (32, 32, 0, 16, "blocks"),
        (256, 64, 0, 4, "registers"),  # 2048 registers a warp, eight warps a partition
        (256, 65, 0, 3, "registers"),  # allotted by 256: 2304 a warp, seven a partition
        (1024, 32, 0, 1, "warps"),
        (256, 32, 48 * 1024, 2, "shared memory"),  # 1 KB more is taken for each block
        (256, 32, 33 * 1024, 2, "shared memory"),
    ],
)
def test_what_limits_the_blocks_of_an_sm(
    threads: int, registers: int, shared: int, blocks: int, limiter: str
) -> None:
    found = occupancy(find_gpu("rtx-3080-10gb"), threads, registers, shared)
    assert (found.blocks_per_sm, found.limiter.value) == (blocks, limiter)

"""Offsets read as boxes: the digits of indices that are shared out over a grid."""

from __future__ import annotations

import pytest

from roofline_analysis.device.values import LAUNCH, THREAD
from roofline_analysis.traffic.addresses import AddressReader
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, apply, from_atom, make_symbol

TRIP = make_symbol("trip", SymbolScope.LOOP, nonnegative=True)
TEAMS, THREADS = LAUNCH["gridDim.x"], LAUNCH["blockDim.x"]
LINEAR = (
    from_atom(THREAD["blockIdx.x"]) * from_atom(THREADS)
    + from_atom(THREAD["threadIdx.x"])
    + from_atom(TEAMS) * from_atom(THREADS) * from_atom(TRIP)
)
"""The iteration of a thread of 3200 teams of 256 in a run of the loop it shares."""


def read(offset: Expr, *, teams: int, trips: int) -> list[tuple[float, float]] | None:
    """The strides and extents of 4-byte accesses by ``teams`` of the teams."""
    values: dict[Symbol, int | float] = {TEAMS: 3200, THREADS: 256}
    extents = {THREAD["blockIdx.x"]: teams, THREAD["threadIdx.x"]: 256, TRIP: trips}
    found = AddressReader(Environment(values)).read(offset, 4, extents)
    assert not found.random
    return None if found.box is None else [(d.stride, d.extent) for d in found.box.dimensions]


def test_collapsed_loops_over_the_whole_grid_are_rows_and_columns() -> None:
    row, column = apply("div", LINEAR, 1000), apply("mod", LINEAR, 1000)
    # 3200 * 256 * 10 iterations are 8192 rows.
    assert read(4100 * row + 4 * column, teams=3200, trips=10) == [(4, 1000), (4100, 8192)]


def test_a_row_of_the_same_width_is_the_linear_index() -> None:
    row, column = apply("div", LINEAR, 1000), apply("mod", LINEAR, 1000)
    found = read(4000 * row + 4 * column, teams=3200, trips=10)
    assert found == [(4, 256), (1024, 3200), (3_276_800, 10)]


def test_rows_of_the_resident_teams_lie_in_clusters() -> None:
    # 400 teams cover 102.4 rows, and in their next run begin 819 or 820 rows further.
    found = read(4096 * apply("div", LINEAR, 1000), teams=400, trips=10)
    assert found is not None
    assert sorted(found) == [(4096, 103), (pytest.approx(4096 * 819.2, rel=1e-3), 10)]


@pytest.mark.parametrize(("teams", "rows"), [(3200, [8192]), (2000, [10, 512])])
def test_clusters_close_together_are_one_range(teams: int, rows: list[int]) -> None:
    found = read(4096 * apply("div", LINEAR, 1000), teams=teams, trips=10)
    assert found is not None
    assert sorted(extent for _, extent in found) == rows


def test_a_divisor_beyond_the_clusters_is_one_range() -> None:
    assert read(4 * apply("div", LINEAR, 1_000_000), teams=400, trips=10) == [(4, 8)]


def test_a_loop_that_the_first_threads_run_once_ends_with_them() -> None:
    # Half of the teams' threads run the loop: 1600 teams.
    values: dict[Symbol, int | float] = {TEAMS: 3200, THREADS: 256}
    extents = {THREAD["blockIdx.x"]: 3200, THREAD["threadIdx.x"]: 256, TRIP: 0.5}
    reader = AddressReader(Environment(values))
    found = reader.read(4 * LINEAR, 4, extents)
    assert found.box is not None
    assert {(d.stride, d.extent) for d in found.box.dimensions} == {(4, 256), (1024, 1600)}
    rows = reader.read(4096 * apply("div", LINEAR, 1000), 4, extents)
    assert rows.box is not None
    assert [(d.stride, d.extent) for d in rows.box.dimensions] == [(4096, 410)]


def test_a_clamp_that_holds_for_half_the_rows_leaves_the_other_half() -> None:
    row = apply("min", 7 * apply("div", LINEAR, 1000), 3500)
    found = read(1000 * row, teams=3200, trips=1)
    assert found is not None
    ((stride, extent),) = found
    assert stride == pytest.approx(7000, rel=1e-3)
    assert extent == 501


def test_lanes_that_go_through_a_loaded_row_lie_where_data_says() -> None:
    start = from_atom(make_symbol("start", SymbolScope.DATA))
    lane = apply("mod", LINEAR, 4)
    extents = {THREAD["blockIdx.x"]: 100, THREAD["threadIdx.x"]: 256, TRIP: 1}
    reader = AddressReader(Environment({TEAMS: 100, THREADS: 256}))
    assert reader.read(8 * start + 8 * lane, 8, extents).random
    # Where each thread has a place of its own, data only displaces it.
    assert not reader.read(8 * start + 8 * LINEAR, 8, extents).random

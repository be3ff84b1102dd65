"""Teams and threads that an OpenMP runtime chooses for target regions."""

from __future__ import annotations

import pytest

from roofline_analysis.host.launches.offload_geometry import OffloadRequest, offload_geometry
from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, constant, make_symbol, symbol
from roofline_core.program.statements import OffloadMode

SPMD, GENERIC = OffloadMode.SPMD, OffloadMode.GENERIC


def known(expr: Expr) -> Number | None:
    return expr.constant


def number(value: int | None) -> Expr | None:
    return None if value is None else constant(value)


@pytest.mark.parametrize(
    ("trips", "limit", "threads", "teams", "expected"),
    [
        # Enough iterations for 3200 teams of 128.
        (409_600, None, None, None, (3200, 128)),
        (10**9, None, None, None, (3200, 128)),
        # Fewer: threads are halved as long as there are not enough teams.
        (409_599, None, None, None, (3200, 128)),
        (204_801, None, None, None, (1601, 128)),
        (204_800, None, None, None, (3200, 64)),
        (102_401, None, None, None, (1601, 64)),
        (102_400, None, None, None, (3200, 32)),
        (800, None, None, None, (25, 32)),
        (1, None, None, None, (1, 32)),
        # A clause fixes the threads, whichever it is.
        (800, 256, None, None, (4, 256)),
        (800, None, 256, None, (4, 256)),
        (800, 64, 256, None, (13, 64)),
        (1000, 250, None, None, (4, 250)),
        (819_200, 256, None, None, (3200, 256)),
        (819_201, 256, None, None, (3200, 256)),
        (819_199, 256, None, None, (3200, 256)),
        (818_944, 256, None, None, (3199, 256)),
        (10_000, 4096, None, None, (10, 1024)),
        (10_000, 0, None, None, (313, 32)),
        # num_teams is taken as it is, and then threads are not lowered.
        (800, None, None, 512, (512, 128)),
        (800, 64, None, 10_000, (10_000, 64)),
        (800, 64, None, 0, (13, 64)),
        # Without a loop.
        (None, None, None, 1, (1, 128)),
        (None, 64, None, None, (3200, 64)),
        (0, 64, None, None, (3200, 64)),
    ],
)
def test_one_thread_for_each_iteration(
    trips: int | None,
    limit: int | None,
    threads: int | None,
    teams: int | None,
    expected: tuple[int, int],
) -> None:
    request = OffloadRequest(SPMD, number(teams), number(limit), number(threads), number(trips))
    found = offload_geometry(request, known)
    assert tuple(extent.constant for extent in found) == expected


@pytest.mark.parametrize(
    ("trips", "limit", "expected"),
    [(1000, None, (1000, 128)), (10**6, None, (3200, 128)), (10, 256, (10, 256))],
)
def test_one_team_for_each_iteration(
    trips: int, limit: int | None, expected: tuple[int, int]
) -> None:
    request = OffloadRequest(GENERIC, None, number(limit), None, number(trips))
    found = offload_geometry(request, known)
    assert tuple(extent.constant for extent in found) == expected


def test_open_numbers_stay_symbols() -> None:
    n = symbol("n", SymbolScope.HOST)
    request = OffloadRequest(SPMD, thread_limit=constant(256), trips=n * n)
    teams, threads = offload_geometry(request, lambda expr: 10**6 if expr.symbols() else 256)
    assert threads == 256
    at = {make_symbol("n", SymbolScope.HOST): constant(100)}
    assert teams.substitute(at).constant == 40
    at = {make_symbol("n", SymbolScope.HOST): constant(5000)}
    assert teams.substitute(at).constant == 3200


def test_the_assumed_number_decides_the_threads() -> None:
    n = symbol("n", SymbolScope.HOST)
    for assumed, threads in ((100, 32), (150_000, 64), (500_000, 128), (None, 128)):
        _, found = offload_geometry(OffloadRequest(SPMD, trips=n), lambda _, a=assumed: a)  # type: ignore[misc]
        assert found == threads

"""Addresses taken apart into axes, held against counting each address that is touched."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.traffic.footprint import Box, sector_bytes
from roofline_analysis.traffic.index_axes import read_axes, share_reached
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, apply, from_atom, make_symbol

THREAD = make_symbol("t", SymbolScope.THREAD, nonnegative=True)
BLOCK = make_symbol("b", SymbolScope.THREAD, nonnegative=True)
TRIP = make_symbol("r", SymbolScope.LOOP, nonnegative=True)
T, B, R = (from_atom(symbol) for symbol in (THREAD, BLOCK, TRIP))


def counted(offset: Expr, extents: dict[Symbol, int], size: int, condition: Expr | None) -> int:
    """Bytes of the sectors that accesses of ``size`` bytes touch, each looked at."""
    grids = np.meshgrid(*(np.arange(n) for n in extents.values()), indexing="ij")
    lanes = Environment({s: g.ravel() for s, g in zip(extents, grids, strict=True)})
    places = np.asarray(lanes.evaluate(offset), dtype=np.int64)
    if condition is not None:
        places = places[np.asarray(lanes.evaluate(condition)) != 0]
    ends = ((place // 32, (place + size - 1) // 32) for place in places.tolist())
    return 32 * len(set(itertools.chain.from_iterable(range(a, z + 1) for a, z in ends)))


def boxed(offset: Expr, extents: dict[Symbol, int], size: int) -> float:
    axes = read_axes(offset, Environment({}), extents)
    assert axes is not None
    return sector_bytes(Box(axes.start, axes.dimensions, size))


@given(
    st.integers(4, 40),
    st.integers(2, 12),
    st.integers(0, 9),
    st.sampled_from([4, 8]),
    st.booleans(),
)
def test_digits_of_a_linear_index_are_counted(
    width: int, height: int, pad: int, size: int, turned: bool
) -> None:
    # Whole rows of a padded image: 32 threads, as many blocks as give full rows.
    extents = {THREAD: 32, BLOCK: width * height}
    linear = 32 * B + T
    column, row = apply("mod", linear, width), apply("div", linear, width)
    along, across = (row, column) if turned else (column, row)
    count = 32 * height if turned else width
    offset = size * (along + (count + pad) * across)
    true = counted(offset, extents, size, None)
    # Where rows begin within a sector is averaged over the places that occur.
    assert boxed(offset, extents, size) == pytest.approx(true, rel=0.04)


@given(st.integers(0, 5), st.integers(1, 4), st.sampled_from([1, 2, 3, 4, 8]))
def test_shifts_and_scaled_coordinates_come_near(shift: int, scale: int, size: int) -> None:
    extents = {THREAD: 64, BLOCK: 16}
    for offset in (
        size * apply("shl", 64 * B + T, shift),
        size * apply("shr", 64 * B + T, shift),
        size * (apply("trunc", T * (scale / 2)) + 256 * B),
        size * (apply("xor", 64 * B + T, 1 << shift)),
    ):
        true = counted(offset, extents, size, None)
        assert boxed(offset, extents, size) == pytest.approx(true, rel=0.3, abs=64)


def test_three_nested_digits_and_a_loop() -> None:
    # The loop goes on where the blocks end: one linear index over all three.
    extents = {THREAD: 32, BLOCK: 6, TRIP: 5}
    linear = T + 32 * B + 192 * R
    x, y = apply("mod", linear, 10), apply("mod", apply("div", linear, 10), 12)
    z = apply("div", apply("div", linear, 10), 12)
    offset = 4 * (x + 16 * y + 16 * 16 * z)
    assert boxed(offset, extents, 4) == counted(offset, extents, 4, None)


def test_a_symbol_without_value_gives_no_axes() -> None:
    unknown = from_atom(make_symbol("n", SymbolScope.UNKNOWN, nonnegative=True))
    assert read_axes(apply("div", T, unknown), Environment({}), {THREAD: 32}) is None


@pytest.mark.parametrize(
    ("condition", "share"),
    [
        # A digit that the address does not use takes nothing away; one that it uses does.
        (apply("eq", apply("div", T, 8)), 1.0),
        (apply("eq", apply("mod", T, 8)), 1 / 8),
        (apply("lt", apply("mod", T, 8) - 2), 1 / 4),
        (apply("eq", T - 40), 1.0),
    ],
)
def test_share_of_an_address_that_conditions_leave(condition: Expr, share: float) -> None:
    offset = 4 * apply("mod", T, 8)
    assert share_reached(offset, [condition], Environment({}), {THREAD: 32}) == share


def test_a_diagonal_takes_no_address_away() -> None:
    # Each run of the loop has one thread that comes through: all runs are met.
    condition = apply("eq", T - apply("mod", R, 16))
    assert share_reached(4 * R, [condition], Environment({}), {THREAD: 16, TRIP: 64}) == 1.0
    assert share_reached(
        4 * (R + 64 * T), [condition], Environment({}), {THREAD: 16, TRIP: 64}
    ) == (1 / 16)

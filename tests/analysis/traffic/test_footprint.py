"""Footprints of affine accesses: by hand, and against every sector enumerated."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline_analysis.traffic.footprint import (
    SECTOR_BYTES,
    Box,
    Dimension,
    sector_bytes,
    union_bytes,
)


def box(size: int, *dimensions: tuple[int, int], start: int = 0) -> Box:
    """A box of elements of ``size`` bytes with dimensions ``(stride, extent)``."""
    return Box(start, tuple(Dimension(stride, extent) for stride, extent in dimensions), size)


def touched(boxes: Iterable[Box]) -> int:
    """Bytes of the sectors that boxes touch, each counted once, by going through them all."""
    sectors: set[int] = set()
    for one in boxes:
        ranges = [range(int(d.extent)) for d in one.dimensions]
        for index in itertools.product(*ranges):
            low = one.start + sum(i * d.stride for i, d in zip(index, one.dimensions, strict=True))
            first, last = int(low), int(low + one.size_bytes) - 1
            sectors.update(range(first // SECTOR_BYTES, last // SECTOR_BYTES + 1))
    return len(sectors) * SECTOR_BYTES


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (box(4), 32),
        (box(8, start=8), 32),
        (box(4, (4, 1000)), 4000),
        (box(4, (4, 256), (1024, 100)), 102400),
        (box(4, (1024, 100), (4, 256)), 102400),
        (box(8, (8, 64)), 512),
        (box(16, (16, 64)), 1024),
        (box(4, (64, 100)), 3200),
        (box(4, (32, 100)), 3200),
        (box(4, (8, 100)), 800),
        (box(4, (0, 100)), 32),
        (box(4, (4, 1000), (0, 50)), 4000),
        # A column, a row, and all of a matrix of 64 rows of 100 floats.
        (box(4, (4, 100)), 416),
        (box(4, (512, 64)), 64 * 32),
        (box(4, (4, 100), (400, 64)), 25600),
        # The first 8 columns of rows of 512 bytes; a transposed walk.
        (box(4, (4, 8), (512, 64)), 64 * 32),
        (box(4, (512, 64), (4, 128)), 64 * 512),
        # Backwards.
        (box(4, (-4, 1000), start=3996), 4000),
        # Records of 64 bytes, a field of 16; of 16 bytes, a field of 4.
        (box(16, (64, 50)), 1600),
        (box(4, (16, 64)), 1024),
        # Few rows of one element each, all of which straddle a border of sectors.
        (box(16, (512, 22), (732, 2), start=28), 44 * 64),
        # Rows of 32 bytes begin at each fourth of a sector, two of the six at its start.
        (box(4, (4, 8), (136, 6)), 2 * 32 + 4 * 64),
        # A window that moves by one element: a convolution of 9 taps.
        (box(4, (4, 1000), (4, 9)), 4032),
    ],
)
def test_by_hand(one: Box, expected: int) -> None:
    assert sector_bytes(one) == expected
    assert union_bytes([one], None) == expected
    assert touched([one]) == expected


def at(shape: Box, *shifts: int) -> list[Box]:
    """The same box at several starts."""
    return [Box(shape.start + shift, shape.dimensions, shape.size_bytes) for shift in shifts]


ROW = 4 * 256
MATRIX = box(4, (4, 254), (ROW, 254), start=ROW + 4)


@pytest.mark.parametrize(
    ("boxes", "tolerance"),
    [
        # All four fields of records of 16 bytes; two of four; two far apart in 64 bytes.
        (at(box(4, (16, 1000)), 0, 4, 8, 12), 0.0),
        (at(box(4, (16, 1000)), 0, 8), 0.002),
        (at(box(4, (64, 1000)), 0, 32), 0.0),
        (at(box(4, (64, 1000)), 0, 4), 0.15),
        # A sector and a piece of the next one: the union has both, as its larger part has.
        (at(box(4, (4, 6)), 12, 4), 0.0),
        # Even and odd elements; the same twice.
        (at(box(4, (8, 1000)), 0, 4), 0.0),
        (at(box(4, (4, 1000)), 0, 0), 0.0),
        # A stencil of three points on a line, of five on a plane, its centre last.
        (at(box(4, (4, 1000), start=4), -4, 0, 4), 0.01),
        (at(MATRIX, -ROW, -4, 4, ROW, 0), 0.02),
        # Neighbours far from one another: halves of an array; rows 2 apart.
        (at(box(4, (4, 1000)), 0, 4000), 0.01),
        (at(box(4, (4, 256)), 0, 2 * ROW), 0.0),
        # Two shapes over one range: all of it, and a column.
        ([box(4, (4, 128), (512, 64)), box(4, (512, 64))], 0.0),
        # Two shapes apart.
        ([box(4, (4, 64)), box(4, (512, 64), start=65536)], 0.0),
    ],
)
def test_several_accesses_to_one_array(boxes: list[Box], tolerance: float) -> None:
    assert union_bytes(boxes, None) == pytest.approx(touched(boxes), rel=tolerance + 1e-9)


def test_no_more_than_the_allocation_is_touched() -> None:
    boxes = at(box(4, (4, 1000)), 0, 100_000)
    assert union_bytes(boxes, 4000) == 4000
    assert union_bytes([], 4000) == 0
    assert union_bytes(boxes, 0) == 0


# -- against enumeration


@given(st.sampled_from((1, 2, 4, 8, 16)), st.integers(1, 400), st.integers(1, 30))
def test_contiguous_and_aligned_is_exact(size: int, extent: int, rows: int) -> None:
    one = box(size, (size, extent), (size * extent, rows))
    assert sector_bytes(one) == touched([one])


@given(st.sampled_from((4, 8, 16, 32)), st.integers(1, 12), st.integers(1, 60), st.integers(0, 9))
def test_strided_by_whole_sectors_is_exact(size: int, apart: int, count: int, start: int) -> None:
    one = box(size, (32 * apart, count), start=32 * start)
    assert sector_bytes(one) == touched([one])


@given(st.integers(1, 8), st.integers(1, 20), st.integers(1, 20), st.integers(1, 16))
def test_rows_of_a_padded_matrix_are_exact(width: int, rows: int, layers: int, pad: int) -> None:
    pitch = 32 * (width + pad)
    one = box(4, (4, 8 * width), (pitch, rows), (pitch * (rows + 1), layers))
    assert sector_bytes(one) == touched([one])


_strides = st.one_of(
    st.sampled_from((4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 64, 96, 100, 128, 256, 400, 512)),
    st.integers(1, 200).map(lambda words: 4 * words),
)
_boxes = st.builds(
    lambda size, dimensions, start: box(size, *dimensions, start=4 * start),
    st.sampled_from((4, 8, 16)),
    st.lists(st.tuples(_strides, st.integers(2, 24)), min_size=1, max_size=3),
    st.integers(0, 16),
)


@settings(max_examples=250)
@given(_boxes)
def test_any_box_is_bounded(one: Box) -> None:
    found, true = sector_bytes(one), touched([one])
    elements = 1
    for dimension in one.dimensions:
        elements *= int(dimension.extent)
    # Runs that lie anyhow count by the average over their alignments: a little less than what
    # they touch, if they happen to lie badly. Strides that interleave count as if apart, so more.
    assert found >= 0.7 * true - SECTOR_BYTES
    assert found <= 32 * (elements * 2 if one.size_bytes > 4 else elements)
    assert found <= one.span + 2 * SECTOR_BYTES


@st.composite
def _nested(draw: st.DrawFn) -> Box:
    """Rows of rows with any padding, as arrays have: no index reaches into the next one's step."""
    size = draw(st.sampled_from((4, 8, 16)))
    span, dimensions = size, []
    for _ in range(draw(st.integers(1, 3))):
        stride = span + size * draw(st.one_of(st.just(0), st.integers(0, 40)))
        extent = draw(st.integers(5, 16))
        dimensions.append((stride, extent))
        span += stride * (extent - 1)
    return box(size, *draw(st.permutations(dimensions)), start=size * draw(st.integers(0, 16)))


@settings(max_examples=250)
@given(_nested())
def test_rows_of_rows_are_close(one: Box) -> None:
    found, true = sector_bytes(one), touched([one])
    # The average over alignments is off by less than a sector a run where the runs are few, so by
    # less than two fifths: rows that are no multiple of a sector may share one besides.
    assert found == pytest.approx(true, rel=0.4, abs=4 * SECTOR_BYTES)


@settings(max_examples=100)
@given(
    st.integers(32, 60),
    st.integers(12, 40),
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12),
)
def test_neighbours_of_a_plane_are_close(
    width: int, height: int, neighbours: list[tuple[int, int]]
) -> None:
    pitch = 4 * 96
    inner = box(4, (4, width), (pitch, height), start=3 * pitch + 64)
    boxes = at(inner, *(pitch * dy + 4 * dx for dx, dy in neighbours))
    # The hull of neighbours has corners that they lack, a part of a row may lack a whole sector.
    assert union_bytes(boxes, None) == pytest.approx(touched(boxes), rel=0.3)


@settings(max_examples=150)
@given(_nested(), st.lists(st.integers(0, 400), min_size=1, max_size=5))
def test_a_union_is_between_its_largest_part_and_the_sum(one: Box, shifts: list[int]) -> None:
    boxes = at(one, *(4 * shift for shift in shifts))
    found = union_bytes(boxes, None)
    parts = [sector_bytes(part) for part in boxes]
    assert found <= sum(parts)
    assert found >= 0.75 * max(parts)
    assert union_bytes(list(reversed(boxes)), None) == found
    assert union_bytes([*boxes, boxes[0]], None) <= found * (1 + 1e-9)

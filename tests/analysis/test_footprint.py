"""Footprints of affine accesses: by hand, and against every sector enumerated."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline_lsp.analysis.footprint import (
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


@settings(max_examples=400)
@given(_boxes)
def test_any_box_is_within_a_factor_of_what_is_touched(one: Box) -> None:
    ratio = sector_bytes(one) / touched([one])
    # Runs that are not aligned are counted by the average over their alignments, and strides that
    # interleave may share sectors: either way less than twice, or one sector at each end.
    assert LEAST <= ratio <= MOST or abs(sector_bytes(one) - touched([one])) <= 2 * SECTOR_BYTES


LEAST, MOST = 0.6, 1.7

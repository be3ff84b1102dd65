"""The threads that stand for all threads of a launch: whole warps, spread over the grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.counting.warps import LANE, Warps
from roofline_analysis.device.values import THREAD
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbolic import Symbol
from roofline_core.program.dims import Dim3

_MAX_LANES: Final = 8192
"""Threads of a launch that are all looked at."""
_SAMPLE_BLOCKS: Final = 24
"""The most blocks of a larger launch whose threads are looked at. A limit on the work."""
GOLDEN: Final = 0.6180339887498949
"""Multiples of it, modulo 1, are spread evenly."""

Floats = NDArray[np.float64]


def volume(dims: Dim3) -> int:
    """How many there are in all three dimensions."""
    return dims[0] * dims[1] * dims[2]


def takes_all(grid: Dim3, block: Dim3) -> bool:
    """Whether every thread of a launch is a lane of its own."""
    return volume(grid) * volume(block) <= _MAX_LANES


def sample_threads(
    grid: Dim3,
    block: Dim3,
    bound: Mapping[Symbol, Lane],
    warp_size: int,
    turns: Sequence[int] = (),
) -> tuple[Environment, Floats, Warps]:
    """Lanes with their thread indices, the threads that each stands for, and their warps.

    Blocks are chosen from each part of the grid between ``turns``, linear indices in order.
    """
    blocks, size = volume(grid), volume(block)
    if takes_all(grid, block):
        chosen, block_weights = np.arange(blocks), np.ones(blocks)
        threads, thread_weights = np.arange(size), np.ones(size)
    else:
        threads, thread_weights = _sample_threads(size, warp_size)
        room = max(2, min(_SAMPLE_BLOCKS, _MAX_LANES // len(threads)))
        chosen, block_weights = _spread_between(blocks, turns, room)
    block_lanes = np.repeat(chosen, len(threads))
    thread_lanes = np.tile(threads, len(chosen))
    weights = np.repeat(block_weights, len(threads)) * np.tile(thread_weights, len(chosen))
    values = dict(bound)
    values[LANE] = np.arange(len(weights))
    for name, linear, dims in (("blockIdx", block_lanes, grid), ("threadIdx", thread_lanes, block)):
        values[THREAD[f"{name}.x"]] = linear % dims[0]
        values[THREAD[f"{name}.y"]] = linear // dims[0] % dims[1]
        values[THREAD[f"{name}.z"]] = linear // (dims[0] * dims[1])
    alike = np.repeat(block_weights, len(threads))
    warps = Warps(block_lanes, thread_lanes, weights, alike, warp_size)
    return Environment(values), weights, warps


def _sample_threads(size: int, warp_size: int) -> tuple[NDArray[np.int64], Floats]:
    """Whole warps of a block: all of a small one, else the first, the last and some between."""
    warps = -(-size // warp_size)
    chosen, weights = _spread(warps, 4) if warps > 4 else (np.arange(warps), np.ones(warps))
    threads = (chosen[:, None] * warp_size + np.arange(warp_size)[None, :]).ravel()
    thread_weights = np.repeat(weights, warp_size)
    inside = threads < size
    return threads[inside], thread_weights[inside]


def _spread_between(
    count: int, turns: Sequence[int], room: int
) -> tuple[NDArray[np.int64], Floats]:
    """About ``room`` of ``count`` positions, some in each part between ``turns``."""
    ends = [0, *turns, count]
    parts = [
        (start, *_spread(end - start, max(2, room // (len(ends) - 1))))
        for start, end in pairwise(ends)
    ]
    positions = np.concatenate([start + chosen for start, chosen, _ in parts])
    return positions, np.concatenate([weights for _, _, weights in parts])


def _spread(count: int, room: int) -> tuple[NDArray[np.int64], Floats]:
    """``room`` of ``count`` positions with their weights, both ends among them."""
    if count <= room:
        return np.arange(count), np.ones(count)
    inner = room - 2
    if inner <= 0:
        return np.array([0, count - 1]), np.array([count / 2, count / 2])
    strata = (np.arange(inner) + (np.arange(inner) * GOLDEN + 0.5) % 1.0) / inner
    middle = 1 + (strata * (count - 2)).astype(np.int64)
    positions = np.concatenate(([0], middle, [count - 1]))
    # Whole positions, so that sums of them are exact.
    shares = np.diff(np.arange(inner + 1) * (count - 2) // inner)
    weights = np.concatenate(([1.0], shares, [1.0]))
    return positions, weights

"""Runs of regions per warp instead of per thread: a warp goes where any of its lanes goes."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol, make_symbol

LANE: Final[Symbol] = make_symbol("lane of the sample", SymbolScope.LANE, nonnegative=True)
"""The lane of the sample to which each element of an environment's arrays belongs.

If the arrays hold several iterations of a loop, lanes of the second and later iterations are
numbered on from the sample's size.
"""

Floats = NDArray[np.float64]


class Warps:
    """The warps of a sample of lanes.

    ``blocks`` and ``threads`` have each lane's block and its index in the block, lanes of a warp
    adjacent; ``weights`` has the number of threads of the launch that each lane represents,
    ``alike`` the number of blocks that its block does.
    """

    def __init__(
        self,
        blocks: NDArray[np.int64],
        threads: NDArray[np.int64],
        weights: Floats,
        alike: Floats,
        warp_size: int,
    ) -> None:
        starts = _changes(blocks, threads // warp_size)
        self._of_lane = np.cumsum(starts) - 1
        self._weights = weights[starts]
        first = np.ones(len(blocks), dtype=bool)
        np.not_equal(blocks[1:], blocks[:-1], out=first[1:])
        self._block_of = (np.cumsum(first) - 1)[starts]
        self._alike = alike[first]
        self._last: tuple[Lane, NDArray[np.intp], NDArray[np.int64]] | None = None
        """The last lanes whose warps were told apart: where each begins among them, and which it is
        of the sample. Guards that all pass, and loops that stand for one trip, have the same."""

    def count(self, lanes: Environment, runs: Floats) -> tuple[float, float, float]:
        """Runs summed over all warps, over those of the busiest block, and of the busiest warp.

        ``runs`` has each lane's runs times its weight. Lanes of a warp run together, so a warp runs
        as often as its lane with the most runs.
        """
        if not len(runs):
            return 0.0, 0.0, 0.0
        starts, warps = self._told_apart(lanes.value(LANE))
        most = np.maximum.reduceat(runs, starts)
        each = np.bincount(warps, most)
        in_blocks = np.bincount(self._block_of[: len(each)], each)
        of_block = float((in_blocks / self._alike[: len(in_blocks)]).max())
        return float(most.sum()), of_block, float((each / self._weights[: len(each)]).max())

    def _told_apart(self, numbers: Lane) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """The first of each warp's lanes, by position, and its warp of the sample."""
        last = self._last
        if last is None or last[0] is not numbers:
            iteration = numbers // len(self._of_lane)
            lane = numbers - iteration * len(self._of_lane)
            warp = self._of_lane[lane]
            starts = np.flatnonzero(_changes(warp, iteration))
            last = self._last = numbers, starts, warp[starts]
        return last[1:]

    def in_iterations(
        self, lanes: Environment, counter: NDArray[np.int64], trips: int
    ) -> Environment:
        """The lanes once for each iteration of a loop of at most ``trips``, with its counter."""
        numbers = lanes.value(LANE)
        assert numbers is not None
        iteration, lane = np.divmod(numbers, len(self._of_lane))
        numbered = (iteration * trips + counter) * len(self._of_lane) + lane
        return lanes.extended(LANE, numbered)


def _changes(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where either number is not what it was before; the first always is."""
    found = np.ones(len(one), dtype=bool)
    np.not_equal(one[1:], one[:-1], out=found[1:])
    found[1:] |= other[1:] != other[:-1]
    return found


def chance_of_any(odds: float, lanes: float) -> float:
    """The probability that at least one of ``lanes`` independent lanes passes with ``odds``."""
    return float(1.0 - (1.0 - odds) ** max(1.0, lanes))

"""Runs of regions per warp instead of per thread: a warp goes where any of its lanes goes."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_core.algebra.evaluate import Environment
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
    adjacent; ``weights`` has the number of threads of the launch that each lane represents.
    """

    def __init__(
        self,
        blocks: NDArray[np.int64],
        threads: NDArray[np.int64],
        weights: Floats,
        warp_size: int,
    ) -> None:
        warps = threads // warp_size
        changes = (np.diff(blocks, prepend=blocks[:1]) != 0) | (
            np.diff(warps, prepend=warps[:1]) != 0
        )
        self._of_lane = np.cumsum(changes)
        first = np.flatnonzero(np.diff(self._of_lane, prepend=-1))
        self._weights = weights[first]

    def count(self, lanes: Environment, runs: Floats) -> tuple[float, float]:
        """Runs summed over all warps, and runs of the busiest warp, from the runs of lanes.

        ``runs`` has each lane's runs times its weight. Lanes of a warp run together, so a warp runs
        as often as its lane with the most runs.
        """
        if not len(runs):
            return 0.0, 0.0
        iteration, lane = np.divmod(lanes.values[LANE], len(self._of_lane))
        warp = self._of_lane[lane]
        changes = np.diff(warp, prepend=-1) | np.diff(iteration, prepend=-1)
        starts = np.flatnonzero(changes)
        most = np.maximum.reduceat(runs, starts)
        each = np.bincount(warp[starts], most)
        return float(most.sum()), float((each / self._weights[: len(each)]).max())

    def in_iterations(
        self, lanes: Environment, counter: NDArray[np.int64], trips: int
    ) -> Environment:
        """The lanes once for each iteration of a loop of at most ``trips``, with its counter."""
        iteration, lane = np.divmod(lanes.values[LANE], len(self._of_lane))
        numbered = (iteration * trips + counter) * len(self._of_lane) + lane
        return lanes.extended(LANE, numbered)


def chance_of_any(odds: float, lanes: float) -> float:
    """The probability that at least one of ``lanes`` independent lanes passes with ``odds``."""
    return float(1.0 - (1.0 - odds) ** max(1.0, lanes))

"""How often warps, rather than threads, run a region: a warp goes where any of its lanes goes."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Symbol, make_symbol

LANE: Final[Symbol] = make_symbol("lane of the sample", "lane", nonnegative=True)
"""Which lane of the sample a place of an environment's arrays belongs to.

Where iterations of a loop stand side by side, lanes of the second and later ones count on from the
sample's size.
"""

Floats = NDArray[np.float64]


class Warps:
    """The warps of a sample of lanes.

    ``blocks`` and ``threads`` give the block of each lane and its number in the block, lanes of a
    warp side by side; ``weights`` how many lanes of the launch each stands for.
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
        """How often warps run what lanes run so often, and how often the busiest warp does.

        ``runs`` has the runs of each lane of the environment, times its weight. Lanes of a warp
        that stand side by side run together; the warp runs as often as the one that runs most.
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
        """The lanes in iterations of a loop with at most so many, each with its counter."""
        iteration, lane = np.divmod(lanes.values[LANE], len(self._of_lane))
        numbered = (iteration * trips + counter) * len(self._of_lane) + lane
        return lanes.extended(LANE, numbered)


def chance_of_any(odds: float, lanes: float) -> float:
    """The chance that at least one of some lanes goes where each goes with these odds."""
    return float(1.0 - (1.0 - odds) ** max(1.0, lanes))

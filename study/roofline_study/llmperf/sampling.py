"""Execution configurations drawn over the regimes, by three strategies, in one to three dimensions.

- ``iqr``: as many launches in each regime, and of a regime as many in each quarter of its range of
  group counts, on a logarithmic scale: the interquartile range has half of them.
- ``uniform``: every number of groups is as likely; most of them fill the device.
- ``importance``: a number of groups is as likely as its reciprocal, so that octaves are alike.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from roofline_core.program.dims import Dim3
from roofline_study.llmperf.regimes import GroupRange, LaidOutFor, Regime, group_ranges, regime_of

LOCAL_SIZES: Final[dict[int, tuple[Dim3, ...]]] = {
    1: ((32, 1, 1), (64, 1, 1), (128, 1, 1), (256, 1, 1)),
    2: ((8, 4, 1), (8, 8, 1), (16, 8, 1), (16, 16, 1)),
    3: ((4, 4, 2), (4, 4, 4), (8, 4, 4), (8, 8, 4)),
}
"""Work-group sizes that are tried, by the number of dimensions that a kernel uses."""
QUARTERS: Final = 4
_ATTEMPTS: Final = 64
"""Draws of a shape before a launch is laid out in one row of groups. A limit on the work."""


class Strategy(Enum):
    """How numbers of work-groups are drawn; the values are what tables and files have."""

    IQR = "iqr"
    UNIFORM = "uniform"
    IMPORTANCE = "importance"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a launch is given besides its arguments."""

    groups: Dim3
    """Work-groups in x, y and z."""
    local_size: Dim3
    """Work-items of a group in x, y and z."""

    @property
    def global_size(self) -> Dim3:
        """Work-items in x, y and z."""
        (gx, gy, gz), (lx, ly, lz) = self.groups, self.local_size
        return gx * lx, gy * ly, gz * lz

    @property
    def group_count(self) -> int:
        """Work-groups in all."""
        return math.prod(self.groups)

    @property
    def group_items(self) -> int:
        """Work-items of a group."""
        return math.prod(self.local_size)

    @property
    def items(self) -> int:
        """Work-items in all."""
        return self.group_count * self.group_items

    def regime(self, machine: LaidOutFor) -> Regime:
        """The regime on a device."""
        return regime_of(self.group_count, self.group_items, machine)


@dataclass(frozen=True, slots=True)
class Sampler:
    """Draws configurations; the same seed and key give the same ones."""

    machine: LaidOutFor
    most_items: int
    """Work-items of the largest launch."""
    seed: int = 0

    def draw(
        self,
        strategy: Strategy,
        count: int,
        dimensions: int,
        key: str,
        local_sizes: Sequence[Dim3] | None = None,
    ) -> tuple[Configuration, ...]:
        """``count`` configurations in so many dimensions, some of which may be equal.

        ``key`` names the kernel, so that kernels have draws of their own. ``local_sizes`` are the
        group sizes to use in turn; None: those of ``LOCAL_SIZES``. Sizes too large for any launch
        of ``most_items`` are passed over; without any other there is no configuration.
        """
        sizes = [
            size
            for size in local_sizes or LOCAL_SIZES[dimensions]
            if math.prod(size) <= self.most_items
        ]
        if not sizes:
            return ()
        # A sequence of draws that is to be repeated, not a secret.
        chance = random.Random(f"{self.seed}/{key}/{strategy.value}/{dimensions}")
        sizes = _few(sizes, self.seed, key)
        made = []
        for index in range(count):
            # As many launches of each regime with the one size as with the other.
            local = sizes[index // len(Regime) % len(sizes)]
            range_ = self._range(strategy, index, local, chance)
            groups = _shape(range_, strategy, dimensions, chance)
            made.append(Configuration(groups, local))
        return tuple(made)

    def _range(
        self, strategy: Strategy, index: int, local: Dim3, chance: random.Random
    ) -> GroupRange:
        """The numbers of groups of which the launch at ``index`` takes one."""
        items = math.prod(local)
        ranges = group_ranges(items, self.machine, self.most_items)
        if strategy is not Strategy.IQR:
            return GroupRange(1, max(each.high for each in ranges.values()))
        regimes = list(ranges)
        regime = regimes[index % len(regimes)]
        quarters = _quarters(ranges[regime])
        # A new round starts at another quarter, so that few launches are spread, too.
        turn = index // len(regimes)
        return quarters[(turn + index % len(regimes)) % QUARTERS]


def _few(sizes: Sequence[Dim3], seed: int, key: str) -> list[Dim3]:
    """Two of the group sizes, the same for all strategies: compilers build a kernel for each."""
    return random.Random(f"{seed}/{key}").sample(list(sizes), min(2, len(sizes)))


def _quarters(whole: GroupRange) -> list[GroupRange]:
    """Four parts of a range of as many octaves each; parts of a short range may be one number."""
    steps = [
        math.log2(whole.low) + math.log2((whole.high + 1) / whole.low) * part / QUARTERS
        for part in range(QUARTERS + 1)
    ]
    edges = [round(2**step) for step in steps]
    found = []
    for edge, end in itertools.pairwise(edges):
        low = min(edge, whole.high)
        found.append(GroupRange(low, max(low, end - 1)))
    return found


def _shape(range_: GroupRange, strategy: Strategy, dimensions: int, chance: random.Random) -> Dim3:
    """Groups in x, y and z, whose product lies in a range."""
    wanted = _number(range_, strategy, chance)
    for _ in range(_ATTEMPTS if dimensions > 1 else 0):
        shape = tuple(_split(wanted, dimensions, chance))
        if range_.low <= math.prod(shape) <= range_.high:
            x, y, z = (*shape, 1)[:3]
            return x, y, z
    return wanted, 1, 1


def _number(range_: GroupRange, strategy: Strategy, chance: random.Random) -> int:
    if strategy is Strategy.UNIFORM:
        return chance.randint(range_.low, range_.high)
    logarithm = chance.uniform(math.log2(range_.low), math.log2(range_.high + 1))
    return min(range_.high, max(range_.low, int(2**logarithm)))


def _split(wanted: int, dimensions: int, chance: random.Random) -> Iterator[int]:
    """Factors whose product is about ``wanted``, each between 1 and what is left."""
    left = wanted
    for _ in range(dimensions - 1):
        # Roundish shapes: an even share of the octaves, and half more or less.
        share = chance.uniform(0.5, 1.5) * math.log2(left) / dimensions if left > 1 else 0.0
        factor = min(left, max(1, round(2**share)))
        yield factor
        left = max(1, round(left / factor))
    yield left

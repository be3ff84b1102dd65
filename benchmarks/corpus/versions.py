"""Versions of one program and the pairing of their kernels."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

_OFFLOADED = re.compile(r"^__omp_offloading_|_l\d+$")
"""What an offloaded region's name has beside that of the function it stands in."""


@dataclass(frozen=True, slots=True)
class KernelFigures:
    """What is predicted for one kernel of a version."""

    name: str
    place: str
    dialect: str
    bound: str | None
    time_ns: float | None
    repeat: float | None
    """How often the host runs the launch; None where that is unknown."""
    operations: Mapping[str, float | None]
    dram_bytes: float | None
    grid: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    launched: bool
    certain: bool
    unknowns: tuple[str, ...]

    @property
    def total_ns(self) -> float:
        """The predicted time of all runs of the launch, 0 where nothing launches it."""
        return (self.time_ns or 0.0) * (self.repeat or 1.0) if self.launched else 0.0

    def alike(self, other: KernelFigures) -> bool:
        """Whether all operations and bytes agree to 1%."""
        mine = (*self.operations.values(), self.dram_bytes)
        theirs = (*other.operations.values(), other.dram_bytes)
        return all(
            math.isclose(a or 0.0, b or 0.0, rel_tol=0.01)
            for a, b in zip(mine, theirs, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Version:
    """A program in one dialect."""

    name: str
    kernels: tuple[KernelFigures, ...]
    error: str | None = None

    @property
    def problem(self) -> str:
        """Why it cannot be compared."""
        if self.error is not None:
            return f"{self.name} {self.error.strip().splitlines()[-1]}"
        return f"{self.name} has {len(self.kernels)} kernels"


def dominant(version: Version) -> KernelFigures:
    """The kernel that takes most of the predicted time, of those launched if any is."""
    return max(version.kernels, key=lambda k: (k.launched, k.total_ns, k.time_ns or 0.0))


def share_bound(version: Version) -> float:
    """The share of the predicted time that is spent in compute-bound kernels."""
    total = sum(kernel.total_ns for kernel in version.kernels)
    compute = sum(kernel.total_ns for kernel in version.kernels if kernel.bound == "CB")
    return compute / total if total else 0.0


def matched(one: Version, other: Version) -> list[tuple[KernelFigures, KernelFigures]]:
    """Kernels of one name, by order where several share it in equal number.

    An offloaded region goes by the name of the function that it stands in.
    """
    pairs = []
    mine, theirs = _by_name(one), _by_name(other)
    for name in mine.keys() & theirs.keys():
        if len(mine[name]) == len(theirs[name]):
            pairs += zip(mine[name], theirs[name], strict=True)
    return sorted(pairs, key=lambda pair: pair[0].place)


def _by_name(version: Version) -> dict[str, list[KernelFigures]]:
    found: defaultdict[str, list[KernelFigures]] = defaultdict(list)
    for kernel in version.kernels:
        found[_OFFLOADED.sub("", kernel.name)].append(kernel)
    return found

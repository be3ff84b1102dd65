"""The threads of a kernel that launches others: who of them reaches a launch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from roofline_analysis.host.values import LaunchContext
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbolic import Expr, Symbol, apply

_MAX_COUNTED: Final = 1 << 20
"""Threads that are counted one by one; of larger launches, evenly spaced blocks stand for all."""


@dataclass(slots=True)
class KernelThreads:
    """The threads that execute a kernel's body together, and the conditions they are under."""

    parent: LaunchContext | None
    """The launch of the kernel; None where none is known."""
    thread: tuple[Symbol, Symbol, Symbol]
    block: tuple[Symbol, Symbol, Symbol]
    """The symbols of ``threadIdx`` and ``blockIdx``."""
    base_doubt: int = 0
    """Undecided conditions that lead to the kernel itself."""
    guards: list[Expr | None] = field(default_factory=list)
    """Conditions that hold for the threads here; None for one that is no number."""
    alternatives: int = 0
    """Undecided branches entered whose condition is among the guards."""

    @contextmanager
    def under(self, condition: Expr | None, *, holds: bool) -> Iterator[None]:
        """While one side of an undecided branch is executed."""
        self.guards.append(_side(condition, holds))
        self.alternatives += 1
        try:
            yield
        finally:
            self.alternatives -= 1
            self.guards.pop()

    def stay(self, condition: Expr | None, *, holds: bool) -> None:
        """Note who goes on after a branch that leaves the function."""
        self.guards.append(_side(condition, holds))

    def reached(self, doubt: int, loops: Expr | None) -> tuple[Expr | None, bool]:
        """How often a launch here happens in all, and whether it surely does.

        ``doubt`` is how many undecided conditions lead here, ``loops`` how often the loops around
        it run.
        """
        plain = doubt == self.base_doubt + self.alternatives
        count = self._count()
        before = self.parent.repeat if self.parent is not None else None
        certain = self.parent is not None and self.parent.certain
        if count is None or loops is None or before is None:
            return None, certain and plain and count is not None
        return before * loops * count, certain and plain and count > 0

    def _count(self) -> int | None:
        """The threads for which all guards hold; None where that is not known."""
        extents = self._extents()
        if extents is None or None in self.guards:
            return None
        threads, blocks = math.prod(extents[:3]), math.prod(extents[3:])
        guards = [guard for guard in self.guards if guard is not None and guard.constant is None]
        if any(guard is not None and guard.constant == 0 for guard in self.guards):
            return 0
        if not guards:
            return threads * blocks
        sample = min(blocks, max(1, _MAX_COUNTED // threads))
        environment = self._lanes(extents, sample)
        held: Lane = True
        for guard in guards:
            value = environment.evaluate(guard)
            if value is None:
                return None
            held = np.logical_and(held, np.asarray(value) != 0)
        share = float(np.broadcast_to(held, (sample * threads,)).mean())
        return round(share * threads * blocks)

    def _extents(self) -> tuple[int, ...] | None:
        if self.parent is None or self.parent.grid is None or self.parent.block is None:
            return None
        known = [extent.constant for extent in (*self.parent.block, *self.parent.grid)]
        if any(extent is None or not 1 <= extent <= 2**31 for extent in known):
            return None
        return tuple(int(extent) for extent in known if extent is not None)

    def _lanes(self, extents: tuple[int, ...], sample: int) -> Environment:
        """Each thread of the sampled blocks with its indices."""
        threads, blocks = math.prod(extents[:3]), math.prod(extents[3:])
        lane = np.tile(np.arange(threads), sample)
        chosen = (np.arange(sample) * blocks) // sample
        block = np.repeat(chosen, threads)
        values: dict[Symbol, Lane] = {}
        for symbols, sizes, linear in (
            (self.thread, extents[:3], lane),
            (self.block, extents[3:], block),
        ):
            for symbol, size in zip(symbols, sizes, strict=True):
                values[symbol] = linear % size
                linear = linear // size  # noqa: PLW2901 (the next axis)
        return Environment(values)


def _side(condition: Expr | None, holds: bool) -> Expr | None:
    if condition is None:
        return None
    return condition if holds else apply("eq", condition)

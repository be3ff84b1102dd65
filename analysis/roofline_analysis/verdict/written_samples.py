"""Samples of what a kernel reads that a kernel before wrote.

Each store's number, as an expression over loaded values, is evaluated for samples of these, of the
threads and of the trips. The stores' results make the array's samples, each in proportion to how
often it is executed; the rest of the array is as it was before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np

from roofline_analysis.counting.data_samples import DRAWN, DrawnNumbers, orders
from roofline_analysis.counting.execution import Execution, LoadedNumbers, execute
from roofline_analysis.host.state.array_samples import mixed
from roofline_analysis.host.values import LaunchContext, Samples, WrittenByKernel
from roofline_analysis.launch.binding import Binding, bind
from roofline_analysis.regions.index_sources import index_sources
from roofline_analysis.regions.kernel_summary import (
    AccessMode,
    KernelSummary,
    Region,
    StoredNumber,
)
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbolic import Expr

Walked: TypeAlias = Callable[[LaunchContext], "KernelSummary | None"]
"""Gives what one thread of a launch does; None where the kernel is not known."""

_MOST_STORES: Final = 32
"""The most stores to one array that are evaluated. A limit on the work."""
_NEARLY_ALL: Final = 0.95
"""The share of an array that must be known to represent all. Assumed, as in the host execution."""
_HIDING: Final = (UnseenKind.CALL, UnseenKind.ACCESS)
"""What may write to an array where nobody sees it."""


class WrittenSamples:
    """Works out, once for each launch, the samples that rest on what kernels write."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[LaunchContext, LaunchContext]] = {}
        """By the ``id`` of a launch: the launch, which keeps that its own, and with its samples."""
        self._launches: dict[int, _WritingLaunch | None] = {}
        """What launches leave in memory, likewise; None where what one does is not known."""

    def known(self, context: LaunchContext, walked: Walked) -> LaunchContext:
        """A launch with all its samples as numbers; without those that nobody can tell."""
        if not any(isinstance(each, WrittenByKernel) for each in context.draws.values()):
            return context
        if id(context) not in self._known:
            found = {name: self._numbers(each, walked) for name, each in context.draws.items()}
            draws: dict[str, Samples] = {k: each for k, each in found.items() if each is not None}
            self._known[id(context)] = context, replace(context, draws=draws)
        return self._known[id(context)][1]

    def _numbers(self, samples: Samples | None, walked: Walked) -> tuple[float, ...] | None:
        if not isinstance(samples, WrittenByKernel):
            return samples
        context = samples.launch
        if id(context) not in self._launches:
            known = self.known(context, walked)
            summary = walked(known)
            whole = summary is not None and summary.is_whole
            self._known.setdefault(id(context), (context, known))
            self._launches[id(context)] = (
                _WritingLaunch(summary, known) if summary and whole else None
            )
        launch = self._launches[id(context)]
        if launch is None:
            return None
        return launch.after(samples.parameter, lambda: self._numbers(samples.before, walked))


class _WritingLaunch:
    """A launch that writes to arrays."""

    def __init__(self, summary: KernelSummary, context: LaunchContext) -> None:
        bound = bind(summary, context)
        self._sizes = bound.sizes
        self._drawn = DrawnNumbers(bound.draws, summary.meanings)
        self._execution = _executed(summary, bound, self._drawn)
        regions = list(summary.root.walk())
        self._accesses = [(access, region) for region in regions for access in region.accesses]
        self._hidden = any(
            each.kind in _HIDING and self._runs(region)
            for region in regions
            for each in region.unseen
        )

    def after(
        self, name: str, before: Callable[[], tuple[float, ...] | None]
    ) -> tuple[float, ...] | None:
        """Samples of an array, or of a member of its objects, after the launch.

        None where they are not known.
        """
        writes = self._writes(name)
        if self._hidden or writes is None or len(writes) > _MOST_STORES:
            return None
        parts: list[tuple[float, Sequence[float]]] = []
        rest = 1.0
        for stored, region, size in reversed(writes):  # What is stored last stays.
            numbers = self._drawn_of(stored.number, region)
            if numbers is None:
                return None
            share = min(rest, self._runs(region) * stored.of_bytes / size)
            parts.append((share, numbers))
            rest -= share
        if rest > 1.0 - _NEARLY_ALL or not parts:
            others = before()
            if others is None:
                return None
            parts.append((rest, others))
        # Even steps through sorted numbers stand for all of them, but not one after the other.
        return tuple(np.asarray(mixed(parts, DRAWN))[orders(DRAWN, 0)[:DRAWN]].tolist())

    def _runs(self, region: Region) -> float:
        return self._execution.runs_of(region) or 0.0

    def _writes(self, name: str) -> list[tuple[StoredNumber, Region, float]] | None:
        """What is stored to an array or member, where, and the array's size in bytes.

        None where a store may change it and does not say so.
        """
        found: list[tuple[StoredNumber, Region, float]] = []
        for access, region in self._accesses:
            array = access.array.name
            own = name == array or name.startswith(f"{array}.")
            if access.mode is AccessMode.READ or not own or not self._runs(region):
                continue
            size = self._sizes.get(array)
            if size is None or access.mode is not AccessMode.WRITE or not access.stored:
                return None
            found += [(each, region, size) for each in access.stored if each.name == name]
        return found

    def _drawn_of(self, number: Expr | None, region: Region) -> Sequence[float] | None:
        lanes = self._execution.lanes
        if number is None or lanes is None:
            return None
        found = self._drawn.numbers(
            number, lanes, region, lambda loop: self._execution.mean_trips(loop) or 0.0
        )
        return None if found is None or not np.isfinite(found).all() else np.sort(found).tolist()


def _executed(summary: KernelSummary, bound: Binding, drawn: DrawnNumbers) -> Execution:
    loaded = LoadedNumbers(
        drawn,
        index_sources(summary),
        summary.loop_numbers,
        summary.tickets,
        summary.meanings,
        bound.guessed_arguments,
    )
    return execute(
        summary.root, bound.grid, bound.block, bound.values, sizes=bound.sizes, loaded=loaded
    )

"""The odds of conditions on the number that a counting atomic gave.

``last = atomicAdd(count, 1) == gridDim.x - 1`` holds for one of those that count: each of them gets
another number. So what stands behind it runs once, however many blocks there are. Of places that
are given away, ``i = atomicAdd(count, 1); if (i < capacity)``, as many are taken as there are. A
loop in which threads take work until none is left does all of it, whoever takes what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

import numpy as np

from roofline_analysis.device.values import LAUNCH
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import Region, Ticket
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, from_atom
from roofline_core.program.records import record

_DEEPEST: Final = 4
"""The most nested substitutions when a condition is expressed in tickets."""
_BLOCKS: Final = {axis: from_atom(LAUNCH[f"gridDim.{axis}"]) for axis in "xyz"}


@record(frozen=True, slots=True)
class _Compared:
    """What a condition compares a ticket with."""

    ticket: Symbol
    places: float | None
    """How many tickets from 0 on are below the limit; None if it differs by thread."""
    holds_below: bool
    """Whether the condition holds for these, if it is one of order."""
    is_guessed: bool
    """Whether the limit is a guess."""


class TicketOdds:
    """How often a number that an atomic gave is a certain one."""

    def __init__(
        self,
        tickets: Mapping[Symbol, Ticket],
        meanings: Mapping[Symbol, Expr],
        runs: Callable[[Region], float | None],
        fixed: Environment,
        guessed: AbstractSet[Symbol] = frozenset(),
    ) -> None:
        """``meanings``: other symbols by what they stand for; ``fixed``: the numbers of the launch.

        ``runs`` tells of a region how often it runs, if that was counted. ``guessed`` are arguments
        of which nobody gives the value.
        """
        self._tickets = tickets
        self._meanings = meanings if tickets else {}
        self._runs = runs
        self._fixed = fixed
        self._guessed = guessed
        self._queues: set[Symbol] = set()
        """What loops draw until there is no work left."""

    def meant(self, condition: Expr) -> Expr:
        """A condition in terms of tickets; the same one where none decides it."""
        found = condition
        for _ in range(_DEEPEST if self._tickets else 0):
            known = {s: self._meanings[s] for s in found.symbols() if s in self._meanings}
            if not known:
                break
            found = found.substitute(known)
        decided = any(symbol in self._tickets for symbol in found.symbols())
        return found if decided else condition

    def of(self, comparison: Apply, lanes: Environment) -> float | None:
        """The odds that a ticket equals a number, or does not; None for other conditions."""
        found = self._compared(comparison, lanes) if comparison.op in ("eq", "ne") else None
        drawers = self._drawers(found.ticket) if found is not None else None
        if drawers is None:
            return None
        return 1 / drawers if comparison.op == "eq" else 1 - 1 / drawers

    def below(self, comparison: Apply, lanes: Environment) -> float | None:
        """The odds that a ticket is on one side of a number; None for other conditions.

        What is counted on is taken to start at 0. A guessed limit decides nothing: as a rule there
        are places enough.
        """
        found = self._compared(comparison, lanes) if comparison.op in ("lt", "le") else None
        drawers = self._drawers(found.ticket) if found is not None else None
        if found is None or found.places is None or drawers is None:
            return None
        if found.is_guessed and found.ticket not in self._queues:
            return None
        share = min(found.places, drawers) / drawers
        return share if found.holds_below else 1 - share

    def trips(
        self, loop: Region, lanes: Environment, runs: Callable[[Region], float | None]
    ) -> float | None:
        """The mean trips of a loop that takes numbers until one is too large; None for others.

        ``runs`` tells how often a region in the loop runs in each trip, in the whole launch. What
        is counted on is taken to start at 0, and each thread to take as many as any other.
        """
        for exit_ in loop.exits if self._tickets else ():
            known = exit_.conditions[0] if len(exit_.conditions) == 1 else None
            ends = single_apply(self.meant(known)) if known is not None else None
            found = self._compared(ends, lanes) if ends is not None else None
            if found is None or found.places is None or found.holds_below:
                continue
            region = self._tickets[found.ticket].region
            is_inside = loop in (region, *region.around())
            drawers = self._drawers(found.ticket, runs(region)) if is_inside else None
            if drawers is not None:
                self._queues.add(found.ticket)
                return found.places / drawers + (0 if exit_.at_start else 1)
        return None

    def _compared(self, comparison: Apply, lanes: Environment) -> _Compared | None:
        """What a condition on one ticket compares it with; None for other conditions."""
        if not self._tickets or comparison.op not in ("eq", "ne", "lt", "le"):
            return None
        difference = comparison.args[0]
        found = [symbol for symbol in difference.symbols() if symbol in self._tickets]
        if len(found) != 1:
            return None
        (ticket,) = found
        number = from_atom(ticket)
        below, above = number - difference, number + difference
        holds_below = ticket not in below.symbols()
        limit = below if holds_below else above
        value = lanes.evaluate(limit) if ticket not in limit.symbols() else None
        if value is None:
            return None
        places = None
        if not np.ndim(value):
            step = self._tickets[ticket].step
            included = (comparison.op == "le") == holds_below
            places = float(value) // step + 1 if included else float(np.ceil(float(value) / step))
            places = max(places, 0.0)
        is_guessed = not self._guessed.isdisjoint(limit.symbols())
        return _Compared(ticket, places, holds_below, is_guessed)

    def _drawers(self, ticket: Symbol, runs: float | None = None) -> float | None:
        """How many count on one number, by how often the atomic is executed; None for none.

        Without ``runs`` as often as was counted.
        """
        drawn = self._tickets[ticket]
        runs = self._runs(drawn.region) if runs is None else runs
        if runs is None:
            return None
        for axis in "xyz":
            blocks = self._fixed.evaluate(_BLOCKS[axis])
            if blocks is None or not np.all(blocks):
                return None
            if drawn.per_block or any(each.name == f"blockIdx.{axis}" for each in drawn.blocks):
                runs /= float(np.max(blocks))
        return runs if runs >= 1 else None

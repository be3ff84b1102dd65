"""The odds of conditions on the number that a counting atomic gave.

``last = atomicAdd(count, 1) == gridDim.x - 1`` holds for one of those that count: each of them gets
another number. So what stands behind it runs once, however many blocks there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from roofline_analysis.device.values import LAUNCH
from roofline_analysis.regions.kernel_summary import Region, Ticket
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, from_atom

_DEEPEST: Final = 4
"""The most nested substitutions when a condition is expressed in tickets."""
_BLOCKS: Final = {axis: from_atom(LAUNCH[f"gridDim.{axis}"]) for axis in "xyz"}


class TicketOdds:
    """How often a number that an atomic gave is a certain one."""

    def __init__(
        self,
        tickets: Mapping[Symbol, Ticket],
        meanings: Mapping[Symbol, Expr],
        runs: Callable[[Region], float | None],
        fixed: Environment,
    ) -> None:
        """``meanings``: other symbols by what they stand for; ``fixed``: the numbers of the launch.

        ``runs`` tells of a region how often it runs, if that was counted.
        """
        self._tickets = tickets
        self._meanings = meanings if tickets else {}
        self._runs = runs
        self._fixed = fixed

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
        if comparison.op not in ("eq", "ne") or not self._tickets:
            return None
        difference = comparison.args[0]
        found = [symbol for symbol in difference.symbols() if symbol in self._tickets]
        if len(found) != 1:
            return None
        (ticket,) = found
        number = from_atom(ticket)
        rests = (difference - number, difference + number)
        rest = next((each for each in rests if ticket not in each.symbols()), None)
        if rest is None or lanes.evaluate(rest) is None:
            return None
        counted = self._counted(self._tickets[ticket])
        if counted is None or counted < 1:
            return None
        return 1 / counted if comparison.op == "eq" else 1 - 1 / counted

    def _counted(self, ticket: Ticket) -> float | None:
        """How many count on one number."""
        runs = self._runs(ticket.region)
        if runs is None:
            return None
        for axis in "xyz":
            blocks = self._fixed.evaluate(_BLOCKS[axis])
            if blocks is None or not np.all(blocks):
                return None
            if ticket.per_block or any(each.name == f"blockIdx.{axis}" for each in ticket.blocks):
                runs /= float(np.max(blocks))
        return runs

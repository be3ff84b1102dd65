"""The odds of data-dependent conditions: the share of threads that pass.

Conditions that the launch fixes are evaluated for each lane. Conditions on arrays that the host
fills in are evaluated for samples of their values. All others get assumed odds, which depend on
whether control continues after the branch. Data-dependent conditions are correlated (bounds tests
of one loaded index pass or fail together), so several of them pass as often as one does. All
remainders are equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

import numpy as np

from roofline_analysis.counting.data_samples import DrawnNumbers
from roofline_analysis.counting.tickets import TicketOdds
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import Region, Role
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, apply, constant, from_atom

TAKEN: Final = 0.5
"""The odds of a side of a branch after which control continues.

Assumed: both sides are equally likely. Separate odds by kind of comparison (equal, less, a loaded
flag) did not lower the error against measured counts in both halves of the programs.
"""
EXITING: Final = 0.25
"""The odds of a side that ends in ``return``, ``break`` or ``continue``.

Assumed, chosen without measurement: early exits are exceptions, so less likely than ``TAKEN``."""

ON_COUNTED: Final = "what its atomic counts is taken to start at 0"
ON_DATA: Final = "its condition depends on data"
ON_FILLED_DATA: Final = (
    "its condition depends on data; the share follows from what the host fills in"
)
_OF_LAUNCH: Final = (SymbolScope.PARAM, SymbolScope.LAUNCH)
_TRUTHS: Final = frozenset(("lt", "le", "eq", "ne", "land", "lor"))


class BranchOdds:
    """The odds of one guard's conditions, for the lanes of a sample."""

    def __init__(
        self,
        lanes: Environment,
        guard: Region,
        drawn: DrawnNumbers | None = None,
        tickets: TicketOdds | None = None,
    ) -> None:
        self._lanes = lanes
        self._guard = guard
        self._drawn = drawn
        self._tickets = tickets
        self._given = guard.odds
        self._role = guard.role
        self.assumed = False
        """Whether any odds returned so far were assumed."""
        self.why = ON_DATA
        """The reason for the assumption."""
        self.by_ticket = False
        """Whether a number decides that another thread gets each time, the same for a block."""

    def of(self, condition: Expr | None, *, negated: bool = False) -> Lane:
        """The odds that a condition holds, 0 to 1: one number, or one for each lane.

        ``negated``: the guard tests the condition's negation, which selects the assumed odds.
        """
        if condition is None:
            return self._assumed(negated=negated)
        value = self._lanes.evaluate(condition)
        if value is not None:
            return (np.asarray(value) != 0).astype(np.int64)
        if self._role is Role.ENTERS:
            return 1  # All threads compute it, where the trips are not known.
        share = self._of_filled_data(condition)
        if share is not None:
            return share
        meant = condition if self._tickets is None else self._tickets.meant(condition)
        return self._by_form(meant, negated=negated)

    def together(self, conditions: Sequence[Expr | None]) -> Lane | None:
        """The odds that all conditions hold; None if launch and host-filled data do not decide."""
        known = [each for each in conditions if each is not None]
        if self._drawn is None or self._drawn.empty or len(known) < len(conditions):
            return None
        whole = reduce(lambda one, other: apply("land", one, other), known)
        if self._lanes.evaluate(whole) is not None:
            return None
        return self._of_filled_data(whole)

    def _of_filled_data(self, condition: Expr) -> Lane | None:
        if self._drawn is None or self._given is not None:
            return None
        share = self._drawn.share(condition, self._lanes, self._guard)
        if share is not None:
            self.assumed = True
            self.why = ON_FILLED_DATA
        return share

    def _by_form(self, condition: Expr, *, negated: bool) -> Lane:
        single = single_apply(condition)
        if single is None:
            return self._assumed(negated=negated)
        parts = single.args
        if single.op == "land":
            return both(self.of(parts[0], negated=negated), self.of(parts[1], negated=negated))
        if single.op == "lor":
            left, right = (self.of(part, negated=negated) for part in parts)
            return 1 - both(1 - left, 1 - right)
        inner = single_apply(parts[0]) if single.op in ("eq", "ne") else None
        if inner is not None and inner.op in _TRUTHS:
            if single.op == "ne":
                return self.of(parts[0], negated=negated)
            return 1 - self.of(parts[0], negated=not negated)
        share = None if self._tickets is None else self._tickets.of(single, self._lanes)
        if share is not None:
            self.by_ticket = True
            return share
        share = None if self._tickets is None else self._tickets.below(single, self._lanes)
        if share is not None:
            self.assumed, self.why = True, ON_COUNTED
            return share
        if self._given is None and _has_remainder(single):
            bound = single_apply(self._bound(condition))
            if bound is None:
                return int(bool(self._bound(condition).constant))
            single = bound
        share = _of_remainder(single) if self._given is None else None
        if share is None:
            return self._assumed(negated=negated)
        self.assumed = True
        return share

    def _bound(self, condition: Expr) -> Expr:
        """The condition with the numbers of the launch in place of its arguments."""
        values = {
            symbol: constant(int(value))
            for symbol in condition.symbols()
            if symbol.scope in _OF_LAUNCH
            and (value := self._lanes.evaluate(from_atom(symbol))) is not None
            and np.ndim(value) == 0
        }
        return condition.substitute(values)

    def _assumed(self, *, negated: bool) -> float:
        self.assumed = True
        if self._given is not None:
            share = self._given
        else:
            odds = {Role.TAKEN: TAKEN, Role.EXITS: EXITING, Role.FALLS_THROUGH: 1 - EXITING}
            share = odds[self._role]
        return 1 - share if negated else share


def _of_remainder(comparison: Apply) -> float | None:
    """The odds of ``x % k == c`` and ``(x & mask) == c``, or of the opposite; None for others.

    Also None for ``(word & mask) == 0`` of a loaded word: its bits are flags, which say together
    that something holds, and no number of which each value is as likely. (Masks of low bits are
    remainders by powers of two here.)
    """
    if comparison.op not in ("eq", "ne"):
        return None
    difference = comparison.args[0]
    found = [atom for atom in difference.atoms() if not isinstance(atom, Symbol)]
    if len(found) != 1 or len(difference.terms) > 2:
        return None
    operation = found[0]
    if not isinstance(operation, Apply) or operation.op not in ("mod", "and"):
        return None
    known = operation.args[-1].constant
    if not isinstance(known, int) or known <= 0:
        return None
    is_mask = operation.op == "and" or known.bit_count() == 1
    if is_mask and len(difference.terms) == 1 and _is_loaded(operation.args[0]):
        return None
    share = 1.0 / known if operation.op == "mod" else float(0.5 ** known.bit_count())
    return share if comparison.op == "eq" else 1 - share


def _has_remainder(comparison: Apply) -> bool:
    """Whether it is of a remainder by which the launch's numbers may decide it."""
    return comparison.op in ("eq", "ne") and any(
        isinstance(atom, Apply)
        and atom.op in ("mod", "and")
        and any(symbol.scope in _OF_LAUNCH for symbol in atom.symbols)
        for atom in comparison.args[0].atoms()
    )


def _is_loaded(value: Expr) -> bool:
    """Whether a value is a word as it was loaded."""
    return any(
        symbol.scope is SymbolScope.DATA and value == from_atom(symbol)
        for symbol in value.symbols()
    )


def both(one: Lane, other: Lane) -> Lane:
    """The odds of two conditions; data-dependent conditions are taken to pass together."""
    return np.minimum(one, other) if _is_real(one) and _is_real(other) else one * other


def _is_real(value: Lane) -> bool:
    return value.dtype.kind == "f" if isinstance(value, np.ndarray) else isinstance(value, float)


def odds_of(condition: Expr, guard: Region) -> float:
    """The assumed odds of one condition of a guard, without the values of any symbol."""
    return float(BranchOdds(Environment({}), guard).of(condition))

"""The share of threads that pass a condition, where data decides it.

What the launch fixes is evaluated for each lane, and what depends on arrays that the host fills in
for numbers like theirs; only what is left is assumed, by whether control goes on after the branch.
Conditions that data decides are hardly independent: tests that an index from data is within bounds
pass or fail together. So several pass as often as one does. A remainder is as likely as any other,
a loaded number seldom is the one that an argument names, and a magnitude seldom is next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

import numpy as np

from roofline_analysis.counting.data_samples import DrawnNumbers
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import Region, Role
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, apply, from_atom

TAKEN: Final = 0.5
"""A side of a branch after which control goes on.

Assumed: of two sides neither is likelier. One number serves all: odds by kind of comparison (equal,
less, a loaded flag) did not lower the error against measured counts in both halves of the programs.
"""
AN_ARGUMENT: Final = 1 / 16
"""A loaded number is the one that the launch names: a label, a class or a mark among many.

Assumed, chosen without measurement: how many labels there are is not known."""
NEXT_TO_NOTHING: Final = 1 / 16
"""A magnitude is below what programs compare with before they divide by it.

Assumed, chosen without measurement: such a test guards against a rare case."""
_TINY: Final = 1e-4
"""Literals up to this are such: ``fabs(x) > 1e-8``. Assumed, chosen without measurement."""
LEAVING: Final = 0.25
"""A side that ends in ``return``, ``break`` or ``continue``.

Assumed, chosen without measurement: what leaves early is the exception, so it is less likely than
``TAKEN``."""

ON_DATA: Final = "its condition depends on data"
ON_FILLED_DATA: Final = (
    "its condition depends on data; the share follows from what the host fills in"
)
_TRUTHS: Final = frozenset(("lt", "le", "eq", "ne", "land", "lor"))


class BranchOdds:
    """The odds of the conditions of one guard, for the lanes of a sample."""

    def __init__(
        self, lanes: Environment, guard: Region, drawn: DrawnNumbers | None = None
    ) -> None:
        self._lanes = lanes
        self._guard = guard
        self._drawn = drawn
        self._given = guard.odds
        self._role = guard.role
        self.assumed = False
        """Whether a number was assumed so far."""
        self.why = ON_DATA
        """What it rests on."""

    def of(self, condition: Expr | None, *, negated: bool = False) -> Lane:
        """The share for which a condition holds: one number, or one a lane.

        ``negated``: the guard asks for its contrary, which decides what is assumed.
        """
        if condition is None:
            return self._assumed(negated=negated)
        value = self._lanes.evaluate(condition)
        if value is not None:
            return (np.asarray(value) != 0).astype(np.int64)
        share = self._of_filled_data(condition)
        if share is not None:
            return share
        return self._by_form(condition, negated=negated)

    def together(self, conditions: Sequence[Expr | None]) -> Lane | None:
        """The share for which all hold, where the launch and data that the host fills in tell."""
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
        share = self._of_comparison(single) if self._given is None else None
        if share is None:
            return self._assumed(negated=negated)
        self.assumed = True
        return share

    def _of_comparison(self, comparison: Apply) -> float | None:
        """What numbers of the kind that are compared say; None for most."""
        difference = comparison.args[0]
        if comparison.op in ("lt", "le"):
            tiny = _is_tiny(difference)
            if tiny is not None:
                return NEXT_TO_NOTHING if tiny else 1 - NEXT_TO_NOTHING
        elif comparison.op in ("eq", "ne"):
            share = self._of_equality(difference)
            if share is not None:
                return share if comparison.op == "eq" else 1 - share
        return None

    def _assumed(self, *, negated: bool) -> float:
        self.assumed = True
        if self._given is not None:
            share = self._given
        else:
            share = {Role.TAKEN: TAKEN, Role.LEAVES: LEAVING, Role.STAYS: 1 - LEAVING}[self._role]
        return 1 - share if negated else share

    def _of_equality(self, difference: Expr) -> float | None:
        """Of ``x % k == c``, ``(x & mask) == c``, ``x == argument``: one of many values."""
        if self._names_a_label(difference):
            return AN_ARGUMENT
        found = [atom for atom in difference.atoms() if not isinstance(atom, Symbol)]
        if len(found) != 1 or len(difference.terms) > 2:
            return None
        operation = found[0]
        if not isinstance(operation, Apply) or operation.op not in ("mod", "and"):
            return None
        known = operation.args[-1].constant
        if not isinstance(known, int) or known <= 0:
            return None
        return 1.0 / known if operation.op == "mod" else float(0.5 ** known.bit_count())

    def _names_a_label(self, difference: Expr) -> bool:
        """Whether a loaded number is compared with an argument that is more than a truth value."""
        by_scope = {symbol.scope: symbol for symbol in difference.symbols()}
        if len(difference.symbols()) != 2 or set(by_scope) != {"data", "param"}:
            return False
        argument = self._lanes.evaluate(from_atom(by_scope["param"]))
        return argument is None or not np.all((argument == 0) | (argument == 1))


def _is_tiny(difference: Expr) -> bool | None:
    """Whether ``difference < 0`` says that a magnitude is tiny, or that it is not; else None."""
    bound = difference.offset
    magnitude = single_apply(difference - bound)
    if magnitude is not None and magnitude.op == "abs" and 0 <= -bound <= _TINY:
        return True
    magnitude = single_apply(bound - difference)
    if magnitude is not None and magnitude.op == "abs" and 0 <= bound <= _TINY:
        return False
    return None


def both(one: Lane, other: Lane) -> Lane:
    """The share that passes two conditions: those that data decides go together."""
    if np.asarray(one).dtype.kind == "f" and np.asarray(other).dtype.kind == "f":
        return np.minimum(one, other)
    return one * other


def odds_of(condition: Expr, guard: Region) -> float:
    """The share that one condition of a guard leaves, where nothing of it is known."""
    return float(BranchOdds(Environment({}), guard).of(condition))

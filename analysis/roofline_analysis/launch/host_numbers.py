"""Host expressions as numbers: assumptions put in for what is open, launch dimensions solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from roofline_analysis.host.values import HostUnknown
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Expr, Symbol, constant

_MAX_SOLVED: Final = 3
"""Open numbers of the host that one value can tell."""
_BEYOND: Final = 4
"""How many times as large a number is as the least that gives the largest possible launch.

Assumed, chosen without measurement."""
_LARGEST: Final = 1 << 40
LAUNCHED: Final = "taken from the launch dimensions"


Dims = Sequence[Expr] | None
Known = tuple[int, int, int] | None


class HostNumbers:
    """The numbers of one launch's host expressions."""

    def __init__(
        self,
        unknowns: Mapping[Symbol, HostUnknown],
        fixed: Mapping[Symbol, int] = MappingProxyType({}),
    ) -> None:
        """``fixed`` are numbers that take the place of what is assumed, and are not changed."""
        self._unknowns = {
            symbol: replace(unknown, assumed=fixed.get(symbol, unknown.assumed))
            for symbol, unknown in unknowns.items()
        }
        self._solved = set(fixed)
        self._used: dict[Symbol, HostUnknown] = {}
        self._environment = Environment({s: u.assumed for s, u in self._unknowns.items()})

    def number(self, expr: Expr | None) -> int | float | None:
        """The number, or None where a symbol is not even assumed."""
        if expr is None:
            return None
        # One at a time, in the order the program meets them: a decided condition (``argc > 1``)
        # can make the others irrelevant.
        rest = expr
        for symbol in self._met(expr):
            if rest.constant is not None:
                break
            if symbol not in rest.symbols():
                continue
            unknown = self._unknowns[symbol]
            self._used[symbol] = unknown
            rest = rest.substitute({symbol: constant(unknown.assumed)})
        return rest.constant

    def open_symbols(self, expr: Expr) -> list[Symbol]:
        """What the number rests on that is merely assumed, in the order the program meets it."""
        return [symbol for symbol in self._met(expr) if symbol not in self._solved]

    def _met(self, expr: Expr) -> list[Symbol]:
        """The unknowns of an expression in the order the program meets them."""
        symbols = expr.symbols()
        if not symbols:
            return []
        return [symbol for symbol in self._unknowns if symbol in symbols]

    def is_open(self, expr: Expr) -> bool:
        """Whether the number rests on an assumption."""
        return any(
            s in self._unknowns and s not in self._solved and not self._unknowns[s].average
            for s in expr.symbols()
        )

    def numbers(self) -> Mapping[Symbol, int | float]:
        """The numbers that the unknowns have now."""
        return self._environment.values

    def solve(
        self, expr: Expr, number: float, why: str = LAUNCHED, *, saturated: bool = True
    ) -> bool:
        """Learn the open symbols of ``expr`` that it grows with from its value; whether any.

        Several are taken to be equal. Where the value is the largest that ``expr`` takes, as the
        teams of a loop that is longer than the launch, the symbol is taken to lie well beyond,
        unless that is not wanted (``saturated``).
        """
        wanted = self._growing(expr)
        if not wanted or len(wanted) > _MAX_SOLVED:
            return False

        def value(candidate: int) -> float | None:
            values = {**self._environment.values, **dict.fromkeys(wanted, candidate)}
            found = Environment(values).evaluate(expr)
            return None if found is None else float(found)

        low, high = 0, _LARGEST
        first, last = value(low), value(high)
        if first is None:
            # A division by the size itself, say.
            low = 1
            first = value(low)
        if first is None or last is None or not first <= number <= last or first == last:
            return False
        beyond = number == last
        if beyond and not saturated:
            return False
        while high - low > 1:
            middle = (low + high) // 2
            found = value(middle)
            if found is not None and (found < number if beyond else found <= number):
                low = middle
            else:
                high = middle
        for symbol in wanted:
            self.learn(symbol, high * _BEYOND if beyond else low, why)
        return True

    def _growing(self, expr: Expr) -> list[Symbol]:
        """The open symbols of an expression that make it larger when they are larger."""
        unsolved = self.open_symbols(expr)
        if len(unsolved) == 1:
            return unsolved
        values = self._environment.values
        now = self._environment.evaluate(expr)
        if now is None:
            return unsolved
        found = []
        for symbol in unsolved:
            beyond = Environment({**values, symbol: _LARGEST}).evaluate(expr)
            if beyond is not None and beyond > now:
                found.append(symbol)
        # A minimum grows with none of its numbers alone.
        return found or unsolved

    def learn(self, symbol: Symbol, number: int, why: str) -> None:
        """Put a number for what was merely assumed, and say why."""
        self._solved.add(symbol)
        self._environment = Environment({**self._environment.values, symbol: number})
        unknown = self._unknowns[symbol]
        reason = f"{unknown.why}; {why}"
        self._unknowns[symbol] = replace(unknown, assumed=number, why=reason)
        if symbol in self._used:
            self._used[symbol] = self._unknowns[symbol]

    def used(self) -> list[UnknownUsed]:
        """The unknowns that numbers rested on."""
        return [
            UnknownUsed(u.name, u.why, float(u.assumed), u.path, u.line)
            for u in self._used.values()
        ]


def solve_dimensions(host: HostNumbers, dims: Dims, known: Known, *, saturated: bool) -> None:
    """Learn open host values from launch dimensions that are known otherwise."""
    if dims is None or known is None:
        return
    for expr, number in zip(dims, known, strict=True):
        host.solve(expr, number, saturated=saturated)

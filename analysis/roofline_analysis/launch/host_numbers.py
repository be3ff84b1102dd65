"""Values of host expressions: unknowns are assumed, or solved from known launch dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from roofline_analysis.host.values import ARGUMENT_COUNT, HostUnknown
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Expr, Symbol, constant

_MAX_SOLVED: Final = 3
"""The most host unknowns that are solved from one value."""
_BEYOND: Final = 4
"""The value assumed for a saturated unknown, as a multiple of the least that saturates.

A saturated unknown is one whose launch has reached its largest size. Assumed, not measured."""
_LARGEST: Final = 1 << 38
"""The largest number that is tried as a solution: more elements than fit on any GPU."""
LAUNCHED: Final = "taken from the launch dimensions"


Dims = Sequence[Expr] | None
Known = tuple[int, int, int] | None


class HostNumbers:
    """The values of the host expressions of one launch."""

    def __init__(
        self,
        unknowns: Mapping[Symbol, HostUnknown],
        fixed: Mapping[Symbol, int] = MappingProxyType({}),
    ) -> None:
        """``fixed`` has values that replace assumptions and are never changed."""
        self._unknowns = {
            symbol: replace(unknown, assumed=fixed[symbol]) if symbol in fixed else unknown
            for symbol, unknown in unknowns.items()
        }
        self._solved = {*fixed, *(symbol for symbol, each in unknowns.items() if each.stated)}
        self._used: dict[Symbol, HostUnknown] = {}
        self._environment = Environment({s: u.assumed for s, u in self._unknowns.items()})
        self._known: dict[int, tuple[Expr, int | float | None]] = {}
        """Values of expressions, by identity; none holds once an assumption is replaced."""

    def number(self, expr: Expr | None) -> int | float | None:
        """The value of an expression; None if a symbol has neither a value nor an assumption."""
        if expr is None:
            return None
        held = self._known.get(id(expr))
        if held is None:
            held = self._known[id(expr)] = expr, self._computed(expr)
        return held[1]

    def _computed(self, expr: Expr) -> int | float | None:
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
            try:
                rest = rest.substitute({symbol: constant(unknown.assumed)})
            except OverflowError:
                return None  # A number beyond all doubles is none of a launch.
        return rest.constant

    def open_symbols(self, expr: Expr) -> list[Symbol]:
        """The assumed symbols on which the value depends, in the program's order."""
        return [symbol for symbol in self._met(expr) if symbol not in self._solved]

    def _met(self, expr: Expr) -> list[Symbol]:
        """The unknowns of an expression, in the order in which the program evaluates them."""
        symbols = expr.symbols()
        if not symbols:
            return []
        return [symbol for symbol in self._unknowns if symbol in symbols]

    def guessed(self, expr: Expr) -> list[str]:
        """The names of the assumed numbers on which the value rests, in the program's order.

        A command line that is not given is no guess: the program's own default holds. Neither is
        an average of random numbers.
        """
        names: list[str] = []
        rest = expr
        for symbol in self._met(expr):
            if symbol not in rest.symbols():
                continue
            unknown = self._unknowns[symbol]
            rest = rest.substitute({symbol: constant(unknown.assumed)})
            known = symbol in self._solved or unknown.average or unknown.name == ARGUMENT_COUNT
            if not known:
                names.append(unknown.name)
        return names

    def is_open(self, expr: Expr) -> bool:
        """Whether the value depends on an assumption."""
        return any(
            s in self._unknowns and s not in self._solved and not self._unknowns[s].average
            for s in expr.symbols()
        )

    def numbers(self) -> Mapping[Symbol, int | float]:
        """The present values of the unknowns."""
        return self._environment.values

    def solve(
        self, expr: Expr, number: float, why: str = LAUNCHED, *, saturated: bool = True
    ) -> bool:
        """Solve ``expr == number`` for the assumed symbols that increase ``expr``; True if any.

        Several symbols are taken to be equal. If ``number`` is the largest value of ``expr``, as
        for the teams of a loop longer than the launch, the symbol is set well above the least
        solution; with ``saturated`` False it then stays unsolved.
        """
        wanted = self._growing(expr)
        if not wanted or len(wanted) > _MAX_SOLVED:
            return False

        def value(candidate: int) -> float | None:
            """``expr`` with ``candidate`` for each wanted symbol; None where it has no value."""
            values = {**self._environment.values, **dict.fromkeys(wanted, candidate)}
            found = Environment(values).evaluate(expr)
            return None if found is None else float(found)

        low, high = 0, _LARGEST
        first, last = value(low), value(high)
        if first is None:
            # For example, a division by the symbol itself.
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
        """The assumed symbols in which an expression is increasing."""
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
        # A minimum does not increase in any single operand.
        return found or unsolved

    def learn(self, symbol: Symbol, number: int | float, why: str) -> None:
        """Replace an assumed value by ``number``, with the reason ``why``."""
        self._solved.add(symbol)
        self.suppose(symbol, number, why)

    def suppose(self, symbol: Symbol, number: int | float, why: str) -> None:
        """Assume another value, which stays a guess, with the reason ``why``."""
        self._known.clear()
        self._environment = Environment({**self._environment.values, symbol: number})
        unknown = self._unknowns[symbol]
        reason = unknown.why if unknown.why.endswith(why) else f"{unknown.why}; {why}"
        self._unknowns[symbol] = replace(unknown, assumed=number, why=reason)
        if symbol in self._used:
            self._used[symbol] = self._unknowns[symbol]

    def used(self) -> list[UnknownUsed]:
        """The unknowns on which the values returned so far depended."""
        return [
            UnknownUsed(u.name, u.why, float(u.assumed), u.path, u.line)
            for u in self._used.values()
            if not u.stated
        ]

    def known(self) -> dict[Symbol, int | float]:
        """The unknowns that were solved or given, with their values."""
        return {
            symbol: each.assumed
            for symbol, each in self._unknowns.items()
            if symbol in self._solved
        }


def solve_dimensions(host: HostNumbers, dims: Dims, known: Known, *, saturated: bool) -> None:
    """Solve host unknowns from launch dimensions that are known from elsewhere."""
    if dims is None or known is None:
        return
    for expr, number in zip(dims, known, strict=True):
        host.solve(expr, number, saturated=saturated)

"""Assumed numbers of the host, chosen so that the launch is reached.

``if (n == 64) k<<<...>>>()`` launches for this n alone; what is assumed of n elsewhere would judge
a launch that never happens. So sizes that a program holds to be equal are, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from roofline_analysis.host.values import ARGUMENT_COUNT
from roofline_analysis.launch.host_numbers import HostNumbers
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.operations import finite
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, apply

REACHED: Final = "so that the launch is reached"
_ROUNDS: Final = 3
"""How often conditions are gone through, as what one changes may break another."""
_MOST_SYMBOLS: Final = 4
"""The most open numbers of a condition of which one is changed."""
_LARGEST: Final = 1 << 31
_OTHER: Final = {"land": "lor", "lor": "land"}
"""What a conjunction or disjunction of opposites is."""


def meet(host: HostNumbers, conditions: Sequence[Expr]) -> None:
    """Change assumed numbers of the host so that conditions are true, as far as that can be.

    What is changed stays a guess. Conditions of few numbers come first, as they say most of each.
    """
    ordered = sorted(conditions, key=lambda each: len(host.open_symbols(each)))
    for _ in range(_ROUNDS):
        changed = False
        for each in ordered:
            if _value(host, each) == 0:
                changed |= _hold(host, each, ordered)
        if not changed:
            return


def _value(
    host: HostNumbers, expr: Expr, symbol: Symbol | None = None, at: int = 0
) -> float | None:
    """What an expression is by the host's numbers, or with one of them changed."""
    numbers = host.numbers()
    found = Environment(numbers if symbol is None else {**numbers, symbol: at}).evaluate(expr)
    return None if found is None else finite(found)


def _hold(host: HostNumbers, condition: Expr, others: Sequence[Expr]) -> bool:
    """Make a condition true by a change that breaks the fewest others; False where none does."""
    changes = set(_changes(host, condition))
    if not changes:
        return False

    def cost(change: tuple[Symbol, int]) -> tuple[int, float, int, str]:
        """How many conditions a change breaks, how far it goes, and which number it is of.

        Of two alike the later one is changed, as it may follow from the earlier one.
        """
        broken = sum(_value(host, each, *change) == 0 for each in others)
        symbol = change[0]
        return (broken, _by_how_much(host, *change), -symbol.index, str(symbol.sort_key))

    host.suppose(*min(changes, key=cost), REACHED)
    return True


def _only_atom(condition: Expr) -> Apply | None:
    """The operation that an expression is; None for a sum, a product or a symbol."""
    atom = next(iter(condition.atoms()), None)
    alone = isinstance(atom, Apply) and condition.terms == {(atom,): 1}
    return atom if alone and isinstance(atom, Apply) else None


def _by_how_much(host: HostNumbers, symbol: Symbol, number: int) -> float:
    """How far a change goes: smaller sizes before larger ones, near ones before far ones."""
    before = max(1.0, finite(host.numbers()[symbol]) or 1.0)
    ratio = max(1.0, float(number)) / before
    return 1.0 / ratio if ratio <= 1 else _LARGEST * ratio


def _changes(host: HostNumbers, condition: Expr) -> Iterator[tuple[Symbol, int]]:
    """For each number that alone can make a condition true, the nearest one that does.

    Of a condition with several parts, what makes a part of it true.
    """
    if _value(host, condition) != 0:
        return
    atom = _only_atom(condition)
    inner = _only_atom(atom.args[0]) if atom is not None and atom.op == "eq" else None
    if inner is not None and inner.op in _OTHER:
        atom = _only_atom(apply(_OTHER[inner.op], *(apply("eq", each) for each in inner.args)))
    if atom is not None and atom.op in _OTHER:
        for part in atom.args:
            yield from _changes(host, part)
        return
    wanted = host.open_symbols(condition)
    for symbol in wanted if len(wanted) <= _MOST_SYMBOLS else ():
        now = finite(host.numbers()[symbol])
        # By default the program has no arguments.
        if now is not None and symbol.name != ARGUMENT_COUNT:
            number = _nearest(host, condition, symbol, int(now))
            if number is not None:
                yield symbol, number


def _holds(host: HostNumbers, condition: Expr, symbol: Symbol, number: int) -> bool:
    """Whether the condition is true of a number in the symbol's place."""
    return bool(_value(host, condition, symbol, number))


def _nearest(host: HostNumbers, condition: Expr, symbol: Symbol, now: int) -> int | None:
    """A number near ``now`` for which a condition is true, and that programs would have."""
    holds = partial(_holds, host, condition, symbol)
    divisors = _divisors(host, condition)
    multiples = (max(now // each, 1) * each for each in divisors)
    found = next(filter(holds, multiples), None)
    if found is None and not divisors:
        found = _root(host, condition, symbol)
    if found is not None and holds(found):
        return found
    if divisors:
        beside = next(filter(holds, (now + 1, now - 1)), None)
        if beside is not None:
            return beside
    atom = _only_atom(condition)
    if atom is not None and atom.op == "ne" and holds(now // 2):
        return now // 2
    if now >= 1 and holds(1):
        return _last(holds, 1, now)
    if holds(_LARGEST):
        least = _last(lambda number: not holds(number), max(now, 1), _LARGEST) + 1
        power = 1 << (least - 1).bit_length()
        return power if holds(power) else least
    return next((number for number in (0, now + 1) if holds(number)), None)


def _divisors(host: HostNumbers, condition: Expr) -> list[int]:
    """What numbers are to be multiples of, by the remainders in a condition."""
    found = []
    for outer in condition.atoms():
        for inner in outer.args[0].atoms() if isinstance(outer, Apply) else ():
            if isinstance(inner, Apply) and inner.op == "mod":
                divisor = _value(host, inner.args[1])
                if divisor is not None and 1 < divisor <= _LARGEST:
                    found.append(int(divisor))
    return found


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The last number from ``low``, of which something holds, on to before ``high``."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _root(host: HostNumbers, condition: Expr, symbol: Symbol) -> int | None:
    """The least number that makes the two sides of an equality the same; None if none does."""
    atom = _only_atom(condition)
    if atom is None or atom.op != "eq":
        return None
    difference = partial(_value, host, atom.args[0], symbol)
    low, high = 1, _LARGEST
    first, last = difference(low), difference(high)
    if first is None or last is None or first == last:
        return None
    if first == 0:
        return low
    rising = math.copysign(1.0, first)
    if last and math.copysign(1.0, last) == rising:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        found = difference(middle)
        if found is not None and found * rising > 0:
            low = middle
        else:
            high = middle
    return high

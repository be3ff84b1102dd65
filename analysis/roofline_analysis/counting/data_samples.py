"""The odds of a condition, and the trips of a loop, that rest on data that the host filled in.

The host execution supplies samples of an array's values; the device walk supplies each
data-dependent condition as an exact expression over loaded values. The odds of the branch are the
share of the samples for which the condition holds, the trips the mean of what the samples give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from operator import is_
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.regions.kernel_summary import UNKNOWN_FACTOR, Region
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbol_scopes import DATA_SCOPES, SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, from_atom

_DEEPEST: Final = 6
"""The most nested substitutions when a symbol is expressed in loaded values."""
_MOST_SHARES: Final = 1_000
"""Shares that are kept. A limit on memory."""
_ORDERS: Final = 32
"""How often the samples of several loads are combined, in another order each time.

256 combinations of three loads give a share of 0.28 within 0.025; so many, within 0.005."""
DRAWN: Final = 256
"""Samples of a load, as many as the host execution draws."""
_MIXING: Final = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 0x9E3779B97F4A7C15))
"""Shifts and factors that mix the bits of successive numbers, as in the generator SplitMix64."""
_OTHERS: Final = ((-0.3, 0.7), (1e6, 0.0), (1e-6, 0.0))
"""By what numbers of which nothing is known are multiplied, and what is taken away, to try others
in their place."""
_SMOOTH: Final = frozenset("fdiv sqrt pow log2 log exp sin cos mul whole abs".split())
"""Operations that decide nothing."""
_FEW: Final = 64
"""Samples evaluated for each lane if the condition differs between lanes."""


class DrawnNumbers:
    """Samples of loaded values, by the symbols of the loads."""

    def __init__(
        self, draws: Mapping[Symbol, Sequence[float]], meanings: Mapping[Symbol, Expr]
    ) -> None:
        """``meanings``: other symbols as exact expressions over loaded values."""
        self._draws = draws
        self._meanings = meanings
        self._followed: dict[Expr, Expr | None] = {}
        self._shares: dict[object, float | None] = {}
        """Shares of conditions that are the same for all lanes, by what they rest on."""

    def holds(self, draws: Mapping[Symbol, Sequence[float]]) -> bool:
        """Whether these are its samples, of the same types."""
        if self._draws is draws:
            return True
        return self._draws == draws and all(
            all(map(is_, map(type, one), map(type, draws[symbol])))
            for symbol, one in self._draws.items()
        )

    @property
    def empty(self) -> bool:
        """Whether there is no sample of any load."""
        return not self._draws

    def share(self, condition: Expr, lanes: Environment, guard: Region) -> Lane | None:
        """The share of the samples for which a condition holds: one number, or one for each lane.

        Only samples count for which the conditions around the guard, up to its loop, hold. None if
        the condition depends on data without samples.
        """
        followed = self._meant(condition) or self._meant_in_part(condition)
        if followed is None:
            return None
        around = [meant for each in _around(guard) if (meant := self._meant(each)) is not None]
        found = self._passing(followed, around, lanes)
        return self._passing(followed, [], lanes) if found is None and around else found

    def load_behind(self, number: Expr) -> Symbol | None:
        """The one load that a number rests on; None if there are several, or one without samples.

        Whether two loads belong together, as both ends of a row do, no sample tells.
        """
        followed = self._meant(number)
        if followed is None:
            return None
        loads = [symbol for symbol in followed.symbols() if symbol in self._draws]
        return loads[0] if len(loads) == 1 else None

    def mean(self, number: Expr, lanes: Environment, region: Region) -> Lane | None:
        """The mean of a number over the samples: one number, or one for each lane.

        As for ``share``, those samples count that the conditions around ``region`` let pass. None
        if the number rests on data without samples.
        """
        followed = self._meant(number)
        if followed is None:
            return None
        around = [meant for each in _around(region) if (meant := self._meant(each)) is not None]
        for conditions in (around, []) if around else ([],):
            given = self._given((followed, *conditions), lanes)
            found = None if given is None else self._mean_of(followed, conditions, given)
            if found is not None:
                return found
        return None

    def numbers(
        self, number: Expr, lanes: Environment, region: Region, trips: Callable[[Region], float]
    ) -> NDArray[Any] | None:
        """Samples of a number as it is in a region, over threads, trips and loaded values.

        ``lanes`` has sampled threads, ``trips`` gives the trips of a loop. Those samples count that
        the conditions around the region let pass, as far as they are known. None if the number
        rests on data without samples, or if nothing passes.
        """
        found = self._in_loads(number)
        if found is None:
            return None
        around = (c for guard in region.guards() for c in guard.conditions if c is not None)
        conditions = [meant for c in around if (meant := self._in_loads(c)) is not None]
        known = self._points((found, *conditions), lanes, region, trips)
        points = Environment(known)
        with np.errstate(over="ignore", invalid="ignore"):  # Such are not finite, and not used.
            value = points.evaluate(found)
        if value is None or not self._is_told(found, known):
            return None
        held = np.ones(_ORDERS * DRAWN, dtype=bool)
        for each in conditions:
            truth = points.evaluate(each)
            if truth is not None and self._is_told(each, known):
                held = held & (np.asarray(truth) != 0)
        if not held.any():
            return None
        return np.asarray(np.broadcast_to(np.asarray(value, dtype=float), held.shape)[held])

    def _in_loads(self, number: Expr) -> Expr | None:
        """A number over loaded values; None if it rests on what is neither loaded nor a factor."""
        found = self._substituted(number)
        data = (s for s in found.symbols() if s.scope in DATA_SCOPES)
        known = (symbol in self._draws or self._is_open(symbol) for symbol in data)
        return found if all(known) else None

    def _is_open(self, symbol: Symbol) -> bool:
        """Whether a symbol is a number of which nothing is known."""
        if is_unknown_factor(symbol):
            return True
        return symbol.scope is SymbolScope.DATA and symbol not in self._draws

    def _is_told(self, number: Expr, values: Mapping[Symbol, Lane]) -> bool:
        """Whether a number is the same whatever those are of which nothing is known."""
        unknown = [symbol for symbol in number.symbols() if self._is_open(symbol)]
        return not unknown or _is_whatever(number, values, unknown)

    def _points(
        self,
        numbers: Sequence[Expr],
        lanes: Environment,
        region: Region,
        trips: Callable[[Region], float],
    ) -> dict[Symbol, Lane]:
        """Values of what numbers rest on, each symbol's in another order, as far as they are known.

        All sampled threads count the same, whatever number of others they stand for.
        """
        symbols = frozenset[Symbol]().union(*(each.symbols() for each in numbers))
        counters = {loop.counter: loop for loop in region.loops()}
        found: dict[Symbol, Lane] = {}
        for place, symbol in enumerate(sorted(symbols, key=lambda s: s.sort_key), start=1):
            if symbol in self._draws:
                drawn = np.asarray(self._draws[symbol])
                found[symbol] = drawn[orders(DRAWN, place) * len(drawn) // DRAWN]
            elif self._is_open(symbol):
                found[symbol] = _factors(place, orders(DRAWN, place).shape)
            elif symbol in counters:
                share = orders(DRAWN, place) / DRAWN
                found[symbol] = np.floor(share * trips(counters[symbol])).astype(np.int64)
            else:
                value = lanes.evaluate(from_atom(symbol))
                if value is not None:
                    each = np.asarray(value)
                    found[symbol] = each[_lanes_of(len(each))] if each.ndim else value
        return found

    def _passing(self, condition: Expr, around: Sequence[Expr], lanes: Environment) -> Lane | None:
        """The share that passes, of the samples for which ``around`` holds; None if none do."""
        given = self._given((condition, *around), lanes)
        if given is None:
            return None
        if any(isinstance(each, np.ndarray) for each in given.values()):
            return self._share_of(condition, around, given)
        # A whole number in floats is divided in floats.
        numbers = frozenset((symbol, each, each.__class__) for symbol, each in given.items())
        key = condition, tuple(around), numbers
        if key not in self._shares:
            if len(self._shares) >= _MOST_SHARES:
                self._shares.clear()
            self._shares[key] = self._share_of(condition, around, given)
        return self._shares[key]

    def _share_of(
        self, condition: Expr, around: Sequence[Expr], given: Mapping[Symbol, Lane]
    ) -> Any:
        """The share for these values of what conditions rest on beside samples."""
        return self._mean_of(condition, around, given, is_condition=True)

    def _mean_of(
        self,
        number: Expr,
        around: Sequence[Expr],
        given: Mapping[Symbol, Lane],
        *,
        is_condition: bool = False,
    ) -> Any:
        """The mean over the samples that pass; of a condition, which is 1 where it holds."""
        values = self._values((number, *around), given)
        environment = Environment(values)
        if not all(self._is_told(each, values) for each in (number, *around)):
            return None
        held = np.ones((max((len(each) for each in values.values()), default=1), 1))
        for each in around:
            truth = environment.evaluate(each)
            if truth is not None:
                held = held * (np.asarray(truth) != 0)
        found = environment.evaluate(number)
        weight = held.mean(axis=0)
        if found is None or not weight.all():
            return None
        each_sample = np.asarray(found) != 0 if is_condition else np.asarray(found, dtype=float)
        mean = np.asarray(held * each_sample).mean(axis=0) / weight
        return float(mean[0]) if len(mean) == 1 else mean

    def _meant(self, condition: Expr | None) -> Expr | None:
        """The condition over loaded values and launch constants; None if it uses anything else."""
        if condition is None:
            return None
        if condition not in self._followed:
            self._followed[condition] = self._follow(condition)
        return self._followed[condition]

    def _follow(self, condition: Expr) -> Expr | None:
        found = self._substituted(condition)
        data = [s for s in found.symbols() if s.scope is SymbolScope.DATA or s in self._draws]
        if found.constant is None and not (data or found is not condition):
            return None
        return found if all(symbol in self._draws for symbol in data) else None

    def _meant_in_part(self, condition: Expr) -> Expr | None:
        """The same where samples are known of some of the values, which may decide it alone."""
        found = self._substituted(condition)
        known = any(symbol in self._draws for symbol in found.symbols())
        return found if known else None

    def _substituted(self, number: Expr) -> Expr:
        """A number with what its symbols stand for."""
        found = number
        for _ in range(_DEEPEST):
            known = {s: self._meanings[s] for s in found.symbols() if s in self._meanings}
            if not known:
                break
            found = found.substitute(known)
        return found

    def _given(self, conditions: Sequence[Expr], lanes: Environment) -> dict[Symbol, Lane] | None:
        """The values of what conditions rest on beside samples; None if one has none."""
        given: dict[Symbol, Lane] = {}
        for symbol in frozenset[Symbol]().union(*(each.symbols() for each in conditions)):
            if symbol not in self._draws and not self._is_open(symbol):
                value = lanes.evaluate(from_atom(symbol))
                if value is None:
                    return None
                given[symbol] = value
        return given

    def _values(
        self, conditions: Sequence[Expr], given: Mapping[Symbol, Lane]
    ) -> dict[Symbol, NDArray[Any]]:
        symbols = frozenset[Symbol]().union(*(each.symbols() for each in conditions))
        differ = any(isinstance(each, np.ndarray) and each.ndim for each in given.values())
        values: dict[Symbol, NDArray[Any]] = {}
        loaded = sorted((s for s in symbols if s not in given), key=lambda s: s.sort_key)
        for symbol in symbols:
            if symbol in given:
                values[symbol] = np.asarray(given[symbol])[None, ...]
        for place, symbol in enumerate(loaded):
            if self._is_open(symbol):
                values[symbol] = _factors(place, (1, 1))
                continue
            drawn = np.asarray(self._draws[symbol])
            if differ:
                drawn = _quantiles(drawn) if len(loaded) == 1 else drawn[_few_of(len(drawn))]
            elif len(loaded) > 1:
                drawn = drawn[orders(len(drawn), place)]
            values[symbol] = drawn[:, None]
        return values


def is_unknown_factor(symbol: Symbol) -> bool:
    """Whether a symbol is a number of which nothing is known, in an estimate."""
    return symbol.scope is SymbolScope.UNKNOWN and symbol.name.startswith(UNKNOWN_FACTOR)


def _factors(place: int, shape: tuple[int, ...]) -> NDArray[Any]:
    """Numbers for one of which nothing is known: any others do as well."""
    return np.full(shape, 1.0 + math.sqrt(2.0 + place))


def _is_whatever(number: Expr, values: Mapping[Symbol, Lane], unknown: Sequence[Symbol]) -> bool:
    """Whether a number is the same for others in place of those of which nothing is known.

    So must be what decides something in it: a few numbers that are all unlike 5 do not tell that
    none is 5.
    """
    here = Environment(values)
    others = [
        Environment({**values, **{s: factor * np.asarray(values[s]) - less for s in unknown}})
        for factor, less in _OTHERS
    ]
    with np.errstate(over="ignore", invalid="ignore"):  # What is no number is no other's equal.
        for each in (number, *_deciding(number, frozenset(unknown))):
            found = here.evaluate(each)
            if found is None:
                return False
            for other in others:
                again = other.evaluate(each)
                if again is None or not np.array_equal(np.asarray(again), np.asarray(found)):
                    return False
    return True


def _deciding(number: Expr, unknown: frozenset[Symbol]) -> Iterator[Expr]:
    """The parts of a number with unknown symbols in which operations compare, choose or round."""
    for atom in dict.fromkeys(number.atoms()):
        if isinstance(atom, Apply) and not atom.symbols.isdisjoint(unknown):
            if atom.op not in _SMOOTH:
                yield from atom.args[:1] if atom.op == "select" else atom.args
            for each in atom.args:
                yield from _deciding(each, unknown)


def _quantiles(drawn: NDArray[Any]) -> NDArray[Any]:
    """A few samples that stand for all; no other sample belongs to one of them."""
    if len(drawn) <= _FEW:
        return drawn
    at = (np.arange(_FEW) + 0.5) / _FEW * len(drawn)
    return np.asarray(np.sort(drawn)[at.astype(np.int64)])


@cache
def orders(count: int, place: int) -> NDArray[np.int64]:
    """Positions of all samples in several orders that look random, others for each of the loads."""
    bits = np.arange(place * _ORDERS * count, (place + 1) * _ORDERS * count, dtype=np.uint64)
    for shift, factor in _MIXING:
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(bits.reshape(_ORDERS, count).argsort(axis=1).ravel())


@cache
def _lanes_of(count: int) -> NDArray[np.int64]:
    """Positions of sampled threads, the same ones for all that tells threads apart."""
    rounds = np.repeat(np.arange(_ORDERS), DRAWN)
    return (orders(DRAWN, 0) * _ORDERS + rounds) * count // (DRAWN * _ORDERS)


def _few_of(count: int) -> NDArray[np.int64]:
    """Positions spread over a sequence at no fixed stride, which could alias with a pattern."""
    picked = np.arange(min(_FEW, count))
    apart = max(1, count // _FEW)
    return picked * apart + picked % apart


def _around(guard: Region) -> list[Expr]:
    """The conditions that hold where control reaches a guard, up to its innermost loop."""
    around = (each for region in guard.guards_in_run() for each in region.conditions)
    return [each for each in around if each is not None]

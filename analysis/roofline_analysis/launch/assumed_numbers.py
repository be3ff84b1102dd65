"""Assumed numbers that can be made smaller: arguments of the kernel, and what the host has open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from roofline_analysis.launch.sizes_from_guards import Corner, KernelArguments
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Symbol


class AssumedNumber(Protocol):
    """An assumed number on which something rests."""

    @property
    def now(self) -> int:
        """What is assumed so far."""
        ...

    def values(self, size: int) -> Corner:
        """The values of the kernel's symbols if the number is of this size."""
        ...

    def reduce(self, size: int, why: str) -> None:
        """Assume this size, which stays a guess, for a reason."""
        ...


@dataclass(frozen=True, slots=True)
class _OfKernel:
    """An argument of the kernel that no launch gives."""

    arguments: KernelArguments
    symbol: Symbol

    @property
    def now(self) -> int:
        """What is assumed so far."""
        return int(self.arguments.values[self.symbol])

    def values(self, size: int) -> Corner:
        """The values of the kernel's symbols if the argument is of this size."""
        return {**self.arguments.values, self.symbol: size}

    def reduce(self, size: int, why: str) -> None:
        """Assume this size."""
        self.arguments.values[self.symbol] = self.arguments.assumed[self.symbol] = size


@dataclass(frozen=True, slots=True)
class _OfHost:
    """An open number of the host, of which arguments are computed."""

    arguments: KernelArguments
    unknown: Symbol

    @property
    def now(self) -> int:
        """What is assumed so far."""
        return int(self.arguments.host.numbers()[self.unknown])

    def values(self, size: int) -> Corner:
        """The values of the kernel's symbols if the host's number is of this size."""
        known = Environment({**self.arguments.host.numbers(), self.unknown: size})
        tied = {s: known.evaluate(t) for s, t in self.arguments.ties.items()}
        return {**self.arguments.values, **{s: v for s, v in tied.items() if v is not None}}

    def reduce(self, size: int, why: str) -> None:
        """Assume this size."""
        self.arguments.host.suppose(self.unknown, size, why)
        self.arguments.refresh()


def numbers_behind(
    symbols: Iterable[Symbol], arguments: KernelArguments
) -> Iterator[AssumedNumber]:
    """The assumed numbers that decide symbols of a kernel, in the order of their names."""
    ordered = sorted(symbols, key=lambda each: each.sort_key)
    yield from (_OfKernel(arguments, s) for s in ordered if s in arguments.assumed)
    ties = (arguments.ties[symbol] for symbol in ordered if symbol in arguments.ties)
    unknowns = dict.fromkeys(u for tie in ties for u in arguments.host.open_symbols(tie))
    yield from (_OfHost(arguments, unknown) for unknown in unknowns)


def largest(fits: Callable[[int], bool], now: int) -> int | None:
    """The largest number below ``now`` for which something fits; None where 1 does not."""
    if now <= 1 or not fits(1):
        return None
    low, high = 1, now
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low

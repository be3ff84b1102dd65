"""Sizes that a program takes from outside, assumed so that its launches fill a GPU.

A problem size that comes from the command line or a file has no value in the source. Launches of
many threads matter most, so sizes from which a grid is computed are set to give about a million
threads; every value computed from these sizes then agrees with that grid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.host.launches.sizes_by_role import open_sizes, put_sizes
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.values import Aggregate, LaunchContext, Pointer, Value
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.records import record

FULL_THREADS: Final = 1 << 20
"""Threads of a launch that fills any GPU.

Assumed, chosen without measurement: more threads than a GPU holds at a time, three times those of
160 multiprocessors with 2048 threads each."""
_TOO_MANY: Final = 16
"""The most threads of a launch under an assumed size, as a multiple of ``FULL_THREADS``.

Assumed, chosen without measurement."""
LARGEST_BYTES: Final = 1 << 30
"""The most bytes of a launch's allocation whose size depends on an assumption.

Chosen without measurement: it fits into the memory of most GPUs a few times."""
_MOST_BYTES: Final = 1 << 34
"""The most bytes where a smaller size would be no extent: a GPU's whole memory. Assumed."""
_LARGEST_SIZE: Final = 1 << 22
"""The largest number that is tried as an open size. Assumed, chosen without measurement."""
_SMALLEST: Final = 64
"""The least value that is assumed for an extent. Assumed, chosen without measurement."""
_MAX_DEPTH: Final = 3
"""The deepest nesting of objects whose allocations are looked at. A limit on the work."""


def assume_full_launches(interpreter: HostInterpreter) -> None:
    """Replace the assumed values of sizes from which launch dimensions are computed."""
    sizes: dict[Symbol, int] = {}
    settled: set[Symbol] = set()
    for context in sorted(interpreter.launches.values(), key=lambda c: (not c.certain, c.order)):
        if context.grid is None:
            continue
        free = open_sizes(interpreter, context.grid) - settled
        if free:
            settled |= free
            sizes.update(_filling_sizes(interpreter, context, free, sizes))
    put_sizes(interpreter, sizes)


def _filling_sizes(
    interpreter: HostInterpreter,
    context: LaunchContext,
    free: set[Symbol],
    sizes: Mapping[Symbol, int],
) -> dict[Symbol, int]:
    """One value to assume for all of ``free``, or for those that the launch grows with."""
    size = _filling_size(interpreter, context, free, sizes)
    if size is not None or len(free) == 1:
        return {} if size is None else dict.fromkeys(free, size)
    # One size for all leaves a quotient of two as it is: `rows = size / depth` grows with one.
    filled: dict[Symbol, int] = {}
    for symbol in sorted(free, key=lambda each: each.sort_key):
        size = _filling_size(interpreter, context, {symbol}, {**sizes, **filled})
        if size is not None:
            filled[symbol] = size
    return filled


@record(frozen=True, slots=True)
class _Grown:
    """A launch as it grows with numbers that nothing fixes."""

    values: Mapping[Symbol, int | float]
    """What is assumed for all of its numbers."""
    free: frozenset[Symbol]
    """Those that it grows with."""
    extents: tuple[Expr, ...]
    """Of its grid and its block."""
    allocations_bytes: tuple[Expr, ...]
    """The sizes of the memory that its arguments point to."""

    def _at(self, size: int) -> Environment:
        return Environment({**self.values, **dict.fromkeys(self.free, size)})

    def threads(self, size: int) -> float | None:
        """The threads of the grid if each free number is ``size``; None if still unknown."""
        environment = self._at(size)
        total = 1.0
        for extent in self.extents:
            number = environment.evaluate(extent)
            if number is None:
                return None
            total *= max(0.0, float(number))
        return total

    def allocates(self, size: int, most_bytes: int = LARGEST_BYTES) -> bool:
        """Whether no allocation is known to be larger than ``most_bytes`` with ``size``."""
        environment = self._at(size)
        found = (environment.evaluate(each) for each in self.allocations_bytes)
        return all(number is None or number <= most_bytes for number in found)

    def fits(self, size: int) -> bool:
        """Whether memory holds the allocations and the grid is not beyond ``FULL_THREADS``."""
        return self.allocates(size) and (self.threads(size) or 0.0) <= FULL_THREADS


def _filling_size(
    interpreter: HostInterpreter,
    context: LaunchContext,
    free: set[Symbol],
    sizes: Mapping[Symbol, int],
) -> int | None:
    """The value to assume for all of ``free``; None to keep the present assumption."""
    grown = _Grown(
        {s: sizes.get(s, u.assumed) for s, u in context.unknowns.items()},
        frozenset(free),
        (*(context.grid or ()), *(context.block or ())),
        tuple(size for argument in context.args for size in _allocations(argument, 0)),
    )
    now = grown.threads(interpreter.options.default_size)
    if now is None or FULL_THREADS <= now <= _TOO_MANY * FULL_THREADS:
        return None
    most = grown.threads(_LARGEST_SIZE)
    if most is not None and most <= now:
        return None  # The launch does not grow with them.
    low, high = 1, _LARGEST_SIZE + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if grown.fits(middle) else (low, middle)
    # Where other sizes fill the GPU already, an extent is still more than 1.
    return _SMALLEST if low < _SMALLEST and grown.allocates(_SMALLEST, _MOST_BYTES) else low


def _allocations(value: Value, depth: int) -> Iterator[Expr]:
    if isinstance(value, Pointer):
        if value.buffer is not None and value.buffer.size_bytes is not None:
            yield value.buffer.size_bytes
    elif isinstance(value, Aggregate) and depth < _MAX_DEPTH:
        for held in value.fields.values():
            yield from _allocations(held, depth + 1)

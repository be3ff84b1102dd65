"""Memory analysis: how long a kernel's arrays are, from the addresses that its work-items use.

The device walk gives each access as a byte offset over work-item ids, loop counters and arguments.
With a launch's numbers in their places, the largest offset is the size of the array. Guards around
an access (``if (i < n)``) cut the ranges of its ids and counters first. An index that is loaded
from memory lies below ``content_end``, the end of the numbers that the study fills integer arrays
with. An access whose offset has no bound leaves its array unbounded, which is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from roofline_analysis.device.values import LAUNCH, THREAD
from roofline_analysis.language.types import is_float
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    Array,
    KernelSummary,
    MemorySpace,
    Region,
)
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, constant, from_atom, make_symbol
from roofline_core.program.dims import Dim3
from roofline_study.llmperf.intervals import Interval, interval_of

_AXES: Final = "xyz"
_GLOBAL_IDS: Final = tuple(
    make_symbol(f"global id.{axis}", SymbolScope.THREAD, nonnegative=True) for axis in _AXES
)
"""Stand for ``group * group size + local id`` where an expression has nothing else of an axis."""
_ROUNDS: Final = 2
"""How often conditions cut ranges: a second time by what the first time left. A limit on the work.
"""


@dataclass(frozen=True, slots=True)
class ArraySize:
    """What is known of an array's length in one launch."""

    size_bytes: int | None
    """From its start to the end of the last element used; None: some access has no bound."""
    below: bool = False
    """Whether some access may lie before the start, as far as the analysis sees."""


def array_sizes(
    summary: KernelSummary,
    values: Mapping[Symbol, int | float],
    groups: Dim3,
    local_size: Dim3,
    content_end: int,
) -> dict[str, ArraySize]:
    """The sizes of the arrays behind arguments, and of local ones that the host sizes, by name.

    ``values`` are the launch's arguments. An array that no access uses has size 0.
    """
    launch = _Launch(summary, values, groups, local_size, content_end)
    names = set(summary.params)
    found = {array.name: ArraySize(0) for array in summary.arrays if array.name in names}
    for region in summary.root.walk():
        wanted = [access for access in region.accesses if access.array.name in found]
        if not wanted:
            continue
        ranges = launch.ranges(region)
        for access in wanted:
            name = access.array.name
            found[name] = _larger(found[name], launch.reach(access, ranges))
    return found


def _larger(one: ArraySize, other: ArraySize) -> ArraySize:
    below = one.below or other.below
    if one.size_bytes is None or other.size_bytes is None:
        return ArraySize(None, below)
    return ArraySize(max(one.size_bytes, other.size_bytes), below)


class _Launch:
    """The numbers of one launch, put into the expressions of a kernel."""

    def __init__(
        self,
        summary: KernelSummary,
        values: Mapping[Symbol, int | float],
        groups: Dim3,
        local_size: Dim3,
        content_end: int,
    ) -> None:
        self._local_size = local_size
        self._numbers: dict[Symbol, Expr] = {s: constant(v) for s, v in values.items()}
        self._ids: dict[Symbol, Interval] = {}
        for axis, name in enumerate(_AXES):
            self._numbers[LAUNCH[f"gridDim.{name}"]] = constant(groups[axis])
            self._numbers[LAUNCH[f"blockDim.{name}"]] = constant(local_size[axis])
            self._ids[THREAD[f"blockIdx.{name}"]] = 0.0, groups[axis] - 1.0
            self._ids[THREAD[f"threadIdx.{name}"]] = 0.0, local_size[axis] - 1.0
            self._ids[_GLOBAL_IDS[axis]] = 0.0, groups[axis] * local_size[axis] - 1.0
        self._ids.update(_loaded(summary, content_end))
        self._known: dict[Expr, Expr] = {}

    def put(self, expr: Expr) -> Expr:
        """The expression with the launch's numbers, and global ids where it has whole ones."""
        found = self._known.get(expr)
        if found is None:
            found = expr.substitute(self._numbers)
            for axis in range(len(_AXES)):
                found = self._with_global_id(found, axis)
            self._known[expr] = found
        return found

    def _with_global_id(self, expr: Expr, axis: int) -> Expr:
        group = THREAD[f"blockIdx.{_AXES[axis]}"]
        local = THREAD[f"threadIdx.{_AXES[axis]}"]
        symbols = expr.symbols()
        if group not in symbols or local not in symbols:
            return expr
        whole = from_atom(_GLOBAL_IDS[axis]) - from_atom(group) * self._local_size[axis]
        replaced = expr.substitute({local: whole})
        return expr if group in replaced.symbols() else replaced

    def ranges(self, region: Region) -> Mapping[Symbol, Interval]:
        """The values of ids and counters with which a region runs."""
        known = dict(self._ids)
        around = list(region.ancestors())[::-1]
        for each in around:
            if each.counter is None or each.trips is None:
                continue
            trips = interval_of(self.put(each.trips), known)
            if trips is not None:
                known[each.counter] = 0.0, max(0.0, trips[1] - 1.0)
        conditions = [
            self.put(condition)
            for each in around
            for condition in each.conditions
            if condition is not None
        ]
        for _ in range(_ROUNDS):
            for condition in conditions:
                _cut(condition, known)
        return known

    def reach(self, access: Access, known: Mapping[Symbol, Interval]) -> ArraySize:
        """The end of what an access uses."""
        found = interval_of(self.put(access.offset), known)
        if found is None:
            return ArraySize(None)
        return ArraySize(max(0, math.floor(found[1]) + access.size_bytes), below=found[0] < 0)


def _loaded(summary: KernelSummary, content_end: int) -> Iterator[tuple[Symbol, Interval]]:
    """The values of loads from integer arrays that the study fills and the kernel leaves alone."""
    accesses = [access for region in summary.root.walk() for access in region.accesses]
    written = {access.array for access in accesses if access.mode is not AccessMode.READ}
    for access in accesses:
        if access.yields is not None and access.array not in written and _is_filled(access.array):
            yield access.yields, (0.0, content_end - 1.0)


def _is_filled(array: Array) -> bool:
    in_memory = array.space in (MemorySpace.GLOBAL, MemorySpace.CONSTANT)
    return in_memory and not is_float(array.element.name)


def _cut(condition: Expr, known: dict[Symbol, Interval]) -> None:
    """Shorten the ranges of symbols by a comparison that is affine in them."""
    comparison = _comparison(condition)
    if comparison is None:
        return
    operand, strict = comparison.args[0], comparison.op == "lt"
    for symbol in list(operand.symbols()):
        factor = operand.coefficient(symbol)
        slope = factor.constant if factor is not None else None
        if not slope or symbol not in known:
            continue
        rest = interval_of(operand - from_atom(symbol) * slope, known)
        if rest is not None:
            known[symbol] = _shortened(known[symbol], float(slope), rest, comparison.op, strict)


def _shortened(held: Interval, slope: float, rest: Interval, op: str, strict: bool) -> Interval:
    """The values x of a range with ``slope * x + rest`` below, at most or equal to 0."""
    low, high = held
    edge = -rest[0] / slope
    if slope > 0 or op == "eq":
        top = max(-rest[0] / slope, -rest[1] / slope) if op == "eq" else edge
        high = min(high, math.ceil(top) - 1 if strict else math.floor(top))
    if slope < 0 or op == "eq":
        bottom = min(-rest[0] / slope, -rest[1] / slope) if op == "eq" else edge
        low = max(low, math.floor(bottom) + 1 if strict else math.ceil(bottom))
    # Nothing passes: the region does not run, and its accesses may have any of the old values.
    return (low, high) if low <= high else held


def _comparison(condition: Expr) -> Apply | None:
    if len(condition.terms) != 1:
        return None
    (monomial, number), *_ = condition.terms.items()
    if number != 1 or len(monomial) != 1 or not isinstance(monomial[0], Apply):
        return None
    found = monomial[0]
    return found if found.op in ("lt", "le", "eq") else None


def data_decides(summary: KernelSummary) -> bool:
    """Whether loaded numbers decide an address, a branch or how long a loop runs."""
    return any(
        symbol.scope not in _BY_LAUNCH for expr in _deciding(summary) for symbol in expr.symbols()
    ) or any(region.trips is None and region.counter is not None for region in summary.root.walk())


_BY_LAUNCH: Final = (
    SymbolScope.THREAD,
    SymbolScope.LAUNCH,
    SymbolScope.PARAM,
    SymbolScope.REAL,
    SymbolScope.LOOP,
)


def _deciding(summary: KernelSummary) -> Iterable[Expr]:
    for region in summary.root.walk():
        yield from (condition for condition in region.conditions if condition is not None)
        if region.trips is not None:
            yield region.trips
        for access in region.accesses:
            yield access.offset

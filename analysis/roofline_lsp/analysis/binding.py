"""A launch's values put where a kernel's symbols are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from roofline_lsp.analysis.device.regions import KernelSummary, Region
from roofline_lsp.analysis.device.values import LAUNCH, THREAD
from roofline_lsp.analysis.execution import Dim3
from roofline_lsp.analysis.host.values import (
    Aggregate,
    HostUnknown,
    LaunchContext,
    Opaque,
    Pointer,
    Scalar,
    Value,
)
from roofline_lsp.analysis.numeric import Environment
from roofline_lsp.analysis.prediction import UnknownUsed
from roofline_lsp.kernel.symbolic import Apply, Expr, Symbol, apply, constant, make_symbol

ASSUMED_SIZE: Final = 1024
"""An integer argument of which nothing is known."""
ASSUMED_BLOCK: Final = 256
ASSUMED_THREADS: Final = 1 << 20
"""Threads of a launch whose grid is not known."""
_ASSUMED_BLOCKS: Final = {1: (ASSUMED_BLOCK, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}
_ASSUMED_EXTENTS: Final = {2: (1 << 10, 1 << 10, 1), 3: (1 << 7, 1 << 7, 1 << 6)}
"""Likewise, by the dimensions that the kernel's indices have."""
_MAX_SOLVED: Final = 3
"""Open numbers of the host that one dimension of a launch can tell."""
_BEYOND: Final = 4
"""How many times as large a number is as the least that gives the largest possible launch."""
_INDICES: Final = frozenset(THREAD.values())


@dataclass(slots=True)
class Binding:
    """Numbers for a kernel's symbols in one launch."""

    grid: Dim3
    block: Dim3
    dynamic_shared_bytes: int
    values: dict[Symbol, int | float] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    """Bytes of the allocations behind pointer arguments, by array name."""
    host_arrays: set[str] = field(default_factory=set)
    """Pointer arguments into host memory that is mapped, not in DRAM of the device."""
    unknowns: list[UnknownUsed] = field(default_factory=list)
    dims_given: bool = False
    """Grid and block come from a measurement, so assumed sizes may contradict them."""
    soft: set[Symbol] = field(default_factory=set)
    """Arguments whose number rests on an assumption."""


def bind(
    summary: KernelSummary,
    context: LaunchContext | None,
    grid: Dim3 | None = None,
    block: Dim3 | None = None,
) -> Binding:
    """The numbers of one launch. ``grid`` and ``block``, where given, override the host's."""
    host = _HostNumbers(context.unknowns if context is not None else {})
    if context is not None:
        _solve_dimensions(host, context.grid, grid)
        _solve_dimensions(host, context.block, block)
    found_block = (
        block
        or summary.required_block
        or _dimensions(context.block if context is not None else None, host)
    )
    found_grid = grid or _dimensions(context.grid if context is not None else None, host)
    wanted = _wanted(summary)
    used_block = found_block or _ASSUMED_BLOCKS[_dimensions_used(wanted)]
    threads = used_block[0] * used_block[1] * used_block[2]
    used_grid = found_grid or _assumed_grid(used_block, _dimensions_used(wanted))
    dynamic = host.number(context.shared_bytes) if context is not None else None
    result = Binding(used_grid, used_block, int(dynamic or 0))
    result.dims_given = grid is not None
    if context is not None:
        for name, value in zip(summary.params, context.args, strict=False):
            _bind_value(result, name, value, host)
    if grid is not None or found_grid is None:
        _infer_from_guards(summary, result, wanted)
    _bind_rest(result, wanted)
    result.unknowns.extend(host.used())
    if found_block is None:
        result.unknowns.append(UnknownUsed("block size", "no launch was found", threads))
    if found_grid is None:
        result.unknowns.append(UnknownUsed("grid size", "no launch was found", used_grid[0]))
    return result


def _dimensions_used(wanted: set[Symbol]) -> int:
    """How many dimensions of thread and block indices a kernel asks for; at least one."""
    axes = {s.name[-1] for s in wanted if s in _INDICES}
    return 3 if "z" in axes else 2 if "y" in axes else 1


def _assumed_grid(block: Dim3, dimensions: int) -> Dim3:
    extents = _ASSUMED_EXTENTS.get(dimensions)
    if extents is None:
        return max(1, ASSUMED_THREADS // max(1, block[0] * block[1] * block[2])), 1, 1
    x, y, z = (-(-extent // size) for extent, size in zip(extents, block, strict=True))
    return x, y, z


def _solve_dimensions(host: _HostNumbers, dims: Sequence[Expr] | None, known: Dim3 | None) -> None:
    """Learn open host values from launch dimensions that are known otherwise."""
    if dims is None or known is None:
        return
    for expr, number in zip(dims, known, strict=True):
        host.solve(expr, number)


class _HostNumbers:
    """Host expressions as numbers, assumptions put in for what is open."""

    def __init__(self, unknowns: Mapping[Symbol, HostUnknown]) -> None:
        self._unknowns = dict(unknowns)
        self._solved: set[Symbol] = set()
        self._used: dict[Symbol, HostUnknown] = {}
        self._environment = Environment({s: u.assumed for s, u in unknowns.items()})

    def number(self, expr: Expr | None) -> int | float | None:
        """The number, or None where a symbol is not even assumed."""
        if expr is None:
            return None
        # One at a time, in the order the program meets them: a decided condition (``argc > 1``)
        # can make the others irrelevant.
        rest = expr
        for symbol in sorted(expr.symbols(), key=lambda s: s.serial):
            if rest.constant is not None:
                break
            unknown = self._unknowns.get(symbol)
            if unknown is None or symbol not in rest.symbols():
                continue
            self._used[symbol] = unknown
            rest = rest.substitute({symbol: constant(unknown.assumed)})
        return rest.constant

    def is_open(self, expr: Expr) -> bool:
        """Whether the number rests on an assumption."""
        return any(s in self._unknowns and s not in self._solved for s in expr.symbols())

    def solve(self, expr: Expr, number: float) -> None:
        """Learn the open symbols of ``expr`` from its value, where it grows with them.

        Several are taken to be equal. Where the value is the largest that ``expr`` takes, as the
        teams of a loop that is longer than the launch, the symbol is taken to lie well beyond.
        """
        unsolved = [s for s in expr.symbols() if s in self._unknowns and s not in self._solved]
        if not unsolved or len(unsolved) > _MAX_SOLVED:
            return

        def value(candidate: int) -> float | None:
            values = {**self._environment.values, **dict.fromkeys(unsolved, candidate)}
            found = Environment(values).evaluate(expr)
            return None if found is None else float(found)

        low, high = 0, 1 << 40
        ends = value(low), value(high)
        if ends[0] is None or ends[1] is None or not ends[0] <= number <= ends[1]:
            return
        saturated = number == ends[1]
        if saturated and ends[0] == ends[1]:
            return
        while high - low > 1:
            middle = (low + high) // 2
            found = value(middle)
            if found is not None and (found < number if saturated else found <= number):
                low = middle
            else:
                high = middle
        for symbol in unsolved:
            self._learn(symbol, high * _BEYOND if saturated else low)

    def _learn(self, symbol: Symbol, number: int) -> None:
        self._solved.add(symbol)
        self._environment = Environment({**self._environment.values, symbol: number})
        unknown = self._unknowns[symbol]
        why = f"{unknown.why}; taken from the launch dimensions"
        self._unknowns[symbol] = replace(unknown, assumed=number, why=why)

    def used(self) -> list[UnknownUsed]:
        """The unknowns that numbers rested on."""
        return [
            UnknownUsed(u.name, u.why, float(u.assumed), u.path, u.line)
            for u in self._used.values()
        ]


def _dimensions(dims: Sequence[Expr] | None, host: _HostNumbers) -> Dim3 | None:
    if dims is None:
        return None
    numbers = [host.number(dim) for dim in dims]
    if any(number is None or not 0 < number < 2**40 for number in numbers):
        return None
    x, y, z = (int(number) for number in numbers if number is not None)
    return x, y, z


def _bind_value(result: Binding, path: str, value: Value, host: _HostNumbers) -> None:
    if isinstance(value, Scalar):
        number = host.number(value.value)
        if number is not None:
            for symbol in (
                make_symbol(path, "param"),
                make_symbol(path, "param", nonnegative=True),
                make_symbol(path, "real"),
            ):
                result.values[symbol] = number
                if host.is_open(value.value):
                    result.soft.add(symbol)
    elif isinstance(value, Pointer):
        if value.buffer is not None and value.buffer.space in ("mapped", "pinned"):
            result.host_arrays.add(path)
        if value.buffer is not None and value.buffer.size_bytes is not None:
            size = host.number(value.buffer.size_bytes)
            start = host.number(value.offset_bytes)
            open_size = host.is_open(value.buffer.size_bytes) and result.dims_given
            if size is not None and size > 0 and not open_size:
                result.sizes[path] = float(max(0.0, size - (start or 0)))
    elif isinstance(value, Aggregate):
        for name, inner in value.fields.items():
            if not isinstance(inner, Opaque):
                _bind_value(result, f"{path}.{name}", inner, host)


def _wanted(summary: KernelSummary) -> set[Symbol]:
    """The symbols that conditions, trip counts and addresses mention."""
    wanted: set[Symbol] = set()
    for region in summary.root.walk():
        for condition in region.conditions:
            if condition is not None:
                wanted |= condition.symbols()
        if region.trips is not None:
            wanted |= region.trips.symbols()
        for access in region.accesses:
            wanted |= access.offset.symbols()
    return wanted


def _infer_from_guards(summary: KernelSummary, result: Binding, wanted: set[Symbol]) -> None:
    """Choose open bounds so that the launch just covers them: ``if (i < n)`` gives n.

    A grid is made for its data; that is a better guess than any constant.
    """
    for _ in range(3):
        environment = Environment(_with_dimensions(result))
        progress = False
        for region in summary.root.walk():
            for condition in _covering_conditions(region):
                if _infer(condition, environment, result, wanted):
                    progress = True
        if not progress:
            return


def _covering_conditions(region: Region) -> Iterator[Expr]:
    """The conditions that an index is within bounds: guards, and loops by the whole grid."""
    if region.kind == "guard":
        yield from (condition for condition in region.conditions if condition is not None)
    elif region.kind == "loop" and region.trips is not None:
        # As trip counts are written: max(div(bound - start + stride - 1, stride), 0).
        for outer in region.trips.atoms():
            for quotient in outer.args[0].atoms() if isinstance(outer, Apply) else ():
                if isinstance(quotient, Apply) and quotient.op == "div":
                    dividend, stride = quotient.args
                    if LAUNCH["gridDim.x"] in stride.symbols():
                        yield apply("lt", stride - 1 - dividend)


def _with_dimensions(result: Binding) -> dict[Symbol, int | float]:
    """Arguments that are certain, and the largest index of each dimension."""
    values = {s: v for s, v in result.values.items() if s not in result.soft}
    for axis, blocks, threads in zip("xyz", result.grid, result.block, strict=True):
        values[THREAD[f"blockIdx.{axis}"]] = blocks - 1
        values[THREAD[f"threadIdx.{axis}"]] = threads - 1
        values[LAUNCH[f"gridDim.{axis}"]] = blocks
        values[LAUNCH[f"blockDim.{axis}"]] = threads
    return values


def _infer(condition: Expr, environment: Environment, result: Binding, wanted: set[Symbol]) -> bool:
    atom = next(iter(condition.atoms()), None)
    if not isinstance(atom, Apply) or atom.op not in ("lt", "le") or len(condition.terms) != 1:
        return False
    difference = atom.args[0]
    if not any(s.scope == "thread" for s in difference.symbols()):
        return False
    known = environment.values
    rest, bound, scale = difference, None, 1.0
    for monomial, number in difference.terms.items():
        unknown = [a for a in monomial if isinstance(a, Symbol) and a not in known]
        if any(isinstance(a, Apply) and not a.symbols <= known.keys() for a in monomial):
            return False
        if not unknown:
            continue
        if bound is not None or number > 0 or any(a.scope != "param" for a in unknown):
            return False
        bound = unknown
        others = [known[a] for a in monomial if isinstance(a, Symbol) and a in known]
        scale = abs(float(number)) * math.prod(map(float, others))
        rest = rest - Expr({monomial: number})
    largest = environment.evaluate(rest)
    if not bound or largest is None or scale <= 0 or largest < 0:
        return False
    value = max(1, round(((float(largest) + (atom.op == "lt")) / scale) ** (1.0 / len(bound))))
    for symbol in bound:
        result.values[symbol] = value
        result.soft.discard(symbol)
        environment.values[symbol] = value
        why = "the launch does not fix it; taken to be just covered by the grid"
        result.unknowns.append(UnknownUsed(symbol.name, why, value))
    return True


def _bind_rest(result: Binding, wanted: set[Symbol]) -> None:
    """Assume numbers for arguments that no launch gave; each is named once."""
    for symbol in sorted(wanted, key=lambda s: s.name):
        if symbol.scope in ("param", "real") and symbol not in result.values:
            result.values[symbol] = ASSUMED_SIZE
            result.unknowns.append(
                UnknownUsed(symbol.name, "the launch does not fix it", ASSUMED_SIZE)
            )

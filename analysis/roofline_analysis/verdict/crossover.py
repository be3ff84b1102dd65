"""The value of a free input at which a kernel's class changes: ``CB from n >= 512``.

A free input is a size that the host program reads at run time (grid, allocations and arguments
follow it) or a kernel argument that no launch fixes. The launch is counted again for several values
of one free input. Numbers that the source fixes are not varied.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from roofline_analysis.host.values import (
    ARGUMENT_COUNT,
    HostUnknown,
    LaunchContext,
    Pointer,
    Scalar,
)
from roofline_analysis.launch.binding import Binding, bind, bound_dimensions
from roofline_analysis.launch.sizes_from_guards import COVERED
from roofline_analysis.regions.kernel_summary import KernelSummary, accesses_in
from roofline_analysis.verdict.analyse import Counted, Target, count_launch
from roofline_analysis.verdict.bus import bus_time_ns, class_of
from roofline_analysis.verdict.prediction import Crossover, SizeRange, Verdict
from roofline_analysis.verdict.rule import margin
from roofline_analysis.verdict.size_search import (
    ClassFor,
    SizeClass,
    is_same_at_ends,
    search_sizes,
)
from roofline_core.algebra.operations import finite
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, from_atom
from roofline_core.program.records import record

_MOST_SYMBOLS: Final = 2
"""The most numbers of one launch that are varied. A limit on the work."""
_MOST_REGIONS: Final = 300
"""The most regions of a kernel that is counted for other numbers. A limit on the work."""
_MOST_ACCESSES: Final = 1_000
"""Its most accesses to memory, likewise."""


@record(frozen=True, slots=True)
class OpenNumber:
    """A free input, and a function from its value to the launch."""

    name: str
    """The kernel parameter's name, or the host program's input: ``argv[1]``."""
    now: int
    bound: Callable[[int], Binding | None]
    """The launch with another value; returns None if that launch is impossible."""
    unknown: HostUnknown | None = None
    """The host program's unknown; None for a kernel argument that no launch fixes."""


def flip_point(
    summary: KernelSummary,
    context: LaunchContext | None,
    bound: Binding,
    target: Target,
    verdict: Verdict | None,
    arguments: Sequence[str] | None = None,
) -> Crossover | None:
    """The value of a free input at which the class changes.

    ``verdict`` is the verdict of the launch ``bound``. ``arguments`` is the command line, if
    ``context`` was made without it. Returns None if there is no free input; if the class is the
    same from 1/4096 to 64 times the present value (or the most that fits the GPU's memory); or if
    the class changes more than once in that range.
    """
    ranges = size_ranges(summary, context, bound, target, verdict, arguments)
    return next((each.crossover for each in ranges if each.crossover is not None), None)


def size_ranges(
    summary: KernelSummary,
    context: LaunchContext | None,
    bound: Binding,
    target: Target,
    verdict: Verdict | None,
    arguments: Sequence[str] | None = None,
    counted: Counted | None = None,
) -> Iterator[SizeRange]:
    """The free inputs with the values tried for each; arguments as for ``flip_point``.

    ``counted`` has the counts of the launch ``bound`` of this summary, so that they are not made
    again. An input with which the class changes more than once is left out.
    """
    if verdict is None or _is_too_long(summary):
        return
    numbers = open_numbers(summary, context, bound, target, arguments)
    classes = _Classes(summary, target)
    if counted is not None:
        classes.know(bound, counted)
    for number in itertools.islice(numbers, _MOST_SYMBOLS):
        class_for = classes.for_values(number)
        now = class_for(number.now)
        if now is not None and now.verdict is verdict:
            found = search_sizes(number.name, number.now, now, class_for)
            if found is not None:
                yield found


def is_for_other_sizes(
    summary: KernelSummary,
    context: LaunchContext | None,
    bound: Binding,
    target: Target,
    verdict: Verdict,
    counted: Counted,
) -> bool:
    """Whether the class is the same at the ends of the values of each free input.

    Arguments are as for ``size_ranges``. False where there is no free input, and where the kernel
    is too long to be counted that often.
    """
    if _is_too_long(summary):
        return False
    classes = _Classes(summary, target)
    classes.know(bound, counted)
    found = False
    numbers = open_numbers(summary, context, bound, target)
    for number in itertools.islice(numbers, _MOST_SYMBOLS):
        class_for = classes.for_values(number)
        now = class_for(number.now)
        if now is None or now.verdict is not verdict:
            continue
        if not is_same_at_ends(number.now, now, class_for):
            return False
        found = True
    return found


def _is_too_long(summary: KernelSummary) -> bool:
    """Whether a kernel takes too long to be counted for other numbers."""
    regions = sum(1 for _ in summary.root.walk())
    return regions > _MOST_REGIONS or accesses_in(summary) > _MOST_ACCESSES


def open_numbers(
    summary: KernelSummary,
    context: LaunchContext | None,
    bound: Binding,
    target: Target,
    arguments: Sequence[str] | None = None,
) -> Iterator[OpenNumber]:
    """The program's free inputs: first the host's, then kernel arguments that no launch fixes.

    ``arguments`` are as for ``flip_point``.
    """
    told: set[str] = set()
    if context is not None:
        given = _given_choices(context) if arguments is None else _given(context, arguments)
        for number in _host_numbers(summary, context, bound, target, given):
            told.add(number.name)
            yield number
    # A host input of the same name as the argument has already been yielded.
    yield from (number for number in _free_arguments(bound) if number.name not in told)
    if context is None:
        yield from _covered_arguments(summary, bound)


# -- what the host program leaves open


def _host_numbers(
    summary: KernelSummary,
    context: LaunchContext,
    bound: Binding,
    target: Target,
    given: Mapping[Symbol, int],
) -> Iterator[OpenNumber]:
    rest = {u.name: u.assumed for u in bound.unknowns if u.assumed is not None}
    names = _names(summary, context)
    blocks = _block_alone(context)
    for symbol, unknown in context.unknowns.items():
        if symbol not in names:
            continue
        now = given.get(symbol, rest.get(unknown.name, unknown.assumed))
        if symbol in blocks or unknown.name == ARGUMENT_COUNT or finite(now) is None:
            continue
        if now != int(now) or now < 1:
            continue
        fixed = given if symbol in given else {}
        same = bound_dimensions(summary, context, {**fixed, symbol: int(now)})
        if same != (bound.grid, bound.block):
            continue

        def launched(
            value: int, symbol: Symbol = symbol, fixed: Mapping[Symbol, int] = fixed
        ) -> Binding | None:
            """The launch bound with ``value``; None where the GPU cannot run it."""
            tried = bind(summary, context, fixed={**fixed, symbol: value})
            return tried if _is_possible(tried, context, target) else None

        yield OpenNumber(names[symbol], int(now), launched, unknown)


def _block_alone(context: LaunchContext) -> set[Symbol]:
    """The symbols that the block alone is made of, and that the kernel is not given."""
    found: set[Symbol] = set()
    for extent in context.block or ():
        for monomial in extent.terms:
            found.update(atom for atom in monomial if isinstance(atom, Symbol))
    for value in context.args:
        if isinstance(value, Scalar):
            found -= value.value.symbols()
    return found


def _names(summary: KernelSummary, context: LaunchContext) -> dict[Symbol, str]:
    """The symbols behind launch dimensions and arguments, with the parameter each one equals."""
    found: dict[Symbol, str] = {}
    exprs = [*(context.grid or ()), *(context.block or ())]
    for name, value in zip(summary.params, context.args, strict=False):
        if isinstance(value, Scalar):
            exprs.append(value.value)
            chosen = _choice(value.value)
            symbol = chosen[0] if chosen is not None else _alone(value.value)
            if symbol in context.unknowns and symbol is not None:
                found.setdefault(symbol, name)
    for expr in exprs:
        for symbol in expr.symbols():
            if symbol in context.unknowns:
                found.setdefault(symbol, context.unknowns[symbol].name)
    return found


def _given_choices(context: LaunchContext) -> dict[Symbol, int]:
    """Argument values equal to the defaults in ``argc > 1 ? atoi(argv[1]) : 1024``, by symbol."""
    exprs = [*(context.grid or ()), *(context.block or ())]
    exprs += [value.value for value in context.args if isinstance(value, Scalar)]
    # Allocation sizes too: they may depend on arguments that were not given.
    exprs += [
        value.buffer.size_bytes
        for value in context.args
        if isinstance(value, Pointer) and value.buffer and value.buffer.size_bytes is not None
    ]
    given: dict[Symbol, int] = {}
    for expr in exprs:
        for found in _choices(expr):
            symbol, default = found
            if symbol in context.unknowns:
                given.setdefault(symbol, default)
    count = next((s for s, u in context.unknowns.items() if u.name == ARGUMENT_COUNT), None)
    if given and count is not None:
        given[count] = 1 + sum(u.name.startswith("argv[") for u in context.unknowns.values())
    return given


def _given(context: LaunchContext, arguments: Sequence[str]) -> dict[Symbol, int]:
    """The values that a command line gives, by symbol."""
    words = {f"argv[{position}]": word for position, word in enumerate(arguments, 1)}
    words[ARGUMENT_COUNT] = str(len(arguments) + 1)
    return {
        symbol: int(word)
        for symbol, unknown in context.unknowns.items()
        if (word := words.get(unknown.name, "")).isdecimal()
    }


def _choices(expr: Expr) -> Iterator[tuple[Symbol, int]]:
    chosen = _choice(expr)
    if chosen is not None:
        yield chosen
        return
    for atom in expr.atoms():
        if isinstance(atom, Apply):
            alone = from_atom(atom)
            for part in atom.args if alone == expr else (alone,):
                yield from _choices(part)


def _choice(expr: Expr) -> tuple[Symbol, int] | None:
    """Argument and default of ``select(condition, argument, default)``; None for other forms."""
    atoms = list(expr.atoms())
    if len(atoms) != 1 or not isinstance(atoms[0], Apply) or atoms[0].op != "select":
        return None
    if len(expr.terms) != 1 or next(iter(expr.terms)) != (atoms[0],):
        return None
    for argument, default in (atoms[0].args[1:], atoms[0].args[:0:-1]):
        symbol, number = _alone(argument), default.constant
        whole = number is not None and finite(number) is not None and number == int(number)
        if symbol is not None and number is not None and whole:
            return symbol, int(number)
    return None


def _alone(expr: Expr) -> Symbol | None:
    """The symbol, if an expression is a single symbol; else None."""
    if len(expr.terms) != 1:
        return None
    monomial, coefficient = next(iter(expr.terms.items()))
    if coefficient != 1 or len(monomial) != 1 or not isinstance(monomial[0], Symbol):
        return None
    return monomial[0]


def _is_possible(bound: Binding, context: LaunchContext, target: Target) -> bool:
    """Whether a launch fits the GPU's memory and has valid dimensions."""
    memory_gb = target.gpu.memory_gb
    if memory_gb is not None and sum(bound.sizes.values()) > memory_gb * 2**30:
        return False
    missing = {unknown.name for unknown in bound.unknowns}
    if context.grid is not None and "grid size" in missing:
        return False
    return context.block is None or "block size" not in missing


# -- arguments of which nothing is known


def _free_arguments(bound: Binding) -> Iterator[OpenNumber]:
    """Kernel arguments that no launch fixes and no guard relates to the grid."""
    for unknown in bound.unknowns:
        symbols = [
            s for s in bound.values if s.name == unknown.name and s.scope is SymbolScope.PARAM
        ]
        if unknown.assumed is None or COVERED in unknown.why or not symbols:
            continue

        def launched(value: int, symbols: list[Symbol] = symbols) -> Binding:
            """The same launch with ``value`` for the argument."""
            values = {**bound.values, **dict.fromkeys(symbols, value)}
            return replace(bound, values=values)

        yield OpenNumber(unknown.name, int(unknown.assumed), launched)


def _covered_arguments(summary: KernelSummary, bound: Binding) -> Iterator[OpenNumber]:
    """Bounds of the indices of a kernel that nothing launches: the grid goes with them."""
    if bound.grid[1:] != (1, 1):
        return
    threads = bound.block[0] * bound.block[1] * bound.block[2]
    for unknown in bound.unknowns:
        covered = bound.grid[0] * threads
        if COVERED in unknown.why and unknown.assumed == covered:

            def launched(value: int) -> Binding:
                """A grid of as many blocks as cover ``value`` indices."""
                return bind(summary, None, (-(-value // threads), 1, 1), bound.block)

            yield OpenNumber(unknown.name, covered, launched)


class _Classes:
    """The class of launches of one kernel; launches with the same numbers are counted once."""

    def __init__(self, summary: KernelSummary, target: Target) -> None:
        self._summary = summary
        self._target = target
        self._known: list[tuple[Binding, SizeClass]] = []

    def for_values(self, number: OpenNumber) -> ClassFor:
        """The class with a number at a value; None where nothing is launched with it."""

        @cache
        def class_for(value: int) -> SizeClass | None:
            """The class at one value, found once."""
            launch = number.bound(value)
            return None if launch is None else self.of(launch)

        return class_for

    def know(self, bound: Binding, counted: Counted) -> SizeClass:
        """Keep the class of a launch that is counted, and return it."""
        found = _class_of(counted, self._target)
        self._known.append((bound, found))
        return found

    def of(self, bound: Binding) -> SizeClass:
        """The class of a launch."""
        for other, known in self._known:
            if _counts_alike(other, bound):
                return known
        return self.know(bound, count_launch(self._summary, bound, self._target.gpu))


def _counts_alike(one: Binding, other: Binding) -> bool:
    """Whether two launches have the same of all that counting looks at."""
    return (
        (one.grid, one.block, one.dynamic_shared_bytes)
        == (other.grid, other.block, other.dynamic_shared_bytes)
        and one.sizes == other.sizes
        and one.host_arrays == other.host_arrays
        and one.draws == other.draws
        and one.values == other.values
        # A whole number in floats is divided in floats.
        and all(value.__class__ is other.values[s].__class__ for s, value in one.values.items())
    )


def _class_of(counted: Counted, target: Target) -> SizeClass:
    traffic = counted.traffic.compulsory() if target.rule.compulsory else counted.traffic
    moved = traffic.read_bytes + traffic.write_bytes
    crossing = bus_time_ns(counted.traffic, target.gpu, target.roofline)
    operations, roofline, rule = counted.operations, target.roofline, target.rule
    verdict = class_of(operations, moved, roofline, rule, crossing)
    return SizeClass(
        verdict, margin(operations, moved, roofline, rule) if crossing is None else 0.0
    )

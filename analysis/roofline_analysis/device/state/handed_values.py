"""What one thread hands to others: in shared memory, by a shuffle, or to all by counting.

``if (threadIdx.x == 0) n = ends[blockIdx.x];``, a barrier, then ``n`` in all threads: the number
that is loaded is the one that was stored. Compilers do not see it, so operations are charged for a
number that is not known; the counting does, which puts what was stored for what was loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from roofline_analysis.device.values import DeviceValue, PointerValue, Value
from roofline_analysis.regions.conditions import conjuncts, single_apply
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    Array,
    Exit,
    LoopNumber,
    MemorySpace,
    Region,
    Ticket,
)
from roofline_core.algebra.symbol_scopes import DATA_SCOPES, SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, from_atom
from roofline_core.program.records import record

_BLOCK_INDEX: Final = "blockIdx."


@record(frozen=True, slots=True, eq=False)
class Handed:
    """A number that was stored in shared memory."""

    value: Expr
    region: Region
    """Where it was stored."""
    barriers: int
    """Barriers that the walk had come to by then."""


@record(frozen=True, slots=True, eq=False)
class Received:
    """A load of such a number."""

    array: Array
    value: Expr
    loops: tuple[Region, ...]
    """Loops around the load that are not around the store."""


class HandedValues:
    """The numbers that places in shared memory hold, where all threads can tell them."""

    def __init__(self) -> None:
        self._held: dict[Array, dict[Expr, Handed | None]] = {}
        """By array and byte offset; None where it depends on threads which of several it is."""
        self.received: dict[Symbol, Received] = {}
        """Loads of them, by the symbols of what was loaded."""
        self._known: dict[Symbol, Expr] = {}
        self.tickets: dict[Symbol, Ticket] = {}
        """What atomics that count gave, by its symbol: another number for each thread."""
        self.barriers = 0
        self.spaces: dict[Array, set[MemorySpace]] = {}
        """Of pointers in shared memory: where that lies which they were made to point to."""
        """Barriers that the walk has come to."""

    def forget(self, array: Array) -> None:
        """Note that an array changes in a way that is not followed."""
        self._held.pop(array, None)

    def store(self, pointer: PointerValue, value: DeviceValue, region: Region) -> None:
        """Note what is stored in a region."""
        array, place = pointer.array, pointer.offset.expr
        if array.space is not MemorySpace.SHARED:
            return
        if place is None or not _is_of_block(place):
            self.forget(array)
            return
        held = self._held.setdefault(array, {})
        before = held.get(place)
        alone = place not in held or (before is not None and before.barriers < self.barriers)
        number = value.expr if isinstance(value, Value) else None
        if alone and number is not None and _is_of_block(number) and _surely_runs(region):
            held[place] = Handed(number, region, self.barriers)
        else:
            held[place] = None

    def load(self, pointer: PointerValue, loaded: Symbol, region: Region) -> None:
        """Note what a load gives, if that is known."""
        place = pointer.offset.expr
        found = self._held.get(pointer.array, {}).get(place) if place is not None else None
        if found is None or found.barriers == self.barriers:
            return
        loops, outer = tuple(region.loops()), tuple(found.region.loops())
        inner = loops[: len(loops) - len(outer)]
        if loops[len(inner) :] == outer:
            self.received[loaded] = Received(pointer.array, found.value, inner)

    def know(self, number: Expr, value: Expr) -> None:
        """Note what a symbol stands for in this launch, whatever compilers know of it."""
        (symbol,) = number.symbols()
        self._known[symbol] = value

    def pass_on(self, number: Value, received: Value) -> None:
        """Note a ticket that one lane draws and gives to all: ``if (lane == 0) i = atomicAdd(..)``.

        ``number`` is what each lane has, ``received`` what it gets.
        """
        single = single_apply(number.expr) if number.expr is not None else None
        is_choice = single is not None and single.op == "select"
        drawn = _chosen(single, self.tickets) if single and is_choice else number.expr
        if drawn is not None and received.expr is not None and _is_ticket(drawn, self.tickets):
            self.know(received.expr, drawn)

    def meanings(self) -> dict[Symbol, Expr]:
        """What was stored, by the symbols of what was loaded; for the end of the walk."""
        return self._known | {
            symbol: each.value
            for symbol, each in self.received.items()
            if not any(_is_written(each.array, loop) for loop in each.loops)
        }


def _is_written(array: Array, loop: Region) -> bool:
    """Whether a loop changes an array."""
    return any(
        access.array is array and access.mode is not AccessMode.READ
        for region in loop.walk()
        for access in region.accesses
    )


def _is_of_block(number: Expr) -> bool:
    """Whether a number is the same for all threads of a block, and in all runs of its loops."""
    return all(
        symbol.scope is not SymbolScope.LOOP
        and (symbol.scope is not SymbolScope.THREAD or symbol.name.startswith(_BLOCK_INDEX))
        for symbol in number.symbols()
    )


def _surely_runs(region: Region) -> bool:
    """Whether no data decides if some thread of the block gets there."""
    return all(
        condition is not None
        and all(symbol.scope not in DATA_SCOPES for symbol in condition.symbols())
        for guard in region.guards()
        for condition in guard.conditions
    )


def _undecided(conditions: tuple[Expr | None, ...]) -> tuple[Expr | None, ...]:
    """The conditions of a guard that no constant decides; if none is left, or all, one constant."""
    constants = [each for each in conditions if each is not None and each.constant is not None]
    false = [each for each in constants if each.constant == 0]
    return tuple(false[:1]) or tuple(c for c in conditions if c not in constants) or conditions[:1]


def _symbols(numbers: Iterable[Expr | None]) -> frozenset[Symbol]:
    return frozenset[Symbol]().union(*(each.symbols() for each in numbers if each is not None))


def drawn_again(
    numbers: Mapping[Symbol, LoopNumber],
    handed: Mapping[Symbol, Expr],
    tickets: Mapping[Symbol, Ticket],
) -> dict[Symbol, Expr]:
    """Numbers that a loop draws anew at the end of each trip, by what the trip draws.

    ``for (i = atomicAdd(n, 1); i < end; i = atomicAdd(n, 1))``: each value is another ticket.
    """
    found: dict[Symbol, Expr] = {}
    for symbol, each in numbers.items():
        if each.after or each.first is None or each.following is None:
            continue
        drawn = [e.substitute(handed) for e in (each.first, each.following)]
        if all(_is_ticket(e, tickets) for e in drawn):
            found[symbol] = drawn[1]
    return found


def _is_ticket(number: Expr, tickets: Mapping[Symbol, Ticket]) -> bool:
    return any(number == from_atom(symbol) for symbol in number.symbols() if symbol in tickets)


def put_tickets(
    root: Region, handed: Mapping[Symbol, Expr], tickets: Mapping[Symbol, Ticket]
) -> None:
    """Put what atomics gave for what stands for it in addresses: ``p = atomicAdd(n, 1); a[p]``.

    Where a choice was made for the threads that count, the others do not get to the access.
    """
    if not tickets:
        return
    for region in root.walk():
        region.accesses = [_by_ticket(each, handed, tickets) for each in region.accesses]


def _by_ticket(
    access: Access, handed: Mapping[Symbol, Expr], tickets: Mapping[Symbol, Ticket]
) -> Access:
    offset = access.offset.substitute(handed)
    if tickets.keys().isdisjoint(offset.symbols()):
        return access
    for choice in list(_choices(offset)):
        each = offset.coefficient(choice)
        if each is not None and not tickets.keys().isdisjoint(choice.symbols):
            offset = offset.without(choice) + each * _chosen(choice, tickets)
    return replace(access, offset=offset)


def _choices(number: Expr) -> Iterable[Apply]:
    """The choices that are terms of a number."""
    return (atom for atom in number.atoms() if isinstance(atom, Apply) and atom.op == "select")


def _chosen(choice: Apply, tickets: Mapping[Symbol, Ticket]) -> Expr:
    """The side of a choice with a ticket, and of choices that it consists of."""
    side = next(
        (each for each in choice.args[1:] if not tickets.keys().isdisjoint(each.symbols())),
        choice.args[1],
    )
    single = single_apply(side)
    return _chosen(single, tickets) if single is not None and single.op == "select" else side


def _put(known: Mapping[Symbol, Expr], number: Expr | None) -> Expr | None:
    """The number without what was loaded."""
    return number.substitute(known) if number is not None else None


def _put_all(
    known: Mapping[Symbol, Expr], numbers: Iterable[Expr | None]
) -> tuple[Expr | None, ...]:
    """The same of several."""
    return tuple(_put(known, number) for number in numbers)


def put_handed_values(root: Region, handed: Mapping[Symbol, Expr]) -> None:
    """Put what was stored for what was loaded, where no data decides what was stored."""
    known = {
        symbol: value
        for symbol, value in handed.items()
        if all(each.scope not in DATA_SCOPES for each in value.symbols())
    }
    if not known:
        return
    for region in root.walk():
        if not known.keys().isdisjoint(_symbols(region.conditions)):
            parts = (
                part for each in _put_all(known, region.conditions) for part in conjuncts(each)
            )
            region.conditions = _undecided(tuple(parts))
        region.trips = _put(known, region.trips)
        region.exits = [
            Exit(_put_all(known, each.conditions), each.at_start) for each in region.exits
        ]
        region.accesses = [
            replace(each, offset=each.offset.substitute(known)) for each in region.accesses
        ]

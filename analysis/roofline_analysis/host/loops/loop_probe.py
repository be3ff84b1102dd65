"""Probing of loops that are too long to execute: one symbolic trip is executed and undone.

The body is executed once with a symbolic loop index. Values stored to array elements are then
expressions over that index and over random numbers, from which samples are drawn. Increments of
variables and elements are known on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from roofline_analysis.host.effects.node_effects import Effects, root_name
from roofline_analysis.host.loops.reading import forget_position
from roofline_analysis.host.loops.scalar_evolution import Induction, expressions_of, statements_of
from roofline_analysis.host.state.array_samples import (
    DRAWN,
    MOST,
    MOST_STORES,
    drawn_from,
    drawn_where,
    draws_of,
    elements_of,
    mixed,
    sum_of,
)
from roofline_analysis.host.state.havoc import forget_value
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, ElementPlace, HostPlace, Storage
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.state.operators import FLOATING
from roofline_analysis.host.state.signals import BudgetSpent, ProgramExit
from roofline_analysis.host.state.trial_notes import NotedStore
from roofline_analysis.host.values import Pointer, Samples, Scalar, Spread, Value
from roofline_core.algebra.symbolic import Expr, constant, from_atom
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.records import record

_MOST_STEPS: Final = 400
"""The most statements executed to probe one loop."""
_MOST_STATEMENTS: Final = 200
"""The most statements in the body of a loop that is probed."""
_MOST_FRUITLESS: Final = 3
"""The number of probes without result after which a loop is no longer probed."""
_MANY: Final = 1e30
"""Stands for the trip count of a loop of unknown length."""
_NEARLY_ALL: Final = 0.95
"""The share of an array's elements whose stores replace all earlier contents.

Assumed, chosen without measurement: loops leave out the edges of grids."""
_WHY: Final = "a loop that is tried out changes it"
_SUM: Final = "a loop adds it up from numbers of which only the average is known"


@record(frozen=True, slots=True)
class _Contents:
    """The contents of a buffer after a loop."""

    draws: Samples | None
    total: float | None = None
    average: float | None = None
    """As ``Storage.average``."""


@record(frozen=True, slots=True)
class Trial:
    """The effects of a loop, extrapolated from one trip."""

    contents: Mapping[Storage, _Contents]
    growth: Mapping[str, float]
    """The mean increment of variables per trip, by name."""
    last: tuple[Storage, int, float] | None = None
    """An element that holds a running sum at the end: the buffer, its index, the sum."""

    @property
    def tells(self) -> bool:
        """Whether the probe found anything."""
        known = (
            held.draws is not None or held.total is not None for held in self.contents.values()
        )
        return bool(self.growth) or self.last is not None or any(known)


NOTHING: Final = Trial({}, {})


def try_out(
    interpreter: HostInterpreter,
    node: st.For | st.While | st.ForRange,
    effects: Effects,
    induction: Induction | None,
) -> Trial:
    """Execute a loop's body once and undo its effects.

    Inside another probed loop, array contents are left out: the outer probe finds them.
    """
    if interpreter.trials.fruitless[id(node)] >= _MOST_FRUITLESS or not _worth(
        interpreter, node, effects
    ):
        return NOTHING
    outermost = interpreter.trials.stored is None
    if outermost:
        interpreter.trials.stored, interpreter.trials.grown = {}, {}
        interpreter.trials.conditional = set()
        interpreter.trials.loaded, interpreter.trials.sources = {}, {}
        interpreter.trials.changing = set(_changing(interpreter, effects))
        interpreter.trials.journals = len(interpreter.journals)
    stored, grown = interpreter.trials.stored, interpreter.trials.grown
    assert stored is not None
    counted = induction.trips if induction is not None else None
    trips = interpreter.assumed_value(counted) if counted is not None else None
    guessed = counted is None or counted.constant is None
    interpreter.trials.trips.append(_MANY if trips is None else max(float(trips), 0.0))
    interpreter.trials.guessed += guessed
    try:
        growth = _tried(interpreter, node, effects, induction)
    finally:
        interpreter.trials.trips.pop()
        interpreter.trials.guessed -= guessed
        if outermost:
            interpreter.trials.stored = None
    if growth is not None and not outermost:
        return Trial({}, growth)
    found = NOTHING
    if growth is not None:
        changed = {*stored, *grown}
        contents = {
            storage: _after(interpreter, storage, stores, grown.get(storage, ()), changed)
            for storage, stores in stored.items()
        }
        found = Trial(contents, growth, _running_sum(interpreter, node, induction))
    interpreter.trials.fruitless[id(node)] += 0 if found.tells else 1
    return found


def _changing(interpreter: HostInterpreter, effects: Effects) -> Iterator[Storage]:
    """The buffers behind the variables that a loop stores through."""
    for store in effects.stores:
        name = root_name(store)
        place = None if name is None else find_variable(interpreter, name)
        held = None if place is None else place.get()
        buffer = held.buffer if isinstance(held, Pointer) else held
        if isinstance(buffer, Storage):
            yield buffer


def leave_contents(interpreter: HostInterpreter, trial: Trial) -> None:
    """Set arrays to their contents after a loop."""
    for storage, held in trial.contents.items():
        interpreter.fill_with(storage, held.draws, held.total, held.average)
    if trial.last is not None:
        storage, index, total = trial.last
        place = ElementPlace(storage, index, storage.element or AUTO)
        interpreter.store(place, interpreter.average(place.name, _SUM, place.type.name, total))


def leave_growth(
    interpreter: HostInterpreter, trial: Trial, name: str, place: HostPlace, remaining: Expr | None
) -> bool:
    """Set a variable to its estimated value after a loop; False if that is unknown."""
    value = place.get()
    growth = trial.growth.get(name)
    if growth is None or remaining is None or not isinstance(value, Scalar):
        return False
    after = value.value + remaining * growth
    if interpreter.trials.stored is not None:
        # The loop around is tried out too, which asks for what is added.
        interpreter.store(place, Scalar(after, value.type_name, value.origin))
        return True
    total = after.constant
    if total is None:
        interpreter.store(place, Scalar(interpreter.bounded(after), value.type_name, value.origin))
    else:
        interpreter.store(place, interpreter.average(place.name, _SUM, value.type_name, total))
    return True


def _worth(
    interpreter: HostInterpreter, node: st.For | st.While | st.ForRange, effects: Effects
) -> bool:
    changes = effects.stores or effects.names - effects.declared
    return (
        bool(changes or not effects.mentions.isdisjoint(("push_back", "emplace_back")))
        and not isinstance(node, st.ForRange)
        and effects.statements <= _MOST_STATEMENTS
        and interpreter.threads is None
        and not interpreter.spent
        and not interpreter.reach.can_launch(node.body)
    )


def _tried(
    interpreter: HostInterpreter,
    node: st.For | st.While | st.ForRange,
    effects: Effects,
    induction: Induction | None,
) -> dict[str, float] | None:
    """Execute the body once and undo it; the increments of variables, None if it did not end."""
    frame = interpreter.frame
    depth, journals = len(interpreter.frames), len(interpreter.journals)
    scopes, calls = len(frame.scopes), len(interpreter.library_calls)
    saved = (interpreter.quiet, interpreter.doubt, interpreter.limit)
    returned = (frame.result, frame.result_place, frame.may_be_left, len(frame.alternatives))
    journal: list[tuple[HostPlace, Value | None]] = []
    interpreter.journals.append(journal)
    interpreter.quiet += 1
    interpreter.doubt += 1
    interpreter.limit = min(interpreter.limit, interpreter.steps + _MOST_STEPS)
    try:
        before = _forget_what_changes(interpreter, effects, induction)
        forget_position(interpreter, node)
        interpreter.exec(node.body)
        return _growth(
            interpreter,
            {n: b for n, b in before.items() if _in_every_trip(interpreter, n, node.body)},
        )
    except (BudgetSpent, ProgramExit, RecursionError):
        if interpreter.spent:
            raise
        return None
    finally:
        del interpreter.frames[depth:], interpreter.journals[journals:], frame.scopes[scopes:]
        del interpreter.library_calls[calls:]
        interpreter.rollback(journal)
        interpreter.quiet, interpreter.doubt, interpreter.limit = (
            saved if not interpreter.spent else (saved[0], saved[1], 0)
        )
        frame.result, frame.result_place, frame.may_be_left, alternatives = returned
        del frame.alternatives[alternatives:]


def _forget_what_changes(
    interpreter: HostInterpreter, effects: Effects, induction: Induction | None
) -> dict[str, tuple[HostPlace, Expr]]:
    """Make unknown all that trips change and the index symbolic; returns these unknowns."""
    counted = induction.name if induction is not None else None
    before: dict[str, tuple[HostPlace, Expr]] = {}
    for name in sorted(effects.names - effects.declared - {counted}):
        place = find_variable(interpreter, name)
        if place is not None:
            forget_value(interpreter, place, _WHY)
            value = place.get()
            if isinstance(value, Scalar):
                before[name] = (place, value.value)
    place = find_variable(interpreter, counted) if counted is not None else None
    if induction is None or place is None or induction.final is None:
        return before
    start = place.get()
    first = interpreter.assumed_value(start.value) if isinstance(start, Scalar) else None
    last = interpreter.assumed_value(induction.final)
    if first is not None and last is not None and isinstance(start, Scalar):
        interpreter.trials.bounds |= start.value.symbols() | induction.final.symbols()
        trips = induction.trips.constant if induction.trips is not None else None
        if start.type_name in FLOATING and trips:
            # Its steps need not be 1: the trips are counted in its place.
            trip = interpreter.spread(place.name, _WHY, "int", Spread(0, trips, whole=True))
            each = constant((last - first) / trips)
            index = Scalar(start.value + trip.value * each, start.type_name, start.origin)
        else:
            spread = Spread(min(first, last + 1), max(last, first + 1), whole=True)
            index = interpreter.spread(place.name, _WHY, start.type_name, spread)
        interpreter.trials.indices |= index.value.symbols()
        interpreter.store(place, index)
    return before


def _in_every_trip(interpreter: HostInterpreter, name: str, body: st.Statement) -> bool:
    """Whether a variable is assigned under no condition."""
    for statement in statements_of(body):
        if name not in interpreter.reach.effects(statement).names:
            continue
        if isinstance(statement, st.For):
            if not _in_every_trip(interpreter, name, statement.body):
                return False
        elif not isinstance(statement, (st.Evaluate, st.Declare)):
            return False
    return True


def _growth(
    interpreter: HostInterpreter, before: Mapping[str, tuple[HostPlace, Expr]]
) -> dict[str, float]:
    """The mean increment of each variable that a trip only increments."""
    found: dict[str, float] = {}
    for name, (place, old) in before.items():
        value = place.get()
        if not isinstance(value, Scalar):
            continue
        added = value.value - old
        if not added.terms or added.symbols() & old.symbols():
            continue
        drawn = drawn_from(interpreter, added)
        if drawn is not None:
            found[name] = sum(drawn) / len(drawn)
    return found


def _after(
    interpreter: HostInterpreter,
    storage: Storage,
    stores: Sequence[NotedStore],
    grown: Sequence[NotedStore],
    changed: Set[Storage],
) -> _Contents:
    """What a buffer holds after stores and additions, in a loop that changes some buffers."""
    if grown:
        before = sum_of(interpreter, storage) if len(grown) == len(stores) else None
        added = [_sum_of_stores(interpreter, each) for each in grown]
        known = [each for each in added if each is not None]
        whole = before is not None and len(known) == len(added)
        return _Contents(None, before + sum(known) if before is not None and whole else None)
    return _drawn_after(interpreter, storage, stores, changed)


def _sum_of_stores(interpreter: HostInterpreter, store: NotedStore) -> float | None:
    drawn = drawn_from(interpreter, store.number)
    if drawn is None or store.times >= _MANY:
        return None
    return store.times * sum(drawn) / len(drawn)


def _drawn_after(
    interpreter: HostInterpreter,
    storage: Storage,
    stores: Sequence[NotedStore],
    changed: Set[Storage],
) -> _Contents:
    if len(stores) > MOST_STORES:
        return _Contents(None)
    parts: list[tuple[float, Sequence[float]]] = []
    unknown = 0.0
    for store in stores:
        rests = _rests_on_changes(interpreter, storage, store, changed)
        number = None if rests else store.number
        share, drawn = drawn_where(interpreter, number, store.conditions)
        if drawn is None:
            unknown += share * store.times
        else:
            parts.append((share * store.times, drawn))
    count = elements_of(interpreter, storage)
    times = sum(weight for weight, _ in parts)
    few = count is not None and unknown <= (1.0 - _NEARLY_ALL) * count
    guessed = any(store.guessed for store in stores)
    if unknown and (guessed or not few):
        return _Contents(None)
    share = min(1.0, times / count) if count and times < _MANY else 1.0
    made = mixed(parts, DRAWN) if times else None
    if made is not None and share > _NEARLY_ALL:
        alike = storage not in interpreter.trials.conditional and not any(
            store.number is not None and store.number.symbols() & interpreter.trials.indices
            for store in stores
        )
        return _Contents(made, average=sum(made) / len(made) if alike else None)
    before = draws_of(interpreter, storage)
    if guessed and made != before:
        return _Contents(None)
    if made is None or share <= 1.0 - _NEARLY_ALL:
        return _Contents(before)
    if not isinstance(before, tuple):
        return _Contents(made if share > MOST else None)
    return _Contents(mixed([(share, made), (1.0 - share, before)], DRAWN))


def _rests_on_changes(
    interpreter: HostInterpreter, storage: Storage, store: NotedStore, changed: Set[Storage]
) -> bool:
    """Whether a store's number is computed from elements that the loop changes, too.

    Elements that only change places, as when two are swapped, stay the numbers that they are.
    """
    if store.number is None:
        return False
    sources = interpreter.trials.sources
    own = [symbol for symbol in store.number.symbols() if sources.get(symbol) in changed]
    moved = len(own) == 1 and store.number == from_atom(own[0])
    return bool(own) and not (moved and sources[own[0]] is storage)


def _running_sum(
    interpreter: HostInterpreter, node: st.For | st.While | st.ForRange, induction: Induction | None
) -> tuple[Storage, int, float] | None:
    """The last element of a prefix sum ``s[i] = s[i - 1] + c[i - 1]``; None for other loops."""
    if induction is None or induction.final is None or induction.trips is None:
        return None
    place = find_variable(interpreter, induction.name)
    final = induction.final.constant
    if place is None or final is None:
        return None
    for each in expressions_of(node.body):
        parts = _summed(each)
        if parts is None:
            continue
        target, source, added = parts
        kept = place.get()
        interpreter.store(place, Scalar(constant(int(final) - 1), "long long"))
        try:
            to, start = _element(interpreter, target), _element(interpreter, source)
            terms = _element(interpreter, added)
        finally:
            interpreter.store(place, kept)
        if to is None or start is None or terms is None or to[0] is not start[0]:
            continue
        total = sum_of(interpreter, terms[0])
        if to[1] - start[1] == 1 and total is not None:
            first = to[0].elements.get(0)
            known = first.value.constant if isinstance(first, Scalar) else 0
            return to[0], to[1], total + (known or 0)
    return None


def _summed(node: ex.Expression) -> tuple[ex.Index, ex.Index, ex.Index] | None:
    if not isinstance(node, ex.Assign) or node.op != "=" or not isinstance(node.value, ex.Binary):
        return None
    target, left, right = node.target, node.value.left, node.value.right
    if (
        node.value.op == "+"
        and isinstance(target, ex.Index)
        and isinstance(left, ex.Index)
        and isinstance(right, ex.Index)
    ):
        return target, left, right
    return None


def _element(interpreter: HostInterpreter, node: ex.Index) -> tuple[Storage, int] | None:
    """The buffer and the index of an element."""
    base, index = interpreter.eval(node.base), interpreter.number(interpreter.eval(node.index))
    storage = base.buffer if isinstance(base, Pointer) else base
    at = index.value.constant if index is not None else None
    offset = base.offset_bytes.constant if isinstance(base, Pointer) else 0
    if not isinstance(storage, Storage) or not isinstance(at, int) or offset != 0:
        return None
    return storage, at

"""Loops: executed while that is cheap, else summarised by their final state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from roofline_analysis.host.interpreter.alternatives import try_branch
from roofline_analysis.host.loops.gathered_launches import forget_gathered
from roofline_analysis.host.loops.reading import reading_budget
from roofline_analysis.host.loops.scalar_evolution import Induction, trip_count, while_induction
from roofline_analysis.host.loops.summary import summarise
from roofline_analysis.host.objects.containers import size_of, storage_of
from roofline_analysis.host.state.access import deref, rvalue
from roofline_analysis.host.state.interpreter_state import Executors, HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, ElementPlace, HostPlace, Storage
from roofline_analysis.host.state.operators import copied, integer, truth
from roofline_analysis.host.state.signals import BREAK, CONTINUE, BudgetSpent, Signal
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Text, Value
from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbolic import Expr
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.records import record
from roofline_core.program.types import Type

Step = Callable[[], "Signal | None"]
Journal = list[tuple[HostPlace, Value | None]]

_TRIPS_OF_ONE_LOOP: Final = 12
_TRIPS_OF_SEVERAL_LOOPS: Final = 100
"""The trip count assumed for an inner loop (for several together), when the cost of a trip decides
whether the outer loop is executed. Assumed, chosen without measurement."""
_AFFORDABLE_STATEMENTS: Final = 200
"""The most statements of a loop that is executed to its end although its launches repeat.

A limit on the work, chosen without measurement, as is the next."""
_AFFORDABLE_TRIP: Final = 12
"""The same for one trip of a loop of unknown trip count."""
_TRIAL_STATEMENTS: Final = 100
"""The most statements of a loop that is executed while one around it is tried out; longer ones are
tried out, too. A limit on the work, as a trial has few steps; chosen without measurement."""
_FEW_TRIPS: Final = 32
"""Trips of a loop that ends only when two trips after one another repeat launches: of a list of
sizes two neighbours may have the same grid. Chosen, not measured."""
_MOST_QUIET_TRIPS: Final = 16
"""Multiple of ``HostOptions.loop_trips`` for which a loop without launches is executed."""


@record(frozen=True, slots=True)
class _HostLoop:
    """A ``for`` or ``while`` loop whose trips are executed."""

    node: st.For | st.While
    test: Callable[[], bool | None]
    """Evaluates the condition: whether another trip follows; None where that is not known."""
    step: Callable[[], None]
    """Executes what follows each trip."""
    induction: Induction | None
    """How the loop is counted; None where that is not followed."""


class _TripLaunches:
    """Which launches the trips of a loop repeat."""

    def __init__(self, interpreter: HostInterpreter, trips: Number | None) -> None:
        """``trips`` are those of the loop; None where they are not known."""
        self._interpreter = interpreter
        self._met: set[object] = set()
        self._enough = 2 if trips is not None and trips <= _FEW_TRIPS else 1
        self._repeated = 0
        self.enter_trip()

    def enter_trip(self) -> None:
        """Note where the next trip starts."""
        self._start = len(self._interpreter.launch_events)

    def repeats(self) -> bool:
        """Whether the trip launched, and only what earlier trips of this loop did; enough of them.

        What an earlier execution of the loop launched does not count: in sizes ``n * m`` of two
        loops, products meet again before others are new.
        """
        launched = set(self._interpreter.launch_events[self._start :])
        new = launched - self._met - {None}
        self._met |= new
        self._repeated = self._repeated + 1 if launched and not new else 0
        return self._repeated >= self._enough


def _for(interpreter: HostInterpreter, node: st.For) -> Signal | None:
    scopes = interpreter.frame.scopes
    scopes.append({})
    try:
        if node.init is not None:
            interpreter.exec(node.init)
        induction = trip_count(interpreter, node)
        condition = node.condition

        def test() -> bool | None:
            """Whether another trip follows; None where the condition is not known."""
            return True if condition is None else truth(interpreter, interpreter.eval(condition))

        def step() -> None:
            """Execute the loop's step, if it has one."""
            if node.step is not None:
                interpreter.eval(node.step)

        return _run(interpreter, _HostLoop(node, test, step, induction))
    finally:
        scopes.pop()


def _while(interpreter: HostInterpreter, node: st.While) -> Signal | None:
    first = node.do_first
    if first and isinstance(node.condition, ex.Literal) and not node.condition.value:
        # The wrapper of macros that act as a statement.
        signal = interpreter.exec(node.body)
        return None if signal is BREAK or signal is CONTINUE else signal

    def test() -> bool | None:
        """Whether another trip follows; the first trip of ``do`` always does."""
        nonlocal first
        if first:
            first = False
            return True
        return truth(interpreter, interpreter.eval(node.condition))

    induction = while_induction(interpreter, node)
    return _run(interpreter, _HostLoop(node, test, lambda: None, induction))


def _run(interpreter: HostInterpreter, loop: _HostLoop) -> Signal | None:
    if interpreter.reach.can_launch(loop.node.body):
        trips = loop.induction.trips if loop.induction is not None else None
        interpreter.repeat.append(trips)
        try:
            return _launching(interpreter, loop)
        finally:
            interpreter.repeat.pop()
    return _quiet(interpreter, loop)


def _launching(interpreter: HostInterpreter, loop: _HostLoop) -> Signal | None:
    node, induction = loop.node, loop.induction
    executed = 0
    affordable = _affordable(interpreter, node, induction)
    launches = _TripLaunches(interpreter, _constant_trips(induction))
    while True:
        known = loop.test()
        if known is False and not executed and interpreter.forced and interpreter.wants(node.body):
            known = None
        if known is False:
            return None
        if known is None and executed:
            # One more trip of a counted loop shows what is launched only in later ones:
            # ``if (k == 1) ... else ...``.
            counted = isinstance(node, st.For) and node.step is not None
            if executed > 1 or not counted or not interpreter.wants_below(node.body):
                break
        if _constant_trips(induction) is None and not executed:
            forget_gathered(interpreter, node.body)
        launches.enter_trip()
        # A counted loop of unknown length is taken to run at least once.
        doubtful = known is None and (induction is None or executed > 0)
        interpreter.doubt += doubtful
        try:
            signal = interpreter.exec(node.body)
        finally:
            interpreter.doubt -= doubtful
        executed += 1
        if signal is BREAK:
            return None
        if signal is not None and signal is not CONTINUE:
            return signal
        loop.step()
        if (launches.repeats() and not affordable) or executed >= interpreter.options.loop_trips:
            break
    summarise(interpreter, node, induction, executed)
    return None


def _affordable(
    interpreter: HostInterpreter, node: st.For | st.While, induction: Induction | None
) -> bool:
    """Whether a loop may be executed to its end although its launches repeat."""
    trips = _constant_trips(induction)
    if trips is None:
        # Several variables may change from trip to trip; the body alone does not say how often.
        plain = isinstance(node, st.For) and isinstance(node.step, (ex.Update, ex.Assign))
        return not plain and _cost(interpreter, node) <= _AFFORDABLE_TRIP
    affordable = trips * _cost(interpreter, node) <= _AFFORDABLE_STATEMENTS
    return trips <= interpreter.options.loop_trips and affordable


def _cost(interpreter: HostInterpreter, node: st.For | st.While) -> int:
    """A guess of the statements one trip executes."""
    effects = interpreter.reach.effects(node.body)
    cost, inner = max(1, effects.statements), effects.loops
    if not inner:
        return cost
    return cost * (_TRIPS_OF_ONE_LOOP if inner == 1 else _TRIPS_OF_SEVERAL_LOOPS)


def _constant_trips(induction: Induction | None) -> Number | None:
    return (
        induction.trips.constant if induction is not None and induction.trips is not None else None
    )


def _quiet(interpreter: HostInterpreter, loop: _HostLoop) -> Signal | None:
    trips = _constant_trips(loop.induction)
    if trips == 0:
        return None
    known_count = loop.induction is not None
    too_long = trips is not None and (
        trips > interpreter.options.loop_trips
        or trips * _cost(interpreter, loop.node) > interpreter.options.loop_budget
    )
    if trips is not None and interpreter.trials.stored is not None:
        too_long |= trips * _cost(interpreter, loop.node) > _TRIAL_STATEMENTS
    if too_long and trips is not None:
        too_long = trips * _cost(interpreter, loop.node) > reading_budget(interpreter, loop.node)
    if known_count and (trips is None or too_long):
        return _skip(interpreter, loop.node, loop.induction)
    saved_limit = interpreter.limit
    outermost = not interpreter.quiet
    if outermost:
        interpreter.limit = min(saved_limit, interpreter.steps + interpreter.options.loop_budget)
    interpreter.quiet += 1
    depth, journals = len(interpreter.frames), len(interpreter.journals)
    scopes, doubt = len(interpreter.frame.scopes), interpreter.doubt
    journal: Journal = []
    if outermost:
        interpreter.journals.append(journal)
    try:
        return _execute(interpreter, loop)
    except BudgetSpent:
        if not outermost or interpreter.spent:
            raise
        # Restart: the number of executed trips is unknown.
        del (
            interpreter.frames[depth:],
            interpreter.journals[journals:],
            interpreter.frame.scopes[scopes:],
        )
        interpreter.rollback(journal)
        interpreter.doubt = doubt
        summarise(interpreter, loop.node, loop.induction, 0)
        return None
    finally:
        interpreter.quiet -= 1
        if (
            outermost
            and len(interpreter.journals) > journals
            and interpreter.journals[journals] is journal
        ):
            interpreter.journals.pop()
            if interpreter.journals:
                interpreter.journals[-1].extend(journal)
        if outermost and not interpreter.spent:
            interpreter.limit = saved_limit


def _execute(interpreter: HostInterpreter, loop: _HostLoop) -> Signal | None:
    executed = without_reading = 0
    jumps = interpreter.undecided_jumps
    while True:
        events = interpreter.reading.events
        known = loop.test()
        if known is False:
            return None
        if known is None:
            break
        signal = interpreter.exec(loop.node.body)
        executed += 1
        without_reading += interpreter.reading.events == events
        if signal is not None and signal is not CONTINUE:
            if interpreter.undecided_jumps > jumps:
                # Another trip may have been the last one.
                summarise(interpreter, loop.node, loop.induction, executed)
            return None if signal is BREAK else signal
        loop.step()
        if without_reading >= _MOST_QUIET_TRIPS * interpreter.options.loop_trips:
            break
    if executed == 0:
        return _skip(interpreter, loop.node, loop.induction)
    summarise(interpreter, loop.node, loop.induction, executed)
    return None


def _skip(
    interpreter: HostInterpreter, node: st.For | st.While, induction: Induction | None
) -> Signal | None:
    # One pass finds the allocations; then the values are summarised.
    if interpreter.reach.effects(node.body).allocates and not interpreter.spent:
        interpreter.quiet += 1
        try:
            try_branch(interpreter, lambda: interpreter.exec(node.body), keep=True)
        finally:
            interpreter.quiet -= 1
        summarise(interpreter, node, induction, 1)
        return None
    summarise(interpreter, node, induction, 0)
    return None


def _for_range(interpreter: HostInterpreter, node: st.ForRange) -> Signal | None:
    sequence = _elements(interpreter, node)
    launching = interpreter.reach.can_launch(node.body)
    scope: dict[str, HostPlace] = {}
    interpreter.frame.scopes.append(scope)
    interpreter.repeat.append(sequence[1])
    launches = _TripLaunches(interpreter, len(sequence[0]))
    try:
        for position, value in enumerate(sequence[0]):
            type = resolve(interpreter, node.variable.type)
            scope[node.variable.name] = _range_variable(interpreter, node, type, value, position)
            launches.enter_trip()
            signal = interpreter.exec(node.body)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
            if launching and launches.repeats():
                break
        complete = sequence[1] is not None and sequence[1].constant == len(sequence[0])
        if not complete or not sequence[0]:
            summarise(interpreter, node, None, len(sequence[0]))
        return None
    finally:
        interpreter.repeat.pop()
        interpreter.frame.scopes.pop()


def _range_variable(
    interpreter: HostInterpreter, node: st.ForRange, type: Type, value: Value, position: int
) -> HostPlace:
    """The variable of a range loop: an element of an array itself where it refers to one."""
    name = node.variable.name
    if type.reference and not type.const and isinstance(value, Scalar):
        held = interpreter.place(node.range).get()
        buffer = held.buffer if isinstance(held, Pointer) else held
        if isinstance(buffer, Storage) and position in buffer.elements:
            return ElementPlace(buffer, position, Type(value.type_name))
    return Cell(name, type, copied(value) or value)


def _elements(interpreter: HostInterpreter, node: st.ForRange) -> tuple[list[Value], Expr | None]:
    """The values to execute a range loop for, and how many it has in all."""
    place = interpreter.place(node.range)
    value = place.get() or rvalue(interpreter, place)
    if isinstance(value, Aggregate) and value.type.name == "initializer_list":
        items = list(value.fields.values())
        return items, integer(len(items)).value
    if isinstance(value, Text):
        return [integer(ord(c) & 0xFF, "char") for c in value.value[:64]], None
    storage = storage_of(value) if isinstance(value, Aggregate) else None
    if storage is not None and isinstance(value, Aggregate):
        size = size_of(value)
    elif isinstance(value, Pointer) or hasattr(value, "elements"):
        buffer = value.buffer if isinstance(value, Pointer) else value
        elements = getattr(buffer, "elements", {})
        held = [elements[key] for key in sorted(elements)]
        return held[: interpreter.options.loop_trips], integer(len(held)).value if held else None
    else:
        return [
            OpaqueValue(node.variable.name, "an element of a container that is not known")
        ], None
    count = size.constant
    if count is None or count > interpreter.options.loop_trips:
        return [], size
    pointer = Pointer(storage, integer(0).value, storage.element or AUTO)
    return [
        rvalue(interpreter, deref(interpreter, pointer, integer(i))) for i in range(int(count))
    ], size


EXECUTORS: Final[Executors] = {
    st.For: _for,
    st.While: _while,
    st.ForRange: _for_range,
}

"""Loops: executed while that is cheap, else summarised by their final state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from roofline_analysis.host.interpreter.statements import try_branch
from roofline_analysis.host.loops.scalar_evolution import Induction, trip_count
from roofline_analysis.host.loops.summary import summarise
from roofline_analysis.host.objects.containers import size_of, storage_of
from roofline_analysis.host.state.access import deref, rvalue
from roofline_analysis.host.state.machine import EXECUTORS, HostInterpreter, handles
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace
from roofline_analysis.host.state.operators import copied, integer, truth
from roofline_analysis.host.state.signals import BREAK, CONTINUE, BudgetSpent, Signal
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Text, Value
from roofline_core.algebra.symbolic import Expr, Number
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

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
_MOST_QUIET_TRIPS: Final = 16
"""Multiple of ``HostOptions.loop_trips`` for which a loop without launches is executed."""


@handles(EXECUTORS, st.For)
def _for(m: HostInterpreter, node: st.For) -> Signal | None:
    scopes = m.frame.scopes
    scopes.append({})
    try:
        if node.init is not None:
            m.exec(node.init)
        induction = trip_count(m, node)
        condition = node.condition

        def test() -> bool | None:
            return True if condition is None else truth(m, m.eval(condition))

        def step() -> None:
            if node.step is not None:
                m.eval(node.step)

        return _run(m, node, test, step, induction)
    finally:
        scopes.pop()


@handles(EXECUTORS, st.While)
def _while(m: HostInterpreter, node: st.While) -> Signal | None:
    first = node.do_first
    if first and isinstance(node.condition, ex.Literal) and not node.condition.value:
        # The wrapper of macros that act as a statement.
        signal = m.exec(node.body)
        return None if signal is BREAK or signal is CONTINUE else signal

    def test() -> bool | None:
        nonlocal first
        if first:
            first = False
            return True
        return truth(m, m.eval(node.condition))

    return _run(m, node, test, lambda: None, None)


def _run(
    m: HostInterpreter,
    node: st.For | st.While,
    test: Callable[[], bool | None],
    step: Callable[[], None],
    induction: Induction | None,
) -> Signal | None:
    if m.reach.can_launch(node.body):
        trips = induction.trips if induction is not None else None
        m.repeat.append(trips)
        try:
            return _launching(m, node, test, step, induction)
        finally:
            m.repeat.pop()
    return _quiet(m, node, test, step, induction)


def _launching(
    m: HostInterpreter,
    node: st.For | st.While,
    test: Callable[[], bool | None],
    step: Callable[[], None],
    induction: Induction | None,
) -> Signal | None:
    executed = 0
    affordable = _affordable(m, node, induction)
    while True:
        known = test()
        if known is False and not executed and m.forced and m.wants(node.body):
            known = None
        if known is False:
            return None
        if known is None and executed:
            # One more trip of a counted loop shows what is launched only in later ones:
            # ``if (k == 1) ... else ...``.
            counted = isinstance(node, st.For) and node.step is not None
            if executed > 1 or not counted or not m.wants_below(node.body):
                break
        distinct, events = len(m.launches), m.launch_events
        # A counted loop of unknown length is taken to run at least once.
        doubtful = known is None and (induction is None or executed > 0)
        m.doubt += doubtful
        try:
            signal = m.exec(node.body)
        finally:
            m.doubt -= doubtful
        executed += 1
        if signal is BREAK:
            return None
        if signal is not None and signal is not CONTINUE:
            return signal
        step()
        repeated = m.launch_events > events and len(m.launches) == distinct
        if (repeated and not affordable) or executed >= m.options.loop_trips:
            break
    summarise(m, node, induction, executed)
    return None


def _affordable(m: HostInterpreter, node: st.For | st.While, induction: Induction | None) -> bool:
    """Whether a loop may be executed to its end although its launches repeat."""
    trips = _constant_trips(induction)
    if trips is None:
        # Several variables may change from trip to trip; the body alone does not say how often.
        plain = isinstance(node, st.For) and isinstance(node.step, (ex.Update, ex.Assign))
        return not plain and _cost(m, node) <= _AFFORDABLE_TRIP
    affordable = trips * _cost(m, node) <= _AFFORDABLE_STATEMENTS
    return trips <= m.options.loop_trips and affordable


def _cost(m: HostInterpreter, node: st.For | st.While) -> int:
    """A guess of the statements one trip executes."""
    effects = m.reach.effects(node.body)
    cost, inner = max(1, effects.statements), effects.loops
    if not inner:
        return cost
    return cost * (_TRIPS_OF_ONE_LOOP if inner == 1 else _TRIPS_OF_SEVERAL_LOOPS)


def _constant_trips(induction: Induction | None) -> Number | None:
    return (
        induction.trips.constant if induction is not None and induction.trips is not None else None
    )


def _quiet(
    m: HostInterpreter,
    node: st.For | st.While,
    test: Callable[[], bool | None],
    step: Callable[[], None],
    induction: Induction | None,
) -> Signal | None:
    trips = _constant_trips(induction)
    if trips == 0:
        return None
    known_count = induction is not None
    too_long = trips is not None and (
        trips > m.options.loop_trips or trips * _cost(m, node) > m.options.loop_budget
    )
    if known_count and (trips is None or too_long):
        return _skip(m, node, induction)
    saved_limit = m.limit
    outermost = not m.quiet
    if outermost:
        m.limit = min(saved_limit, m.steps + m.options.loop_budget)
    m.quiet += 1
    depth, journals = len(m.frames), len(m.journals)
    scopes, doubt = len(m.frame.scopes), m.doubt
    journal: Journal = []
    if outermost:
        m.journals.append(journal)
    try:
        return _execute(m, node, test, step, induction)
    except BudgetSpent:
        if not outermost or m.spent:
            raise
        # Restart: the number of executed trips is unknown.
        del m.frames[depth:], m.journals[journals:], m.frame.scopes[scopes:]
        m.rollback(journal)
        m.doubt = doubt
        summarise(m, node, induction, 0)
        return None
    finally:
        m.quiet -= 1
        if outermost and len(m.journals) > journals and m.journals[journals] is journal:
            m.journals.pop()
            if m.journals:
                m.journals[-1].extend(journal)
        if outermost and not m.spent:
            m.limit = saved_limit


def _execute(
    m: HostInterpreter,
    node: st.For | st.While,
    test: Callable[[], bool | None],
    step: Callable[[], None],
    induction: Induction | None,
) -> Signal | None:
    executed = 0
    while True:
        known = test()
        if known is False:
            return None
        if known is None:
            break
        signal = m.exec(node.body)
        executed += 1
        if signal is BREAK:
            return None
        if signal is not None and signal is not CONTINUE:
            return signal
        step()
        if executed >= _MOST_QUIET_TRIPS * m.options.loop_trips:
            break
    if executed == 0:
        return _skip(m, node, induction)
    summarise(m, node, induction, executed)
    return None


def _skip(
    m: HostInterpreter, node: st.For | st.While, induction: Induction | None
) -> Signal | None:
    # One pass finds the allocations; then the values are summarised.
    if m.reach.effects(node.body).allocates and not m.spent:
        m.quiet += 1
        try:
            try_branch(m, lambda: m.exec(node.body), keep=True)
        finally:
            m.quiet -= 1
        summarise(m, node, induction, 1)
        return None
    summarise(m, node, induction, 0)
    return None


@handles(EXECUTORS, st.ForRange)
def _for_range(m: HostInterpreter, node: st.ForRange) -> Signal | None:
    sequence = _elements(m, node)
    launching = m.reach.can_launch(node.body)
    scope: dict[str, Cell] = {}
    m.frame.scopes.append(scope)  # type: ignore[arg-type]
    m.repeat.append(sequence[1])
    try:
        for value in sequence[0]:
            type = resolve(m, node.variable.type)
            scope[node.variable.name] = Cell(node.variable.name, type, copied(value) or value)
            distinct, events = len(m.launches), m.launch_events
            signal = m.exec(node.body)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
            if launching and m.launch_events > events and len(m.launches) == distinct:
                break
        complete = sequence[1] is not None and sequence[1].constant == len(sequence[0])
        if not complete or not sequence[0]:
            summarise(m, node, None, len(sequence[0]))
        return None
    finally:
        m.repeat.pop()
        m.frame.scopes.pop()


def _elements(m: HostInterpreter, node: st.ForRange) -> tuple[list[Value], Expr | None]:
    """The values to execute a range loop for, and how many it has in all."""
    place = m.place(node.range)
    value = place.get() or rvalue(m, place)
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
        return held[: m.options.loop_trips], integer(len(held)).value if held else None
    else:
        return [
            OpaqueValue(node.variable.name, "an element of a container that is not known")
        ], None
    count = size.constant
    if count is None or count > m.options.loop_trips:
        return [], size
    pointer = Pointer(storage, integer(0).value, storage.element or AUTO)
    return [rvalue(m, deref(m, pointer, integer(i))) for i in range(int(count))], size

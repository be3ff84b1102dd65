"""Loop-carried variables: variables that a loop's body changes.

Within a trip, such a variable has the value ``start + counter * step`` if each trip adds the same
step, and an unknown value otherwise. After the loop it has the value that the last trip left.
"""

from __future__ import annotations

from dataclasses import dataclass

from roofline_analysis.device.assigned import Assignment, BodyFacts, body_facts
from roofline_analysis.device.costs.integer_costs import integer_cost, is_wide
from roofline_analysis.device.loops.final_values import know_last
from roofline_analysis.device.loops.induction import Step, changes_of, step_of
from roofline_analysis.device.loops.loop_forms import may_change, surely_changes
from roofline_analysis.device.loops.members import CarriedMember, changed_members
from roofline_analysis.device.loops.stores_elsewhere import leaves_object
from roofline_analysis.device.state.aliases import mark_stored
from roofline_analysis.device.state.arithmetic import binary, convert
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import offset_by
from roofline_analysis.device.values import (
    CodeValue,
    DeviceValue,
    FieldPlace,
    MemoryPlace,
    Place,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    VariablePlace,
)
from roofline_analysis.language.types import is_integer
from roofline_analysis.regions.kernel_summary import LoopNumber, Region, Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, apply, from_atom
from roofline_core.program import statements as st


@dataclass(slots=True)
class Carried:
    """A loop-carried variable: its place, changes, step and values."""

    slot: int
    before: DeviceValue
    step: Step | None
    start: DeviceValue | None = None
    """The value at the start of a trip."""


def carry_members(
    interpreter: DeviceInterpreter, parts: list[st.Statement], loop: Region
) -> list[CarriedMember]:
    """Set the members that a loop changes to values that differ in each trip; returns them."""
    found: list[CarriedMember] = []
    for place in changed_members(interpreter, map(body_facts, parts)).values():
        before = interpreter.read(place)
        start = _forgotten(interpreter, before, None, loop.bit)
        assert isinstance(start, Value)
        _open_carried(interpreter, before, start)
        interpreter.write(place, start)
        found.append(CarriedMember(place, start))
    return found


def need_members(
    interpreter: DeviceInterpreter, members: list[CarriedMember], loop: Region
) -> None:
    """Charge the loop with the values of members for its next trip."""
    for item in members:
        need_carried(interpreter, item.start, interpreter.read(item.place), loop)


def leave_members(
    interpreter: DeviceInterpreter, members: list[CarriedMember], loop: Region
) -> None:
    """Give members the values that they have after the loop, which is closed."""
    for item in members:
        inside = interpreter.read(item.place)
        interpreter.write(item.place, _after(interpreter, item.start, inside, loop))


def carry(
    interpreter: DeviceInterpreter, parts: list[st.Statement], loop: Region, induction: str | None
) -> list[Carried]:
    """Set the loop-carried variables to their values in the current trip; returns them."""
    facts = [body_facts(part) for part in parts]
    carried: dict[int, Carried] = {}
    for name in dict.fromkeys(change.name for fact in facts for change in fact.changes):
        place = interpreter.scope.find(name)
        slot = _slot_of(place)
        if place is not None and slot in interpreter.slots:
            _carry_variable(
                interpreter, name, place, facts, loop, carried, is_counter=name == induction
            )
    for fact in facts:
        for name in fact.stores:
            _mark_stored(interpreter, loop, name)
    for item in carried.values():
        item.start = interpreter.slots[item.slot] = _in_run(interpreter, item, loop)
        _open_carried(interpreter, item.before, item.start)
    return list(carried.values())


def _carry_variable(
    interpreter: DeviceInterpreter,
    name: str,
    place: Place,
    facts: list[BodyFacts],
    loop: Region,
    carried: dict[int, Carried],
    *,
    is_counter: bool,
) -> None:
    """Add the variable ``name``, and the variable it points to, if the loop changes them."""
    slot = _slot_of(place)
    assert slot is not None
    before = interpreter.slots[slot]
    addressed = isinstance(before, PlacePointer) or _is_array(before)
    changes = [
        change
        for change in changes_of(facts, name)
        if may_change(interpreter, change, addressed=addressed)
        and not leaves_object(interpreter, before, change)
        and not (change.op == "?" and isinstance(before, CodeValue))  # a call of it
    ]
    if isinstance(before, PlacePointer):
        _carry_pointee(interpreter, before, changes, loop, carried)
    if slot in carried or not changes or _stays(interpreter, before, changes):
        return
    step = None
    if isinstance(place, VariablePlace):
        step = step_of(interpreter, name, facts, guarded=not is_counter)
    sums = isinstance(before, Value) and not is_integer(before.type)
    if not is_counter and step is not None and (sums or (step.op != "+" and step.shift is None)):
        step = None  # A sum of floating-point numbers is computed, one after another.
    if _is_array(before):
        interpreter.array_varies[slot] = interpreter.array_varies.get(slot, 0) | loop.bit
    carried[slot] = Carried(slot, before, step)


def _stays(interpreter: DeviceInterpreter, before: DeviceValue, changes: list[Assignment]) -> bool:
    """Whether the changes leave the variable itself unchanged, such as writes through a pointer."""
    by_value = interpreter.opencl and isinstance(before, StructValue) and not before.type.dims
    if by_value or not isinstance(before, StructValue):
        # A call of which nothing is known gets a number by value.
        changes = [change for change in changes if surely_changes(interpreter, change)]
    if isinstance(before, PointerValue):
        return not any(c.whole for c in changes)  # What it points to changes.
    return not changes


def _carry_pointee(
    interpreter: DeviceInterpreter,
    pointer: PlacePointer,
    changes: list[Assignment],
    loop: Region,
    carried: dict[int, Carried],
) -> None:
    """Add the variable that the loop changes through a pointer, usually a caller's array."""
    slot = _slot_of(pointer.place)
    before = interpreter.slots.get(slot) if slot is not None else None
    passed = {slot}
    while isinstance(before, PlacePointer):
        slot = _slot_of(before.place)
        if slot in passed:
            return  # A pointer to itself, as a cast makes one.
        passed.add(slot)
        before = interpreter.slots.get(slot) if slot is not None else None
    if slot is None or slot in carried or not isinstance(before, (Value, StructValue)):
        return
    if all(change.whole and change.op != "?" for change in changes):
        return  # The pointer moves; what it points to stays.
    if _is_array(before):
        interpreter.array_varies[slot] = interpreter.array_varies.get(slot, 0) | loop.bit
    carried[slot] = Carried(slot, before, None)


def _is_array(value: DeviceValue) -> bool:
    return isinstance(value, StructValue) and bool(value.type.dims)


def _slot_of(place: Place | None) -> int | None:
    while isinstance(place, FieldPlace):
        place = place.owner
    return place.slot if isinstance(place, VariablePlace) else None


def _mark_stored(interpreter: DeviceInterpreter, loop: Region, name: str) -> None:
    place = interpreter.scope.find(name)
    value = interpreter.slots.get(place.slot) if isinstance(place, VariablePlace) else None
    if isinstance(place, MemoryPlace):  # A single variable in shared memory.
        value = place.pointer
    if isinstance(value, PointerValue):
        mark_stored(loop, value.array)
        # What was loaded before the loop may be stale in its second run.
        interpreter.epochs[value.array] = interpreter.epochs.get(value.array, 0) + 1


def _in_run(interpreter: DeviceInterpreter, item: Carried, loop: Region) -> DeviceValue:
    """The value at the start of trip ``counter``."""
    before, step = item.before, item.step
    assert loop.counter is not None
    counter = from_atom(loop.counter)
    if step is not None and step.amount.expr is not None:
        if step.wide and not is_wide(step.amount.type):
            loop.widened.append(step.amount.expr)
        elif step.wraps and not step.wide:
            loop.wrapping.append(step.amount.expr)
        if isinstance(before, Value) and before.expr is not None and is_integer(before.type):
            varies = before.varies | step.amount.varies | loop.bit
            found = _stepped(before.expr, step, counter)
            if found is not None:
                return Value(before.type, found, varies)
        elif isinstance(before, PointerValue) and step.op == "+":
            advance = Value("long", step.amount.expr * counter, step.amount.varies | loop.bit)
            return _moved(interpreter, before, step, advance)
    return _forgotten(interpreter, before, interpreter.slot_types[item.slot], loop.bit)


def _stepped(before: Expr, step: Step, times: Expr) -> Expr | None:
    """The number after so many steps; None if it has no closed form."""
    assert step.amount.expr is not None
    if step.op == "+":
        return before + step.amount.expr * times
    if step.up:
        bits = step.shift
        return apply("shr", before - 1, times * bits) + 1 if bits is not None else None
    ahead = step.ahead
    if ahead is None:
        return None
    power = apply("mul", times, apply("log2", step.amount.expr))
    shift = power if power.constant is None else times
    return apply("shl" if step.op == "*" else "shr", before + ahead, shift) - ahead


def _moved(
    interpreter: DeviceInterpreter, pointer: PointerValue, step: Step, advance: Value
) -> PointerValue:
    """A pointer after so many elements of the type that the step counts in."""
    moved = offset_by(interpreter, pointer, advance, step.unit)
    return PointerValue(moved.array, moved.offset, pointer.pointee)


def _forgotten(
    interpreter: DeviceInterpreter, before: DeviceValue, type_: object, bit: int
) -> DeviceValue:
    """An unknown value of the same shape that differs in each trip of a loop."""
    if isinstance(before, Value):
        varies = before.varies | bit
        if is_integer(before.type):
            return Value(before.type, interpreter.fresh("carried", SymbolScope.CARRIED), varies)
        start = Value(before.type, None, varies)
        if before.nearly is not None:
            start.estimate = interpreter.unknown_factor()
            interpreter.loop_notes.sums[start.estimate] = before.nearly
        return start
    if isinstance(before, StructValue):
        if before.type.dims:
            return StructValue(before.type)
        fields = {
            name: _forgotten(interpreter, value, None, bit) for name, value in before.fields.items()
        }
        return StructValue(before.type, fields)
    if isinstance(before, PointerValue):
        expr = before.offset.expr
        moved = (
            expr + interpreter.fresh(before.array.name, SymbolScope.CARRIED)
            if expr is not None
            else None
        )
        return PointerValue(
            before.array, Value("long", moved, before.offset.varies | bit), before.pointee
        )
    return before


def _after_trips(
    interpreter: DeviceInterpreter, item: Carried, trips: Expr | None
) -> DeviceValue | None:
    """The value after the loop, from its trip count alone; None if it does not follow from it."""
    step, before = item.step, item.before
    if trips is None or step is None or step.amount.expr is None:
        return None
    if step.op == "+":
        total = Value("long", step.amount.expr * trips, step.amount.varies)
        if isinstance(before, PointerValue):
            return _moved(interpreter, before, step, total)
        if isinstance(before, Value):
            return convert(interpreter, binary(interpreter, "+", before, total), before.type)
    elif step.shift and isinstance(before, Value) and before.expr is not None:
        found = _stepped(before.expr, step, trips) if is_integer(before.type) else None
        return None if found is None else Value(before.type, found, before.varies)
    return None


def _open_carried(
    interpreter: DeviceInterpreter, before: DeviceValue, start: DeviceValue | None
) -> None:
    """Mark the value at a trip's start as coming from before the loop and the previous trip."""
    if isinstance(before, Value) and isinstance(start, Value):
        if not is_integer(start.type):
            start.made = interpreter.costs.note((before,), (), start.varies)
    elif isinstance(before, StructValue):
        parts = start.fields if isinstance(start, StructValue) else {}
        for name, value in before.fields.items():
            _open_carried(interpreter, value, parts.get(name))
    elif before is not start:
        keep(interpreter, before)


def need_carried(
    interpreter: DeviceInterpreter, start: DeviceValue | None, inside: DeviceValue, loop: Region
) -> None:
    """Charge the loop with the values that it computes for its next trip or for later code."""
    if isinstance(inside, StructValue):
        parts = start.fields if isinstance(start, StructValue) else {}
        for name, value in inside.fields.items():
            need_carried(interpreter, parts.get(name), value, loop)
    elif isinstance(inside, Value) and not is_integer(inside.type):
        if inside is start:
            return
        if inside.made is None:
            return
        if isinstance(start, Value) and start.made is not None:
            # What the next run starts with: used if anything uses that.
            start.made.inputs.append(interpreter.costs.needed_by_run(inside))
        else:
            interpreter.costs.need(inside)
    elif isinstance(inside, Value):
        term = _added(start, inside)
        if term is None or not (loop.unrolled or loop.copies > 1):
            interpreter.costs.need(inside)
            if term is not None and not loop.unrolled:
                interpreter.costs.charge(Work.INT, 1.0)
            return
        # A three-way addition takes the terms of two runs.
        interpreter.costs.need(term)
        interpreter.costs.charge(Work.INT, integer_cost("+", inside.type, ()) / 2)


def _added(start: DeviceValue | None, inside: Value) -> Value | None:
    """The increment of a running sum; None if a multiply-add absorbs it as a product."""
    if inside.node is None or inside.node[0] != "+" or not isinstance(start, Value):
        return None
    left, right = inside.node[1]
    for sum_, term in ((left, right), (right, left)):
        if sum_ is start and (term.node is None or term.node[0] not in ("*", "<<", "+", "-")):
            return term
    return None


def leave(
    interpreter: DeviceInterpreter,
    carried: list[Carried],
    loop: Region,
    trips: Expr | None,
    *,
    in_step: bool,
) -> None:
    """Give the carried variables their values after the loop.

    ``in_step``: no trip leaves out a part of the body by a jump.
    """
    for item in carried:
        inside = interpreter.slots[item.slot]
        after = _after_trips(interpreter, item, trips)
        made = after is None
        if after is None:
            after = _after(interpreter, item.start, inside, loop)
            if in_step and isinstance(after, Value):
                know_last(interpreter, item.slot, item.before, inside, after, loop)
        interpreter.slots[item.slot] = after
        if in_step:
            _note_number(interpreter, item, inside, after if made else None, loop)


def _note_number(
    interpreter: DeviceInterpreter,
    item: Carried,
    inside: DeviceValue,
    after: DeviceValue | None,
    loop: Region,
) -> None:
    """Record what decides the number that a loop changes: an integer, or a pointer's offset.

    ``inside`` is it at the end of a trip, ``after`` the unknown that it is after the loop, if any.
    """
    before, last = _symbols(item.before), _symbols(inside)
    if before is None or last is None:
        return
    others = before | last
    for symbol in (_symbols(item.start) or frozenset()) - before:
        if symbol.scope is SymbolScope.CARRIED:
            first, following = _recurrence(item.before, inside, item.start, symbol)
            interpreter.loop_notes.numbers[symbol] = LoopNumber(
                loop, others - {symbol}, after=False, first=first, following=following
            )
    at_exits = [_symbols(value) for value in interpreter.loop_notes.at_exits.get(item.slot, ())]
    for symbol in (_symbols(after) or frozenset()) - others:
        if symbol.scope is SymbolScope.CARRIED and None not in at_exits:
            all_ = others.union(*(found for found in at_exits if found is not None))
            first, following = None, None
            if not at_exits:
                first, following = _recurrence(item.before, inside, after, symbol)
            interpreter.loop_notes.numbers[symbol] = LoopNumber(
                loop, all_, after=True, first=first, following=following
            )


def _recurrence(
    before: DeviceValue, inside: DeviceValue, made: DeviceValue | None, symbol: Symbol
) -> tuple[Expr | None, Expr | None]:
    """An integer before a loop and after a trip, if ``symbol`` is all that stands for it."""
    if not (isinstance(before, Value) and isinstance(inside, Value) and isinstance(made, Value)):
        return None, None
    alone = made.expr is not None and made.expr == from_atom(symbol)
    return (before.expr, inside.expr) if alone else (None, None)


def _symbols(value: DeviceValue | None) -> frozenset[Symbol] | None:
    """The symbols of an integer or of a pointer's offset; None for what is neither or unknown."""
    if isinstance(value, PointerValue):
        value = value.offset
    if not isinstance(value, Value) or value.expr is None or not is_integer(value.type):
        return None
    return frozenset(value.expr.symbols())


def _after(
    interpreter: DeviceInterpreter, start: DeviceValue | None, inside: DeviceValue, loop: Region
) -> DeviceValue:
    if isinstance(inside, Value):
        varies = inside.varies & ~loop.bit
        if is_integer(inside.type):
            return Value(inside.type, interpreter.fresh("result", SymbolScope.CARRIED), varies)
        made = start.made if isinstance(start, Value) else None
        sum_ = _sum_after(interpreter, start, inside)
        return Value(inside.type, None, varies, None, made, sum_)
    if isinstance(inside, StructValue):
        parts = start.fields if isinstance(start, StructValue) else {}
        fields = {
            name: _after(interpreter, parts.get(name), value, loop)
            for name, value in inside.fields.items()
        }
        return StructValue(inside.type, fields)
    if isinstance(inside, PointerValue):
        return PointerValue(
            inside.array, _offset_after(interpreter, inside.offset, loop), inside.pointee
        )
    if isinstance(inside, PlacePointer) and inside.index is not None:
        index = _offset_after(interpreter, inside.index, loop)
        return PlacePointer(inside.place, inside.pointee, index)
    return inside


def _sum_after(
    interpreter: DeviceInterpreter, start: DeviceValue | None, inside: Value
) -> Expr | None:
    """What a loop adds up, as an estimate: what it was before where all terms are 0."""
    if not isinstance(start, Value) or start.estimate is None or inside.nearly is None:
        return None
    before = interpreter.loop_notes.sums.get(start.estimate)
    added = inside.nearly - start.estimate
    if before is None or added.symbols() & start.estimate.symbols():
        return None
    return before + added * interpreter.unknown_factor() if added.terms else before


def _offset_after(interpreter: DeviceInterpreter, offset: Value, loop: Region) -> Value:
    """An offset after the loop: the number of trips that moved it is not known."""
    expr, counter = offset.expr, loop.counter
    if expr is None or counter is None or counter not in expr.symbols():
        return offset
    rest = {
        monomial: number
        for monomial, number in expr.terms.items()
        if not any(counter in from_atom(atom).symbols() for atom in monomial)
    }
    left = Expr(rest) + interpreter.fresh("result", SymbolScope.CARRIED)
    return Value(offset.type, left, offset.varies & ~loop.bit)

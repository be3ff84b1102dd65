"""Loops: induction variables, trip counts and what the loop carries from run to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from roofline_lsp.analysis.device.arithmetic import binary, convert, truth
from roofline_lsp.analysis.device.assigned import BodyFacts, Change, body_facts, jumps
from roofline_lsp.analysis.device.conditions import is_fixed, negation, trips_of_condition
from roofline_lsp.analysis.device.conversions import scalar
from roofline_lsp.analysis.device.expressions import evaluate
from roofline_lsp.analysis.device.flow import Flow
from roofline_lsp.analysis.device.induction import (
    Step,
    Test,
    changes_of,
    recognise,
    step_of,
    trip_count,
)
from roofline_lsp.analysis.device.liveness import keep, keep_changed
from roofline_lsp.analysis.device.loop_forms import (
    halved_range,
    may_change,
    put_back,
    surely_changes,
    waits_for_atomic,
)
from roofline_lsp.analysis.device.memory import offset_by
from roofline_lsp.analysis.device.openmp_functions import charge_sharing
from roofline_lsp.analysis.device.regions import Exit, Region, Work
from roofline_lsp.analysis.device.unrolled import (
    affordable,
    copies_of,
    leaves,
    unrolls_whole,
    walk_runs,
)
from roofline_lsp.analysis.device.values import (
    DeviceValue,
    FieldPlace,
    Place,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    VariablePlace,
)
from roofline_lsp.analysis.device.walker import Scope, Walker
from roofline_lsp.analysis.integer_costs import INTEGER_COSTS, integer_cost
from roofline_lsp.analysis.layout import is_integer
from roofline_lsp.kernel import expressions as ex
from roofline_lsp.kernel import statements as st
from roofline_lsp.kernel.symbolic import Expr, apply, constant, from_atom, make_symbol


@dataclass(slots=True)
class _Carried:
    """A variable that the loop changes, and what is known of it."""

    slot: int
    before: DeviceValue
    step: Step | None
    start: DeviceValue | None = None
    """The value at the start of a run."""


def walk_for(walker: Walker, node: st.For) -> Flow:
    """A ``for`` loop."""
    walker.scope = Scope({}, walker.scope)
    if node.init is not None:
        walker.execute(node.init)
    parts: list[st.Statement] = [node.body]
    if node.step is not None:
        parts.append(st.Evaluate(node.line, node.step))
    _walk_loop(walker, node.line, node.condition, parts, _requested(walker, node.unroll))
    assert walker.scope.parent is not None
    walker.scope = walker.scope.parent
    return Flow.NEXT


def walk_while(walker: Walker, node: st.While) -> Flow:
    """A ``while`` or ``do`` loop; ``do ... while (0)``, as macros write it, is no loop."""
    if node.do_first and _is_zero(node.condition) and not jumps(node.body):
        return walker.execute(node.body)
    unroll = _requested(walker, node.unroll)
    _walk_loop(walker, node.line, node.condition, [node.body], unroll, first=node.do_first)
    return Flow.NEXT


def _is_zero(condition: ex.Expression) -> bool:
    return isinstance(condition, ex.Literal) and condition.value in (0, False)


def walk_range(walker: Walker, node: st.ForRange) -> Flow:
    """A ``for`` over a range: as often as the range has elements, where that is known."""
    value = evaluate(walker, node.range)
    loop = _open(walker, None)
    if isinstance(value, StructValue):
        loop.trips = constant(len(value.fields)) if value.fields else None
    walker.scope = Scope({}, walker.scope)
    type_ = node.variable.type
    walker.declare(
        node.variable.name, type_, walker.opaque(type_, loop.bit, node.variable.name, "data")
    )
    before = dict(walker.slots)
    walker.entries.append(walker.next_slot)
    _carry(walker, [node.body], loop, None)
    walker.execute(node.body)
    walker.entries.pop()
    keep_changed(walker, before, walker.slots)
    assert walker.scope.parent is not None
    walker.scope = walker.scope.parent
    walker.machine.close(loop)
    return Flow.NEXT


def _requested(walker: Walker, unroll: ex.Expression | int | None) -> int | None:
    """The factor of ``#pragma unroll``: 0 for all, None where it is not asked for."""
    if unroll is None or isinstance(unroll, int):
        return unroll
    known = scalar(walker, unroll).constant
    return int(known) if known is not None else 0


# -- the loop itself


def _walk_loop(
    walker: Walker,
    line: int,
    condition: ex.Expression | None,
    parts: list[st.Statement],
    unroll: int | None,
    *,
    first: bool = False,
) -> None:
    steps = [st.Evaluate(line, condition)] if isinstance(condition, _STEPPING) else []
    body = parts
    # ``while (n--)``, ``while (n >>= 1)``: the test also steps.
    parts = [*parts, *steps] if first else [*steps, *parts]
    facts = [body_facts(part) for part in parts]
    test = recognise(walker, condition, facts)
    step = step_of(walker, test.name, facts) if test is not None else None
    trips = trip_count(walker, test, step) if test is not None and step is not None else None
    if trips is not None:
        trips = _counted_from(trips, condition, first=first)
    known = trips.constant if trips is not None else None
    if known is not None and known <= 0:
        return
    walker.at(line)
    alone = test is not None and test.node is condition
    if known is not None and alone and _walked_run_by_run(walker, parts, known, facts, unroll):
        return
    loop = _open(walker, trips)
    _note_form(walker, loop, condition, facts, parts)
    exits = any(leaves(part) for part in parts)
    _choose_unrolling(walker, loop, None if exits else step, facts, unroll)
    simple = test is not None and trips is not None
    walker.entries.append(walker.next_slot)
    before = dict(walker.slots)
    carried = _carry(walker, parts, loop, test.name if simple and test else None)
    if not loop.unrolled:
        _charge_overhead(walker, condition, loop, simple=simple)
        if step is not None and step.amount.expr is not None:
            charge_sharing(walker, loop, step.amount.expr)
    if condition is not None and not first:
        _test(walker, condition, loop, test if simple else None, first=False)
    for part in parts if simple else body:
        walker.execute(part)
    if condition is not None and first:
        _test(walker, condition, loop, test if simple else None, first=True)
    trips = loop.trips
    walker.entries.pop()
    for item in carried:
        inside = walker.slots[item.slot]
        if item.step is None:
            _need_carried(walker, item.start, inside, loop)
        else:
            keep(walker, item.before, inside)
        before.pop(item.slot, None)
    keep_changed(walker, before, walker.slots)
    walker.machine.close(loop)
    _leave(walker, carried, loop, trips)


_STEPPING: Final = (ex.Update, ex.Assign)


def _walked_run_by_run(
    walker: Walker,
    parts: list[st.Statement],
    known: int | float,
    facts: list[BodyFacts],
    unroll: int | None,
) -> bool:
    """Walk a loop that the compiler unrolls whole, unless that takes too long."""
    size = sum(fact.size for fact in facts)
    if not unrolls_whole(known, facts, unroll) or not affordable(walker, parts, known, size):
        return False
    walk_runs(walker, parts, int(known))
    return True


def _note_form(
    walker: Walker,
    loop: Region,
    condition: ex.Expression | None,
    facts: list[BodyFacts],
    parts: list[st.Statement],
) -> None:
    """Note what a loop that cannot be counted is for."""
    if loop.trips is None and condition is not None:
        loop.spread = halved_range(walker, condition, facts, parts)
        loop.waits = waits_for_atomic(condition, parts)


def _counted_from(trips: Expr, condition: ex.Expression | None, *, first: bool) -> Expr:
    """The trips, by when the test looks at the variable and when it steps.

    ``while (--n)`` and ``while (n >>= 1)`` test the value after the step.
    """
    after = isinstance(condition, ex.Assign) or (
        isinstance(condition, ex.Update) and condition.prefix
    )
    if first:
        late = isinstance(condition, ex.Update) and not condition.prefix
        return apply("max", trips + 1 if late else trips, 1)
    return apply("max", trips - 1, 0) if after else trips


def _test(
    walker: Walker, condition: ex.Expression, loop: Region, test: Test | None, *, first: bool
) -> None:
    """Charge the test, and learn from its number when the loop ends.

    ``test`` is the comparison that the trips come from, if one was recognised. ``first``: the body
    runs before the test.
    """
    if isinstance(condition, ex.Binary) and condition.op == "&&":
        _test(walker, condition.left, loop, test, first=first)
        _test(walker, condition.right, loop, test, first=first)
        return
    if test is not None and condition is test.node:
        return
    value = truth(walker, scalar(walker, condition))
    walker.machine.need(value)
    leaves = Exit(negation(value.expr), at_start=not first)
    if test is not None or loop.unrolled:
        loop.exits.append(leaves)
        return
    assert loop.counter is not None
    trips = trips_of_condition(value.expr, loop.counter)
    if trips is None or (loop.trips is not None and not is_fixed(trips)):
        loop.exits.append(leaves)
        return
    trips = trips + 1 if first else trips
    if loop.trips is None or is_fixed(loop.trips):
        loop.trips = trips if loop.trips is None else apply("min", loop.trips, trips)
    else:
        loop.exits.append(leaves)


def _open(walker: Walker, trips: Expr | None) -> Region:
    loop = walker.machine.open_loop()
    loop.trips = trips
    walker.next_fresh += 1
    loop.counter = make_symbol(f"trip#{walker.next_fresh}", "loop", nonnegative=True)
    return loop


def _choose_unrolling(
    walker: Walker, loop: Region, step: Step | None, facts: list[BodyFacts], unroll: int | None
) -> None:
    """Decide how often the body is repeated in the machine code."""
    known = loop.trips.constant if loop.trips is not None else None
    if known is not None and unrolls_whole(known, facts, unroll):
        loop.unrolled = True
    elif unroll is not None and unroll > 1:
        loop.copies = unroll
    elif unroll is None:
        loop.copies = copies_of(loop.trips, step, facts)
    if loop.parent is not None and known is None:
        loop.parent.charge(walker.machine.site, Work.INT, INTEGER_COSTS["loop entry"])
    if loop.copies > 1 and known is None and loop.parent is not None:
        # The runs that do not fill a round have a loop of their own behind.
        outside = loop.parent
        outside.charge(walker.machine.site, Work.INT, INTEGER_COSTS["runs left over"])
        if walker.machine.find(("rounds", loop.trips), outside) is None:
            outside.available["rounds", loop.trips] = True
            outside.charge(walker.machine.site, Work.INT, INTEGER_COSTS["unrolled loop"])


def _charge_overhead(
    walker: Walker, condition: ex.Expression | None, loop: Region, *, simple: bool
) -> None:
    if simple:
        loop.charge(walker.machine.site, Work.INT, INTEGER_COSTS["loop"] / loop.copies)


# -- what is carried from run to run


def _carry(
    walker: Walker, parts: list[st.Statement], loop: Region, induction: str | None
) -> list[_Carried]:
    """Give the variables that the loop changes their values in the current run."""
    facts = [body_facts(part) for part in parts]
    carried: dict[int, _Carried] = {}
    for name in dict.fromkeys(change.name for fact in facts for change in fact.changes):
        place = walker.scope.find(name)
        slot = _slot_of(place)
        if place is not None and slot in walker.slots:
            _carry_variable(walker, name, place, facts, loop, carried, is_counter=name == induction)
    for fact in facts:
        for name in fact.stores:
            _mark_stored(walker, loop, name)
    for item in carried.values():
        item.start = walker.slots[item.slot] = _in_run(walker, item, loop)
        _open_carried(walker, item.before, item.start)
    return list(carried.values())


def _carry_variable(
    walker: Walker,
    name: str,
    place: Place,
    facts: list[BodyFacts],
    loop: Region,
    carried: dict[int, _Carried],
    *,
    is_counter: bool,
) -> None:
    """Carry the variable a name stands for, and what it points to, if the loop changes them."""
    slot = _slot_of(place)
    assert slot is not None
    before = walker.slots[slot]
    addressed = isinstance(before, PlacePointer) or _is_array(before)
    changes = [c for c in changes_of(facts, name) if may_change(walker, c, addressed=addressed)]
    if isinstance(before, PlacePointer):
        _carry_pointee(walker, before, changes, loop, carried)
    if slot in carried or not changes or _stays(walker, before, changes):
        return
    step = step_of(walker, name, facts) if isinstance(place, VariablePlace) else None
    if not is_counter and step is not None and step.op != "+":
        step = None
    if step is None and put_back(walker, name, before, facts):
        return
    if _is_array(before):
        walker.array_varies[slot] = walker.array_varies.get(slot, 0) | loop.bit
    carried[slot] = _Carried(slot, before, step)


def _stays(walker: Walker, before: DeviceValue, changes: list[Change]) -> bool:
    """Whether what changes is not the variable itself."""
    by_value = walker.opencl and isinstance(before, StructValue) and not before.type.dims
    if by_value or not isinstance(before, StructValue):
        # A call of which nothing is known gets a number by value.
        changes = [change for change in changes if surely_changes(walker, change)]
    if isinstance(before, PointerValue):
        return not any(c.whole for c in changes)  # What it points to changes.
    return not changes


def _carry_pointee(
    walker: Walker,
    pointer: PlacePointer,
    changes: list[Change],
    loop: Region,
    carried: dict[int, _Carried],
) -> None:
    """Carry the variable that the loop changes through a pointer: a caller's array, as a rule."""
    slot = _slot_of(pointer.place)
    before = walker.slots.get(slot) if slot is not None else None
    while isinstance(before, PlacePointer):
        slot = _slot_of(before.place)
        before = walker.slots.get(slot) if slot is not None else None
    if slot is None or slot in carried or not isinstance(before, (Value, StructValue)):
        return
    if all(change.whole and change.op != "?" for change in changes):
        return  # The pointer moves; what it points to stays.
    if _is_array(before):
        walker.array_varies[slot] = walker.array_varies.get(slot, 0) | loop.bit
    carried[slot] = _Carried(slot, before, None)


def _is_array(value: DeviceValue) -> bool:
    return isinstance(value, StructValue) and bool(value.type.dims)


def _slot_of(place: Place | None) -> int | None:
    while isinstance(place, FieldPlace):
        place = place.owner
    return place.slot if isinstance(place, VariablePlace) else None


def _mark_stored(walker: Walker, loop: Region, name: str) -> None:
    place = walker.scope.find(name)
    value = walker.slots.get(place.slot) if isinstance(place, VariablePlace) else None
    if isinstance(value, PointerValue):
        loop.available["stored", value.array] = True
        # What was loaded before the loop may be stale in its second run.
        walker.epochs[value.array] = walker.epochs.get(value.array, 0) + 1


def _in_run(walker: Walker, item: _Carried, loop: Region) -> DeviceValue:
    """The value at the start of run ``counter``."""
    before, step = item.before, item.step
    assert loop.counter is not None
    counter = from_atom(loop.counter)
    if step is not None and step.amount.expr is not None:
        if isinstance(before, Value) and before.expr is not None and is_integer(before.type):
            varies = before.varies | step.amount.varies | loop.bit
            if step.op == "+":
                return Value(before.type, before.expr + step.amount.expr * counter, varies)
            power = apply("mul", counter, apply("log2", step.amount.expr))
            shift = power if power.constant is None else counter
            op = "shl" if step.op == "*" else "shr"
            return Value(before.type, apply(op, before.expr, shift), varies)
        if isinstance(before, PointerValue) and step.op == "+":
            advance = Value("long", step.amount.expr * counter, step.amount.varies | loop.bit)
            return offset_by(walker, before, advance)
    return forgotten(walker, before, walker.slot_types[item.slot], loop.bit)


def forgotten(walker: Walker, before: DeviceValue, type_: object, bit: int) -> DeviceValue:
    """A value of the same shape that differs in each run of a loop in a way not followed."""
    if isinstance(before, Value):
        varies = before.varies | bit
        if is_integer(before.type):
            return Value(before.type, walker.fresh("carried", "carried"), varies)
        return Value(before.type, None, varies)
    if isinstance(before, StructValue):
        if before.type.dims:
            return StructValue(before.type)
        fields = {
            name: forgotten(walker, value, None, bit) for name, value in before.fields.items()
        }
        return StructValue(before.type, fields)
    if isinstance(before, PointerValue):
        expr = before.offset.expr
        moved = expr + walker.fresh(before.array.name, "carried") if expr is not None else None
        return PointerValue(
            before.array, Value("long", moved, before.offset.varies | bit), before.pointee
        )
    return before


def _has_closed_form(item: _Carried, trips: Expr | None) -> bool:
    """Whether the value behind the loop is computed from the trips, not by the loop."""
    step = item.step
    return (
        trips is not None
        and step is not None
        and step.op == "+"
        and step.amount.expr is not None
        and isinstance(item.before, (Value, PointerValue))
    )


def _open_carried(walker: Walker, before: DeviceValue, start: DeviceValue | None) -> None:
    """What a run starts with comes from before the loop, and from the run before."""
    if isinstance(before, Value) and isinstance(start, Value):
        if not is_integer(start.type):
            start.made = walker.machine.note((before,), (), start.varies)
    elif isinstance(before, StructValue):
        parts = start.fields if isinstance(start, StructValue) else {}
        for name, value in before.fields.items():
            _open_carried(walker, value, parts.get(name))
    elif before is not start:
        keep(walker, before)


def _need_carried(
    walker: Walker, start: DeviceValue | None, inside: DeviceValue, loop: Region
) -> None:
    """Charge the loop with what it computes for its next run, or for the code behind it."""
    if isinstance(inside, StructValue):
        parts = start.fields if isinstance(start, StructValue) else {}
        for name, value in inside.fields.items():
            _need_carried(walker, parts.get(name), value, loop)
    elif isinstance(inside, Value) and not is_integer(inside.type):
        if inside is start:
            return
        if inside.made is None:
            return
        if isinstance(start, Value) and start.made is not None:
            # What the next run starts with: used if anything uses that.
            start.made.inputs.append(walker.machine.needed_by_run(inside))
        else:
            walker.machine.need(inside)
    elif isinstance(inside, Value):
        term = _added(start, inside)
        if term is None or not (loop.unrolled or loop.copies > 1):
            walker.machine.need(inside)
            return
        # A three-way addition takes the terms of two runs.
        walker.machine.need(term)
        walker.machine.charge(Work.INT, integer_cost("+", inside.type, ()) / 2)


def _added(start: DeviceValue | None, inside: Value) -> Value | None:
    """What a sum grows by, where it is no product that a multiply-add takes in."""
    if inside.node is None or inside.node[0] != "+" or not isinstance(start, Value):
        return None
    left, right = inside.node[1]
    for sum_, term in ((left, right), (right, left)):
        if sum_ is start and (term.node is None or term.node[0] not in ("*", "<<", "+", "-")):
            return term
    return None


def _leave(walker: Walker, carried: list[_Carried], loop: Region, trips: Expr | None) -> None:
    """Give the carried variables their values after the loop."""
    for item in carried:
        inside = walker.slots[item.slot]
        step = item.step
        if _has_closed_form(item, trips):
            assert trips is not None
            assert step is not None
            assert step.amount.expr is not None
            total = Value("long", step.amount.expr * trips, step.amount.varies)
            if isinstance(item.before, Value):
                walker.slots[item.slot] = convert(
                    walker, binary(walker, "+", item.before, total), item.before.type
                )
            elif isinstance(item.before, PointerValue):
                walker.slots[item.slot] = offset_by(walker, item.before, total)
            continue
        walker.slots[item.slot] = _after(walker, item.start, inside, loop.bit)


def _after(walker: Walker, start: DeviceValue | None, inside: DeviceValue, bit: int) -> DeviceValue:
    if isinstance(inside, Value):
        varies = inside.varies & ~bit
        if is_integer(inside.type):
            return Value(inside.type, walker.fresh("result", "carried"), varies)
        made = start.made if isinstance(start, Value) else None
        return Value(inside.type, None, varies, None, made)
    if isinstance(inside, StructValue):
        parts = start.fields if isinstance(start, StructValue) else {}
        fields = {
            name: _after(walker, parts.get(name), value, bit)
            for name, value in inside.fields.items()
        }
        return StructValue(inside.type, fields)
    return inside

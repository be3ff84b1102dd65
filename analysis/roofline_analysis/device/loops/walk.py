"""Loops: induction variables, trip counts, how a loop is unrolled and tested."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.assigned import BodyFacts, body_facts, jumps, skips
from roofline_analysis.device.costs.compilers import CompilerProfile
from roofline_analysis.device.costs.integer_costs import (
    INTEGER_COSTS,
    integer_cost,
    is_uniform,
    is_wide,
)
from roofline_analysis.device.costs.register_costs import entry_of
from roofline_analysis.device.functions.openmp import charge_sharing
from roofline_analysis.device.loops.called_code import nodes_called
from roofline_analysis.device.loops.carried import (
    Carried,
    carry,
    carry_members,
    leave,
    leave_members,
    need_carried,
    need_members,
)
from roofline_analysis.device.loops.induction import (
    Step,
    Test,
    recognise,
    step_of,
    trip_count,
    voted_on,
)
from roofline_analysis.device.loops.loop_forms import waits_for_atomic
from roofline_analysis.device.loops.plain_bodies import plain_size
from roofline_analysis.device.loops.rounds import (
    counts_otherwise,
    rounds_of,
    settle_rounds,
)
from roofline_analysis.device.loops.unrolled import (
    Copies,
    affordable,
    copies_of,
    has_open_loop,
    leaves,
    unrolls_whole,
    walk_runs,
)
from roofline_analysis.device.state.arithmetic import truth
from roofline_analysis.device.state.conversions import scalar
from roofline_analysis.device.state.dead_code import keep, keep_changed
from roofline_analysis.device.state.flow import Flow
from roofline_analysis.device.state.frames import BlockScope
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import (
    DeviceValue,
    PlacePointer,
    StructValue,
    Value,
    VariablePlace,
)
from roofline_analysis.regions.conditions import is_fixed, negation, trips_of_condition
from roofline_analysis.regions.kernel_summary import Exit, Region, Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, apply, constant, make_symbol
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.records import record


def walk_for(interpreter: DeviceInterpreter, node: st.For) -> Flow:
    """A ``for`` loop."""
    interpreter.scope = BlockScope({}, interpreter.scope)
    if node.init is not None:
        interpreter.execute(node.init)
    parts: list[st.Statement] = [node.body]
    if node.step is not None:
        parts.append(st.Evaluate(node.line, node.step))
    _walk_loop(interpreter, node.line, node.condition, parts, _requested(interpreter, node.unroll))
    assert interpreter.scope.parent is not None
    interpreter.scope = interpreter.scope.parent
    return Flow.NEXT


def walk_while(interpreter: DeviceInterpreter, node: st.While) -> Flow:
    """A ``while`` or ``do`` loop; ``do ... while (0)``, as macros write it, is no loop."""
    if node.do_first and _is_zero(node.condition) and not jumps(node.body):
        return interpreter.execute(node.body)
    unroll = _requested(interpreter, node.unroll)
    _walk_loop(interpreter, node.line, node.condition, [node.body], unroll, first=node.do_first)
    return Flow.NEXT


def _is_zero(condition: ex.Expression) -> bool:
    return isinstance(condition, ex.Literal) and condition.value in (0, False)


def walk_range(interpreter: DeviceInterpreter, node: st.ForRange) -> Flow:
    """A range ``for``: its trip count is the number of elements; unknown if that is unknown."""
    value = interpreter.evaluate(node.range)
    loop = _open(interpreter, None)
    if isinstance(value, StructValue):
        loop.trips = constant(len(value.fields)) if value.fields else None
    interpreter.scope = BlockScope({}, interpreter.scope)
    type_ = node.variable.type
    interpreter.declare(
        node.variable.name,
        type_,
        interpreter.opaque(type_, loop.bit, node.variable.name, SymbolScope.DATA),
    )
    before = dict(interpreter.slots)
    interpreter.entries.append(interpreter.next_slot)
    carry(interpreter, [node.body], loop, None)
    interpreter.execute(node.body)
    interpreter.entries.pop()
    keep_changed(interpreter, before, interpreter.slots)
    if type_.reference and not type_.const and isinstance(value, (PlacePointer, StructValue)):
        _forget_elements(interpreter, node.range)
    assert interpreter.scope.parent is not None
    interpreter.scope = interpreter.scope.parent
    interpreter.costs.close(loop)
    return Flow.NEXT


def _forget_elements(interpreter: DeviceInterpreter, range_: ex.Expression) -> None:
    """An array in registers after a loop that may write its elements by reference."""
    place = interpreter.place_of(range_)
    if isinstance(place, VariablePlace):
        interpreter.slots[place.slot] = StructValue(interpreter.place_type(place))


def _requested(interpreter: DeviceInterpreter, unroll: ex.Expression | int | None) -> int | None:
    """The factor of ``#pragma unroll``: 0 for full unrolling, None without the pragma."""
    if unroll is None or isinstance(unroll, int):
        return unroll
    return scalar(interpreter, unroll).whole or 0


# -- the loop itself


@record(frozen=True, slots=True)
class _WrittenLoop:
    """A loop as it is written, before its body is walked."""

    condition: ex.Expression | None
    body: list[st.Statement]
    """What a run executes, the step of a ``for`` included."""
    parts: list[st.Statement]
    """The same with a condition that steps, as of ``while (n--)``, where it is evaluated."""
    tested_last: bool
    """Whether the body runs before the test, as of ``do``."""
    facts: list[BodyFacts]
    """Of each of the parts."""
    test: Test | None
    """The comparison that counts the loop; None where none is recognised."""
    step: Step | None
    trips: Expr | None

    @property
    def counting(self) -> Test | None:
        """The test if the trip count comes from it."""
        return self.test if self.trips is not None else None


def _read(
    interpreter: DeviceInterpreter,
    line: int,
    condition: ex.Expression | None,
    body: list[st.Statement],
    *,
    tested_last: bool,
) -> _WrittenLoop:
    # ``while (n--)``, ``while (n >>= 1)``: the test also steps.
    steps = [st.Evaluate(line, condition)] if isinstance(condition, _STEPPING) else []
    parts = [*body, *steps] if tested_last else [*steps, *body]
    facts = [body_facts(part) for part in parts]
    test = recognise(interpreter, condition, facts)
    step = step_of(interpreter, test.name, facts) if test is not None else None
    trips = trip_count(interpreter, test, step) if test is not None and step is not None else None
    if trips is not None:
        trips = _counted_from(trips, condition, first=tested_last)
    return _WrittenLoop(condition, body, parts, tested_last, facts, test, step, trips)


def _walk_loop(
    interpreter: DeviceInterpreter,
    line: int,
    condition: ex.Expression | None,
    body: list[st.Statement],
    unroll: int | None,
    *,
    first: bool = False,
) -> None:
    """Walk a loop; ``first``: its body runs before the test. ``unroll`` as of ``_requested``."""
    form = _read(interpreter, line, condition, body, tested_last=first)
    parts, facts = form.parts, form.facts
    known = form.trips.constant if form.trips is not None else None
    if known is not None and known <= 0:
        return
    interpreter.at(line)
    alone = form.test is not None and form.test.node is condition
    whole = known is not None and _is_unrolled(interpreter, parts, known, facts, unroll)
    if whole and alone and _walked_run_by_run(interpreter, parts, known, facts):
        return
    loop = _open(interpreter, form.trips)
    _note_form(interpreter, loop, condition, facts, parts)
    exits = any(leaves(part) for part in parts)
    loop.unrolled = whole
    copies = _choose_copies(interpreter, loop, form, None if exits else form.step, unroll)
    interpreter.entries.append(interpreter.next_slot)
    before = dict(interpreter.slots)
    carried = carry(interpreter, parts, loop, form.counting.name if form.counting else None)
    members = carry_members(interpreter, parts, loop)
    if not loop.unrolled:
        _charge_counting(interpreter, loop, form, copies)
    _walk_run(interpreter, loop, form)
    trips = loop.trips
    interpreter.entries.pop()
    need_members(interpreter, members, loop)
    _keep_carried(interpreter, loop, carried, before)
    interpreter.costs.close(loop)
    # Where a run may be left or cut short, sums over all runs are not what they come to.
    left = None if exits or any(map(jumps, parts)) else trips
    leave(interpreter, carried, loop, left, in_step=not any(map(skips, parts)))
    leave_members(interpreter, members, loop)


def _charge_counting(
    interpreter: DeviceInterpreter, loop: Region, form: _WrittenLoop, copies: Copies
) -> None:
    """Charge the test and step of a loop that stays one, and sharing its runs out to threads."""
    otherwise = form.test is not None and counts_otherwise(form.parts, form.test.name)
    alone = copies.compiled > 1 or (copies.all == 1 and not otherwise)
    own = _charge_overhead(interpreter, form, loop, in_threads=not alone)
    if form.step is not None:
        loop.rounds = rounds_of(
            interpreter, loop, own, form.step, copies, counted_otherwise=otherwise
        )
    if form.step is not None and form.step.amount.expr is not None:
        charge_sharing(interpreter, loop, form.step.amount.expr)


def _walk_run(interpreter: DeviceInterpreter, loop: Region, form: _WrittenLoop) -> None:
    """Walk one run of a loop: its test and body, in the order in which they are executed."""
    condition = form.condition
    if condition is not None and not form.tested_last:
        _test(interpreter, condition, loop, form.counting, first=False)
    for part in form.parts if form.counting is not None else form.body:
        interpreter.execute(part)
    if condition is not None and form.tested_last:
        _test(interpreter, condition, loop, form.counting, first=True)


def _keep_carried(
    interpreter: DeviceInterpreter,
    loop: Region,
    carried: Sequence[Carried],
    before: dict[int, DeviceValue],
) -> None:
    """Have what a run leaves to the next one computed, and what else changed since ``before``."""
    for item in carried:
        inside = interpreter.slots[item.slot]
        if item.step is None:
            need_carried(interpreter, item.start, inside, loop)
        else:
            keep(interpreter, item.before, inside)
        before.pop(item.slot, None)
    keep_changed(interpreter, before, interpreter.slots)


_STEPPING: Final = (ex.Update, ex.Assign)


def _is_unrolled(
    interpreter: DeviceInterpreter,
    parts: list[st.Statement],
    known: int | float,
    facts: list[BodyFacts],
    unroll: int | None,
) -> bool:
    return unrolls_whole(
        known,
        facts,
        unroll,
        interpreter.costs.compiler,
        plain_size(interpreter, parts),
        around_open=has_open_loop(interpreter, parts, facts),
        called=nodes_called(interpreter, parts),
    )


def _walked_run_by_run(
    interpreter: DeviceInterpreter,
    parts: list[st.Statement],
    known: int | float | None,
    facts: list[BodyFacts],
) -> bool:
    """Walk a fully unrolled loop trip by trip; False if that would take too long."""
    size = sum(fact.size for fact in facts)
    if known is None or not affordable(interpreter, parts, known, size):
        return False
    walk_runs(interpreter, parts, int(known))
    return True


def _note_form(
    interpreter: DeviceInterpreter,
    loop: Region,
    condition: ex.Expression | None,
    facts: list[BodyFacts],
    parts: list[st.Statement],
) -> None:
    """Record whether a loop without a trip count retries an atomic operation."""
    if loop.trips is None and condition is not None:
        loop.spins = waits_for_atomic(condition, parts)


def _counted_from(trips: Expr, condition: ex.Expression | None, *, first: bool) -> Expr:
    """The trip count, adjusted to the order of test and step.

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
    interpreter: DeviceInterpreter,
    condition: ex.Expression,
    loop: Region,
    test: Test | None,
    *,
    first: bool,
) -> None:
    """Charge the test, and derive the loop's exit from the test's value.

    ``test`` is the comparison from which the trip count comes; None if none was recognised.
    ``first``: the body runs before the test.
    """
    if isinstance(condition, ex.Binary) and condition.op == "&&":
        _test(interpreter, condition.left, loop, test, first=first)
        _test(interpreter, condition.right, loop, test, first=first)
        return
    if test is not None and condition is test.node:
        return
    if test is not None and voted_on(condition) is not None:
        interpreter.costs.need(scalar(interpreter, condition))
        return
    value = truth(interpreter, scalar(interpreter, condition))
    interpreter.costs.need(value)
    leaves = Exit(negation(value.expr), at_start=not first)
    assert loop.counter is not None
    trips = None if loop.unrolled else trips_of_condition(value.expr, loop.counter)
    counted_otherwise = test is not None and loop.trips is None
    if trips is None or counted_otherwise or (loop.trips is not None and not is_fixed(trips)):
        loop.exits.append(leaves)
        return
    trips = trips + 1 if first else trips
    if loop.trips is None or is_fixed(loop.trips):
        loop.trips = trips if loop.trips is None else apply("min", loop.trips, trips)
    else:
        loop.exits.append(leaves)


def _open(interpreter: DeviceInterpreter, trips: Expr | None) -> Region:
    loop = interpreter.costs.open_loop()
    loop.trips = trips
    interpreter.next_fresh += 1
    loop.counter = make_symbol(f"trip#{interpreter.next_fresh}", SymbolScope.LOOP, nonnegative=True)
    return loop


def _choose_copies(
    interpreter: DeviceInterpreter,
    loop: Region,
    form: _WrittenLoop,
    step: Step | None,
    unroll: int | None,
) -> Copies:
    """Set the number of copies of the body in the machine code, where a loop stays one.

    Returns those of a small body, whose number is not what the program asks for.
    """
    known = loop.trips.constant if loop.trips is not None else None
    copies = Copies()
    if loop.unrolled:
        return copies
    if unroll is not None and unroll > 1:
        loop.copies = unroll
    elif unroll is None:
        counter = _counter(interpreter, form.test)
        start = counter.expr if isinstance(counter, Value) else None
        compiler = interpreter.costs.compiler
        copies = copies_of(loop.trips, step, form.parts, form.facts, compiler, start)
        loop.copies = copies.all
    if loop.parent is not None and known is None:
        _charge_entry(interpreter, loop, loop.parent)
    if loop.copies > 1 and known is None and loop.parent is not None:
        # The remaining trips run in a separate loop afterwards.
        entry, site = entry_of(loop), interpreter.costs.site
        loop.overhead.append((entry, site, INTEGER_COSTS["runs left over"]))
        if interpreter.costs.find(("rounds", loop.trips), entry) is None:
            entry.available["rounds", loop.trips] = True
            loop.overhead.append((entry, site, _rounds_cost(step)))
    return copies


def _counter(interpreter: DeviceInterpreter, test: Test | None) -> DeviceValue | None:
    """The value of the variable that counts a loop."""
    place = interpreter.scope.find(test.name) if test is not None else None
    return interpreter.read(place) if place is not None else None


def _charge_entry(interpreter: DeviceInterpreter, loop: Region, outside: Region) -> None:
    """The test whether a loop runs at all, which loops of the same trip count share."""
    if loop.trips is not None:
        if interpreter.costs.find(("runs at all", loop.trips), outside) is not None:
            return
        outside.available["runs at all", loop.trips] = True
    loop.overhead.append((outside, interpreter.costs.site, INTEGER_COSTS["loop entry"]))


def _rounds_cost(step: Step | None) -> float:
    """Integer operations that share the runs of a loop out among rounds of copies."""
    if step is None or not step.wide:
        cost, divided = INTEGER_COSTS["unrolled loop"], "unsigned int"
    else:
        cost, divided = INTEGER_COSTS["unrolled loop wide"], "unsigned long long"
    if step is None or step.amount.constant is not None:
        return cost
    return cost + integer_cost("/", divided, ())


def _charge_overhead(
    interpreter: DeviceInterpreter, form: _WrittenLoop, loop: Region, *, in_threads: bool
) -> float:
    """Charge step and test of a counted loop, and return them; nothing of another.

    ``in_threads``: the threads need the variable themselves.
    """
    if form.counting is None:
        return 0.0
    counter = _counter(interpreter, form.counting)
    wide = isinstance(counter, Value) and is_wide(counter.type)
    cost = INTEGER_COSTS["loop wide" if wide else "loop"]
    if wide and loop.copies > 1 and form.step is not None and form.step.amount.constant is None:
        cost = INTEGER_COSTS["loop wide of any step"]
    trips = loop.trips
    same = trips is not None and trips.constant is None and is_uniform(trips) and not in_threads
    if same and interpreter.costs.compiler.counts_uniformly:
        cost /= 2  # The tests alone: UIADD3 is not counted.
    loop.overhead.append((loop, interpreter.costs.site, cost / loop.copies))
    return cost


def charge_overheads(root: Region, compiler: CompilerProfile) -> None:
    """Charge the steps and tests of loops in which anything happens; compilers drop the others."""
    for child in root.children:
        charge_overheads(child, compiler)
    settle_rounds(root, compiler)
    if root.overhead and not (root.does_nothing and root.trips is not None):
        for region, site, amount in root.overhead:
            region.charge(site, Work.INT, amount)


# -- loop-carried variables

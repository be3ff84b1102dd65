"""Statements of device code: declarations, branches and early exits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Final

from roofline_analysis.device.functions.matrix_fragments import fragment_value
from roofline_analysis.device.interpreter.conversion_operators import place_referred_to
from roofline_analysis.device.interpreter.exits import doubt_constants, leave_out, most_exits
from roofline_analysis.device.interpreter.expressions import evaluate
from roofline_analysis.device.interpreter.inlining import copy_of
from roofline_analysis.device.interpreter.limits import give_up
from roofline_analysis.device.interpreter.objects import construct, constructed
from roofline_analysis.device.interpreter.returned_values import is_all_float, note_return
from roofline_analysis.device.loops.walk import walk_for, walk_range, walk_while
from roofline_analysis.device.state.aliases import mark_stored
from roofline_analysis.device.state.arithmetic import truth
from roofline_analysis.device.state.conversions import coerce, scalar, tested
from roofline_analysis.device.state.dead_code import keep, keep_changed
from roofline_analysis.device.state.flow import Flow
from roofline_analysis.device.state.frames import BlockScope
from roofline_analysis.device.state.interpreter_state import (
    MAX_ACCESSES,
    MAX_STATEMENTS,
    DeviceInterpreter,
)
from roofline_analysis.device.state.memory import need_value
from roofline_analysis.device.state.selection import select
from roofline_analysis.device.values import (
    DeviceValue,
    MemoryPlace,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_analysis.language.scope import literal
from roofline_analysis.language.types import is_float, is_integer
from roofline_analysis.regions.conditions import conjuncts, negation
from roofline_analysis.regions.kernel_summary import Exit, MemorySpace, Region, Role
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbol_scopes import DATA_OR_CARRIED, SymbolScope
from roofline_core.algebra.symbolic import Expr, apply
from roofline_core.program import statements as ir
from roofline_core.program.expressions import Call, Expression, InitList, Literal
from roofline_core.program.progress import PROGRESS
from roofline_core.program.types import Type


def walk(interpreter: DeviceInterpreter, node: ir.Statement) -> Flow:
    """Walk one statement in the current region."""
    interpreter.statements += 1
    PROGRESS.steps += 1
    if interpreter.statements > MAX_STATEMENTS or interpreter.costs.accesses > MAX_ACCESSES:
        give_up(interpreter, node.line)
        return Flow.EXIT
    handler = _EXECUTORS.get(type(node))
    if handler is None:
        return Flow.NEXT
    interpreter.at(node.line)
    return handler(interpreter, node)


def walk_sequence(
    interpreter: DeviceInterpreter, body: Sequence[ir.Statement], exits: int = 0
) -> Flow:
    """Walk statements in order; those after a conditional exit are guarded by its negation.

    ``exits`` counts those before, each within the last.
    """
    for position, statement in enumerate(body):
        if isinstance(statement, ir.If):
            flow, rest = _walk_if(interpreter, statement)
            if flow is Flow.EXIT:
                return Flow.EXIT
            if rest is not None:
                if exits >= most_exits(interpreter, rest):
                    return leave_out(interpreter, rest)
                before = dict(interpreter.slots)
                guard = interpreter.costs.open_guard(rest, role=Role.FALLS_THROUGH)
                flow = walk_sequence(interpreter, body[position + 1 :], exits + 1)
                interpreter.costs.close(guard)
                doubt_constants(interpreter, before)
                return flow
        elif walk(interpreter, statement) is Flow.EXIT:
            return Flow.EXIT
    return Flow.NEXT


def _block(interpreter: DeviceInterpreter, node: ir.Block) -> Flow:
    interpreter.scope = BlockScope({}, interpreter.scope)
    flow = walk_sequence(interpreter, node.body)
    assert interpreter.scope.parent is not None
    interpreter.scope = interpreter.scope.parent
    return flow


def _evaluate(interpreter: DeviceInterpreter, node: ir.Evaluate) -> Flow:
    if isinstance(node.expression, Call):
        interpreter.call(node.expression)  # A reference that nobody reads is no load.
    else:
        evaluate(interpreter, node.expression)
    return Flow.NEXT


# -- declarations


def _declare(interpreter: DeviceInterpreter, node: ir.Declare) -> Flow:
    for variable in node.variables:
        interpreter.at(variable.line)
        declare_variable(interpreter, variable)
    return Flow.NEXT


def declare_variable(interpreter: DeviceInterpreter, variable: ir.Variable) -> None:
    """Declare one local variable and run its initializer."""
    type_ = _completed(interpreter.types.resolve(variable.type), variable.init)
    points = interpreter.opencl and type_.pointers and not type_.dims
    if "__shared__" in variable.qualifiers and not points:
        _declare_shared(interpreter, variable, type_)
        return
    if type_.volatile and not type_.pointers:
        interpreter.costs.operations.keep_all()  # What is written to it stays.
    if type_.reference and variable.init is not None:
        place = place_referred_to(interpreter, variable.init, type_)
        if place is not None:
            interpreter.scope.names[variable.name] = place
            interpreter.scope.references[variable.name] = type_
            return
    place = interpreter.declare(variable.name, type_, _initial(interpreter, variable, type_))
    if type_.dims and variable.init is not None and "static" not in variable.qualifiers:
        interpreter.local_arrays.begin(interpreter, place.slot)


def _completed(type_: Type, init: Expression | None) -> Type:
    """The type of ``int a[] = {1, 2, 3}`` with the bound that its initializer gives."""
    if not type_.dims or type_.dims[0] is not None:
        return type_
    if isinstance(init, InitList):
        count = len(init.items)
    elif isinstance(init, Literal) and isinstance(init.value, str):
        count = len(init.value) + 1
    else:
        return type_
    dims = (literal(count), *type_.dims[1:])
    return Type(type_.name, type_.args, type_.pointers, const=type_.const, dims=dims)


def _declare_shared(interpreter: DeviceInterpreter, variable: ir.Variable, type_: Type) -> None:
    array = interpreter.array(
        f"{variable.name}@{variable.line}",
        type_,
        MemorySpace.SHARED,
        declared="extern" not in variable.qualifiers,
    )
    for loop in interpreter.costs.region.loops():
        mark_stored(loop, array)  # What stores to it comes after its declaration.
    size = interpreter.types.size(type_)
    if size is not None and ("declared", array) not in interpreter.costs.root.available:
        interpreter.costs.root.available["declared", array] = True
        interpreter.shared_bytes += size
    if type_.dims or "extern" in variable.qualifiers:
        pointee = type_.pointee() if type_.dims else type_
        pointer = PointerValue(array, number(0, "long"), pointee)
        interpreter.declare(variable.name, type_.pointer_to(), pointer)
    else:
        interpreter.scope.names[variable.name] = MemoryPlace(
            PointerValue(array, number(0, "long"), type_)
        )


def _initial(interpreter: DeviceInterpreter, variable: ir.Variable, type_: Type) -> DeviceValue:
    if variable.ctor_args is not None:
        if type_.dims:
            return StructValue(type_)
        return constructed(interpreter, type_, variable.ctor_args)
    if variable.init is None:
        made = default_value(interpreter, type_, variable.name)
        if type_.dims or is_float(type_.name):
            interpreter.never_set[id(made)] = made
        return made
    if type_.dims:
        return _array_initial(interpreter, variable.init, type_)
    if isinstance(variable.init, InitList):
        return constructed(interpreter, type_, variable.init.items)
    value = copy_of(interpreter, evaluate(interpreter, variable.init), variable.init)
    return coerce(interpreter, value, type_)


_MOST_CHARACTERS: Final = 4096
"""The longest string of which an array has the characters. A limit on the work."""


def _array_initial(interpreter: DeviceInterpreter, init: Expression, type_: Type) -> DeviceValue:
    """A local array's initial elements, rows of rows as nested arrays."""
    element = type_.pointee()
    fields: dict[str, DeviceValue] = {}
    if isinstance(init, Literal) and isinstance(init.value, str):
        if len(init.value) > _MOST_CHARACTERS:
            return StructValue(type_)
        for position, character in enumerate(f"{init.value}\0"):
            fields[str(position)] = number(ord(character), element.name)
        return StructValue(type_, fields)
    if not isinstance(init, InitList):
        return StructValue(type_)
    for position, item in enumerate(init.items):
        if isinstance(item, InitList) and element.dims:
            fields[str(position)] = _array_initial(interpreter, item, element)
        else:
            fields[str(position)] = coerce(interpreter, evaluate(interpreter, item), element)
    return StructValue(type_, fields)


def default_value(interpreter: DeviceInterpreter, type_: Type, name: str) -> DeviceValue:
    """The value of a variable without initializer: its shape, with all scalars unknown."""
    if type_.dims:
        return StructValue(type_)
    if is_float(type_.name) or is_integer(type_.name) or type_.pointers:
        if is_integer(type_.name) and not type_.pointers:
            return number(0, type_.name)
        return interpreter.opaque(type_, 0, name)
    if interpreter.symbols.find_struct(type_.name) is not None:
        return construct(interpreter, type_, (), ())
    return fragment_value(interpreter, type_) or interpreter.opaque(type_, 0, name)


# -- branches


def _if(interpreter: DeviceInterpreter, node: ir.If) -> Flow:
    # Alone, as the body of another statement: what follows an exit is the caller's.
    flow, _ = _walk_if(interpreter, node)
    return flow


_Guard = tuple[Expr | None, ...]


def _walk_if(interpreter: DeviceInterpreter, node: ir.If) -> tuple[Flow, _Guard | None]:
    """Walk a branch; the second value is the guard of the sequence's rest, None without one."""
    if node.init is not None:
        walk(interpreter, node.init)
    condition = truth(interpreter, tested(interpreter, interpreter.evaluate(node.condition)))
    known = condition.constant
    if known is not None:
        taken = node.then if known else node.otherwise
        return (walk(interpreter, taken) if taken is not None else Flow.NEXT), None
    interpreter.costs.need(condition)
    conditions = conjuncts(condition.expr)
    before = dict(interpreter.slots)
    then_flow, then = _walk_side(interpreter, node.then, conditions)
    after_then = interpreter.slots
    interpreter.slots = dict(before)
    negated = negation(condition.expr)
    else_flow = Flow.NEXT
    if node.otherwise is not None:
        else_flow, otherwise = _walk_side(interpreter, node.otherwise, negated)
        then.other_side, otherwise.other_side = otherwise, then
    if then_flow is Flow.EXIT:
        _keep_past(interpreter, node.then, after_then)
    if else_flow is Flow.EXIT and node.otherwise is not None:
        _keep_past(interpreter, node.otherwise, interpreter.slots)
    _merge(interpreter, condition, before, after_then, then_flow, else_flow)
    if then_flow is Flow.EXIT and else_flow is Flow.EXIT:
        return Flow.EXIT, None
    if then_flow is Flow.EXIT:
        _note_exit(interpreter, node.then, conditions)
        return Flow.NEXT, negated
    if else_flow is Flow.EXIT:
        if node.otherwise is not None:
            _note_exit(interpreter, node.otherwise, negated)
        return Flow.NEXT, conditions
    return Flow.NEXT, None


def _last(taken: ir.Statement) -> ir.Statement:
    last = taken
    while isinstance(last, ir.Block) and last.body:
        last = last.body[-1]
    return last


def _keep_past(
    interpreter: DeviceInterpreter, taken: ir.Statement, slots: dict[int, DeviceValue]
) -> None:
    """Mark variables' values at a jump as used: code after the loop or call may read them."""
    last = _last(taken)
    ends = interpreter.next_slot
    if isinstance(last, ir.Return):
        ends = interpreter.frames[-1].first_slot
    elif isinstance(last, (ir.Break, ir.Continue)) and interpreter.entries:
        ends = interpreter.entries[-1]
    left = {slot: value for slot, value in slots.items() if slot < ends}
    keep(interpreter, *left.values())
    if interpreter.costs.region.innermost_loop is not None:
        for slot, value in left.items():
            interpreter.loop_notes.at_exits.setdefault(slot, []).append(value)


def _note_exit(
    interpreter: DeviceInterpreter, taken: ir.Statement, conditions: tuple[Expr | None, ...]
) -> None:
    """Record an exit of the enclosing loop."""
    last = _last(taken)
    loop = interpreter.costs.region.innermost_loop
    if isinstance(last, ir.Return) and loop is interpreter.frames[-1].loop_around:
        return  # Only the call ends.
    if loop is not None and isinstance(last, (ir.Break, ir.Return)):
        loop.exits.append(Exit(interpreter.costs.conditions_within(loop) + conditions))


def _walk_side(
    interpreter: DeviceInterpreter, node: ir.Statement, conditions: tuple[Expr | None, ...]
) -> tuple[Flow, Region]:
    guard = interpreter.costs.open_guard(conditions)
    epochs = dict(interpreter.epochs)
    flow = walk(interpreter, node)
    if flow is Flow.EXIT:
        guard.role = Role.EXITS
        if len(interpreter.frames) == 1 and isinstance(_last(node), ir.Return):
            interpreter.epochs = epochs  # The thread ends: nothing follows its stores.
    interpreter.costs.close(guard)
    return flow, guard


def _merge(
    interpreter: DeviceInterpreter,
    condition: Value,
    before: dict[int, DeviceValue],
    then: dict[int, DeviceValue],
    then_flow: Flow,
    else_flow: Flow,
) -> None:
    """Merge the variables of two sides of a branch; a side that leaves is ignored.

    A variable that one side leaves without any value is what the other side makes of it.
    """
    otherwise, bare = interpreter.slots, interpreter.never_set
    if else_flow is Flow.EXIT and then_flow is not Flow.EXIT:
        interpreter.slots = then
        return
    if then_flow is Flow.EXIT:
        return
    for slot, value in then.items():
        other = otherwise.get(slot)
        if other is None or slot not in before or bare.get(id(other)) is other:
            otherwise[slot] = value
        elif other is not value and bare.get(id(value)) is not value:
            otherwise[slot] = select(interpreter, condition, value, other)


def _switch(interpreter: DeviceInterpreter, node: ir.Switch) -> Flow:
    value = scalar(interpreter, node.value)
    interpreter.costs.need(value)
    known = value.constant
    if known is not None:
        return _switch_known(interpreter, node, known)
    before = dict(interpreter.slots)
    interpreter.entries.append(interpreter.next_slot)
    labelled = sum(1 for case in node.cases if case.body)
    labels = [_label_of(interpreter, case) for case in node.cases]
    first = 0
    for position, case in enumerate(node.cases):
        if not case.body:
            continue  # Its threads run the next body.
        interpreter.slots = dict(before)
        conditions = _of_body(value, labels, range(first, position + 1), node.cases)
        first = position + 1
        guard = interpreter.costs.open_guard(conditions, 1.0 / max(1, labelled))
        _walk_cases(interpreter, node.cases[position:])
        interpreter.costs.close(guard)
        keep_changed(interpreter, before, interpreter.slots)
    interpreter.entries.pop()
    _forget_changed(interpreter, before)
    return Flow.NEXT


def _label_of(interpreter: DeviceInterpreter, case: ir.Case) -> Expr | None:
    """The number that a case is for; None for ``default``, and where it is not known."""
    return scalar(interpreter, case.value).expr if case.value is not None else None


def _of_body(
    value: Value, labels: Sequence[Expr | None], positions: range, cases: Sequence[ir.Case]
) -> tuple[Expr | None, ...]:
    """The conditions that lead to a body, by the labels of which it is the first."""
    tested = value.expr
    if tested is None or _is_data(tested):
        return (None,)
    if any(cases[position].value is None for position in positions):
        others = [
            label
            for position, label in enumerate(labels)
            if position not in positions and cases[position].value is not None
        ]
        known = [label for label in others if label is not None]
        if len(known) < len(others):
            return (None,)
        return tuple(apply("ne", tested - label) for label in known)
    own = [labels[position] for position in positions]
    known = [label for label in own if label is not None]
    if len(known) < len(own):
        return (None,)
    return (reduce(_either, (apply("eq", tested - label) for label in known)),)


def _either(one: Expr, other: Expr) -> Expr:
    return apply("lor", one, other)


def _is_data(expr: Expr) -> bool:
    return any(s.scope in DATA_OR_CARRIED for s in expr.symbols())


def _walk_cases(interpreter: DeviceInterpreter, cases: Sequence[ir.Case]) -> Flow:
    for case in cases:
        if walk_sequence(interpreter, case.body) is Flow.EXIT:
            return Flow.EXIT
    return Flow.NEXT


def _switch_known(interpreter: DeviceInterpreter, node: ir.Switch, known: int | float) -> Flow:
    default = None
    for position, case in enumerate(node.cases):
        if case.value is None:
            default = position
        elif scalar(interpreter, case.value).constant == known:
            _walk_cases(interpreter, node.cases[position:])
            return Flow.NEXT
    if default is not None:
        _walk_cases(interpreter, node.cases[default:])
    return Flow.NEXT


def _forget_changed(interpreter: DeviceInterpreter, before: dict[int, DeviceValue]) -> None:
    for slot, value in list(interpreter.slots.items()):
        if before.get(slot) is not value and slot in before:
            interpreter.slots[slot] = interpreter.opaque(
                interpreter.slot_types[slot],
                interpreter.costs.loop_bits(),
                "choice",
                SymbolScope.DATA,
            )


# -- exits


def _return(interpreter: DeviceInterpreter, node: ir.Return) -> Flow:
    if node.value is not None:
        frame = interpreter.frames[-1]
        place = interpreter.place_of(node.value) if frame.returns_reference else None
        if place is not None:
            note_return(interpreter, place)
            return Flow.EXIT
        value = evaluate(interpreter, node.value)
        if not is_all_float(value):
            need_value(interpreter, value)
        note_return(interpreter, value)
    return Flow.EXIT


def _exit(interpreter: DeviceInterpreter, node: ir.Statement) -> Flow:
    return Flow.EXIT


def _label(interpreter: DeviceInterpreter, node: ir.Label) -> Flow:
    return walk(interpreter, node.body) if node.body is not None else Flow.NEXT


def _directed(interpreter: DeviceInterpreter, node: ir.Directed) -> Flow:
    body = node.device_form() if node.device_form is not None else node.body
    return walk(interpreter, body) if body is not None else Flow.NEXT


def _opaque(interpreter: DeviceInterpreter, node: ir.Opaque) -> Flow:
    if node.text.startswith(ir.ERROR_DIRECTIVE):
        interpreter.costs.lose(UnseenKind.DIRECTIVE, node.text)
    else:
        interpreter.costs.lose(UnseenKind.CODE, "code that is not understood")
    for part in node.parts:
        keep(interpreter, evaluate(interpreter, part))
    return Flow.NEXT


def _goto(interpreter: DeviceInterpreter, node: ir.Goto) -> Flow:
    interpreter.costs.operations.keep_all()  # The target of a goto is not followed.
    return Flow.NEXT


_EXECUTORS: Final[Mapping[type[ir.Statement], Callable[..., Flow]]] = {
    ir.Block: _block,
    ir.Declare: _declare,
    ir.Evaluate: _evaluate,
    ir.If: _if,
    ir.For: walk_for,
    ir.ForRange: walk_range,
    ir.While: walk_while,
    ir.Switch: _switch,
    ir.Return: _return,
    ir.Break: _exit,
    ir.Continue: _exit,
    ir.Goto: _goto,
    ir.Label: _label,
    ir.Opaque: _opaque,
    ir.Directed: _directed,
}

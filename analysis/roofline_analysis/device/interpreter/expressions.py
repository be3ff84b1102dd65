"""Expressions of device code evaluated to device values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from roofline_analysis.device.assigned import only_reads
from roofline_analysis.device.functions.cub import primitive_value
from roofline_analysis.device.functions.inline_ptx import inline_assembly
from roofline_analysis.device.functions.matrix_fragments import element_count
from roofline_analysis.device.interpreter import names
from roofline_analysis.device.interpreter.calls import call
from roofline_analysis.device.interpreter.casts import cast, size_of
from roofline_analysis.device.interpreter.choices import conditional, loads_or_calls
from roofline_analysis.device.interpreter.conversion_operators import as_number, referred_place
from roofline_analysis.device.interpreter.inlining import PLACES, forget_arguments, value_at
from roofline_analysis.device.interpreter.limits import give_up
from roofline_analysis.device.interpreter.objects import constructed
from roofline_analysis.device.interpreter.operator_calls import (
    assign_through,
    call_compound,
    call_member_operator,
    call_operator,
)
from roofline_analysis.device.interpreter.places import place_of
from roofline_analysis.device.state import vectors
from roofline_analysis.device.state.arithmetic import binary, negate, truth
from roofline_analysis.device.state.conversions import as_scalar, coerce, tested
from roofline_analysis.device.state.dead_code import keep, keep_skipped
from roofline_analysis.device.state.frames import BlockScope
from roofline_analysis.device.state.interpreter_state import MAX_EXPRESSIONS, DeviceInterpreter
from roofline_analysis.device.state.memory import (
    compare_pointers,
    difference,
    need_value,
    offset_by,
)
from roofline_analysis.device.values import (
    LAUNCH,
    THREAD,
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
    number,
)
from roofline_analysis.language.bits import in_bit_field
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import apply, from_atom
from roofline_core.program import expressions as ir
from roofline_core.program.types import Type

_BUILTIN_SYMBOLS: Final = {**THREAD, **LAUNCH}
_MOST_ALIGNED: Final = 1 << 16
"""A mask below this asks for the low bits of an address; a larger one rounds it down."""


def evaluate(interpreter: DeviceInterpreter, node: ir.Expression) -> DeviceValue:
    """The value of an expression; its work and accesses are charged to the current region."""
    interpreter.expressions += 1
    handler = _EVALUATORS.get(type(node))
    if handler is None:
        return interpreter.opaque(Type("int"), interpreter.costs.loop_bits(), "expression")
    if interpreter.expressions > MAX_EXPRESSIONS:
        if not interpreter.gave_up:
            give_up(interpreter, node.line)
        return interpreter.opaque(Type("int"), interpreter.costs.loop_bits(), "expression")
    return handler(interpreter, node)


def _read_place(interpreter: DeviceInterpreter, node: ir.Expression) -> DeviceValue:
    place = place_of(interpreter, node)
    if place is None:
        _lose_access(interpreter, node)
        return interpreter.opaque(Type("int"), interpreter.costs.loop_bits(), "value")
    if isinstance(place, FieldPlace) and place.type.dims:
        return PlacePointer(place, place.type.pointee())
    value = interpreter.read(place)
    if isinstance(value, StructValue) and value.type.dims:
        return PlacePointer(place, value.type.pointee())
    return value


def _lose_access(interpreter: DeviceInterpreter, node: ir.Expression) -> None:
    """Record an access to memory that nothing is known of."""
    while isinstance(node, (ir.Index, ir.Member, ir.Unary)):
        node = node.operand if isinstance(node, ir.Unary) else node.base
    if isinstance(node, ir.Call):
        return  # What is not known there is the function.
    interpreter.costs.lose(UnseenKind.ACCESS, node.name if isinstance(node, ir.Name) else "")


def _member(interpreter: DeviceInterpreter, node: ir.Member) -> DeviceValue:
    interpreter.at(node)
    if isinstance(node.base, ir.Name):
        builtin = _BUILTIN_SYMBOLS.get(f"{node.base.name}.{node.name}")
        if builtin is not None:
            return Value("unsigned int", from_atom(builtin))
    if node.name == "num_elements":
        count = element_count(interpreter, node.base)
        if count is not None:
            return count
    static = names.static_member(interpreter, node)
    if static is not None:
        return evaluate(interpreter, static)
    if not node.arrow and place_of_is_temporary(node.base):
        if interpreter.opencl and node.name in ("x", "s0"):
            interpreter.first_channels.add(node.base)
        held = evaluate(interpreter, node.base)
        if isinstance(held, StructValue) and node.name in held.fields:
            return held.fields[node.name]
        picked = vectors.pick(held, node.name) if interpreter.opencl else None
        if picked is None:
            keep(interpreter, held)
        return picked or interpreter.opaque(Type("int"), interpreter.costs.loop_bits(), node.name)
    return _read_place(interpreter, node)


def place_of_is_temporary(node: ir.Expression) -> bool:
    """Whether an expression gives a value that is stored nowhere."""
    if isinstance(node, ir.Cast):
        return not node.type.pointers and not node.type.reference
    if isinstance(node, ir.Unary):
        return node.op not in ("*", "&")
    if isinstance(node, ir.Update):
        return not node.prefix
    return isinstance(node, (ir.Call, ir.Construct, ir.Conditional, ir.Binary))


def _index(interpreter: DeviceInterpreter, node: ir.Index) -> DeviceValue:
    interpreter.at(node)
    result = call_member_operator(interpreter, "[]", node.base, (node.index,))
    return _read_place(interpreter, node) if result is None else value_at(interpreter, result)


def _unary(interpreter: DeviceInterpreter, node: ir.Unary) -> DeviceValue:
    if node.op == "*":
        result = call_member_operator(interpreter, "*", node.operand)
        if result is not None:
            return value_at(interpreter, result)
        return _read_place(interpreter, node)
    if node.op == "&":
        return _address_of(interpreter, node.operand)
    operand = evaluate(interpreter, node.operand)
    if isinstance(operand, Value):
        return vectors.unary(interpreter, node.op, operand)
    overloaded = call_operator(interpreter, node.op, (operand,))
    if overloaded is not None:
        return overloaded
    if node.op == "!" and isinstance(operand, (PointerValue, PlacePointer)):
        return vectors.unary(interpreter, "!", tested(interpreter, operand))
    return vectors.unary(interpreter, node.op, as_number(interpreter, operand))


def _address_of(interpreter: DeviceInterpreter, node: ir.Expression) -> DeviceValue:
    own = call_member_operator(interpreter, "&", node)
    if own is not None:
        return value_at(interpreter, own)
    place = place_of(interpreter, node)
    if isinstance(place, MemoryPlace):
        return place.pointer
    if isinstance(place, FieldPlace) and place.index is not None:
        return PlacePointer(place.owner, place.type, place.index)
    if place is not None:
        pointee = interpreter.type_of(interpreter.read(place))
        const = pointee.const or interpreter.place_type(place).const
        return PlacePointer(place, replace(pointee, const=const))
    value = evaluate(interpreter, node)
    if isinstance(value, (PointerValue, PlacePointer, CodeValue)):
        return value
    keep(interpreter, value)
    return interpreter.opaque(Type("int", pointers=1), 0, "address")


def _update(interpreter: DeviceInterpreter, node: ir.Update) -> DeviceValue:
    value, interpreter.changed = _updated(interpreter, node)
    return value


def _updated(interpreter: DeviceInterpreter, node: ir.Update) -> tuple[DeviceValue, Place | None]:
    """The value of an increment, and what it changed."""
    interpreter.at(node)
    unused = () if node.prefix else (ir.Literal(node.line, 0, "int"),)
    result = call_member_operator(interpreter, node.op, node.target, unused)
    if result is not None:
        held = value_at(interpreter, result)
        return held, result if isinstance(result, PLACES) else None
    place = place_of(interpreter, node.target) or referred_place(interpreter, node.target)
    if place is None:
        return interpreter.opaque(Type("int"), interpreter.costs.loop_bits(), "value"), None
    before = interpreter.read(place)
    after = _stepped(interpreter, before, 1 if node.op == "++" else -1)
    interpreter.write(place, after)
    return (after if node.prefix else before), place


def _stepped(interpreter: DeviceInterpreter, value: DeviceValue, by: int) -> DeviceValue:
    if isinstance(value, (PointerValue, PlacePointer)):
        return _moved(interpreter, value, number(by, "int"))
    one = number(1, "int")
    return binary(interpreter, "+" if by > 0 else "-", as_scalar(interpreter, value), one)


def _moved(
    interpreter: DeviceInterpreter, pointer: PointerValue | PlacePointer, by: Value
) -> DeviceValue:
    """A pointer some elements on."""
    if isinstance(pointer, PointerValue):
        return offset_by(interpreter, pointer, by)
    at = by if pointer.index is None else binary(interpreter, "+", pointer.index, by)
    return PlacePointer(pointer.place, pointer.pointee, at)


def _binary(interpreter: DeviceInterpreter, node: ir.Binary) -> DeviceValue:
    if node.op == ",":
        evaluate(interpreter, node.left)
        return evaluate(interpreter, node.right)
    left = evaluate(interpreter, node.left)
    interpreter.at(node)
    if node.op in ("&&", "||") and isinstance(left, Value) and left.constant is not None:
        if bool(left.constant) == (node.op == "||"):
            return number(int(node.op == "||"), "bool")
    if node.op in ("&&", "||"):
        right = _second(interpreter, node, left)
    else:
        right = evaluate(interpreter, node.right)
    interpreter.written_products = (_is_product(node.left), _is_product(node.right))
    result = combine(interpreter, node.op, left, right)
    interpreter.written_products = (False, False)
    return result


def _second(interpreter: DeviceInterpreter, node: ir.Binary, left: DeviceValue) -> DeviceValue:
    """The right side of ``&&`` or ``||``.

    What it loads or calls is charged to the threads that need it, and what it computes if it is so
    much that the compiler branches (``costs/sinking.py``).
    """
    guard = None
    always = loads_or_calls(node.right)
    folds = not always and interpreter.costs.compiler.sinks_floats and _computes(node.right)
    if (always or folds) and isinstance(left, Value):
        condition = truth(interpreter, left).expr
        if node.op == "||" and condition is not None:
            condition = apply("eq", condition)
        guard = interpreter.costs.open_guard((condition,))
        guard.may_fold = folds
    before = None if only_reads(node.right) else dict(interpreter.slots)
    right = evaluate(interpreter, node.right)
    if before is not None:
        keep_skipped(interpreter, before)
    if guard is not None:
        interpreter.costs.close(guard)
    return right


def _computes(node: ir.Expression) -> bool:
    """Whether an expression has an operator of arithmetic, as far as it matters."""
    if isinstance(node, ir.Binary):
        own = node.op in ("+", "-", "*", "/", "%")
        return own or _computes(node.left) or _computes(node.right)
    return isinstance(node, (ir.Unary, ir.Cast)) and _computes(node.operand)


def _is_product(node: ir.Expression) -> bool:
    return isinstance(node, ir.Binary) and node.op == "*"


def combine(
    interpreter: DeviceInterpreter, op: str, left: DeviceValue, right: DeviceValue
) -> DeviceValue:
    """``left op right`` for any operands."""
    if isinstance(left, Value) and isinstance(right, Value):
        return binary(interpreter, op, left, right)
    if op in ("&&", "||") and not isinstance(left, StructValue):
        return binary(interpreter, op, tested(interpreter, left), tested(interpreter, right))
    if op in ("==", "!=", "<", "<=", ">", ">=") and not isinstance(left, StructValue):
        return compare_pointers(interpreter, op, left, right)
    if isinstance(left, (PointerValue, PlacePointer)) and isinstance(right, Value):
        return _with_pointer(interpreter, op, left, right)
    if isinstance(right, PointerValue) and isinstance(left, Value) and op == "+":
        return offset_by(interpreter, right, left)
    if isinstance(left, PointerValue) and isinstance(right, PointerValue):
        return difference(interpreter, left, right)
    overloaded = call_operator(interpreter, op, (left, right))
    if overloaded is not None:
        return overloaded
    one, other = as_number(interpreter, left), as_number(interpreter, right)
    if one is not left or other is not right:
        return combine(interpreter, op, one, other)
    return vectors.elementwise(interpreter, op, left, right)


def _with_pointer(
    interpreter: DeviceInterpreter, op: str, pointer: PointerValue | PlacePointer, by: Value
) -> DeviceValue:
    """``pointer op by``; all but ``+`` and ``-`` are operations on the number of its address."""
    if op in ("+", "-"):
        return _moved(interpreter, pointer, by if op == "+" else negate(interpreter, by))
    known = by.constant
    if op == "&" and (known is None or not 0 <= known < _MOST_ALIGNED):
        return pointer  # Rounded down to an aligned address.
    return binary(interpreter, op, as_scalar(interpreter, pointer), by)


def _assign(interpreter: DeviceInterpreter, node: ir.Assign) -> DeviceValue:
    value, interpreter.changed = _assigned(interpreter, node)
    return value


def _assigned(interpreter: DeviceInterpreter, node: ir.Assign) -> tuple[DeviceValue, Place | None]:
    """The value of an assignment, and what it changed."""
    interpreter.at(node)
    through = assign_through(interpreter, node)
    if through is not None:
        return through
    if node.op == "=" and isinstance(node.target, ir.Call) and _is_tie(node.target):
        return _tied(interpreter, node.target, node.value), None
    place = place_of(interpreter, node.target)
    if place is None and node.op != "=":
        place = referred_place(interpreter, node.target)
    if node.op == "=":
        value = evaluate(interpreter, node.value)
        if isinstance(value, StructValue) and isinstance(place, (VariablePlace, FieldPlace)):
            own = interpreter.symbols.assigns_itself(value.type.name)
            whole = call_compound(interpreter, "=", place, value) if own else None
            if whole is not None:
                return whole, place
    else:
        before = evaluate(interpreter, node.target) if place is None else interpreter.read(place)
        right = evaluate(interpreter, node.value)
        whole = call_compound(interpreter, node.op, place, right) if place is not None else None
        if whole is not None:
            return whole, place
        interpreter.written_products = (False, _is_product(node.value))
        value = combine(interpreter, node.op[:-1], before, right)
        interpreter.written_products = (False, False)
    interpreter.at(node)
    if place is None:
        _lose_access(interpreter, node.target)
        need_value(interpreter, value)
        if isinstance(node.target, ir.Call):
            forget_arguments(interpreter, node.target)  # One of them may be what it refers to.
        return value, None
    value = _as_held(interpreter, value, place, punned=_is_punned(node.target))
    if isinstance(place, FieldPlace) and isinstance(value, Value):
        value = _in_bit_field(interpreter, place, value)
    interpreter.write(place, value)
    return value, place


def _is_tie(target: ir.Call) -> bool:
    """Whether a call is ``std::tie(a, b)``, or thrust's."""
    return isinstance(target.callee, ir.Name) and target.callee.name in _TIES


_TIES: Final = frozenset(("tie", "std::tie", "thrust::tie", "cuda::std::tie"))


def _tied(interpreter: DeviceInterpreter, target: ir.Call, value: ir.Expression) -> DeviceValue:
    """``std::tie(a, b) = f()``: each variable gets its part, an unknown one of unknown values."""
    held = evaluate(interpreter, value)
    parts = list(held.fields.values()) if isinstance(held, StructValue) else []
    if len(parts) != len(target.args):
        keep(interpreter, held)
        parts = []
    for position, variable in enumerate(target.args):
        place = place_of(interpreter, variable)
        if place is None:
            continue  # std::ignore
        type_ = interpreter.place_type(place)
        if parts:
            part = coerce(interpreter, parts[position], type_)
        else:
            part = interpreter.opaque(type_, interpreter.costs.loop_bits(), "tied")
        interpreter.write(place, part)
    return held


def _is_punned(target: ir.Expression) -> bool:
    """Whether bytes are written as another type: ``(int4 &)x``, ``*(int4 *)&x``."""
    through = target.operand if isinstance(target, ir.Unary) and target.op == "*" else target
    return isinstance(through, ir.Cast)


def _as_held(
    interpreter: DeviceInterpreter, value: DeviceValue, place: Place, *, punned: bool
) -> DeviceValue:
    """A value as a place holds it; ``punned``: as bytes of another type.

    What these are as the members of a class or the elements of an array is not known.
    """
    type_ = interpreter.place_type(place)
    local = punned and isinstance(place, (VariablePlace, FieldPlace))
    resolved = interpreter.types.resolve(type_) if local else type_
    if local and (resolved.dims or interpreter.types.fields(resolved)):
        if not isinstance(value, StructValue) or value.type.name != resolved.name:
            keep(interpreter, value)
            return interpreter.opaque(resolved, interpreter.costs.loop_bits(), "bytes")
    return coerce(interpreter, value, type_)


def _in_bit_field(interpreter: DeviceInterpreter, place: FieldPlace, value: Value) -> Value:
    """A constant as the bit-field that it is stored to holds it."""
    known = value.constant
    if known is None or place.index is not None or place.name is None:
        return value
    layout = interpreter.types.fields(interpreter.place_type(place.owner)) or {}
    width = layout[place.name].bits if place.name in layout else None
    held = in_bit_field(known, value.type, width) if width is not None else None
    return value if held is None else number(held, value.type)


def _init_list(interpreter: DeviceInterpreter, node: ir.InitList) -> DeviceValue:
    fields = {str(i): evaluate(interpreter, item) for i, item in enumerate(node.items)}
    return StructValue(Type("{}", dims=(None,)), fields)


def _construct(interpreter: DeviceInterpreter, node: ir.Construct) -> DeviceValue:
    type_ = interpreter.types.resolve(node.type)
    called = interpreter.symbols.called_by(node) if type_.name == node.type.name else None
    if called is not None:
        return call(interpreter, called)
    made = primitive_value(interpreter, type_)
    if made is not None:
        return made
    return constructed(interpreter, node.type, node.args)


def _lambda(interpreter: DeviceInterpreter, node: ir.Lambda) -> DeviceValue:
    around = interpreter.names()
    if node.copies:
        around = replace(around, local={**around.local, **_copies(interpreter, node)})
    return CodeValue(lambda_=node, around=around)


def _copies(interpreter: DeviceInterpreter, node: ir.Lambda) -> dict[str, Place]:
    """The constants that a lambda has copies of, each in a variable of its own.

    What else it captures is not written while it is in use, as a rule, so that it may be shared.
    """
    names = set(node.copies)
    scope: BlockScope | None = interpreter.scope if "=" in names else None
    while scope is not None:
        names |= scope.names.keys()
        scope = scope.parent
    found: dict[str, Place] = {}
    for name in sorted(names):
        place = interpreter.scope.find(name)
        held = interpreter.slots.get(place.slot) if isinstance(place, VariablePlace) else None
        if isinstance(place, VariablePlace) and isinstance(held, Value):
            if held.constant is not None:
                found[name] = interpreter.declare("", interpreter.slot_types[place.slot], held)
    return found


def _unknown(interpreter: DeviceInterpreter, node: ir.Unknown) -> DeviceValue:
    for part in node.parts:
        need_value(interpreter, evaluate(interpreter, part))
        # Other places are no variables, and finding one would evaluate the part again.
        place = place_of(interpreter, part) if isinstance(part, ir.Name) else None
        if isinstance(place, VariablePlace):
            type_ = interpreter.place_type(place)
            interpreter.write(
                place,
                interpreter.opaque(type_, interpreter.costs.loop_bits(), "asm", SymbolScope.DATA),
            )
    return interpreter.opaque(Type("int"), interpreter.costs.loop_bits(), "unknown")


def _ignored(interpreter: DeviceInterpreter, node: ir.Expression) -> DeviceValue:
    interpreter.costs.operations.keep_all()
    return interpreter.opaque(Type("int", pointers=1), interpreter.costs.loop_bits(), "new")


_EVALUATORS: Final[Mapping[type[ir.Expression], Callable[..., DeviceValue]]] = {
    ir.Literal: names.literal,
    ir.Name: names.name,
    ir.Unary: _unary,
    ir.Update: _update,
    ir.Binary: _binary,
    ir.Assign: _assign,
    ir.Conditional: conditional,
    ir.Call: call,
    ir.Index: _index,
    ir.Member: _member,
    ir.Cast: cast,
    ir.SizeOf: size_of,
    ir.InitList: _init_list,
    ir.Construct: _construct,
    ir.New: _ignored,
    ir.Launch: _ignored,
    ir.Lambda: _lambda,
    ir.Assembly: inline_assembly,
    ir.Expansion: lambda interpreter, node: interpreter.evaluate(node.pattern),
    ir.Unknown: _unknown,
}

"""Expressions of device code evaluated to device values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from roofline_lsp.analysis.device.arithmetic import MAX_SIZE, binary, convert, negate, truth
from roofline_lsp.analysis.device.calls import call, call_compound, call_operator, construct
from roofline_lsp.analysis.device.memory import (
    compare_pointers,
    difference,
    field_of,
    need_value,
    offset_by,
)
from roofline_lsp.analysis.device.regions import Array
from roofline_lsp.analysis.device.values import (
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
from roofline_lsp.analysis.device.walker import Walker
from roofline_lsp.analysis.layout import common_type, is_float, is_integer, vector_parts
from roofline_lsp.kernel import expressions as ir
from roofline_lsp.kernel.symbolic import ONE, Expr, apply, from_atom
from roofline_lsp.kernel.types import Type

_INDEX_BUILTINS: Final = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim"))
_BUILTIN_SYMBOLS: Final = {**THREAD, **LAUNCH}


def evaluate(walker: Walker, node: ir.Expression) -> DeviceValue:
    """The value of an expression; its work and accesses are charged to the current region."""
    handler = _EVALUATORS.get(type(node))
    if handler is None:
        return walker.opaque(Type("int"), walker.machine.loop_bits(), "expression")
    return handler(walker, node)


def scalar(walker: Walker, node: ir.Expression) -> Value:
    """The value of an expression as a number; what is no number becomes an unknown one."""
    return as_scalar(walker, evaluate(walker, node))


def as_scalar(walker: Walker, value: DeviceValue) -> Value:
    """A device value where a number is wanted."""
    if isinstance(value, Value):
        return value
    if isinstance(value, StructValue) and len(value.fields) == 1:
        (inner,) = value.fields.values()
        return as_scalar(walker, inner)
    if isinstance(value, (PointerValue, PlacePointer)):
        return number(1, "unsigned long")
    return Value("int", walker.fresh("object", "data"), walker.machine.loop_bits())


def constant_of(walker: Walker, node: ir.Expression) -> int | None:
    """The integer an expression is at compile time, or None."""
    known = scalar(walker, node).constant
    return int(known) if known is not None else None


# -- names and literals


def _literal(walker: Walker, node: ir.Literal) -> DeviceValue:
    if isinstance(node.value, (int, float)):
        return number(node.value, node.type_name)
    if node.value is None:
        return number(0, "long")
    return walker.opaque(Type("char", pointers=1, const=True), 0, "string")


def _name(walker: Walker, node: ir.Name) -> DeviceValue:
    place = walker.scope.find(node.name)
    if place is not None:
        value = walker.read(place)
        if isinstance(value, StructValue) and value.type.dims:
            return PlacePointer(place, value.type.pointee())
        return value
    bound = walker.constants.get(node.name)
    if bound is not None:
        return bound
    if node.name == "warpSize":
        return number(32, "int")
    member = _implicit_member(walker, node.name)
    if member is not None:
        return walker.read(member)
    return _global_name(walker, node)


def _implicit_member(walker: Walker, name: str) -> Place | None:
    """A field named without ``this->`` inside a method."""
    this = walker.frames[-1].this
    if this is None:
        return None
    if isinstance(this, MemoryPlace):
        layout = walker.types.fields(this.pointer.pointee) or {}
    else:
        owner = walker.read(this)
        if isinstance(owner, StructValue) and name in owner.fields:
            return FieldPlace(this, name, walker.type_of(owner.fields[name]))
        layout = {}
    return field_place(walker, this, name) if name in layout else None


def _global_name(walker: Walker, node: ir.Name) -> DeviceValue:
    table = walker.table
    bare = node.name.rsplit("::", 1)[-1]
    enumerator = table.enumerators.get(node.name, table.enumerators.get(bare))
    if enumerator is not None:
        return (
            number(enumerator, "int")
            if isinstance(enumerator, int)
            else evaluate(walker, enumerator)
        )
    variable = table.globals.get(bare)
    if variable is not None:
        return _global_variable(walker, bare)
    functions = table.find_functions(node.name)
    if functions:
        return CodeValue(function=functions[0])
    if bare in walker.reported:
        return walker.opaque(Type("int"), 0, bare, "name")
    walker.reported.add(bare)
    return walker.opaque(Type("int"), 0, bare, "name")


def _global_variable(walker: Walker, name: str) -> DeviceValue:
    cached = walker.constants.get(f"::{name}")
    if cached is not None:
        return cached
    variable = walker.table.globals[name]
    type_ = walker.types.resolve(variable.type)
    value: DeviceValue
    if "__shared__" in variable.qualifiers:
        value = PointerValue(
            walker.array(name, type_, "shared"), number(0, "long"), type_.pointee()
        )
    elif type_.dims:
        space = "constant" if "__constant__" in variable.qualifiers or type_.const else "global"
        array = Array(name, space, type_.pointee(), read_only=space == "constant")
        walker.arrays.setdefault(name, array)
        value = PointerValue(walker.arrays[name], number(0, "long"), type_.pointee())
    elif (
        "__device__" in variable.qualifiers
        and not type_.const
        and "constexpr" not in variable.qualifiers
    ):
        pointer = PointerValue(walker.array(name, type_), number(0, "long"), type_)
        return walker.read(MemoryPlace(pointer))
    elif "__constant__" in variable.qualifiers:
        value = walker.parameter(name, type_)
    elif variable.init is not None and (type_.const or "constexpr" in variable.qualifiers):
        walker.constants[f"::{name}"] = walker.opaque(type_, 0, name)  # against a cycle
        value = coerce(walker, evaluate(walker, variable.init), type_)
    else:
        value = walker.parameter(name, type_)
    walker.constants[f"::{name}"] = value
    return value


# -- places


def place_of(walker: Walker, node: ir.Expression) -> Place | None:
    """Where an expression's value is stored, or None if it is not stored anywhere."""
    if isinstance(node, ir.Name):
        found = walker.scope.find(node.name)
        if found is not None:
            return found
        member = _implicit_member(walker, node.name)
        if member is not None:
            return member
        return _global_place(walker, node.name)
    if isinstance(node, ir.Index):
        return _index_place(walker, node)
    if isinstance(node, ir.Member):
        return _member_place(walker, node)
    if isinstance(node, ir.Unary) and node.op == "*":
        return dereference(walker, evaluate(walker, node.operand))
    if isinstance(node, ir.Cast):
        return _cast_place(walker, node)
    if isinstance(node, (ir.Assign, ir.Update)):
        evaluate(walker, node)
        return place_of(walker, node.target)
    if isinstance(node, ir.Binary) and node.op == ",":
        evaluate(walker, node.left)
        return place_of(walker, node.right)
    if isinstance(node, ir.Call):
        return dereference(walker, evaluate(walker, node), strict=True)
    return None


def _global_place(walker: Walker, name: str) -> Place | None:
    bare = name.rsplit("::", 1)[-1]
    variable = walker.table.globals.get(bare)
    if variable is None or "__device__" not in variable.qualifiers:
        return None
    type_ = walker.types.resolve(variable.type)
    if type_.dims:
        return None
    return MemoryPlace(PointerValue(walker.array(bare, type_), number(0, "long"), type_))


def _cast_place(walker: Walker, node: ir.Cast) -> Place | None:
    """``reinterpret_cast<float4&>(x)``."""
    if not node.type.reference:
        return None
    inner = place_of(walker, node.operand)
    if isinstance(inner, MemoryPlace):
        pointee = walker.types.resolve(node.type)
        target = Type(pointee.name, pointee.args, pointee.pointers, const=pointee.const)
        return MemoryPlace(PointerValue(inner.pointer.array, inner.pointer.offset, target))
    return inner


def dereference(walker: Walker, value: DeviceValue, *, strict: bool = False) -> Place | None:
    """The place an address names."""
    if isinstance(value, PointerValue):
        return None if strict else MemoryPlace(value)
    if isinstance(value, PlacePointer):
        if value.index is not None or _is_array(walker, value.place):
            return element_place(value, value.index or number(0, "int"))
        return value.place
    return None


def _is_array(walker: Walker, place: Place) -> bool:
    if isinstance(place, MemoryPlace):
        return False
    held = walker.read(place)
    return isinstance(held, StructValue) and bool(held.type.dims)


def element_place(pointer: PlacePointer, index: Value) -> Place:
    """The element of an array held in registers."""
    known = index.constant
    name = str(int(known)) if known is not None else None
    return FieldPlace(pointer.place, name, pointer.pointee, index)


def _index_place(walker: Walker, node: ir.Index) -> Place | None:
    base = evaluate(walker, node.base)
    index = scalar(walker, node.index)
    if isinstance(base, Value) and isinstance(node.base, ir.Literal):
        return None
    if isinstance(base, PointerValue):
        return MemoryPlace(offset_by(walker, base, index))
    if isinstance(base, PlacePointer):
        if base.index is not None:
            index = binary(walker, "+", base.index, index)
        if not isinstance(base.place, MemoryPlace):
            return element_place(base, index)
    if isinstance(base, StructValue):
        inner = place_of(walker, node.base)
        element = next(iter(base.fields.values()), None)
        type_ = walker.type_of(element) if element is not None else Type("int")
        known = index.constant
        return (
            FieldPlace(inner, str(int(known)) if known is not None else None, type_, index)
            if inner
            else None
        )
    return None


def _member_place(walker: Walker, node: ir.Member) -> Place | None:
    if isinstance(node.base, ir.Name) and node.base.name in _INDEX_BUILTINS:
        return None
    if node.arrow or (isinstance(node.base, ir.Name) and node.base.name == "this"):
        if isinstance(node.base, ir.Name) and node.base.name == "this":
            owner = walker.frames[-1].this
        else:
            owner = dereference(walker, evaluate(walker, node.base))
    else:
        owner = place_of(walker, node.base)
    return field_place(walker, owner, node.name) if owner is not None else None


def field_place(walker: Walker, owner: Place, name: str) -> Place | None:
    """The place of a member of the object at a place."""
    if isinstance(owner, MemoryPlace):
        layout = walker.types.fields(owner.pointer.pointee)
        if layout is None or name not in layout:
            return MemoryPlace(owner.pointer)
        offset, _, type_ = layout[name]
        return MemoryPlace(field_of(owner.pointer, offset, walker.types.resolve(type_)))
    held = walker.read(owner)
    if isinstance(held, PlacePointer):
        return field_place(walker, held.place, name)
    if isinstance(held, PointerValue):
        return field_place(walker, MemoryPlace(held), name)
    if isinstance(held, StructValue):
        layout = walker.types.fields(held.type) or {}
        type_ = layout[name][2] if name in layout else _type_in(walker, held, name)
        return FieldPlace(owner, name, walker.types.resolve(type_))
    return FieldPlace(owner, name, Type("int"))


def _type_in(walker: Walker, held: StructValue, name: str) -> Type:
    inner = held.fields.get(name)
    return walker.type_of(inner) if inner is not None else Type("int")


# -- operators


def _read_place(walker: Walker, node: ir.Expression) -> DeviceValue:
    place = place_of(walker, node)
    if place is None:
        return walker.opaque(Type("int"), walker.machine.loop_bits(), "value")
    if isinstance(place, FieldPlace) and place.type.dims:
        return PlacePointer(place, place.type.pointee())
    value = walker.read(place)
    if isinstance(value, StructValue) and value.type.dims:
        return PlacePointer(place, value.type.pointee())
    return value


def _member(walker: Walker, node: ir.Member) -> DeviceValue:
    walker.at(node)
    if isinstance(node.base, ir.Name):
        builtin = _BUILTIN_SYMBOLS.get(f"{node.base.name}.{node.name}")
        if builtin is not None:
            return Value("unsigned int", from_atom(builtin))
    if not node.arrow and place_of_is_temporary(node.base):
        held = evaluate(walker, node.base)
        if isinstance(held, StructValue) and node.name in held.fields:
            return held.fields[node.name]
        return walker.opaque(Type("int"), walker.machine.loop_bits(), node.name)
    return _read_place(walker, node)


def place_of_is_temporary(node: ir.Expression) -> bool:
    """Whether an expression gives a value that is stored nowhere."""
    return isinstance(node, (ir.Call, ir.Construct, ir.Conditional, ir.Binary))


def _index(walker: Walker, node: ir.Index) -> DeviceValue:
    walker.at(node)
    return _read_place(walker, node)


def _unary(walker: Walker, node: ir.Unary) -> DeviceValue:
    if node.op == "*":
        place = place_of(walker, node)
        return walker.read(place) if place is not None else walker.opaque(Type("int"), 0, "value")
    if node.op == "&":
        return _address_of(walker, node.operand)
    operand = evaluate(walker, node.operand)
    if not isinstance(operand, Value):
        return _overloaded(walker, node.op, (operand,)) or operand
    if node.op == "-":
        return negate(walker, operand)
    if node.op == "!":
        condition = truth(walker, operand)
        expr = apply("eq", condition.expr) if condition.expr is not None else None
        return Value("bool", expr, operand.varies, ("not", (condition,)))
    if node.op == "~" and operand.expr is not None and is_integer(operand.type):
        return Value(operand.type, -operand.expr - ONE, operand.varies, ("~", (operand,)))
    return operand


def _address_of(walker: Walker, node: ir.Expression) -> DeviceValue:
    place = place_of(walker, node)
    if isinstance(place, MemoryPlace):
        return place.pointer
    if isinstance(place, FieldPlace) and place.index is not None:
        return PlacePointer(place.owner, place.type, place.index)
    if place is not None:
        return PlacePointer(place, walker.type_of(walker.read(place)))
    value = evaluate(walker, node)
    if isinstance(value, (PointerValue, PlacePointer, CodeValue)):
        return value
    return walker.opaque(Type("int", pointers=1), 0, "address")


def _update(walker: Walker, node: ir.Update) -> DeviceValue:
    walker.at(node)
    place = place_of(walker, node.target)
    if place is None:
        return walker.opaque(Type("int"), walker.machine.loop_bits(), "value")
    before = walker.read(place)
    after = _stepped(walker, before, 1 if node.op == "++" else -1)
    walker.write(place, after)
    return after if node.prefix else before


def _stepped(walker: Walker, value: DeviceValue, by: int) -> DeviceValue:
    if isinstance(value, PointerValue):
        return offset_by(walker, value, number(by, "int"))
    if isinstance(value, PlacePointer):
        return PlacePointer(
            value.place,
            value.pointee,
            binary(walker, "+", value.index or number(0, "int"), number(by, "int")),
        )
    one = number(1, "int")
    return binary(walker, "+" if by > 0 else "-", as_scalar(walker, value), one)


def _binary(walker: Walker, node: ir.Binary) -> DeviceValue:
    if node.op == ",":
        evaluate(walker, node.left)
        return evaluate(walker, node.right)
    left = evaluate(walker, node.left)
    walker.at(node)
    right = evaluate(walker, node.right)
    return combine(walker, node.op, left, right)


def combine(walker: Walker, op: str, left: DeviceValue, right: DeviceValue) -> DeviceValue:
    """``left op right`` for any operands."""
    if isinstance(left, Value) and isinstance(right, Value):
        return binary(walker, op, left, right)
    if op in ("==", "!=", "<", "<=", ">", ">=", "&&", "||") and not isinstance(left, StructValue):
        return compare_pointers(walker, left, right)
    if isinstance(left, PointerValue) and isinstance(right, Value):
        index = right if op == "+" else negate(walker, right)
        return offset_by(walker, left, index)
    if isinstance(right, PointerValue) and isinstance(left, Value):
        return offset_by(walker, right, left)
    if isinstance(left, PointerValue) and isinstance(right, PointerValue):
        return difference(walker, left, right)
    if isinstance(left, PlacePointer) and isinstance(right, Value):
        index = right if op == "+" else negate(walker, right)
        moved = index if left.index is None else binary(walker, "+", left.index, index)
        return PlacePointer(left.place, left.pointee, moved)
    overloaded = _overloaded(walker, op, (left, right))
    if overloaded is not None:
        return overloaded
    return _elementwise(walker, op, left, right)


def _overloaded(walker: Walker, op: str, operands: tuple[DeviceValue, ...]) -> DeviceValue | None:
    return call_operator(walker, op, operands)


def _elementwise(walker: Walker, op: str, left: DeviceValue, right: DeviceValue) -> DeviceValue:
    """Vector types without an overload in sight: by element."""
    shape = left if isinstance(left, StructValue) else right
    if not isinstance(shape, StructValue):
        return walker.opaque(Type("int"), walker.machine.loop_bits(), "value")
    fields: dict[str, DeviceValue] = {}
    for name in shape.fields:
        a = left.fields.get(name) if isinstance(left, StructValue) else left
        b = right.fields.get(name) if isinstance(right, StructValue) else right
        if isinstance(a, Value) and isinstance(b, Value):
            fields[name] = binary(walker, op, a, b)
    return StructValue(shape.type, fields)


def _assign(walker: Walker, node: ir.Assign) -> DeviceValue:
    walker.at(node)
    place = place_of(walker, node.target)
    if node.op == "=":
        value = evaluate(walker, node.value)
    else:
        before = evaluate(walker, node.target) if place is None else walker.read(place)
        right = evaluate(walker, node.value)
        whole = call_assignment(walker, node.op, place, right)
        if whole is not None:
            return whole
        value = combine(walker, node.op[:-1], before, right)
    walker.at(node)
    if place is None:
        need_value(walker, value)
        return value
    value = coerce(walker, value, walker.place_type(place))
    walker.write(place, value)
    return value


def call_assignment(
    walker: Walker, op: str, place: Place | None, right: DeviceValue
) -> DeviceValue | None:
    """An overloaded compound assignment, if the program has one for the operand's class."""
    return call_compound(walker, op, place, right) if place is not None else None


def coerce(walker: Walker, value: DeviceValue, type_: Type) -> DeviceValue:
    """The value as it is once stored in a variable of this type."""
    resolved = walker.types.resolve(type_)
    if isinstance(value, Value):
        if resolved.pointers and value.constant is not None:
            return walker.opaque(resolved, 0, "null")
        if not resolved.pointers and not resolved.dims:
            if resolved.name in ("auto", value.type):
                return value
            if is_float(resolved.name) or is_integer(resolved.name):
                return convert(walker, value, resolved.name)
            if vector_parts(resolved.name):
                names = (walker.types.fields(resolved) or {}).keys()
                return StructValue(resolved, dict.fromkeys(names, value))
        return value
    if isinstance(value, PointerValue) and resolved.pointers and resolved.name != "auto":
        pointee = Type(resolved.name, resolved.args, resolved.pointers - 1, const=resolved.const)
        if pointee.name == "void":
            return value
        return PointerValue(value.array, value.offset, pointee)
    return value


def _conditional(walker: Walker, node: ir.Conditional) -> DeviceValue:
    condition = truth(walker, scalar(walker, node.condition))
    known = condition.constant
    if known is not None:
        return evaluate(walker, node.then if known else node.otherwise)
    walker.machine.need(condition)
    then, otherwise = _guarded_sides(walker, condition, node)
    return select(walker, condition, then, otherwise)


def _guarded_sides(
    walker: Walker, condition: Value, node: ir.Conditional
) -> tuple[DeviceValue, DeviceValue]:
    """Both sides; one that loads or calls is skipped by the threads that do not take it."""
    if not (_is_heavy(node.then) or _is_heavy(node.otherwise)):
        return evaluate(walker, node.then), evaluate(walker, node.otherwise)
    guard = walker.machine.open_guard((condition.expr,))
    then = evaluate(walker, node.then)
    walker.machine.close(guard)
    negated = apply("eq", condition.expr) if condition.expr is not None else None
    guard = walker.machine.open_guard((negated,))
    otherwise = evaluate(walker, node.otherwise)
    walker.machine.close(guard)
    return then, otherwise


def _is_heavy(node: ir.Expression) -> bool:
    if isinstance(node, (ir.Call, ir.Index)):
        return True
    if isinstance(node, (ir.Binary,)):
        return _is_heavy(node.left) or _is_heavy(node.right)
    if isinstance(node, (ir.Unary, ir.Cast)):
        return _is_heavy(node.operand)
    if isinstance(node, ir.Conditional):
        return _is_heavy(node.then) or _is_heavy(node.otherwise)
    return isinstance(node, (ir.Member,)) and _is_heavy(node.base)


def select(
    walker: Walker, condition: Value, then: DeviceValue, otherwise: DeviceValue
) -> DeviceValue:
    """One of two values, by a condition of each thread."""
    if then is otherwise:
        return then
    if isinstance(then, Value) and isinstance(otherwise, Value):
        type_ = common_type(then.type, otherwise.type)
        varies = condition.varies | then.varies | otherwise.varies
        expr = _selected(condition.expr, then.expr, otherwise.expr)
        if is_float(type_):
            return Value(type_, expr, varies)
        if expr is None:
            expr = walker.fresh("choice", "data")
        return Value(type_, expr, varies, ("select", (then, otherwise)))
    if isinstance(then, StructValue) and isinstance(otherwise, StructValue):
        fields = {
            name: select(walker, condition, value, otherwise.fields[name])
            for name, value in then.fields.items()
            if name in otherwise.fields
        }
        return StructValue(then.type, fields)
    return then


def _selected(condition: Expr | None, then: Expr | None, otherwise: Expr | None) -> Expr | None:
    """The number that is chosen, where all three are known and not too long to follow."""
    if condition is None or then is None or otherwise is None:
        return None
    if condition.size + then.size + otherwise.size >= MAX_SIZE:
        return None
    return apply("select", condition, then, otherwise)


def _cast(walker: Walker, node: ir.Cast) -> DeviceValue:
    value = evaluate(walker, node.operand)
    type_ = walker.types.resolve(node.type)
    if isinstance(value, Value):
        if type_.pointers:
            return value if value.constant == 0 else walker.opaque(type_, value.varies, "address")
        if node.reinterpret:
            return Value(type_.name, value.expr if is_integer(type_.name) else None, value.varies)
        return coerce(walker, value, type_)
    if isinstance(value, PointerValue) and type_.pointers:
        pointee = Type(type_.name, type_.args, type_.pointers - 1, const=type_.const)
        return PointerValue(value.array, value.offset, pointee)
    if isinstance(value, PlacePointer) and type_.pointers:
        return PlacePointer(value.place, value.pointee, value.index)
    return value


def _size_of(walker: Walker, node: ir.SizeOf) -> DeviceValue:
    if isinstance(node.operand, Type):
        place = walker.scope.find(node.operand.name) if not node.operand.pointers else None
        type_ = walker.place_type(place) if place is not None else node.operand
    else:
        place = place_of(walker, node.operand)
        type_ = (
            walker.place_type(place)
            if place is not None
            else walker.type_of(evaluate(walker, node.operand))
        )
    size = walker.types.size(type_)
    return (
        number(size, "unsigned long") if size else walker.opaque(Type("unsigned long"), 0, "sizeof")
    )


def _init_list(walker: Walker, node: ir.InitList) -> DeviceValue:
    fields = {str(i): evaluate(walker, item) for i, item in enumerate(node.items)}
    return StructValue(Type("{}", dims=(None,)), fields)


def _construct(walker: Walker, node: ir.Construct) -> DeviceValue:
    return construct(
        walker, node.type, tuple(evaluate(walker, arg) for arg in node.args), node.args
    )


def _lambda(walker: Walker, node: ir.Lambda) -> DeviceValue:
    return CodeValue(lambda_=node, scope=walker.scope)


def _unknown(walker: Walker, node: ir.Unknown) -> DeviceValue:
    for part in node.parts:
        need_value(walker, evaluate(walker, part))
        place = place_of(walker, part)
        if isinstance(place, VariablePlace):
            type_ = walker.place_type(place)
            walker.write(place, walker.opaque(type_, walker.machine.loop_bits(), "asm", "data"))
    return walker.opaque(Type("int"), walker.machine.loop_bits(), "unknown")


def _ignored(walker: Walker, node: ir.Expression) -> DeviceValue:
    return walker.opaque(Type("int", pointers=1), walker.machine.loop_bits(), "new")


_EVALUATORS: Final[Mapping[type[ir.Expression], Callable[..., DeviceValue]]] = {
    ir.Literal: _literal,
    ir.Name: _name,
    ir.Unary: _unary,
    ir.Update: _update,
    ir.Binary: _binary,
    ir.Assign: _assign,
    ir.Conditional: _conditional,
    ir.Call: call,
    ir.Index: _index,
    ir.Member: _member,
    ir.Cast: _cast,
    ir.SizeOf: _size_of,
    ir.InitList: _init_list,
    ir.Construct: _construct,
    ir.New: _ignored,
    ir.Launch: _ignored,
    ir.Lambda: _lambda,
    ir.Unknown: _unknown,
}

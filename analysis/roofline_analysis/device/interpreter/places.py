"""Where the value of an expression is stored: variables, fields, elements, memory."""

from __future__ import annotations

from roofline_analysis.device.functions.matrix_fragments import fragment_value
from roofline_analysis.device.interpreter.inlining import PLACES
from roofline_analysis.device.interpreter.operator_calls import call_member_operator
from roofline_analysis.device.state.arithmetic import binary
from roofline_analysis.device.state.conversions import scalar
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import field_of, offset_by
from roofline_analysis.device.state.vectors import component_place
from roofline_analysis.device.values import (
    DeviceValue,
    FieldPlace,
    MemoryPlace,
    Place,
    PlacePointer,
    PointerValue,
    StructValue,
    SwizzlePlace,
    Value,
    number,
)
from roofline_analysis.language.opencl_types import field_names
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import SCALARS, packed_element
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program import expressions as ir
from roofline_core.program.types import Type

INDEX_BUILTINS = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim"))
_FEWEST = 2
"""The fewest elements of an array that says how far an index goes: ``data[1]`` at the end of a
class stands for as many as there is memory."""


def place_of(interpreter: DeviceInterpreter, node: ir.Expression) -> Place | None:
    """Where an expression's value is stored, or None if it is not stored anywhere."""
    if isinstance(node, ir.Name):
        found = interpreter.scope.find(node.name)
        if found is not None:
            return found
        member = implicit_member(interpreter, node.name)
        if member is not None:
            return member
        return _global_place(interpreter, node)
    if isinstance(node, ir.Index):
        return _index_place(interpreter, node)
    if isinstance(node, ir.Member):
        return _member_place(interpreter, node)
    if isinstance(node, ir.Unary) and node.op == "*":
        return _starred_place(interpreter, node)
    if isinstance(node, ir.Cast):
        return _cast_place(interpreter, node)
    if isinstance(node, (ir.Assign, ir.Update)):
        return _changed_place(interpreter, node)
    if isinstance(node, ir.Binary) and node.op == ",":
        interpreter.evaluate(node.left)
        return place_of(interpreter, node.right)
    if isinstance(node, ir.Call):
        return _referred_to(interpreter, interpreter.call(node))
    return None


def _changed_place(interpreter: DeviceInterpreter, node: ir.Assign | ir.Update) -> Place | None:
    """What ``x = 1`` and ``++x`` leave; ``x++`` is the value of before, which has no place."""
    if isinstance(node, ir.Update) and not node.prefix:
        return None
    interpreter.forget_change()
    interpreter.evaluate(node)
    return interpreter.changed


def _starred_place(interpreter: DeviceInterpreter, node: ir.Unary) -> Place | None:
    referred = call_member_operator(interpreter, "*", node.operand)
    if referred is not None:
        return _referred_to(interpreter, referred)
    return dereference(interpreter, interpreter.evaluate(node.operand))


def _referred_to(interpreter: DeviceInterpreter, result: DeviceValue | Place) -> Place | None:
    """The place to which the result of a call refers; None if it is a value."""
    return result if isinstance(result, PLACES) else dereference(interpreter, result, strict=True)


def _global_place(interpreter: DeviceInterpreter, node: ir.Name) -> Place | None:
    entry = interpreter.symbols.find_global(node.name, interpreter.path)
    if entry is None:
        return None
    type_ = interpreter.types.resolve(entry.variable.type)
    if type_.dims:
        return None
    if "__device__" in entry.variable.qualifiers:
        array = interpreter.array(last_component(node.name), type_)
        return MemoryPlace(PointerValue(array, number(0, "long"), type_))
    value = interpreter.evaluate(node)
    if not isinstance(value, StructValue):
        return None
    return interpreter.constant_place(entry.qualified_name, type_, value)


def _cast_place(interpreter: DeviceInterpreter, node: ir.Cast) -> Place | None:
    """``reinterpret_cast<float4&>(x)``."""
    if not node.type.reference:
        return None
    inner = place_of(interpreter, node.operand)
    if isinstance(inner, MemoryPlace):
        pointee = interpreter.types.resolve(node.type)
        target = Type(pointee.name, pointee.args, pointee.pointers, const=pointee.const)
        return MemoryPlace(PointerValue(inner.pointer.array, inner.pointer.offset, target))
    if inner is not None:
        interpreter.costs.operations.keep_all()  # Its elements are read as others.
    return inner


def dereference(
    interpreter: DeviceInterpreter, value: DeviceValue, *, strict: bool = False
) -> Place | None:
    """The place an address names."""
    if isinstance(value, PointerValue):
        return None if strict else MemoryPlace(value)
    if isinstance(value, PlacePointer):
        if value.index is not None or _is_array(interpreter, value.place):
            return _element_place(interpreter, value, value.index or number(0, "int"))
        return value.place
    return None


def _is_array(interpreter: DeviceInterpreter, place: Place) -> bool:
    if isinstance(place, MemoryPlace):
        return False
    held = interpreter.read(place)
    return isinstance(held, StructValue) and bool(held.type.dims)


def _element_place(interpreter: DeviceInterpreter, pointer: PlacePointer, index: Value) -> Place:
    """The element of an array held in registers, or of an object read as an array of numbers."""
    known = index.whole
    type_ = interpreter.place_type(pointer.place)
    if not type_.dims and type_.name != pointer.pointee.name:
        found = _number_place(interpreter, pointer, known) if known is not None else None
        if found is not None:
            return found
        return FieldPlace(pointer.place, None, pointer.pointee, index)
    name = str(known) if known is not None else None
    return FieldPlace(pointer.place, name, pointer.pointee, index)


def _number_place(
    interpreter: DeviceInterpreter, pointer: PlacePointer, index: int
) -> Place | None:
    """The number at an index of an object that is read as an array of them; None if unknown."""
    place, width = pointer.place, interpreter.types.size(pointer.pointee)
    type_, offset = interpreter.place_type(place), index * (width or 0)
    while width and not type_.dims:
        fields = (interpreter.types.fields(type_) or {}).items()
        found = next(
            (each for each in fields if 0 <= offset - each[1].offset_bytes < each[1].size_bytes),
            None,
        )
        if found is None:
            return None
        name, field = found
        if not field.type.dims and not interpreter.types.system.is_class(field.type):
            return FieldPlace(place, name, pointer.pointee)
        place, type_ = FieldPlace(place, name, field.type), field.type
        offset -= field.offset_bytes
    if not width or len(type_.dims) != 1:
        return None
    return FieldPlace(place, str(offset // width), pointer.pointee)


def _index_place(interpreter: DeviceInterpreter, node: ir.Index) -> Place | None:
    referred = call_member_operator(interpreter, "[]", node.base, (node.index,))
    if referred is not None:
        return _referred_to(interpreter, referred)
    base = interpreter.evaluate(node.base)
    index = scalar(interpreter, node.index)
    if isinstance(base, Value) and isinstance(node.base, ir.Literal):
        return None
    if isinstance(base, PointerValue):
        _note_bound(interpreter, base, index)
        return MemoryPlace(offset_by(interpreter, base, index))
    if isinstance(base, PlacePointer):
        if base.index is not None:
            index = binary(interpreter, "+", base.index, index)
        if not isinstance(base.place, MemoryPlace):
            return _element_place(interpreter, base, index)
    if isinstance(base, StructValue):
        inner = place_of(interpreter, node.base)
        type_ = _element_type(interpreter, base)
        known = index.whole
        return (
            FieldPlace(inner, str(known) if known is not None else None, type_, index)
            if inner
            else None
        )
    return None


def _note_bound(interpreter: DeviceInterpreter, array: PointerValue, index: Value) -> None:
    """Note how many values a loaded number can have that picks an element of a declared array."""
    if array.elements is None or array.elements < _FEWEST or index.expr is None:
        return
    loaded = [symbol for symbol in index.expr.symbols() if symbol.scope is SymbolScope.DATA]
    step = index.expr.coefficient(loaded[0]) if len(loaded) == 1 else None
    if step is None or not isinstance(step.constant, int):
        return
    values = -(-array.elements // max(1, abs(step.constant)))
    counts, key = interpreter.costs.value_counts, (array.array, loaded[0])
    counts[key] = min(values, counts.get(key, values))


def _element_type(interpreter: DeviceInterpreter, held: StructValue) -> Type:
    """The elements of an array that is an object, such as ``std::array``."""
    first = held.type.args[0] if held.type.args else None
    if last_component(held.type.name) == "array" and isinstance(first, Type):
        return interpreter.types.resolve(first)
    element = next(iter(held.fields.values()), None)
    return interpreter.type_of(element) if element is not None else Type("int")


def _member_place(interpreter: DeviceInterpreter, node: ir.Member) -> Place | None:
    if isinstance(node.base, ir.Name) and node.base.name in INDEX_BUILTINS:
        return None
    if node.arrow or (isinstance(node.base, ir.Name) and node.base.name == "this"):
        if isinstance(node.base, ir.Name) and node.base.name == "this":
            owner = interpreter.frames[-1].this
        else:
            owner = _pointed_to(interpreter, node.base)
    else:
        owner = place_of(interpreter, node.base)
    return field_place(interpreter, owner, node.name) if owner is not None else None


def _pointed_to(interpreter: DeviceInterpreter, node: ir.Expression) -> Place | None:
    """The object of ``node->``; of a class with ``operator->``, what that points to."""
    result = call_member_operator(interpreter, "->", node)
    if result is None:
        return dereference(interpreter, interpreter.evaluate(node))
    return result if isinstance(result, PLACES) else dereference(interpreter, result)


def field_place(interpreter: DeviceInterpreter, owner: Place, name: str) -> Place | None:
    """The place of a member of the object at a place."""
    if interpreter.opencl:
        picked = component_place(interpreter, owner, name)
        if picked is not None:
            return picked
    if isinstance(owner, SwizzlePlace):
        position = field_names(len(owner.names)).index(name)
        return field_place(interpreter, owner.owner, owner.names[position])
    if isinstance(owner, MemoryPlace):
        half = packed_element(interpreter.types.resolve(owner.pointer.pointee), name)
        if half is not None:
            return MemoryPlace(field_of(owner.pointer, SCALARS[half] * (name == "y"), Type(half)))
        layout = interpreter.types.fields(owner.pointer.pointee)
        if layout is None or name not in layout:
            return MemoryPlace(owner.pointer)
        member = layout[name]
        return MemoryPlace(field_of(owner.pointer, member.offset_bytes, member.type))
    held = interpreter.read(owner)
    if isinstance(held, PlacePointer):
        return field_place(interpreter, held.place, name)
    if isinstance(held, PointerValue):
        return field_place(interpreter, MemoryPlace(held), name)
    if isinstance(held, StructValue):
        layout = interpreter.types.fields(held.type) or {}
        type_ = layout[name].type if name in layout else _type_in(interpreter, held, name)
        return FieldPlace(owner, name, interpreter.types.resolve(type_))
    type_ = interpreter.types.resolve(interpreter.place_type(owner))
    fragment = fragment_value(interpreter, type_)  # an array's element that nothing was stored to
    if fragment is not None and name in fragment.fields:
        return FieldPlace(owner, name, interpreter.type_of(fragment.fields[name]))
    return FieldPlace(owner, name, Type(packed_element(type_, name) or "int"))


def _type_in(interpreter: DeviceInterpreter, held: StructValue, name: str) -> Type:
    inner = held.fields.get(name)
    return interpreter.type_of(inner) if inner is not None else Type("int")


def _is_field_of(interpreter: DeviceInterpreter, this: Place, name: str, member: str) -> bool:
    """Whether an object's class or a base of it is called so, and its member of a name is meant.

    It is not where a class that derives from the base has a field of that name, too: an object
    holds one field of each name. ``name`` may be an alias.
    """
    type_ = this.pointer.pointee if isinstance(this, MemoryPlace) else interpreter.place_type(this)
    names = {last_component(name), last_component(interpreter.types.resolve(Type(name)).name)}
    classes = interpreter.types.system.classes.hierarchy(interpreter.types.resolve(type_))
    for _, struct in classes:
        if struct.name in names:
            return True
        if any(field.name == member for field in struct.fields):
            return False
    return False


def implicit_member(interpreter: DeviceInterpreter, name: str) -> Place | None:
    """A field named without ``this->`` inside a method; ``Base<T>::field`` is one of a base."""
    this = interpreter.frames[-1].this
    if this is None:
        return None
    if "::" in name:
        prefix, _, member = name.rpartition("::")
        if not _is_field_of(interpreter, this, prefix, member):
            return None
        name = member
    if isinstance(this, MemoryPlace):
        layout = interpreter.types.fields(this.pointer.pointee) or {}
    else:
        owner = interpreter.read(this)
        if isinstance(owner, StructValue) and name in owner.fields:
            return FieldPlace(this, name, interpreter.type_of(owner.fields[name]))
        layout = {}
    return field_place(interpreter, this, name) if name in layout else None

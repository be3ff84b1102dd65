"""Values that brace lists give: arrays, objects, containers."""

from __future__ import annotations

from roofline_analysis.host.objects.construction import (
    STRINGS,
    apply_member_defaults,
    construct,
    data_fields,
    zero_value,
)
from roofline_analysis.host.objects.containers import is_container, make_container
from roofline_analysis.host.objects.launch_objects import launch_object
from roofline_analysis.host.state.access import array_storage, rvalue
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import AUTO, MAX_ELEMENTS, Cell, HostPlace, Storage
from roofline_analysis.host.state.operators import convert
from roofline_analysis.host.state.packs import expansion
from roofline_analysis.host.state.types import class_of, field_type, resolve, sizeof
from roofline_analysis.host.values import Aggregate, OpaqueValue, Text, Value
from roofline_analysis.language.types import vector_parts
from roofline_core.algebra.operations import truncated
from roofline_core.algebra.symbolic import constant
from roofline_core.program.expressions import Expansion, Expression, InitList, Literal, Name
from roofline_core.program.types import Type
from roofline_core.program.units import Struct


def initialise(interpreter: HostInterpreter, type: Type, node: InitList, name: str) -> Value:
    """The value of a (resolved) type that a brace list gives."""
    if type.dims:
        return _array(interpreter, type, node, name)
    if type.pointers or type.name in SCALARS:
        if not node.items:
            return zero_value(type) or OpaqueValue(name, "it is not initialised")
        return convert(interpreter, interpreter.eval(node.items[0]), type)
    if is_container(type):
        return make_container(
            interpreter, type, [_item_place(interpreter, type, i) for i in node.items], name, True
        )
    struct = class_of(interpreter, type)
    if struct is not None and not interpreter.symbols.find_methods(struct, struct.name):
        return _aggregate(interpreter, struct, type, node)
    if struct is None and vector_parts(type.name) is None and type.name not in STRINGS:
        if type.name.removeprefix("std::") not in ("pair", "tuple", "complex"):
            values = [interpreter.eval(item) for item in node.items]
            made = launch_object(type, values)
            return made or Aggregate(type, {str(i): v for i, v in enumerate(values)})
    return construct(interpreter, type, [interpreter.place(item) for item in node.items], name)


def _item_place(interpreter: HostInterpreter, type: Type, item: Expression) -> HostPlace:
    if isinstance(item, InitList) and type.args and isinstance(type.args[0], Type):
        return Cell("", AUTO, initialise(interpreter, resolve(interpreter, type.args[0]), item, ""))
    return interpreter.place(item)


def _aggregate(interpreter: HostInterpreter, struct: Struct, type: Type, node: InitList) -> Value:
    result = Aggregate(type)
    apply_member_defaults(interpreter, struct, type, result)
    fields = data_fields(interpreter, struct)
    given = 0
    named: set[str] = set()
    for field in fields:
        if given >= len(node.items):
            break
        item = node.items[given]
        given += 1
        kind = field_type(interpreter, type, field.name) or AUTO
        named.add(field.name)
        if isinstance(item, InitList):
            result.fields[field.name] = initialise(interpreter, kind, item, field.name)
        elif kind.dims:
            # Without braces of its own, an array takes as many items as it has elements.
            text = isinstance(item, Literal) and isinstance(item.value, str)
            count = 1 if text else _element_count(interpreter, kind) or 1
            items = node.items[given - 1 : given - 1 + count]
            given += len(items) - 1
            result.fields[field.name] = _array(
                interpreter, kind, InitList(node.line, items), field.name
            )
        else:
            result.fields[field.name] = convert(interpreter, interpreter.eval(item), kind)
    for field in fields:
        if field.name not in named and field.name not in result.fields:
            zero = zero_value(resolve(interpreter, field.type))
            if zero is not None:
                result.fields[field.name] = zero
    return result


def _element_count(interpreter: HostInterpreter, type: Type) -> int | None:
    """The elements of an array, None if a bound is not known."""
    count = 1
    for dim in type.dims:
        extent = interpreter.number(interpreter.eval(dim)) if dim is not None else None
        known = truncated(extent.value.constant) if extent is not None else None
        if known is None:
            return None
        count *= known
    return count


def _array(interpreter: HostInterpreter, type: Type, node: InitList, name: str) -> Value:
    element = Type(type.name, type.args, type.pointers)
    dims = type.dims
    if dims[0] is None:
        dims = (Literal(node.line, len(node.items), "int"), *dims[1:])
        type = Type(type.name, type.args, type.pointers, dims=dims)
    storage = array_storage(interpreter, name, type)
    storage.origin = interpreter.origin("initialiser", node.line)
    storage.fill = zero_value(element)
    _fill(interpreter, storage, element, node, dims, 0)
    return storage


def _is_pack(interpreter: HostInterpreter, item: Expression) -> bool:
    """Whether an item is the numbers of a pack among the template parameters in force."""
    pattern = item.pattern if isinstance(item, Expansion) else item
    if not isinstance(pattern, Name):
        return False
    name = pattern.name
    function = interpreter.frame.function if interpreter.frames else None
    return function is not None and any(p.pack and p.name == name for p in function.template_params)


def _fill(
    interpreter: HostInterpreter,
    storage: Storage,
    element: Type,
    node: InitList,
    dims: tuple[Expression | None, ...],
    start: int,
) -> None:
    inner = sizeof(interpreter, Type("char", dims=dims[1:])) if len(dims) > 1 else constant(1)
    stride = inner.constant if inner is not None else None
    position = start
    for item in node.items:
        if position - start >= MAX_ELEMENTS:
            storage.fill = None
            return
        if isinstance(item, InitList) and len(dims) > 1:
            _fill(interpreter, storage, element, item, dims[1:], position)
            position += int(stride) if stride is not None else len(item.items)
            continue
        if _is_pack(interpreter, item):
            storage.fill = None  # The numbers of a pack of template arguments are not kept.
            storage.elements.clear()
            return
        expanded = expansion(interpreter, item)
        if expanded is not None:
            for place in expanded:
                storage.elements[position] = convert(
                    interpreter, rvalue(interpreter, place), element
                )
                position += 1
            continue
        if isinstance(item, InitList):
            storage.elements[position] = initialise(interpreter, element, item, storage.name)
        else:
            value = interpreter.eval(item)
            if isinstance(value, Text) and not element.pointers and element.name == "char":
                storage.text = value.value
            else:
                storage.elements[position] = convert(interpreter, value, element)
        position += 1

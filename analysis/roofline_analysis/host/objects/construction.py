"""Making values of declared types: constructors, initialiser lists, defaults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.objects.containers import is_container, make_container, smart_pointer
from roofline_analysis.host.objects.iterators import iterator
from roofline_analysis.host.objects.launch_objects import launch_object
from roofline_analysis.host.objects.maps import is_map
from roofline_analysis.host.state.access import array_storage, points_to_rows, rvalue, to_rows
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.invoke import invoke, passed, sliced
from roofline_analysis.host.state.memory import AUTO, Cell, HostFieldPlace, HostPlace, Storage
from roofline_analysis.host.state.open_files import open_stream
from roofline_analysis.host.state.operators import convert, copied, integer, to_scalar_type
from roofline_analysis.host.state.packs import argument_places
from roofline_analysis.host.state.templates import choose_overload, type_of
from roofline_analysis.host.state.types import (
    as_host_bindings,
    class_bindings,
    class_of,
    class_scope,
    field_type,
    resolve,
)
from roofline_analysis.host.values import (
    Aggregate,
    FunctionValue,
    OpaqueValue,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_analysis.language.opencl_types import field_names
from roofline_analysis.language.scope import NO_NAMES
from roofline_analysis.language.symbols import MAX_BASES_DEPTH, last_component
from roofline_analysis.language.templates import other_instance
from roofline_analysis.language.types import vector_parts
from roofline_core.algebra.symbolic import ZERO, constant
from roofline_core.program.expressions import Expression, InitList
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Struct

LIBRARY_CLASSES: Final[
    dict[str, Callable[[HostInterpreter, Type, Sequence[HostPlace], str], Value | None]]
] = {}
"""Makers of objects of libraries' classes by simple name; None: not meant here."""

STRINGS = frozenset(("std::string", "string", "std::string_view", "string_view"))


def declared_value(
    interpreter: HostInterpreter, variable: Variable, zeroed: bool = False
) -> tuple[Type, Value | None]:
    """The resolved type of a declared variable and the value it starts with."""
    type = resolve(interpreter, variable.type)
    init = variable.init
    value: Value | None
    if isinstance(init, InitList):
        value = interpreter.initialise(type, init, variable.name)
    elif init is not None:
        value = _initial_value(interpreter, type, init, variable.name)
        if type.name == "auto":
            type = type_of(interpreter, value) or type
            if isinstance(value, Pointer) and not type.pointers:
                type = AUTO
    elif variable.ctor_args is not None:
        args = [interpreter.place(argument) for argument in variable.ctor_args]
        if type.dims:
            value = array_storage(interpreter, variable.name, type)
        else:
            value = construct(interpreter, type, args, variable.name)
    else:
        value = default_value(interpreter, type, variable.name)
        if zeroed and value is None:
            value = zero_value(type)
    if value is not None:
        _settle(variable, value, zeroed)
    return type, value


def _settle(variable: Variable, value: Value, zeroed: bool) -> None:
    """Name the memory of a new variable and say where it lies and whether it is cleared."""
    if isinstance(value, Storage):
        value.name = variable.name
        if variable.qualifiers & {"__constant__", "__device__", "__managed__"}:
            constant = "__constant__" in variable.qualifiers
            value.space = BufferSpace.CONSTANT if constant else BufferSpace.DEVICE
        elif zeroed and variable.init is None:
            value.fill = zero_value(value.element or AUTO)
    elif isinstance(value, Pointer) and value.buffer is not None and not value.buffer.name:
        value.buffer.name = variable.name


def _initial_value(interpreter: HostInterpreter, type: Type, init: Expression, name: str) -> Value:
    place = interpreter.place(init)
    if points_to_rows(type):
        return to_rows(rvalue(interpreter, place), type)
    if type.dims:
        value = place.get()
        storage = array_storage(interpreter, name, type)
        if isinstance(value, Text):
            storage.text = value.value
            if storage.size_bytes is None:
                storage.size_bytes = constant(len(value.value) + 1)
        return storage
    value = rvalue(interpreter, place)
    if isinstance(value, Aggregate):
        same = type.name in ("auto", value.type.name) or value.type.name == "initializer_list"
        same = same and not other_instance(value.type, type)
        struct = class_of(interpreter, value.type)
        if same and struct is not None and _is_copied(interpreter, struct, place):
            return construct(interpreter, value.type, [place], name)
        if same or interpreter.symbols.find_struct(type.name) is None:
            return copied(value) or value
        if _derives(interpreter, value.type, type):
            return sliced(interpreter, copied(value) or value, type)
    if not type.pointers and type.name not in SCALARS and type.name != "auto":
        if not isinstance(value, (OpaqueValue, FunctionValue)) or type.name in STRINGS:
            if not isinstance(value, Pointer) or is_container(type):
                return construct(interpreter, type, [Cell("", AUTO, value)], name)
    return convert(interpreter, value, type)


def _derives(interpreter: HostInterpreter, derived: Type, base: Type) -> bool:
    struct = interpreter.symbols.find_struct(derived.name)
    return struct is not None and any(
        b.name == base.name for b, _ in interpreter.symbols.bases_of(struct)
    )


def zero_value(type: Type) -> Value | None:
    """What zero-initialisation gives a scalar or pointer, None for other types."""
    if type.dims and not points_to_rows(type):
        return None
    if type.dims or type.pointers:
        return Pointer(None, ZERO, type.pointee())
    return integer(0, type.name) if type.name in SCALARS else None


def default_value(interpreter: HostInterpreter, type: Type, name: str) -> Value | None:
    """What a variable without an initialiser holds; None where that is indeterminate."""
    if type.dims:
        return None if points_to_rows(type) else array_storage(interpreter, name, type)
    if type.pointers or type.name in SCALARS:
        return None
    return construct(interpreter, type, [], name)


def construct(
    interpreter: HostInterpreter, type: Type, args: Sequence[HostPlace], name: str = ""
) -> Value:
    """An object of a (resolved) type made from arguments."""
    if type.pointers or type.name in SCALARS:
        if not args:
            return zero_value(type) or OpaqueValue(name, "it is not initialised")
        return convert(interpreter, rvalue(interpreter, args[0]), type)
    if type.name in STRINGS:
        return _string(interpreter, args)
    vector = vector_parts(type.name)
    if vector is not None:
        return _vector_value(interpreter, type, vector, args)
    if is_container(type):
        return make_container(interpreter, type, args, name)
    if smart_pointer(type):
        return rvalue(interpreter, args[0]) if args else Pointer(None, ZERO)
    struct = class_of(interpreter, type)
    library = LIBRARY_CLASSES.get(type.name.rpartition("::")[2])
    if library is not None and (struct is None or type.name.startswith("cl::")):
        made = library(interpreter, type, args, name)
        if made is not None:
            return made
    if struct is not None:
        return _object(interpreter, struct, type, args)
    return _library_object(interpreter, type, args, name)


def _library_object(
    interpreter: HostInterpreter, type: Type, args: Sequence[HostPlace], name: str
) -> Value:
    """An object of a class that the program does not define."""
    found: Value | None = launch_object(type, [rvalue(interpreter, argument) for argument in args])
    if found is None:
        found = iterator(interpreter, type, args)
    if found is not None:
        return found
    if "stream" in type.name:
        values = [rvalue(interpreter, argument) for argument in args]
        stream = Aggregate(type)
        if "string" in type.name and values:
            stream.fields["text"] = values[0]
        elif "fstream" in type.name:
            open_stream(interpreter, stream, values)
        return stream
    if type.name.removeprefix("std::") in ("pair", "tuple") and args:
        names = ["first", "second"] + [f"_{i}" for i in range(2, len(args))]
        return Aggregate(
            type, {n: rvalue(interpreter, a) for n, a in zip(names, args, strict=False)}
        )
    if len(args) == 1 and type.name in ("auto", "std::function", "function"):
        return rvalue(interpreter, args[0])
    if len(args) == 1:
        # An enumeration, a half or a strong typedef: the number stands for it.
        single = rvalue(interpreter, args[0])
        if isinstance(single, (Scalar, Pointer)):
            return single
    if not args and type.name not in ("auto", "void"):
        return Aggregate(type)
    return OpaqueValue(name or type.name, f"'{type.name}' is not modelled", type)


def _string(interpreter: HostInterpreter, args: Sequence[HostPlace]) -> Value:
    if not args:
        return Text("")
    value = rvalue(interpreter, args[0])
    if isinstance(value, Pointer) and isinstance(value.buffer, Storage):
        if value.buffer.text is not None:
            return Text(value.buffer.text, value.origin)
        return OpaqueValue(value.buffer.name or "a string", "its characters are not known")
    if isinstance(value, Scalar):
        return OpaqueValue("a string", "made from characters that are not known")
    return value


def _vector_value(
    interpreter: HostInterpreter, type: Type, vector: tuple[str, int], args: Sequence[HostPlace]
) -> Value:
    kind, count = vector
    if len(args) == 1:
        single = rvalue(interpreter, args[0])
        if isinstance(single, Aggregate) and single.type.name != "initializer_list":
            made = copied(single)
            if isinstance(made, Aggregate):
                made.type = type
                return made
    result = Aggregate(type)
    if not args and type.name != "dim3":
        return result
    default = 1 if type.name == "dim3" else 0
    for position, field in enumerate(field_names(count)):
        if position < len(args):
            value = rvalue(interpreter, args[position])
            number = interpreter.number(value, kind)
            if number is not None:
                result.fields[field] = to_scalar_type(number, kind)
        else:
            result.fields[field] = integer(default, kind)
    return result


def _object(
    interpreter: HostInterpreter, struct: Struct, type: Type, args: Sequence[HostPlace]
) -> Value:
    result = Aggregate(type)
    constructors = interpreter.symbols.find_methods(struct, struct.name)
    given = args[0].get() if len(args) == 1 else None
    single = given if isinstance(given, Aggregate) else None
    if single is not None and single.type.name == type.name:
        if not other_instance(single.type, type) and not _is_copied(interpreter, struct, args[0]):
            return copied(single) or single
    apply_member_defaults(interpreter, struct, type, result)
    if args and not constructors:
        type_of_base = _constructing_base(interpreter, struct, type)
        base = class_of(interpreter, type_of_base) if type_of_base is not None else None
        if type_of_base is not None and base is not None:
            struct, type = base, type_of_base
            constructors = interpreter.symbols.find_methods(struct, struct.name)
    if constructors:
        scope = class_scope(interpreter, type) or NO_NAMES
        chosen = choose_overload(interpreter, FunctionValue(tuple(constructors)), args, scope)
        if chosen is not None and (len(args) <= len(chosen.params) or _takes_pack(chosen)):
            bindings = class_bindings(interpreter, type)
            if struct.template_params and not type.args and interpreter.frame.owner is struct:
                bindings = dict(interpreter.frame.bindings)
            invoke(interpreter, chosen, args, bindings, result)
            return result
    if single is not None and other_instance(single.type, type):
        return Aggregate(type)  # Conversions between instances are not followed.
    for field, argument in zip(data_fields(interpreter, struct), args, strict=False):
        field_kind = field_type(interpreter, type, field.name) or AUTO
        result.fields[field.name] = passed(interpreter, argument, field_kind)
    return result


def _takes_pack(function: Function) -> bool:
    return any(parameter.pack for parameter in function.template_params)


def _constructing_base(interpreter: HostInterpreter, struct: Struct, type: Type) -> Type | None:
    """The base whose constructors a class has by ``using Base::Base``; None where it has none."""
    scope = class_scope(interpreter, type)
    if scope is None or not struct.imports:
        return None
    names = {last_component(name) for name in struct.imports}
    for written, closed in zip(
        struct.bases, interpreter.types.classes.bases_of(scope), strict=False
    ):
        base = class_of(interpreter, closed)
        aliases = {name for name, target in struct.aliases.items() if target.name == written.name}
        if base is not None and names & {base.name, *aliases}:
            return closed
    return None


def _is_copied(interpreter: HostInterpreter, struct: Struct, place: HostPlace) -> bool:
    """Whether a class's own copy constructor makes a copy; a temporary is not copied."""
    stored = bool(place.name) or not isinstance(place, Cell)
    return stored and interpreter.symbols.copies_itself(struct)


def data_fields(interpreter: HostInterpreter, struct: Struct) -> list[Variable]:
    """The members that objects of a class hold, those of its bases first."""
    fields: list[Variable] = []
    for _, parent in interpreter.symbols.bases_of(struct):
        fields = data_members(parent) + fields
    return fields + data_members(struct)


def data_members(struct: Struct) -> list[Variable]:
    """The members that objects of a class hold, without those of its bases."""
    return [f for f in struct.fields if not f.qualifiers & {"static", "constexpr"}]


def apply_member_defaults(
    interpreter: HostInterpreter, struct: Struct, type: Type, result: Aggregate, depth: int = 0
) -> None:
    """Give the members of a new object their default initialisers, bases first."""
    scope = class_scope(interpreter, type) or NO_NAMES
    for closed in interpreter.types.classes.bases_of(scope) if depth < MAX_BASES_DEPTH else ():
        parent = class_of(interpreter, closed)
        if parent is not None:
            apply_member_defaults(interpreter, parent, closed, result, depth + 1)
    interpreter.enter(None, as_host_bindings(scope.bindings), this=result, owner=struct)
    try:
        for field in data_members(struct):
            if (
                field.init is not None
                or field.ctor_args is not None
                or _needs_default(interpreter, field)
            ):
                value = declared_value(interpreter, field)[1]
                if value is not None:
                    result.fields[field.name] = value
    finally:
        interpreter.frames.pop()


def _needs_default(interpreter: HostInterpreter, field: Variable) -> bool:
    type = field.type
    if type.pointers or type.name in SCALARS or type.reference:
        return False
    type = resolve(interpreter, type)
    known = is_container(type) or is_map(type) or type.name in STRINGS
    return known or type.name == "dim3" or "stream" in type.name


def construct_field(interpreter: HostInterpreter, name: str, args: Sequence[Expression]) -> None:
    """Execute one entry of a constructor's initialiser list: a member, a base or itself."""
    this, owner = interpreter.frame.this, interpreter.frame.owner
    if this is None:
        return
    type = field_type(interpreter, this.type, name)
    if type is None and owner is not None:
        struct = interpreter.symbols.find_struct(name)
        if struct is not None:
            _construct_base(interpreter, struct, this, argument_places(interpreter, args))
        return
    place = HostFieldPlace(this, name, type or AUTO)
    if len(args) == 1 and isinstance(args[0], InitList):
        interpreter.store(place, interpreter.initialise(place.type, args[0], name))
        return
    if place.type.dims:
        items = InitList(args[0].line, tuple(args)) if args else None
        array = interpreter.initialise(place.type, items, name) if items is not None else None
        interpreter.store(place, array or array_storage(interpreter, name, place.type))
        return
    places = argument_places(interpreter, args)
    if type is None or (place.type.name == "auto" and len(places) == 1):
        interpreter.store(place, rvalue(interpreter, places[0]) if places else None)
        return
    interpreter.store(place, construct(interpreter, place.type, places, name))


def _construct_base(
    interpreter: HostInterpreter, struct: Struct, this: Aggregate, args: Sequence[HostPlace]
) -> None:
    constructors = interpreter.symbols.find_methods(struct, struct.name)
    chosen = (
        choose_overload(interpreter, FunctionValue(tuple(constructors)), args)
        if constructors
        else None
    )
    if chosen is not None:
        invoke(interpreter, chosen, args, dict(interpreter.frame.bindings), this)

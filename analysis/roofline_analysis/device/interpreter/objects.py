"""Objects in device code: methods, function objects, lambdas, constructors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from roofline_analysis.device.functions.cub import primitive_method, primitive_value
from roofline_analysis.device.functions.thread_groups import builtin_method
from roofline_analysis.device.interpreter.inlining import (
    PLACES,
    argument,
    callee_of,
    declare_argument,
    inline,
    unknown_call,
    value_at,
)
from roofline_analysis.device.interpreter.receivers import methods_of
from roofline_analysis.device.interpreter.returned_values import chosen_integer
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.frames import DeviceFrame, Names
from roofline_analysis.device.state.interpreter_state import MAX_INLINE_DEPTH, DeviceInterpreter
from roofline_analysis.device.state.vectors import build
from roofline_analysis.device.values import (
    CodeValue,
    DeviceValue,
    Place,
    StructValue,
    Value,
    VariablePlace,
    number,
)
from roofline_analysis.language.callees import Callee
from roofline_analysis.language.conversion_ranks import lvalue, rvalue
from roofline_analysis.language.namespaces import same_name
from roofline_analysis.language.scope import Scope
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.templates import other_instance
from roofline_analysis.language.types import is_arithmetic, is_float, is_integer, vector_parts
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_core.program.units import Function


def method_call(
    interpreter: DeviceInterpreter, node: ex.Call, callee: ex.Member
) -> DeviceValue | Place:
    """``object.method(args)`` or ``pointer->method(args)``."""
    owner_place, stored = _receiver(interpreter, callee)
    owner_type = interpreter.types.resolve(interpreter.place_type(owner_place))
    primitive = primitive_method(interpreter, owner_type, callee.name, node.args, node)
    if primitive is not None:
        return primitive
    if callee.name == "get" and owner_type.pointers and not callee.arrow:
        return interpreter.read(owner_place)  # Of a library's class that is a pointer.
    known = methods_of(interpreter, callee, owner_place)
    methods, scope = known.methods, known.scope
    if not methods and not interpreter.types.system.is_class(owner_type):
        methods = _only_methods(interpreter, callee.name)
    this = lvalue(known.seen) if stored else rvalue(known.seen)
    found = callee_of(interpreter, methods, node.args, callee.template_args, scope, this)
    if found is not None:
        return inline(
            interpreter,
            found if known.certain else found.in_doubt(),
            node.args,
            this=owner_place,
            template_args=callee.template_args,
            scope=scope,
        )
    args = [interpreter.evaluate(arg) for arg in node.args]
    keep(interpreter, *args)
    held = interpreter.read(owner_place) if isinstance(owner_place, VariablePlace) else None
    group = held.type if isinstance(held, StructValue) else owner_type
    result = builtin_method(interpreter, callee.name, group, args, node)
    return result if result is not None else unknown_call(interpreter, node, callee.name)


def _receiver(interpreter: DeviceInterpreter, callee: ex.Member) -> tuple[Place, bool]:
    """The object of a method call, and whether it is stored somewhere: a temporary is not."""
    place = _object_place(interpreter, callee)
    if place is not None:
        return place, True
    base = callee.base
    owner = interpreter.call(base) if isinstance(base, ex.Call) else interpreter.evaluate(base)
    if isinstance(owner, PLACES):
        return owner, True
    return interpreter.declare("", interpreter.type_of(owner), owner), False


def _object_place(interpreter: DeviceInterpreter, callee: ex.Member) -> Place | None:
    if isinstance(callee.base, ex.Name) and callee.base.name == "this":
        return interpreter.frames[-1].this
    if callee.arrow:
        return interpreter.dereference(interpreter.evaluate(callee.base))
    if isinstance(callee.base, (ex.Call, ex.Construct)):
        return None
    return interpreter.place_of(callee.base)


def _only_methods(interpreter: DeviceInterpreter, name: str) -> list[Function]:
    """Methods of a name that a single class has, for an object whose type is not known."""
    methods = [m for m in interpreter.symbols.functions_named(name) if m.owner is not None]
    return methods if len({m.owner for m in methods}) == 1 else []


def call_object(
    interpreter: DeviceInterpreter, value: DeviceValue, place: Place | None, node: ex.Call
) -> DeviceValue | Place:
    """A call of a variable: a lambda, a function pointer or an object with ``operator()``."""
    if isinstance(value, CodeValue):
        if value.lambda_ is not None:
            return _call_lambda(interpreter, value, node)
        if value.function is not None:
            candidates = interpreter.symbols.functions_named(value.function.qualified_name)
            chosen = callee_of(interpreter, candidates, node.args, value.template_args)
            if chosen is not None:
                return inline(interpreter, chosen, node.args, template_args=value.template_args)
    type_ = interpreter.types.resolve(interpreter.type_of(value))
    methods, scope = interpreter.types.system.classes.find_methods(type_, "operator()")
    found = callee_of(interpreter, methods, node.args, scope=scope)
    if found is not None:
        owner = place or interpreter.declare("", type_, value)
        return inline(interpreter, found, node.args, this=owner, scope=scope)
    return unknown_call(interpreter, node, "operator()")


def _call_lambda(interpreter: DeviceInterpreter, code: CodeValue, node: ex.Call) -> DeviceValue:
    assert code.lambda_ is not None
    if len(interpreter.frames) > MAX_INLINE_DEPTH:
        interpreter.costs.operations.keep_all()
        return interpreter.opaque(Type("float"), interpreter.costs.loop_bits(), "lambda")
    bound = [
        argument(interpreter, p, a) for p, a in zip(code.lambda_.params, node.args, strict=False)
    ]
    around = code.around if isinstance(code.around, Names) else interpreter.names()
    before = interpreter.enter(around)
    this = interpreter.frames[-1].this
    interpreter.frames.append(
        DeviceFrame(
            None,
            this=this,
            first_slot=interpreter.next_slot,
            loop_around=interpreter.costs.region.innermost_loop,
            region_around=interpreter.costs.region,
        )
    )
    for parameter, value in zip(code.lambda_.params, bound, strict=False):
        declare_argument(interpreter, parameter, value)
    interpreter.execute(code.lambda_.body)
    frame = interpreter.frames.pop()
    interpreter.leave(before)
    if not frame.returns:
        return number(0, "int")
    values = [value_at(interpreter, each) for each in frame.returns]
    last = values[-1]
    if isinstance(last, Value):
        chosen = chosen_integer(interpreter, values, frame.conditions, last.type)
        if chosen is not None:
            return chosen
    keep(interpreter, *values[:-1])
    return last


def constructed(
    interpreter: DeviceInterpreter, type_: Type, nodes: Sequence[ex.Expression]
) -> DeviceValue:
    """``T(nodes)`` or ``T{nodes}``, the arguments evaluated as its constructor takes them."""
    type_ = interpreter.types.resolve(type_)
    keeping = _keeping_reference(interpreter, type_, nodes)
    if keeping is None:
        args = tuple(interpreter.evaluate(node) for node in nodes)
        return construct(interpreter, type_, args, nodes)
    found, scope = keeping
    place = interpreter.declare("", type_, _blank(interpreter, type_, scope))
    inline(interpreter, found, nodes, this=place, scope=scope)
    return interpreter.read(place)


def _keeping_reference(
    interpreter: DeviceInterpreter, type_: Type, nodes: Sequence[ex.Expression]
) -> tuple[Callee, Scope] | None:
    """The constructor that takes a number by reference, to refer to it later; None for others."""
    if not nodes or type_.pointers or type_.dims or not interpreter.types.system.is_class(type_):
        return None
    scope = interpreter.types.system.classes.scope_of(type_)
    if scope is None or scope.struct is None:
        return None
    constructors = interpreter.symbols.find_methods(scope.struct, scope.struct.name)
    if not any(_takes_number(interpreter, method, scope) for method in constructors):
        return None
    found = callee_of(interpreter, constructors, nodes, scope=scope)
    if found is None or not _takes_number(interpreter, found.function, scope):
        return None
    return found, scope


def _takes_number(interpreter: DeviceInterpreter, method: Function, scope: Scope) -> bool:
    for parameter in method.params:
        if parameter.type.reference and not (parameter.type.rvalue or parameter.type.const):
            resolved = interpreter.types.system.resolve(parameter.type, scope)
            if is_arithmetic(resolved.name) and not resolved.pointers:
                return True
    return False


def construct(
    interpreter: DeviceInterpreter,
    type_: Type,
    args: tuple[DeviceValue, ...],
    nodes: Sequence[ex.Expression],
) -> DeviceValue:
    """``T(args)`` or ``T{args}``."""
    type_ = interpreter.types.resolve(type_)
    if is_integer(type_.name) or is_float(type_.name) or type_.pointers:
        return interpreter.coerce(args[0], type_) if args else number(0, type_.name)
    made = primitive_value(interpreter, type_)
    if made is not None:
        return made
    if interpreter.opencl and vector_parts(type_.name) is not None:
        return build(interpreter, type_, args)
    if _is_one(args, type_) and not other_instance(args[0].type, type_):
        return args[0]
    scope = interpreter.types.system.classes.scope_of(type_)
    blank = _blank(interpreter, type_, scope)
    if not isinstance(blank, StructValue):
        keep(interpreter, *args)
        return blank
    if scope is not None and scope.struct is not None:
        constructors = interpreter.symbols.find_methods(scope.struct, scope.struct.name)
        found = callee_of(interpreter, constructors, args, scope=scope)
        if found is not None:
            place = interpreter.declare("", type_, blank)
            inline(interpreter, found, args, this=place, scope=scope)
            return interpreter.read(place)
    if _is_one(args, type_):
        return blank  # Conversions between instances are not followed.
    return _filled(interpreter, type_, blank, args)


def _is_one(args: tuple[DeviceValue, ...], type_: Type) -> TypeGuard[tuple[StructValue]]:
    """Whether the only argument is an object of a class template's instance, perhaps another."""
    return (
        len(args) == 1
        and isinstance(args[0], StructValue)
        and same_name(args[0].type.name, type_.name)
    )


def _filled(
    interpreter: DeviceInterpreter, type_: Type, blank: StructValue, args: tuple[DeviceValue, ...]
) -> StructValue:
    """An aggregate with its first fields given values."""
    layout = interpreter.types.fields(type_) or {}
    fields = dict(blank.fields)
    names = list(fields)
    keep(interpreter, *args[len(names) :])
    for name, arg in zip(names, args, strict=False):
        fields[name] = interpreter.coerce(arg, layout[name].type) if name in layout else arg
    return StructValue(type_, fields)


def _blank(interpreter: DeviceInterpreter, type_: Type, scope: Scope | None) -> DeviceValue:
    """A new object: its fields by their default initialisers, else not known."""
    value = interpreter.opaque(type_, 0, last_component(type_.name))
    if scope is None or scope.struct is None or not isinstance(value, StructValue):
        return value
    fields = dict(value.fields)
    initialised = [m for m in scope.struct.fields if m.init is not None and m.name in fields]
    if initialised:
        before = interpreter.enter(Names({}, scope, {}))
        for member in initialised:
            assert member.init is not None
            fields[member.name] = interpreter.coerce(interpreter.evaluate(member.init), member.type)
        interpreter.leave(before)
    return StructValue(value.type, fields)

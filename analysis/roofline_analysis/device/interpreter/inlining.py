"""Inlining: functions of the program are walked at the site of each call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofline_analysis.device.interpreter.returned_values import chosen_integer, is_all_float
from roofline_analysis.device.interpreter.static_types import argument_type
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.frames import DeviceFrame, Names
from roofline_analysis.device.state.interpreter_state import MAX_INLINE_DEPTH, DeviceInterpreter
from roofline_analysis.device.state.memory import need_value
from roofline_analysis.device.values import (
    CodeValue,
    DeviceValue,
    FieldPlace,
    MemoryPlace,
    Place,
    PlacePointer,
    PointerValue,
    StructValue,
    SwizzlePlace,
    Value,
    VariablePlace,
    number,
)
from roofline_analysis.language.callees import Callee, bind
from roofline_analysis.language.overloads import choose, possible
from roofline_analysis.language.packs import before_pack, written_out
from roofline_analysis.language.scope import NO_NAMES, Binding, Scope
from roofline_analysis.language.symbols import last_component
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program import expressions as ex
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function

TemplateArgs = tuple[Type | ex.Expression, ...] | None
Argument = ex.Expression | DeviceValue

PLACES = (VariablePlace, FieldPlace, MemoryPlace, SwizzlePlace)


def callee_of(
    interpreter: DeviceInterpreter,
    candidates: Sequence[Function],
    args: Sequence[Argument],
    template_args: TemplateArgs = None,
    scope: Scope = NO_NAMES,
    this: Type | None = None,
) -> Callee | None:
    """The device function with a body to which a call resolves; None if there is none.

    In OpenCL C a kernel may be called, too.
    """
    usable = [f for f in candidates if interpreter.opencl or "__global__" not in f.qualifiers]
    if not usable:
        return None
    types = [_argument_type(interpreter, arg) for arg in args]
    given = interpreter.types.given_arguments(template_args)
    system = interpreter.types.system
    callee = choose(system, usable, types, given, scope, _device_first, this)
    return callee if callee is not None and callee.function.has_body else None


def callable_with(
    interpreter: DeviceInterpreter,
    candidates: Sequence[Function],
    args: Sequence[Argument],
    template_args: TemplateArgs,
    scope: Scope,
) -> list[Function]:
    """Those of the functions that a call with these arguments can mean."""
    types = [_argument_type(interpreter, arg) for arg in args]
    given = interpreter.types.given_arguments(template_args)
    return possible(interpreter.types.system, candidates, types, given, scope)


def _device_first(function: Function) -> int:
    return int("__device__" in function.qualifiers)


def _argument_type(interpreter: DeviceInterpreter, arg: Argument) -> Type | None:
    if isinstance(arg, ex.Expression):
        return argument_type(interpreter, arg)
    return interpreter.types.resolve(interpreter.type_of(arg))


def inline(
    interpreter: DeviceInterpreter,
    callee: Callee,
    args: Sequence[Argument],
    *,
    this: Place | None = None,
    template_args: TemplateArgs = None,
    scope: Scope = NO_NAMES,
) -> DeviceValue | Place:
    """Walk a function's body in the place of its call.

    ``scope`` has the names in force where the function is declared: of a method, its class's.
    The result is a place if the function returns a reference to one; nothing is read from it yet.
    """
    function = written_out(callee.function, len(args))
    body = function.body
    bindings = {**scope.bindings, **callee.bindings}
    deep = len(interpreter.frames) > MAX_INLINE_DEPTH
    if body is None or deep or _recurs(interpreter, function, bindings):
        known = _computed(interpreter, function, args)
        return known if known is not None else _unseen(interpreter, function, args)
    bound = [
        argument(interpreter, p, a, callee.bindings.get(p.type.name))
        for p, a in zip(function.params, args, strict=False)
    ]
    site = interpreter.path, interpreter.costs.site
    first_slot = interpreter.next_slot
    before = interpreter.enter(_names_inside(interpreter, callee, bound, template_args, scope))
    refers = interpreter.types.resolve(function.return_type).reference
    interpreter.frames.append(
        DeviceFrame(
            function,
            this=this,
            first_slot=first_slot,
            returns_reference=refers,
            bindings=bindings,
            loop_around=interpreter.costs.region.innermost_loop,
            region_around=interpreter.costs.region,
        )
    )
    _declare_parameters(interpreter, function, bound)
    interpreter.path = function.path
    for name, values in function.initializers:
        _initialise_member(interpreter, this, name, values)
    interpreter.execute(body)
    frame = interpreter.frames.pop()
    result = _returned(interpreter, function, frame)
    interpreter.leave(before)
    interpreter.path, interpreter.costs.site = site
    if not callee.certain:
        return _in_doubt(interpreter, result, function.name)
    if not isinstance(result, (PlacePointer, *PLACES)):
        interpreter.drop_slots(first_slot)
    return result


def _computed(
    interpreter: DeviceInterpreter, function: Function, args: Sequence[Argument]
) -> DeviceValue | None:
    """What a ``constexpr`` function gives for numbers; None for other functions and arguments."""
    if "constexpr" not in function.qualifiers:
        return None
    line, numbers = function.span.line, []
    for arg in args:
        value = interpreter.evaluate(arg) if isinstance(arg, ex.Expression) else arg
        if not isinstance(value, Value) or value.constant is None:
            return None
        numbers.append(ex.Literal(line, value.constant, value.type))
    call = ex.Call(line, ex.Name(line, function.qualified_name), tuple(numbers))
    found = interpreter.typed_constant(call)
    return number(*found) if found is not None else None


def _unseen(
    interpreter: DeviceInterpreter, function: Function, args: Sequence[Argument]
) -> DeviceValue:
    """The unknown result of a call that is not followed; what its arguments reach is unknown, too.

    The function has no body, or calls are nested deeper, or into themselves, than is followed.
    """
    interpreter.costs.operations.keep_all()  # The arguments are not looked at.
    kind = UnseenKind.CALL if function.body is None else UnseenKind.RECURSION
    interpreter.costs.lose(kind, function.name)
    _forget_reached(interpreter, args)
    return interpreter.opaque(function.return_type, interpreter.costs.loop_bits(), function.name)


def _declare_parameters(
    interpreter: DeviceInterpreter, function: Function, bound: Sequence[DeviceValue | Place]
) -> None:
    """Declare the parameters that have names, with the arguments or their defaults."""
    for position, parameter in enumerate(function.params):
        if not parameter.name:
            continue
        if position < len(bound):
            declare_argument(interpreter, parameter, bound[position])
        elif parameter.init is not None:
            interpreter.declare(
                parameter.name, parameter.type, interpreter.evaluate(parameter.init)
            )


def _recurs(
    interpreter: DeviceInterpreter, function: Function, bindings: Mapping[str, Binding]
) -> bool:
    """Whether a function calls itself once more than is followed.

    Instances of a template for other arguments, ``bindings``, are functions of their own.
    """
    frames = (frame for frame in interpreter.frames if frame.function is function)
    return sum(frame.bindings == bindings for frame in frames) > 1


def _in_doubt(
    interpreter: DeviceInterpreter, result: DeviceValue | Place, name: str
) -> DeviceValue | Place:
    """The result of a call that may mean another function: no number that this one gave."""
    if isinstance(result, Value) and result.constant is not None:
        return interpreter.opaque(Type(result.type), result.varies, name, SymbolScope.UNKNOWN)
    return result


def _names_inside(
    interpreter: DeviceInterpreter,
    callee: Callee,
    bound: Sequence[DeviceValue | Place],
    template_args: TemplateArgs,
    scope: Scope,
) -> Names:
    """What names mean in a function's body: its template parameters, and its class's."""
    function = written_out(callee.function, len(bound))
    bindings = callee.bindings
    written = before_pack(callee.function, template_args)
    given = interpreter.types.given_arguments(written)
    if any(p.name not in bindings and not p.pack for p in function.template_params):
        types = [interpreter.types.resolve(_type_at(interpreter, value)) for value in bound]
        bindings = bind(interpreter.types.system, function, types, given, scope)
    constants: dict[str, DeviceValue] = {}
    for parameter, arg in zip(function.template_params, template_args or (), strict=False):
        if parameter.name not in bindings and parameter.type is not None:
            node = ex.Name(0, arg.name) if isinstance(arg, Type) else arg
            constants[parameter.name] = interpreter.evaluate(node)
    near = interpreter.types.system.names_near(callee.function)
    inside = Scope({**near, **scope.bindings, **bindings}, scope.owner, scope.struct)
    return Names({}, inside, constants)


def _type_at(interpreter: DeviceInterpreter, value: DeviceValue | Place) -> Type:
    return (
        interpreter.place_type(value) if isinstance(value, PLACES) else interpreter.type_of(value)
    )


def argument(
    interpreter: DeviceInterpreter,
    parameter: Variable,
    arg: ex.Expression | DeviceValue,
    stands_for: Binding | None = None,
) -> DeviceValue | Place:
    """A place for a reference parameter, a value for any other.

    ``stands_for`` is the template argument that the parameter's type is.
    """
    if not isinstance(arg, ex.Expression):
        return arg
    refers = parameter.type.reference or (isinstance(stands_for, Type) and stands_for.reference)
    if refers and isinstance(arg, ex.Call):
        result = interpreter.call(arg)
        if isinstance(result, PLACES):
            return result
        place = None if isinstance(result, PointerValue) else interpreter.dereference(result)
        return result if place is None else place
    if refers and not isinstance(arg, ex.Literal):
        place = interpreter.place_of(arg)
        if place is not None:
            return place
    return copy_of(interpreter, interpreter.evaluate(arg), arg)


def copy_of(interpreter: DeviceInterpreter, value: DeviceValue, node: ex.Expression) -> DeviceValue:
    """What a class's own copy constructor makes of an object that has a place; else the value."""
    if not isinstance(value, StructValue) or not isinstance(node, (ex.Name, ex.Member, ex.Index)):
        return value
    scope = interpreter.types.system.classes.scope_of(value.type) if not value.type.dims else None
    if scope is None or scope.struct is None or not interpreter.symbols.copies_itself(scope.struct):
        return value
    # What takes the object by value needs a copy of it first, so that one never makes the copy.
    constructors = [
        each
        for each in interpreter.symbols.find_methods(scope.struct, scope.struct.name)
        if each.params and each.params[0].type.reference
    ]
    found = callee_of(interpreter, constructors, (node,), scope=scope)
    if found is None:
        return value
    made = interpreter.declare("", value.type, interpreter.opaque(value.type, 0, scope.struct.name))
    inline(interpreter, found, (node,), this=made, scope=scope)
    return interpreter.read(made)


def declare_argument(
    interpreter: DeviceInterpreter, parameter: Variable, bound: DeviceValue | Place
) -> None:
    """Declare a parameter: a reference as another name for a place, else as a variable."""
    if isinstance(bound, PLACES):
        interpreter.scope.names[parameter.name] = bound
        interpreter.scope.references[parameter.name] = interpreter.types.resolve(parameter.type)
        return
    type_ = interpreter.types.resolve(parameter.type)
    whole = type_.reference and isinstance(bound, StructValue)
    interpreter.declare(parameter.name, type_, bound if whole else interpreter.coerce(bound, type_))


def _initialise_member(
    interpreter: DeviceInterpreter, this: Place | None, name: str, values: tuple[ex.Expression, ...]
) -> None:
    place = None
    if this is not None and _construct_part(interpreter, this, name, values):
        return
    if this is not None and len(values) == 1:
        place = interpreter.field_place(this, name)
    if place is None:
        if values:
            interpreter.costs.operations.keep_all()  # They are not looked at.
    else:
        interpreter.write(
            place,
            interpreter.coerce(interpreter.evaluate(values[0]), interpreter.place_type(place)),
        )


def _construct_part(
    interpreter: DeviceInterpreter, this: Place, name: str, values: tuple[ex.Expression, ...]
) -> bool:
    """Run a constructor that another names: of its own class or of a base; False for a field."""
    owner, classes = interpreter.types.scope.owner, interpreter.types.system.classes
    simple = last_component(name)
    if owner is None or name in (interpreter.types.fields(owner) or {}):
        return False
    for inside, struct in classes.hierarchy(owner):
        if struct.name == simple:
            constructors = interpreter.symbols.find_methods(struct, struct.name)
            found = callee_of(interpreter, constructors, values, scope=inside)
            if found is None:
                return False
            inline(interpreter, found, values, this=this, scope=inside)
            return True
    return False


def _returned(
    interpreter: DeviceInterpreter, function: Function, frame: DeviceFrame
) -> DeviceValue | Place:
    type_ = interpreter.types.resolve(function.return_type)
    if not frame.returns:
        return interpreter.opaque(Type("int") if type_.name == "void" else type_, 0, function.name)
    place = _returned_place(frame)
    if place is not None:
        return place
    values = [value_at(interpreter, each) for each in frame.returns]
    first = values[0]
    if len(values) == 1 or all(_same(first, other) for other in values[1:]):
        keep(interpreter, *values[1:])
        return interpreter.coerce(first, type_) if not type_.reference else first
    chosen = chosen_integer(interpreter, values, frame.conditions, type_.name)
    if chosen is not None:
        return chosen
    varies = 0
    for value in values:
        if is_all_float(value):
            need_value(interpreter, value)
        if isinstance(value, Value):
            varies |= value.varies
    if isinstance(first, (PointerValue, PlacePointer, CodeValue)):
        return first
    result_type = interpreter.type_of(first) if type_.name == "auto" else type_
    return interpreter.opaque(
        result_type, varies or interpreter.costs.loop_bits(), function.name, SymbolScope.DATA
    )


def _returned_place(frame: DeviceFrame) -> Place | None:
    """The place to which a function returns a reference; None if it returns a value.

    Of several, as in an accessor that tests its index, the last one: guards come first.
    """
    last = frame.returns[-1]
    places = all(isinstance(each, PLACES) for each in frame.returns)
    return last if places and isinstance(last, PLACES) else None


def value_at(interpreter: DeviceInterpreter, result: DeviceValue | Place) -> DeviceValue:
    """What a call gives where a value is wanted: what is at the place that it refers to."""
    return interpreter.read(result) if isinstance(result, PLACES) else result


def _same(left: DeviceValue, right: DeviceValue) -> bool:
    return left is right or (
        isinstance(left, Value)
        and isinstance(right, Value)
        and left.expr is not None
        and left.expr == right.expr
    )


def _forget_reached(interpreter: DeviceInterpreter, args: Sequence[Argument]) -> None:
    """Make unknown the variables that the objects and pointers given to a call point to."""
    for arg in args:
        held: DeviceValue | None = None
        if isinstance(arg, ex.Name):
            place = interpreter.scope.find(arg.name)
            held = interpreter.slots.get(place.slot) if isinstance(place, VariablePlace) else None
        elif not isinstance(arg, ex.Expression):
            held = arg
        if held is not None:
            _forget_pointed(interpreter, held)


def _forget_pointed(interpreter: DeviceInterpreter, value: DeviceValue) -> None:
    if isinstance(value, StructValue):
        for inner in value.fields.values():
            _forget_pointed(interpreter, inner)
    elif isinstance(value, PlacePointer) and isinstance(value.place, VariablePlace):
        slot = value.place.slot
        if slot in interpreter.slots:
            type_ = interpreter.slot_types[slot]
            made = interpreter.opaque(
                type_, interpreter.costs.loop_bits(), "result", SymbolScope.DATA
            )
            interpreter.slots[slot] = made


def forget_arguments(interpreter: DeviceInterpreter, node: ex.Call) -> None:
    """The variables that a call is given or pointed to are no longer known.

    So it is where its result is assigned to, which may refer to one of them.
    """
    for arg in node.args:
        place: Place | None = None
        if isinstance(arg, (ex.Name, ex.Member, ex.Index)):
            place = interpreter.place_of(arg)
            held = interpreter.slots.get(place.slot) if isinstance(place, VariablePlace) else None
            place = held.place if isinstance(held, PlacePointer) else place
        if isinstance(place, VariablePlace):
            type_ = interpreter.slot_types[place.slot]
            held = interpreter.opaque(
                type_, interpreter.costs.loop_bits(), "result", SymbolScope.DATA
            )
            interpreter.slots[place.slot] = held


def unknown_call(interpreter: DeviceInterpreter, node: ex.Call, name: str) -> DeviceValue:
    """The unknown result of an unknown function; everything that it may change becomes unknown."""
    for arg in node.args:
        value = interpreter.evaluate(arg)
        keep(interpreter, value)
        if isinstance(value, CodeValue):
            interpreter.costs.operations.keep_all()  # What it would read is not known.
        if isinstance(value, PlacePointer) and isinstance(value.place, VariablePlace):
            slot = value.place.slot
            interpreter.slots[slot] = interpreter.opaque(
                interpreter.slot_types[slot], interpreter.costs.loop_bits(), name, SymbolScope.DATA
            )
        elif isinstance(value, Value):
            need_value(interpreter, value)
    interpreter.costs.lose(UnseenKind.CALL, name)
    message = f"the function '{name}' is not known; its work is not counted"
    interpreter.note(message, node.line, name)
    return interpreter.opaque(Type("float"), interpreter.costs.loop_bits(), name, SymbolScope.DATA)

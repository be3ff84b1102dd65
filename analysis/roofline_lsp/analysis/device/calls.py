"""Calls in device code: inlined functions, methods and operators, and CUDA's built-in functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from roofline_lsp.analysis.device.block_primitives import primitive_method, primitive_value
from roofline_lsp.analysis.device.builtins import PASSING_ON, builtins_of
from roofline_lsp.analysis.device.limits import numeric_limit
from roofline_lsp.analysis.device.liveness import keep
from roofline_lsp.analysis.device.matrix_fragments import fragment_value
from roofline_lsp.analysis.device.memory import need_value
from roofline_lsp.analysis.device.overloads import choose, choose_by_types
from roofline_lsp.analysis.device.thread_groups import builtin_method
from roofline_lsp.analysis.device.values import (
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
from roofline_lsp.analysis.device.vectors import build
from roofline_lsp.analysis.device.walker import MAX_INLINE_DEPTH, Frame, Scope, Walker
from roofline_lsp.analysis.layout import canonical, is_float, is_integer, vector_parts
from roofline_lsp.kernel import expressions as ex
from roofline_lsp.kernel.program import Function
from roofline_lsp.kernel.types import Type

if TYPE_CHECKING:
    from roofline_lsp.kernel.statements import Variable

_SHARED_MATH: Final = frozenset(("min", "max", "abs", "swap"))


def call(walker: Walker, node: ex.Call) -> DeviceValue:
    """A call expression."""
    walker.at(node)
    callee = node.callee
    if isinstance(callee, ex.Member):
        return _method_call(walker, node, callee)
    if isinstance(callee, ex.Name):
        local = walker.scope.find(callee.name)
        if local is not None:
            return _call_object(walker, walker.read(local), local, node)
        return _named_call(walker, node, callee)
    value = walker.evaluate(callee)
    return _call_object(walker, value, None, node)


def _named_call(walker: Walker, node: ex.Call, callee: ex.Name) -> DeviceValue:
    limit = numeric_limit(walker, callee)
    if limit is not None:
        return limit
    bare = callee.name.rsplit("::", 1)[-1]
    candidates = walker.table.find_functions(callee.name)
    builtin = builtins_of(walker.kernel.dialect).get(bare)
    function = None
    if builtin is None or _better_than_builtin(candidates, bare):
        function = choose_by_types(walker, candidates, node.args, callee.template_args)
    if function is None and builtin is not None:
        args = [walker.evaluate(arg) for arg in node.args]
        walker.at(node)
        if builtin not in PASSING_ON:
            keep(walker, *args)
        result = builtin(walker, bare, args, node)
        if result is not None:
            return result
        function = choose_by_types(walker, candidates, node.args, callee.template_args)
    if function is not None:
        return inline(walker, function, node.args, template_args=callee.template_args)
    type_ = walker.types.resolve(Type(callee.name, callee.template_args or ()))
    if _is_class(walker, type_) or is_integer(type_.name) or is_float(type_.name):
        args = [walker.evaluate(arg) for arg in node.args]
        return construct(walker, type_, tuple(args), node.args)
    made = primitive_value(walker, type_) or fragment_value(walker, type_)
    return made or _unknown_call(walker, node, bare)


def _better_than_builtin(candidates: Sequence[Function], name: str) -> bool:
    """The program's own device function of a built-in's name wins, but not a host one."""
    return any(f.has_body and "__device__" in f.qualifiers for f in candidates)


def _is_class(walker: Walker, type_: Type) -> bool:
    return vector_parts(type_.name) is not None or walker.table.find_struct(type_.name) is not None


def _unknown_call(walker: Walker, node: ex.Call, name: str) -> DeviceValue:
    for arg in node.args:
        value = walker.evaluate(arg)
        keep(walker, value)
        if isinstance(value, CodeValue):
            walker.machine.operations.keep_all()  # What it would read is not known.
        if isinstance(value, PlacePointer) and isinstance(value.place, VariablePlace):
            slot = value.place.slot
            walker.slots[slot] = walker.opaque(
                walker.slot_types[slot], walker.machine.loop_bits(), name, "data"
            )
        elif isinstance(value, Value):
            need_value(walker, value)
    walker.note(f"the function '{name}' is not known; its work is not counted", node.line)
    return walker.opaque(Type("float"), walker.machine.loop_bits(), name, "data")


# -- inlining


def inline(
    walker: Walker,
    function: Function,
    args: Sequence[ex.Expression | DeviceValue],
    *,
    this: Place | None = None,
    template_args: tuple[Type | ex.Expression, ...] | None = None,
) -> DeviceValue:
    """Walk a function's body in the place of its call."""
    body = function.body
    recursive = sum(1 for frame in walker.frames if frame.function is function) > 1
    if body is None or len(walker.frames) > MAX_INLINE_DEPTH or recursive:
        walker.machine.operations.keep_all()  # The arguments are not looked at.
        return walker.opaque(function.return_type, walker.machine.loop_bits(), function.name)
    bound = [_argument(walker, p, a) for p, a in zip(function.params, args, strict=False)]
    saved = (walker.scope, walker.path, walker.machine.site, walker.types.save())
    saved_constants = dict(walker.constants)
    first_slot = walker.next_slot
    _bind_templates(walker, function, bound, template_args)
    walker.scope = Scope({})
    walker.frames.append(Frame(function, this=this, first_slot=first_slot))
    for position, parameter in enumerate(function.params):
        if not parameter.name:
            continue
        if position < len(bound):
            _declare_argument(walker, parameter, bound[position])
        elif parameter.init is not None:
            walker.declare(parameter.name, parameter.type, walker.evaluate(parameter.init))
    walker.path = function.path
    for name, values in function.initializers:
        _initialise_member(walker, this, name, values)
    walker.execute(body)
    frame = walker.frames.pop()
    result = _returned(walker, function, frame)
    walker.scope, walker.path, walker.machine.site, types = saved
    walker.types.restore(types)
    walker.constants = {**saved_constants, **_globals_of(walker)}
    if not isinstance(result, PlacePointer):
        walker.drop_slots(first_slot)
    return result


def _globals_of(walker: Walker) -> dict[str, DeviceValue]:
    return {name: value for name, value in walker.constants.items() if name.startswith("::")}


def _argument(
    walker: Walker, parameter: Variable, arg: ex.Expression | DeviceValue
) -> DeviceValue | Place:
    """A place for a reference parameter, a value for any other."""
    if not isinstance(arg, ex.Expression):
        return arg
    if parameter.type.reference and not isinstance(arg, ex.Literal):
        place = walker.place_of(arg)
        if place is not None:
            return place
    return walker.evaluate(arg)


def _declare_argument(walker: Walker, parameter: Variable, bound: DeviceValue | Place) -> None:
    if isinstance(bound, (VariablePlace, FieldPlace, MemoryPlace, SwizzlePlace)):
        walker.scope.names[parameter.name] = bound
        return
    type_ = walker.types.resolve(parameter.type)
    walker.declare(parameter.name, type_, walker.coerce(bound, type_))


def _initialise_member(
    walker: Walker, this: Place | None, name: str, values: tuple[ex.Expression, ...]
) -> None:
    place = None
    if this is not None and len(values) == 1:
        place = walker.field_place(this, name)
    if place is None:
        if values:
            walker.machine.operations.keep_all()  # They are not looked at.
    else:
        walker.write(place, walker.coerce(walker.evaluate(values[0]), walker.place_type(place)))


def _bind_templates(
    walker: Walker,
    function: Function,
    bound: Sequence[DeviceValue | Place],
    template_args: tuple[Type | ex.Expression, ...] | None,
) -> None:
    given = list(template_args or ())
    for position, parameter in enumerate(function.template_params):
        argument = given[position] if position < len(given) else None
        if argument is None:
            argument = _deduced(walker, function, parameter.name, bound) or parameter.default
        if isinstance(argument, Type):
            resolved = walker.types.resolve(argument)
            held = walker.constants.get(resolved.name)
            if parameter.type is not None and held is not None:
                walker.constants[parameter.name] = held
            elif parameter.name != resolved.name:
                walker.types.bind({parameter.name: resolved})
        elif isinstance(argument, ex.Expression):
            value = walker.evaluate(argument)
            if isinstance(argument, ex.Name) and parameter.type is None:
                walker.types.bind({parameter.name: walker.types.resolve(Type(argument.name))})
            else:
                walker.constants[parameter.name] = value


def _deduced(
    walker: Walker, function: Function, name: str, bound: Sequence[DeviceValue | Place]
) -> Type | None:
    for parameter, value in zip(function.params, bound, strict=False):
        if canonical(parameter.type.name) != name:
            continue
        actual = (
            walker.place_type(value)
            if isinstance(value, (VariablePlace, FieldPlace, MemoryPlace, SwizzlePlace))
            else walker.type_of(value)
        )
        resolved = walker.types.resolve(actual)
        pointers = max(0, resolved.pointers - parameter.type.pointers)
        return Type(resolved.name, resolved.args, pointers)
    return None


def _returned(walker: Walker, function: Function, frame: Frame) -> DeviceValue:
    type_ = walker.types.resolve(function.return_type)
    values = frame.returns
    if not values:
        return walker.opaque(Type("int") if type_.name == "void" else type_, 0, function.name)
    first = values[0]
    if len(values) == 1 or all(_same(first, other) for other in values[1:]):
        keep(walker, *values[1:])
        return walker.coerce(first, type_) if not type_.reference else first
    varies = 0
    for value in values:
        need_value(walker, value)
        if isinstance(value, Value):
            varies |= value.varies
    if isinstance(first, (PointerValue, PlacePointer, CodeValue)):
        return first
    result_type = walker.type_of(first) if type_.name == "auto" else type_
    return walker.opaque(result_type, varies or walker.machine.loop_bits(), function.name, "data")


def _same(left: DeviceValue, right: DeviceValue) -> bool:
    return left is right or (
        isinstance(left, Value)
        and isinstance(right, Value)
        and left.expr is not None
        and left.expr == right.expr
    )


# -- objects


def _method_call(walker: Walker, node: ex.Call, callee: ex.Member) -> DeviceValue:
    owner_place = None
    if callee.arrow:
        pointer = walker.evaluate(callee.base)
        owner_place = walker.dereference(pointer)
    elif not isinstance(callee.base, (ex.Call, ex.Construct)):
        owner_place = walker.place_of(callee.base)
    if isinstance(callee.base, ex.Name) and callee.base.name == "this":
        owner_place = walker.frames[-1].this
    owner: DeviceValue | None = None
    if owner_place is None:
        owner = walker.evaluate(callee.base)
        owner_place = walker.declare("", walker.type_of(owner), owner)
    owner_type = walker.types.resolve(walker.place_type(owner_place))
    primitive = primitive_method(walker, owner_type, callee.name, node.args, node)
    if primitive is not None:
        return primitive
    struct = walker.table.find_struct(owner_type.name)
    methods = [m for m in walker.table.find_functions(callee.name) if m.owner is not None]
    if struct is not None:
        methods = [m for m in methods if _owned_by(walker, m, struct.name)] or methods
    function = choose(methods, len(node.args))
    if function is not None:
        bindings = _class_bindings(walker, owner_type)
        walker.types.bind(bindings)
        return inline(
            walker, function, node.args, this=owner_place, template_args=callee.template_args
        )
    args = [walker.evaluate(arg) for arg in node.args]
    keep(walker, *args)
    held = walker.read(owner_place) if isinstance(owner_place, VariablePlace) else None
    group = held.type if isinstance(held, StructValue) else owner_type
    result = builtin_method(walker, callee.name, group, args, node)
    if result is not None:
        return result
    return _unknown_call(walker, node, callee.name)


def _owned_by(walker: Walker, method: Function, name: str) -> bool:
    if method.owner is None:
        return False
    if method.owner.rsplit("::", 1)[-1] == name:
        return True
    struct = walker.table.find_struct(name)
    owner = method.owner.rsplit("::", 1)[-1]
    return struct is not None and any(b.name.rsplit("::", 1)[-1] == owner for b in struct.bases)


def _class_bindings(walker: Walker, type_: Type) -> dict[str, Type]:
    struct = walker.table.find_struct(type_.name)
    if struct is None or not struct.template_params:
        return {}
    pairs = zip(struct.template_params, type_.args, strict=False)
    return {
        parameter.name: walker.types.resolve(arg)
        for parameter, arg in pairs
        if isinstance(arg, Type) and arg.name != parameter.name
    }


def _call_object(
    walker: Walker, value: DeviceValue, place: Place | None, node: ex.Call
) -> DeviceValue:
    """A call of a variable: a lambda, a function pointer or an object with ``operator()``."""
    if isinstance(value, CodeValue):
        if value.lambda_ is not None:
            return _call_lambda(walker, value, node)
        if value.function is not None:
            candidates = walker.table.find_functions(value.function.qualified_name)
            chosen = choose(candidates, len(node.args)) or value.function
            return inline(walker, chosen, node.args)
    type_ = walker.type_of(value)
    methods = [
        m
        for m in walker.table.find_functions("operator()")
        if m.owner is not None and m.owner.rsplit("::", 1)[-1] == type_.name.rsplit("::", 1)[-1]
    ]
    function = choose(methods, len(node.args))
    if function is not None:
        owner = place or walker.declare("", type_, value)
        walker.types.bind(_class_bindings(walker, type_))
        return inline(walker, function, node.args, this=owner)
    return _unknown_call(walker, node, "operator()")


def _call_lambda(walker: Walker, code: CodeValue, node: ex.Call) -> DeviceValue:
    assert code.lambda_ is not None
    if len(walker.frames) > MAX_INLINE_DEPTH:
        walker.machine.operations.keep_all()
        return walker.opaque(Type("float"), walker.machine.loop_bits(), "lambda")
    bound = [_argument(walker, p, a) for p, a in zip(code.lambda_.params, node.args, strict=False)]
    saved = walker.scope
    walker.scope = Scope({}, code.scope if isinstance(code.scope, Scope) else None)
    this = walker.frames[-1].this
    walker.frames.append(Frame(None, this=this, first_slot=walker.next_slot))
    for parameter, value in zip(code.lambda_.params, bound, strict=False):
        _declare_argument(walker, parameter, value)
    walker.execute(code.lambda_.body)
    frame = walker.frames.pop()
    walker.scope = saved
    if not frame.returns:
        return number(0, "int")
    keep(walker, *frame.returns[:-1])
    return frame.returns[-1]


def construct(
    walker: Walker,
    type_: Type,
    args: tuple[DeviceValue, ...],
    nodes: Sequence[ex.Expression],
) -> DeviceValue:
    """``T(args)`` or ``T{args}``."""
    type_ = walker.types.resolve(type_)
    if is_integer(type_.name) or is_float(type_.name) or type_.pointers:
        return walker.coerce(args[0], type_) if args else number(0, type_.name)
    made = primitive_value(walker, type_)
    if made is not None:
        return made
    if walker.opencl and vector_parts(type_.name) is not None:
        return build(walker, type_, args)
    if len(args) == 1 and isinstance(args[0], StructValue) and args[0].type.name == type_.name:
        return args[0]
    blank = _blank(walker, type_)
    if not isinstance(blank, StructValue):
        keep(walker, *args)
        return blank
    names = list(blank.fields)
    constructors = [
        m
        for m in walker.table.find_functions(type_.name)
        if m.owner is not None and m.name == type_.name.rsplit("::", 1)[-1]
    ]
    function = choose(constructors, len(args))
    if function is not None:
        place = walker.declare("", type_, blank)
        walker.types.bind(_class_bindings(walker, type_))
        inline(walker, function, args, this=place)
        return walker.read(place)
    layout = walker.types.fields(type_) or {}
    fields = dict(blank.fields)
    keep(walker, *args[len(names) :])
    for name, arg in zip(names, args, strict=False):
        fields[name] = walker.coerce(arg, layout[name][2]) if name in layout else arg
    return StructValue(type_, fields)


def _blank(walker: Walker, type_: Type) -> DeviceValue:
    value = walker.opaque(type_, 0, type_.name)
    struct = walker.table.find_struct(type_.name)
    if struct is None or not isinstance(value, StructValue):
        return value
    fields = dict(value.fields)
    for member in struct.fields:
        if member.init is not None and member.name in fields:
            fields[member.name] = walker.coerce(walker.evaluate(member.init), member.type)
    return StructValue(value.type, fields)


# -- operators


def call_operator(walker: Walker, op: str, operands: tuple[DeviceValue, ...]) -> DeviceValue | None:
    """An overloaded operator of the program, free or a member, if it has one for the operands."""
    candidates = walker.table.find_functions(f"operator{op}")
    if not candidates:
        return None
    first = walker.type_of(operands[0]).name.rsplit("::", 1)[-1]
    free = [f for f in candidates if f.owner is None and _accepts(walker, f, operands)]
    function = choose(free, len(operands))
    if function is not None:
        return inline(walker, function, operands)
    members = [
        m for m in candidates if m.owner is not None and m.owner.rsplit("::", 1)[-1] == first
    ]
    function = choose(members, len(operands) - 1)
    if function is not None:
        place = walker.declare("", walker.type_of(operands[0]), operands[0])
        return inline(walker, function, operands[1:], this=place)
    return None


def _accepts(walker: Walker, function: Function, operands: Sequence[DeviceValue]) -> bool:
    if len(function.params) != len(operands):
        return False
    for parameter, operand in zip(function.params, operands, strict=True):
        wanted = walker.types.resolve(parameter.type)
        actual = walker.type_of(operand)
        if any(t.name == parameter.type.name for t in function.template_params):
            continue
        classlike = not (is_integer(wanted.name) or is_float(wanted.name))
        if classlike != isinstance(operand, StructValue):
            return False
        if classlike and wanted.name.rsplit("::", 1)[-1] != actual.name.rsplit("::", 1)[-1]:
            return False
    return True


def call_compound(walker: Walker, op: str, place: Place, right: DeviceValue) -> DeviceValue | None:
    """An overloaded ``+=`` and the like, for an operand of class type."""
    candidates = walker.table.find_functions(f"operator{op}")
    if not candidates:
        return None
    held = walker.read(place)
    if not isinstance(held, StructValue):
        return None
    owner = held.type.name.rsplit("::", 1)[-1]
    members = [
        m for m in candidates if m.owner is not None and m.owner.rsplit("::", 1)[-1] == owner
    ]
    function = choose(members, 1)
    if function is not None:
        inline(walker, function, (right,), this=place)
        return walker.read(place)
    free = [f for f in candidates if f.owner is None and _accepts(walker, f, (held, right))]
    function = choose(free, 2)
    if function is None:
        return None
    saved = walker.scope
    walker.scope = Scope({"$left": place}, saved)
    inline(walker, function, (ex.Name(function.span.line, "$left"), right))
    walker.scope = saved
    return walker.read(place)

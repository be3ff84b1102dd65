"""The types of device expressions, determined without evaluating them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from roofline_analysis.device.state.frames import function_around
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import Value
from roofline_analysis.language.arithmetic import operation_type
from roofline_analysis.language.callees import Callee
from roofline_analysis.language.conversion_ranks import lvalue, rvalue
from roofline_analysis.language.overloads import choose
from roofline_analysis.language.scope import NO_NAMES, Scope, literal
from roofline_analysis.language.types import common_type, is_arithmetic, promoted
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type


def static_type(interpreter: DeviceInterpreter, node: ex.Expression) -> Type | None:
    """The type of an expression without evaluating it; None if it cannot be determined."""
    return _determined(interpreter, node, _static_type)


def argument_type(interpreter: DeviceInterpreter, node: ex.Expression) -> Type | None:
    """As ``static_type``, as overloads are chosen by it: lvalues and temporaries are told."""
    return _determined(interpreter, node, _argument_type)


def _determined(
    interpreter: DeviceInterpreter,
    node: ex.Expression,
    ask: Callable[[DeviceInterpreter, ex.Expression], Type | None],
) -> Type | None:
    """The answer of ``ask``; until it is there each node inside is looked at once.

    The type of an argument is asked for by each call around it, in two ways: without that, what
    calls nested in calls cost would double with each level.
    """
    if interpreter.static_types is not None:
        return ask(interpreter, node)
    interpreter.static_types = {}
    try:
        return ask(interpreter, node)
    finally:
        interpreter.static_types = None


def _static_type(interpreter: DeviceInterpreter, node: ex.Expression) -> Type | None:
    handler = _STATIC_TYPES.get(type(node))
    if handler is None or interpreter.static_types is None:
        return None
    key = id(node)
    if key not in interpreter.static_types:
        interpreter.static_types[key] = handler(interpreter, node)
    return interpreter.static_types[key]


def _argument_type(interpreter: DeviceInterpreter, node: ex.Expression) -> Type | None:
    found = static_type(interpreter, node)
    if found is None or found.name == "auto":
        return None
    stored = _is_stored(interpreter, node)
    if stored is None:
        return replace(found, reference=False, rvalue=False)
    return lvalue(found) if stored else rvalue(found)


def _is_stored(interpreter: DeviceInterpreter, node: ex.Expression) -> bool | None:
    """Whether an expression has a place, None where that is not known."""
    if isinstance(node, ex.Name):
        known = interpreter.scope.find(node.name) is not None or _this_member(
            interpreter, node.name
        )
        return (
            bool(known) or interpreter.symbols.find_global(node.name, interpreter.path) is not None
        )
    if isinstance(node, (ex.Index, ex.Assign)):
        return True
    if isinstance(node, ex.Member):
        return node.arrow or _is_stored(interpreter, node.base)
    if isinstance(node, ex.Unary):
        return node.op == "*"
    if isinstance(node, ex.Update):
        return node.prefix
    if isinstance(node, (ex.Cast, ex.Call)):
        type_ = node.type if isinstance(node, ex.Cast) else static_type(interpreter, node)
        return None if type_ is None else type_.reference and not type_.rvalue
    if isinstance(node, ex.Conditional):
        sides = {_is_stored(interpreter, node.then), _is_stored(interpreter, node.otherwise)}
        return sides.pop() if len(sides) == 1 else False
    if isinstance(node, ex.Literal):
        return node.type_name == "string"
    return False


def _literal_type(interpreter: DeviceInterpreter, node: ex.Literal) -> Type:
    if isinstance(node.value, str):
        return Type("char", const=True, dims=(literal(len(node.value) + 1),))
    return Type(node.type_name)


def _name_type(interpreter: DeviceInterpreter, node: ex.Name) -> Type | None:
    place = interpreter.scope.find(node.name)
    if place is not None:
        seen = interpreter.scope.seen_as(node.name)
        if seen is not None and seen.name != "auto" and interpreter.types.system.is_class(seen):
            return replace(seen, reference=False)
        found = interpreter.types.resolve(interpreter.place_type(place))
        return interpreter.type_of(interpreter.read(place)) if found.name == "auto" else found
    held = interpreter.constants.get(node.name)
    if isinstance(held, Value):
        return Type(held.type)
    member = _this_member(interpreter, node.name)
    if member is not None:
        return member
    known = interpreter.typed_constant(node)
    if known is not None:
        return interpreter.symbols.enumeration_of(node.name) or Type(known[1])
    entry = interpreter.symbols.find_global(node.name, interpreter.path)
    return interpreter.types.resolve(entry.variable.type) if entry is not None else None


def _this_member(interpreter: DeviceInterpreter, name: str) -> Type | None:
    """The type of a field named without ``this->`` inside a method."""
    this = interpreter.frames[-1].this
    fields = interpreter.types.fields(interpreter.place_type(this)) if this is not None else None
    return fields[name].type if fields is not None and name in fields else None


def _index_type(interpreter: DeviceInterpreter, node: ex.Index) -> Type | None:
    base = static_type(interpreter, node.base)
    if base is None:
        return None
    if not (base.pointers or base.dims):
        index = subscripts((node.index,))
        return _result_of_method(interpreter, base, "operator[]", index)
    return interpreter.types.resolve(base.pointee())


def subscripts(args: Sequence[ex.Expression]) -> Sequence[ex.Expression]:
    """The arguments of ``operator[]``: several in ``a[i, j]``, as since C++23."""
    first = args[0] if len(args) == 1 else None
    if isinstance(first, ex.Binary) and first.op == ",":
        return (*subscripts((first.left,)), first.right)
    return args


def _member_type(interpreter: DeviceInterpreter, node: ex.Member) -> Type | None:
    base = static_type(interpreter, node.base)
    if base is None or base.pointers != int(node.arrow) or base.dims:
        return None
    found = (interpreter.types.fields(Type(base.name, base.args)) or {}).get(node.name)
    return found.type if found is not None else None


def _unary_type(interpreter: DeviceInterpreter, node: ex.Unary) -> Type | None:
    if node.op == "!":
        return Type("bool")
    inner = static_type(interpreter, node.operand)
    if inner is None:
        return None
    if node.op == "&":
        return _result_of_method(interpreter, inner, "operator&", ()) or inner.pointer_to()
    if node.op in ("+", "-", "~"):
        plain = not (inner.pointers or inner.dims) and is_arithmetic(inner.name)
        return Type(promoted(inner.name)) if plain else inner
    if node.op == "*" and (inner.pointers or inner.dims):
        return interpreter.types.resolve(inner.pointee())
    return None


def _binary_type(interpreter: DeviceInterpreter, node: ex.Binary) -> Type | None:
    if node.op in ("==", "!=", "<", "<=", ">", ">=", "&&", "||"):
        return Type("bool")
    left, right = static_type(interpreter, node.left), static_type(interpreter, node.right)
    if node.op == ",":
        return right
    if left is None or right is None:
        return left or right  # The other is most often of the same type.
    if left.pointers or left.dims or right.pointers or right.dims:
        both = (left.pointers or left.dims) and (right.pointers or right.dims)
        return Type("long") if both else left if left.pointers or left.dims else right
    if not is_arithmetic(left.name) or not is_arithmetic(right.name):
        own = _result_of_operator(interpreter, node) or _result_of_method(
            interpreter, left, f"operator{node.op}", (node.right,)
        )
        return own or (left if not is_arithmetic(left.name) else right)
    return Type(operation_type(node.op, left.name, right.name))


def _conditional_type(interpreter: DeviceInterpreter, node: ex.Conditional) -> Type | None:
    then, otherwise = static_type(interpreter, node.then), static_type(interpreter, node.otherwise)
    if then is None or otherwise is None or then.name == otherwise.name:
        return then or otherwise
    plain = not (then.pointers or then.dims or otherwise.pointers or otherwise.dims)
    if plain and is_arithmetic(then.name) and is_arithmetic(otherwise.name):
        return Type(common_type(then.name, otherwise.name))
    return then


def _call_type(interpreter: DeviceInterpreter, node: ex.Call) -> Type | None:
    """What a function or method of the program returns."""
    if isinstance(node.callee, ex.Member):
        owner = static_type(interpreter, node.callee.base)
        if owner is None or owner.pointers + len(owner.dims) != int(node.callee.arrow):
            return None
        owner = interpreter.types.resolve(owner.pointee()) if node.callee.arrow else owner
        return _result_of_method(interpreter, owner, node.callee.name, node.args)
    if not isinstance(node.callee, ex.Name):
        return None
    place = interpreter.scope.find(node.callee.name)
    if place is not None:
        owner = interpreter.types.resolve(interpreter.place_type(place))
        return _result_of_method(interpreter, owner, "operator()", node.args)
    member = _this_member(interpreter, node.callee.name)
    if member is not None:
        return _result_of_method(interpreter, member, "operator()", node.args)
    system, scope = interpreter.types.system, interpreter.types.scope
    candidates, inside = system.find_callees(
        node.callee, interpreter.path, scope, function_around(interpreter.frames)
    )
    types = [argument_type(interpreter, arg) for arg in node.args]
    given = interpreter.types.given_arguments(node.callee.template_args)
    usable = [f for f in candidates if "__global__" not in f.qualifiers]
    return _returned(interpreter, choose(system, usable, types, given, inside), inside)


def _result_of_operator(interpreter: DeviceInterpreter, node: ex.Binary) -> Type | None:
    """What a free operator of the program returns: a matrix times a vector is a vector."""
    candidates = interpreter.symbols.functions_named(f"operator{node.op}")
    free = [f for f in candidates if f.owner is None and len(f.params) == 2]
    if not free:
        return None
    types = [argument_type(interpreter, each) for each in (node.left, node.right)]
    return _returned(interpreter, choose(interpreter.types.system, free, types), NO_NAMES)


def _returned(interpreter: DeviceInterpreter, chosen: Callee | None, inside: Scope) -> Type | None:
    """What a function returns that was chosen; None where that is not determined."""
    if chosen is None:
        return None
    names = Scope({**inside.bindings, **chosen.bindings}, inside.owner, inside.struct)
    found = interpreter.types.system.resolve(chosen.function.return_type, names)
    own = {parameter.name for parameter in chosen.function.template_params}
    return None if found.name == "auto" or found.name in own else found


def _result_of_method(
    interpreter: DeviceInterpreter, owner: Type, name: str, args: Sequence[ex.Expression]
) -> Type | None:
    """What a method of the program returns; None for any that is not chosen for certain."""
    if owner.pointers or owner.dims or not interpreter.symbols.functions_named(name):
        return None
    system = interpreter.types.system
    methods, inside = system.classes.find_methods(owner, name)
    types = [argument_type(interpreter, arg) for arg in args]
    return _returned(interpreter, choose(system, methods, types, scope=inside, this=owner), inside)


_STATIC_TYPES: Final[Mapping[type[ex.Expression], Callable[..., Type | None]]] = {
    ex.Literal: _literal_type,
    ex.Cast: lambda interpreter, node: interpreter.types.resolve(node.type),
    ex.Name: _name_type,
    ex.Index: _index_type,
    ex.Member: _member_type,
    ex.Unary: _unary_type,
    ex.Assign: lambda interpreter, node: static_type(interpreter, node.target),
    ex.Update: lambda interpreter, node: static_type(interpreter, node.target),
    ex.SizeOf: lambda _interpreter, _node: Type("unsigned long"),
    ex.Conditional: _conditional_type,
    ex.Construct: lambda interpreter, node: interpreter.types.resolve(node.type),
    ex.Binary: _binary_type,
    ex.Call: _call_type,
}

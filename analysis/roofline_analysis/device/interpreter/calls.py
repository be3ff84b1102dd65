"""Calls in device code: functions of the program, methods and CUDA's built-in functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.functions.builtins import PASSING_ON, builtins_of
from roofline_analysis.device.functions.cub import primitive_value
from roofline_analysis.device.functions.mathematics import variation
from roofline_analysis.device.functions.matrix_fragments import fragment_value
from roofline_analysis.device.interpreter.conversion_operators import as_number
from roofline_analysis.device.interpreter.inlining import (
    callable_with,
    callee_of,
    inline,
    unknown_call,
    value_at,
)
from roofline_analysis.device.interpreter.objects import call_object, constructed, method_call
from roofline_analysis.device.interpreter.places import implicit_member
from roofline_analysis.device.interpreter.receivers import object_type
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.frames import function_around
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, Place, StructValue, Value, number
from roofline_analysis.language.callees import Callee
from roofline_analysis.language.constants import numeric_limit
from roofline_analysis.language.open_types import function_named
from roofline_analysis.language.scope import Scope
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import (
    NARROW_FLOATS,
    is_arithmetic,
    is_float,
    is_integer,
)
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_core.program.units import Function


def call(interpreter: DeviceInterpreter, node: ex.Call) -> DeviceValue:
    """The value of a call expression."""
    return value_at(interpreter, call_result(interpreter, node))


def call_result(interpreter: DeviceInterpreter, node: ex.Call) -> DeviceValue | Place:
    """What a call gives: of a function that returns a reference the place, not read yet."""
    interpreter.at(node)
    callee = node.callee
    if isinstance(callee, ex.Member):
        return method_call(interpreter, node, callee)
    if isinstance(callee, ex.Name):
        local = None
        if not callee.absolute:
            local = interpreter.scope.find(callee.name)
            local = local or implicit_member(interpreter, callee.name)
        if local is not None:
            return call_object(interpreter, interpreter.read(local), local, node)
        return _named_call(interpreter, node, callee)
    value = interpreter.evaluate(callee)
    return call_object(interpreter, value, None, node)


def _named_call(
    interpreter: DeviceInterpreter, node: ex.Call, callee: ex.Name
) -> DeviceValue | Place:
    limit = _numeric_limit(interpreter, callee)
    if limit is not None:
        return limit
    bare = last_component(callee.name)
    builtin = builtins_of(interpreter.kernel.dialect).get(bare)
    candidates, scope = candidates_of(interpreter, callee)
    if builtin is not None:
        candidates = _beside_builtin(interpreter, node, callee, candidates, scope)
    found = None
    if builtin is None or _better_than_builtin(candidates):
        found = callee_of(interpreter, candidates, node.args, callee.template_args, scope)
        if builtin and found and found.function is function_around(interpreter.frames):
            found = None  # A wrapper of the built-in function, which has its name.
    if found is None and builtin is not None:
        args = [as_number(interpreter, interpreter.evaluate(arg)) for arg in node.args]
        interpreter.at(node)
        if builtin not in PASSING_ON:
            keep(interpreter, *args)
        result = builtin(interpreter, bare, args, node)
        if result is not None:
            return result
        found = callee_of(interpreter, candidates, node.args, callee.template_args, scope)
    if found is not None:
        this = interpreter.frames[-1].this if found.function.owner is not None else None
        if this is not None and "::" not in callee.name:
            found, scope = _overridden(interpreter, found, scope, node, this)
        return inline(
            interpreter,
            found,
            node.args,
            this=this,
            template_args=callee.template_args,
            scope=scope,
        )
    return _without_body(interpreter, node, callee, bare)


def _without_body(
    interpreter: DeviceInterpreter, node: ex.Call, callee: ex.Name, bare: str
) -> DeviceValue | Place:
    """A call of what is no function of the program: of a class, or of the standard library."""
    if bare == "swap" and len(node.args) == 2 and _swapped(interpreter, node):
        return number(0, "int")
    sequential = _sequential(interpreter, node, bare)
    if sequential is not None:
        return sequential
    element = _tuple_element(interpreter, node, callee) if bare == "get" else None
    if element is not None:
        return element
    if bare in _REFERENCES and len(node.args) == 1:
        return _reference(interpreter, node, callee)
    given = callee.template_args or ()
    type_ = interpreter.types.resolve(Type(callee.name, given, scope_args=callee.scope_args))
    if interpreter.types.system.is_class(type_) or is_integer(type_.name) or is_float(type_.name):
        return constructed(interpreter, type_, node.args)
    if not type_.pointers and (type_.name in NARROW_FLOATS or type_.name in _PAIRS):
        return _packed(interpreter, type_, node)
    if bare in ("make_tuple", "make_pair"):
        return _made_tuple(interpreter, node, callee)
    made = primitive_value(interpreter, type_) or fragment_value(interpreter, type_)
    return (
        made or _taken_for_builtin(interpreter, node, bare) or unknown_call(interpreter, node, bare)
    )


def _sequential(
    interpreter: DeviceInterpreter, node: ex.Call, bare: str
) -> DeviceValue | Place | None:
    """An algorithm that one thread runs: ``thrust::find(thrust::seq, first, last, x)``.

    None where the call is none, or no text stands for the library's headers.
    """
    args = node.args
    if args and isinstance(args[0], ex.Name) and last_component(args[0].name) == "seq":
        args = args[1:]
    elif bare not in _OF_ITERATORS:
        return None
    callee = ex.Name(node.line, f"{_SEQUENTIAL}::{bare}")
    candidates, scope = candidates_of(interpreter, callee)
    found = callee_of(interpreter, candidates, args, scope=scope) if candidates else None
    if found is None:
        return None
    return inline(interpreter, found, args, scope=scope)


_SEQUENTIAL: Final = "roofline_sequential"
"""The namespace of the text that stands for thrust's sequential algorithms."""
_OF_ITERATORS: Final = frozenset(("distance", "next", "prev"))
"""Functions of iterators, which take no policy."""


def _taken_for_builtin(
    interpreter: DeviceInterpreter, node: ex.Call, bare: str
) -> DeviceValue | None:
    """A call of what only a build's macros define; None where its name does not say what it is."""
    usual = function_named(bare)
    builtin = builtins_of(interpreter.kernel.dialect).get(usual) if usual is not None else None
    if usual is None or builtin is None:
        return None
    args = [as_number(interpreter, interpreter.evaluate(arg)) for arg in node.args]
    interpreter.at(node)
    found = builtin(interpreter, usual, args, node)
    if found is not None:
        interpreter.note(f"the function '{bare}' is not known; it is taken for {usual}", node.line)
    return found


_PAIRS: Final = frozenset(("half2", "bfloat162"))


def _packed(interpreter: DeviceInterpreter, type_: Type, node: ex.Call) -> DeviceValue:
    """``__nv_fp8_e4m3(x)``, ``__half2(x, y)``: numbers converted and packed, one instruction."""
    args = [interpreter.evaluate(arg) for arg in node.args]
    keep(interpreter, *args)
    varies = variation(args)
    interpreter.costs.charge(Work.CONVERSION, 1.0, varies)
    if type_.name in _PAIRS:
        return Value(type_.name, None, varies)
    return interpreter.opaque(type_, varies)


_REFERENCES: Final = frozenset(
    ("move", "forward", "as_const", "launder", "raw_reference_cast", "raw_pointer_cast")
)
"""Functions of the standard library that give their argument by reference."""


def _reference(
    interpreter: DeviceInterpreter, node: ex.Call, callee: ex.Name
) -> DeviceValue | Place:
    """``std::forward<long>(x)``: what is given, or where its type is another, a temporary."""
    (argument,) = node.args
    given = callee.template_args
    if given and isinstance(given[0], Type):
        asked = interpreter.types.resolve(given[0])
        if is_arithmetic(asked.name) and not (asked.pointers or asked.reference):
            return constructed(interpreter, asked, node.args)
    return interpreter.place_of(argument) or interpreter.evaluate(argument)


def _tuple_element(
    interpreter: DeviceInterpreter, node: ex.Call, callee: ex.Name
) -> DeviceValue | Place | None:
    """``std::get<1>(t)`` of a tuple or a pair; None for any other."""
    given = callee.template_args
    if len(node.args) != 1 or not given or isinstance(given[0], Type):
        return None
    position = interpreter.parts.constant_of(interpreter, given[0])
    owner = interpreter.place_of(node.args[0])
    held = interpreter.read(owner) if owner is not None else None
    if owner is None or not isinstance(held, StructValue):
        return None
    pair = {0: "first", 1: "second"}.get(position or 0, "")
    name = next((n for n in (f"_{position}", pair) if n in held.fields), None)
    return interpreter.field_place(owner, name) if name is not None else None


def _made_tuple(interpreter: DeviceInterpreter, node: ex.Call, callee: ex.Name) -> DeviceValue:
    """``thrust::make_tuple(a, b)``: an object with a field for each value."""
    values = [interpreter.evaluate(arg) for arg in node.args]
    pair = callee.name.endswith("pair")
    names = ("first", "second") if pair else tuple(f"_{i}" for i in range(len(values)))
    types = tuple(interpreter.type_of(value) for value in values)
    name = callee.name.replace("make_", "")
    return StructValue(Type(name, types), dict(zip(names, values, strict=False)))


def _swapped(interpreter: DeviceInterpreter, node: ex.Call) -> bool:
    """``std::swap(a, b)``; False where one of them has no place."""
    one, other = (interpreter.place_of(arg) for arg in node.args)
    if one is None or other is None:
        return False
    first, second = interpreter.read(one), interpreter.read(other)
    interpreter.write(one, second)
    interpreter.write(other, first)
    return True


def _overridden(
    interpreter: DeviceInterpreter, found: Callee, scope: Scope, node: ex.Call, this: Place
) -> tuple[Callee, Scope]:
    """The method that a plain name in a method means: the object's own of virtual ones."""
    function, classes = found.function, interpreter.types.system.classes
    if scope.owner is None or not classes.is_virtual(scope.owner, function.name):
        return found, scope
    own = object_type(interpreter, this)
    if own is None:
        return found.in_doubt(), scope
    methods, inside = classes.find_methods(own, function.name)
    return callee_of(interpreter, methods, node.args, scope=inside) or found.in_doubt(), inside


def candidates_of(
    interpreter: DeviceInterpreter, callee: ex.Name
) -> tuple[Sequence[Function], Scope]:
    """The functions that a name may mean, and the names in force where they are declared.

    Methods are found by a plain name from within their class, and by a qualified one.
    """
    return interpreter.types.system.find_callees(
        callee, interpreter.path, interpreter.types.scope, function_around(interpreter.frames)
    )


def _beside_builtin(
    interpreter: DeviceInterpreter,
    node: ex.Call,
    callee: ex.Name,
    candidates: Sequence[Function],
    scope: Scope,
) -> Sequence[Function]:
    """The program's functions that a call can mean: ``min`` of vectors hides none of numbers.

    ``::min`` is none of those that stand in a namespace.
    """
    if callee.absolute:
        candidates = [f for f in candidates if f.qualified_name == callee.name]
    if not candidates:
        return candidates
    return callable_with(interpreter, candidates, node.args, callee.template_args, scope)


def _better_than_builtin(candidates: Sequence[Function]) -> bool:
    """The program's own device function of a built-in's name wins, but not a host one."""
    return any(f.has_body and "__device__" in f.qualifiers for f in candidates)


def _numeric_limit(interpreter: DeviceInterpreter, callee: ex.Name) -> Value | None:
    """``std::numeric_limits<T>::max()`` and its kin; None for any other name."""
    owner, _, member = callee.name.rpartition("::")
    if last_component(owner) != "numeric_limits" or not callee.scope_args:
        return None
    argument = callee.scope_args[0]
    type_ = interpreter.types.resolve(argument).name if isinstance(argument, Type) else ""
    if not is_arithmetic(type_):
        return None
    known = numeric_limit(type_, member)
    return number(known, type_) if known is not None else Value(type_, None)

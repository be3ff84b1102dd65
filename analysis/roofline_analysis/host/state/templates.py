"""Binding template parameters: explicit arguments, deduction from call arguments, defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.host.state.interpreter_state import HostInterpreter, held_constant
from roofline_analysis.host.state.memory import Cell, Closure, HostFrame, HostPlace
from roofline_analysis.host.state.types import (
    as_host_bindings,
    names_in_force,
    resolve,
    with_variables,
)
from roofline_analysis.host.values import (
    Aggregate,
    Buffer,
    FunctionValue,
    OpaqueValue,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_analysis.language import callees, overloads
from roofline_analysis.language import scope as language
from roofline_analysis.language.callees import Callee
from roofline_analysis.language.conversion_ranks import lvalue, rvalue
from roofline_analysis.language.scope import NO_NAMES, Scope
from roofline_core.algebra.symbolic import Expr, constant
from roofline_core.program.expressions import Expression, Literal, Name
from roofline_core.program.types import Type
from roofline_core.program.units import Function, TemplateParameter

Binding = Type | Expr

LAMBDA: Final = Type("lambda")
"""The type of each lambda in host code. One that is passed to a kernel has a class of its own there
(``launches/closures.py``)."""


def template_argument(interpreter: HostInterpreter, argument: Type | Expression) -> Binding:
    """One written template argument as a type or a number.

    ``f<N>`` does not say whether ``N`` is a type, so a name is tried as a number first.
    """
    scope = names_in_force(interpreter)
    if isinstance(argument, Type):
        argument = with_variables(interpreter, argument)
    if isinstance(argument, Type) and interpreter.frames:
        symbolic = interpreter.frame.bindings.get(argument.name)
        if isinstance(symbolic, Expr):
            return symbolic
    found = interpreter.types.argument(argument, scope)
    number = language.as_number(found)
    if number is not None:
        return constant(number)
    if isinstance(found, Type):
        return found
    value = interpreter.eval(found)
    if isinstance(value, Scalar):
        return value.value
    if isinstance(value, FunctionValue):
        return Type(value.functions[0].qualified_name, _written(value.template_args))
    held = held_constant(value)
    if held is not None:
        return held.value
    if isinstance(found, Name):
        return resolve(interpreter, Type(found.name))
    number_of = interpreter.number(value)
    return number_of.value if number_of is not None else Type("auto")


def _written(given: tuple[Binding, ...] | None) -> tuple[Type | Expression, ...]:
    """Template arguments as they may stand in a type, up to the first that is not known."""
    found: list[Type | Expression] = []
    for argument in given or ():
        number = argument.constant if isinstance(argument, Expr) else None
        if isinstance(argument, Expr) and number is None:
            break
        found.append(argument if isinstance(argument, Type) else Literal(0, number, "int"))
    return tuple(found)


def type_of(
    interpreter: HostInterpreter, value: Value | None, declared: Type | None = None
) -> Type | None:
    """The C++ type of a value, None where it is not known."""
    if declared is not None and declared.name not in ("auto", "void"):
        type = resolve(interpreter, declared)
        if type.dims:
            return type.pointee().pointer_to()
        if type.pointers or type.name != "void":
            enumeration = type.enumeration
            return Type(
                type.name, type.args, type.pointers, const=type.const, enumeration=enumeration
            )
    if isinstance(value, Scalar):
        return Type(value.type_name)
    if isinstance(value, (Pointer, Buffer)):
        element = value.pointee if isinstance(value, Pointer) else value.element
        return element.pointer_to() if element is not None else None
    if isinstance(value, Aggregate):
        return value.type
    if isinstance(value, Text):
        return Type("char", pointers=1, const=True)
    if isinstance(value, Closure):
        return LAMBDA
    if isinstance(value, FunctionValue):
        return Type("function", pointers=1)
    return value.type if isinstance(value, OpaqueValue) else None


def bind(
    interpreter: HostInterpreter,
    parameters: Sequence[TemplateParameter],
    explicit: Sequence[Binding] | None,
    function: Function,
    args: Sequence[HostPlace],
    scope: Scope = NO_NAMES,
) -> dict[str, Binding]:
    """The template parameters of a function called with these arguments, packs left out.

    ``scope`` has the names in force where the function is declared.
    """
    if not parameters:
        return {}
    unbound = _unbound(interpreter)
    types = [argument_type(interpreter, place) for place in args]
    types = [None if type is not None and type.name in unbound else type for type in types]
    found = as_host_bindings(
        callees.bind(interpreter.types, function, types, _given(explicit), scope)
    )
    for parameter, argument in zip(parameters, explicit or (), strict=False):
        if parameter.pack:
            break
        found.setdefault(parameter.name, argument)  # A number that is symbolic.
    return found


def _unbound(interpreter: HostInterpreter) -> set[str]:
    """The template parameters of the function being executed of which nothing is known."""
    return _unbound_in(interpreter.frames[-1]) if interpreter.frames else set()


def _unbound_in(frame: HostFrame) -> set[str]:
    if frame.function is None:
        return set()
    return {p.name for p in frame.function.template_params} - frame.bindings.keys()


def unbound_around(interpreter: HostInterpreter) -> set[str]:
    """Those of all functions around: what stands for a callee's parameters may name them."""
    return {name for frame in interpreter.frames for name in _unbound_in(frame)}


def _given(explicit: Sequence[Binding] | None) -> list[language.Binding | None] | None:
    if explicit is None:
        return None
    return [_given_one(argument) for argument in explicit]


def mentions_lambda(argument: object) -> bool:
    """Whether a type is that of lambdas in host code, or is made of it."""
    if not isinstance(argument, Type):
        return False
    return argument == LAMBDA or any(map(mentions_lambda, argument.args))


def _given_one(argument: Binding) -> language.Binding | None:
    if mentions_lambda(argument):
        return None  # That says nothing of itself: the argument that is the lambda does.
    return argument if isinstance(argument, Type) else argument.constant


def argument_type(interpreter: HostInterpreter, place: HostPlace) -> Type | None:
    """The type by which overloads are chosen: lvalues, temporaries and arrays are told."""
    declared = place.type
    if declared.dims and not declared.pointers:
        found: Type | None = resolve(interpreter, declared)
    else:
        found = type_of(interpreter, place.get(), declared)
    if found is None:
        return None
    temporary = isinstance(place, Cell) and not place.name
    held = place.get()
    if temporary and isinstance(held, Text):  # A literal.
        bound = language.literal(len(held.value) + 1)
        return lvalue(Type("char", const=True, dims=(bound,)))
    return rvalue(found) if temporary else lvalue(found)


def choose_overload(
    interpreter: HostInterpreter,
    value: FunctionValue,
    args: Sequence[HostPlace],
    scope: Scope = NO_NAMES,
    this: Type | None = None,
) -> Function | None:
    """The function a call means: by the number of arguments, then by their types."""
    found = chosen_overload(interpreter, value, args, scope, this)
    return found.function if found is not None else None


def chosen_overload(
    interpreter: HostInterpreter,
    value: FunctionValue,
    args: Sequence[HostPlace],
    scope: Scope = NO_NAMES,
    this: Type | None = None,
) -> Callee | None:
    """As ``choose_overload``, with whether the call can mean no other.

    ``this`` is the type of the object whose methods these are.
    """
    candidates = value.functions
    if len(candidates) == 1 and candidates[0].template_args is None:
        return Callee(candidates[0], {})
    types = [argument_type(interpreter, place) for place in args]
    given = _given(value.template_args)
    found = overloads.choose(interpreter.types, candidates, types, given, scope, this=this)
    if found is not None or not candidates:
        return found
    return Callee(next((f for f in candidates if f.has_body), candidates[0]), {})

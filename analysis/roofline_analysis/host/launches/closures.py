"""Lambdas that are passed to kernels: each is an object of a class of its own.

The class has a field for each variable that the lambda captures, and its body as ``operator()``, so
that kernels are walked and launches bound as for a function object that the program declares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.state.access import load
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Cell, Closure, HostFrame, HostPlace
from roofline_analysis.host.state.templates import mentions_lambda, type_of
from roofline_analysis.host.values import Aggregate, Scalar, Value
from roofline_core.program.expressions import Expression, Lambda, Literal, Name
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Span, Struct, TemplateParameter

_AUTO = Type("auto")
_OPERATOR = "operator()"
_MOST_NESTED: Final = 4
"""The deepest nesting of objects in which lambdas are looked for. A limit on the work."""


def closure_object(
    interpreter: HostInterpreter, closure: Closure, depth: int = 0
) -> Aggregate | None:
    """A lambda as an object that holds what it captures; None if its text is not known.

    Its class is declared when it is first asked for. ``depth`` counts the objects that it is in.
    """
    node, frame = closure.function, closure.frame
    if node is None or frame is None:
        return None
    fields: list[Variable] = []
    values: dict[str, Value] = {}
    constants: dict[str, int] = {}
    for name, type_, value in _captured(interpreter, node, frame, depth + 1):
        number = value.value.constant if isinstance(value, Scalar) else None
        if type_.const and not type_.pointers and isinstance(number, int):
            constants[name] = number
        else:
            fields.append(Variable(name, _stored(type_), node.line))
            values[name] = value
    parameters, arguments = _template(frame)
    name = _declared(interpreter, node, frame, tuple(fields), constants, parameters)
    return Aggregate(Type(name, arguments), values)


def _captured(
    interpreter: HostInterpreter, node: Lambda, frame: HostFrame, depth: int
) -> Iterator[tuple[str, Type, Value]]:
    """The variables around a lambda that its body names, with their types and values."""
    own = {parameter.name for parameter in node.params}
    for name in dict.fromkeys(n.name for n in walk(node.body) if isinstance(n, Name)):
        if name in own:
            continue
        place = next((scope[name] for scope in reversed(frame.scopes) if name in scope), None)
        if place is not None:
            value, declared = load(interpreter, place), place.type
        elif frame.this is not None and name in frame.this.fields:
            value, declared = frame.this.fields[name], None
        else:
            continue
        made = _with_objects(interpreter, value, depth)
        type_ = type_of(interpreter, made, declared if made is value else None)
        yield name, type_ or _AUTO, made


def _stored(type_: Type) -> Type:
    """The type of a field that holds a copy."""
    if not (type_.reference or (type_.const and not type_.pointers)):
        return type_
    const = type_.const and bool(type_.pointers)
    return Type(type_.name, type_.args, type_.pointers, const=const, dims=type_.dims)


def _template(
    frame: HostFrame,
) -> tuple[tuple[TemplateParameter, ...], tuple[Type | Expression, ...]]:
    """The template parameters in force around a lambda, which its body may name."""
    parameters: list[TemplateParameter] = []
    arguments: list[Type | Expression] = []
    for name, bound in frame.bindings.items():
        if isinstance(bound, Type):
            parameters.append(TemplateParameter(name, None))
            arguments.append(bound)
        elif bound.constant is not None:
            parameters.append(TemplateParameter(name, Type("int")))
            arguments.append(Literal(0, bound.constant, "int"))
    return tuple(parameters), tuple(arguments)


def _declared(
    interpreter: HostInterpreter,
    node: Lambda,
    frame: HostFrame,
    fields: tuple[Variable, ...],
    constants: dict[str, int],
    parameters: tuple[TemplateParameter, ...],
) -> str:
    """The name of a lambda's class; equal captures share one class.

    What follows ``#`` is not shown: it tells lambdas of one line apart, and a lambda from what it
    was before an edit.
    """
    around = frame.function
    path = around.path if around is not None else Path()
    text = around.fingerprint if around is not None else ""
    key = (id(node), tuple((f.name, f.type) for f in fields), tuple(constants.items()))
    known = interpreter.closures.get(key)
    if known is not None:
        return known.name
    name = f"lambda at {path.name}:{node.line}#{text[:8]}.{len(interpreter.closures)}"
    span = Span(node.line, 0, node.line, 0)
    method = Function(
        name=_OPERATOR,
        qualified_name=f"{name}::{_OPERATOR}",
        path=path,
        span=span,
        name_span=span,
        return_type=_AUTO,
        params=node.params,
        template_params=(),
        qualifiers=frozenset(("__device__",)),
        owner=name,
        read_body=lambda: node.body,
    )
    struct = Struct(
        name, name, node.line, fields, (method,), template_params=parameters, enumerators=constants
    )
    interpreter.closures[key] = struct
    interpreter.symbols.add_class(struct)
    return name


def kernel_argument(interpreter: HostInterpreter, place: HostPlace) -> HostPlace:
    """An argument as a kernel gets it: lambdas, also those in it, as objects; else as it is."""
    value = place.get()
    made = None if value is None else _with_objects(interpreter, value, 0)
    if made is value or not isinstance(made, Aggregate):
        return place
    return Cell(place.name or "a lambda", made.type, made)


def _with_objects(interpreter: HostInterpreter, value: Value, depth: int) -> Value:
    """A value in which lambdas are objects; the same one where there are none."""
    if depth > _MOST_NESTED:
        return value
    if isinstance(value, Closure):
        return closure_object(interpreter, value, depth) or value
    if not isinstance(value, Aggregate):
        return value
    fields = {
        name: _with_objects(interpreter, held, depth + 1) for name, held in value.fields.items()
    }
    made = [held for name, held in fields.items() if held is not value.fields[name]]
    if not made:
        return value
    types = [held.type for held in made if isinstance(held, Aggregate)]
    return Aggregate(_of_objects(value.type, types), fields)


def _of_objects(type_: Type, objects: Sequence[Type]) -> Type:
    """A class whose template arguments are the types of lambdas, with those of their objects.

    ``objects`` are those of its fields, in order; arguments of one kind are taken to be so, too.
    """
    places = [at for at, each in enumerate(type_.args) if mentions_lambda(each)]
    if not objects:
        return type_
    if len(objects) != len(places):
        objects = [objects[0]] * len(places)
    arguments = list(type_.args)
    for at, each in zip(places, objects, strict=True):
        arguments[at] = each
    return replace(type_, args=tuple(arguments))

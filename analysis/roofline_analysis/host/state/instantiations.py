"""Function templates that the program names with arguments: what their parameters stand for.

By an explicit instantiation, or in the value of a variable outside functions: a table of functions,
or a call that registers one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Cell, HostPlace
from roofline_analysis.host.state.names import template_arguments
from roofline_analysis.host.state.templates import bind
from roofline_analysis.host.state.types import class_bindings, resolve
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.language.namespaces import same_name
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.templates import written
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function

Bindings = dict[str, Type | Expr]


@record(frozen=True, slots=True)
class Instance:
    """One instance of a function template, where the program names it, and what it binds."""

    path: Path
    line: int
    bindings: Bindings


def instances_of(interpreter: HostInterpreter, function: Function) -> Iterator[Instance]:
    """The instances of a function template that the program names, and what each binds.

    A method's are those of its own and of its class; each gives the class's parameters, too.
    """
    if function.owner is not None and not function.template_params:
        yield from _instances_of_method(interpreter, function)
    elif function.template_params:
        yield from _instantiated(interpreter, function)
        yield from _held(interpreter, function)


def _instantiated(interpreter: HostInterpreter, function: Function) -> Iterator[Instance]:
    """The explicit instantiations."""
    for instance in _named(interpreter, function):
        if len(instance.params) != len(function.params):
            continue
        interpreter.enter(None, {})
        try:
            given = template_arguments(interpreter, instance.template_args)
            args: list[HostPlace] = [
                Cell("", resolve(interpreter, p.type)) for p in instance.params
            ]
            bindings = bind(interpreter, function.template_params, given, function, args)
        finally:
            interpreter.frames.pop()
        yield Instance(instance.path, instance.span.line, bindings)


def _held(interpreter: HostInterpreter, function: Function) -> Iterator[Instance]:
    """The instances that the program names and calls by way of a pointer.

    Variables outside functions hold them, if they give every parameter, or functions hand them on,
    which may leave types to the pointer that they become.
    """
    held = interpreter.reach.instances_held.get(function.name, ())
    open_types = {each.name for each in function.template_params if each.type is None}
    seen: set[tuple[tuple[str, Type | Expr], ...]] = set()
    for may_lack, names in (
        (frozenset[str](), held),
        (open_types, interpreter.reach.instances_handed_on(function.name)),
    ):
        for name, path in names:
            if not same_name(function.qualified_name, name.name):
                continue
            interpreter.enter(None, {})
            try:
                given = template_arguments(interpreter, name.template_args)
                bindings = bind(interpreter, function.template_params, given, function, [])
            finally:
                interpreter.frames.pop()
            missing = {each.name for each in function.template_params} - bindings.keys()
            key = tuple(bindings.items())
            if missing <= may_lack and key not in seen:
                seen.add(key)
                yield Instance(path, name.line, bindings)


def _named(interpreter: HostInterpreter, function: Function) -> Iterator[Function]:
    for instance in interpreter.symbols.instantiations.get(function.name, ()):
        if same_name(function.qualified_name, instance.qualified_name):
            yield instance


def _instances_of_method(interpreter: HostInterpreter, method: Function) -> Iterator[Instance]:
    owner = method.owner or ""
    given = [(instance, instance.owner_args) for instance in _named(interpreter, method)]
    for made in interpreter.symbols.class_instantiations.get(last_component(owner), ()):
        if same_name(owner, made.name):
            given.append((method, made.args))
    seen: set[tuple[tuple[str, Type | Expr], ...]] = set()
    for instance, own in given:
        interpreter.enter(None, {})
        try:
            args = template_arguments(interpreter, own) or ()
            fixed = [a if isinstance(a, Type) else a.constant for a in args]
            type_ = Type(owner, tuple(written(each) for each in fixed if each is not None))
            bindings = class_bindings(interpreter, type_)
        finally:
            interpreter.frames.pop()
        key = tuple(bindings.items())
        if bindings and key not in seen:
            seen.add(key)
            yield Instance(instance.path, instance.span.line, bindings)


def record_instances(interpreter: HostInterpreter) -> None:
    """Keep a launch without dimensions for each instance of a kernel that nothing launches."""
    launched = {id(context.kernel) for context in interpreter.launches.values()}
    for function in interpreter.symbols.all_functions:
        if not (function.is_kernel and function.has_body) or id(function) in launched:
            continue
        for instance in instances_of(interpreter, function):
            interpreter.launches.setdefault(
                (id(function), tuple(instance.bindings.items())),
                LaunchContext(
                    kernel=function,
                    template_bindings=instance.bindings,
                    grid=None,
                    block=None,
                    shared_bytes=None,
                    args=(),
                    path=instance.path,
                    line=instance.line,
                    order=len(interpreter.launches),
                    certain=False,
                ),
            )

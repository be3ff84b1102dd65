"""Calls: functions and methods of the program, lambdas, constructors, library models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.interpreter.alternatives import Branch, run_alternatives
from roofline_analysis.host.interpreter.passed_functions import call_unknown
from roofline_analysis.host.libraries.checks import note_check
from roofline_analysis.host.libraries.cuda import runtime_call
from roofline_analysis.host.libraries.gpu.observe import observe
from roofline_analysis.host.libraries.opencl.c import opencl_call
from roofline_analysis.host.libraries.opencl.cpp import opencl_static
from roofline_analysis.host.libraries.opencl.methods import opencl_functor, opencl_method
from roofline_analysis.host.libraries.opencl.objects import object_of
from roofline_analysis.host.libraries.random import random_number
from roofline_analysis.host.libraries.std import ALGORITHMS, make_vector, numeric_limit
from roofline_analysis.host.libraries.stream_methods import stream_method
from roofline_analysis.host.libraries.table import LIBRARY
from roofline_analysis.host.libraries.tensors import packed_accessor
from roofline_analysis.host.objects.construction import construct
from roofline_analysis.host.objects.container_methods import container_method, text_method
from roofline_analysis.host.objects.containers import is_container, smart_pointer
from roofline_analysis.host.objects.iterators import for_library
from roofline_analysis.host.state.access import is_class, load, pointed_object, rvalue
from roofline_analysis.host.state.arguments import Arguments, as_place
from roofline_analysis.host.state.havoc import forget_declared_call
from roofline_analysis.host.state.interpreter_state import (
    SCALARS,
    Evaluators,
    HostInterpreter,
    Locators,
)
from roofline_analysis.host.state.invoke import call, call_closure, unknown_result
from roofline_analysis.host.state.labels import told_by_numbers, told_by_texts
from roofline_analysis.host.state.memory import (
    AUTO,
    Cell,
    Closure,
    HostPlace,
    Storage,
)
from roofline_analysis.host.state.names import (
    find_method,
    find_variable,
    function_value,
    template_arguments,
)
from roofline_analysis.host.state.operators import integer, joined_text
from roofline_analysis.host.state.packs import argument_places
from roofline_analysis.host.state.signals import Signal
from roofline_analysis.host.state.templates import choose_overload
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import (
    Aggregate,
    FunctionValue,
    OpaqueValue,
    Pointer,
    Text,
    Value,
)
from roofline_analysis.language.conversion_ranks import rvalue as rvalue_type
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import vector_parts
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_LIBRARY_TYPES: Final = frozenset(
    prefix + name
    for prefix in ("", "std::")
    for name in ("string", "ifstream", "fstream", "istringstream", "stringstream")
)
"""Classes of the C++ library that a call may construct."""


def _call(interpreter: HostInterpreter, node: ex.Call) -> Value:
    return rvalue(interpreter, _locate_call(interpreter, node))


def _locate_call(interpreter: HostInterpreter, node: ex.Call) -> HostPlace:
    callee = node.callee
    if isinstance(callee, ex.Member):
        return _method_call(interpreter, node, callee)
    if isinstance(callee, ex.Name):
        return _named_call(interpreter, node, callee)
    return _call_value(
        interpreter,
        interpreter.eval(callee),
        argument_places(interpreter, node.args),
        "a function",
        node,
    )


def _may_call(interpreter: HostInterpreter, value: FunctionValue) -> bool:
    """Whether the code that runs can call one of the functions: host code none of the device's.

    Else the name means another function, such as the library's.
    """
    caller = interpreter.frame.function if interpreter.frames else None
    if caller is not None and (caller.is_kernel or _on_device_alone(caller)):
        return True  # A kernel that launches others is executed, too.
    return not all(map(_on_device_alone, value.functions))


def _on_device_alone(function: Function) -> bool:
    on_host = runs_on_host(function) or "constexpr" in function.qualifiers
    return not on_host and not function.is_kernel


def _named_call(interpreter: HostInterpreter, node: ex.Call, callee: ex.Name) -> HostPlace:
    name = callee.name
    place = find_variable(interpreter, name)
    if place is not None:
        args = argument_places(interpreter, node.args)
        return _call_value(interpreter, load(interpreter, place), args, name, node)
    functions = function_value(interpreter, callee)
    args = argument_places(interpreter, node.args)
    if functions is not None and _may_call(interpreter, functions):
        result = call(interpreter, _overridden(interpreter, functions, callee), args)
        if result is not None:
            return result
    short = last_component(name)
    type = _type_named(interpreter, callee)
    if type is not None:
        return Cell("", type, construct(interpreter, type, args))
    args = [for_library(interpreter, place) for place in args]
    observe(interpreter, node, callee, args)
    return _library_call(interpreter, short, name, args, node, callee, functions)


def _overridden(
    interpreter: HostInterpreter, functions: FunctionValue, callee: ex.Name
) -> FunctionValue:
    """The functions that a plain name in a method means: the object's own of virtual ones."""
    this, owner = (
        interpreter.frame.this if interpreter.frames else None,
        functions.functions[0].owner,
    )
    if this is None or owner is None or "::" in callee.name or owner == this.type.name:
        return functions
    if not interpreter.types.classes.is_virtual(Type(owner), callee.name):
        return functions
    methods = find_method(interpreter, this.type, callee.name)
    return FunctionValue(tuple(methods), functions.template_args) if methods else functions


def _type_named(interpreter: HostInterpreter, callee: ex.Name) -> Type | None:
    name = callee.name
    template = callee.template_args or ()
    bound = interpreter.frame.bindings.get(name) if interpreter.frames else None
    if isinstance(bound, Type):
        return bound
    type = Type(name, template, scope_args=callee.scope_args)
    if vector_parts(name) is not None or interpreter.symbols.find_struct(name) is not None:
        return resolve(interpreter, type)
    if is_container(type) or smart_pointer(type) or name in _LIBRARY_TYPES:
        return resolve(interpreter, type)
    resolved = resolve(interpreter, type)
    if resolved.name != name:
        known = (
            resolved.name in SCALARS or interpreter.symbols.find_struct(resolved.name) is not None
        )
        if known or is_container(resolved) or vector_parts(resolved.name) is not None:
            return resolved
    return None


def _library_call(
    interpreter: HostInterpreter,
    short: str,
    name: str,
    args: Sequence[HostPlace],
    node: ex.Call,
    callee: ex.Name,
    functions: FunctionValue | None,
) -> HostPlace:
    line = node.line
    arguments = Arguments(interpreter, short, args, line, callee.template_args)
    arguments.site = node
    model = LIBRARY.get(short)
    if model is not None and not (short in ALGORITHMS and _is_declared(functions, len(args))):
        return as_place(model(arguments))
    if name.startswith("std::numeric_limits") or "numeric_limits" in name:
        limit = _limit(interpreter, name, callee)
        if limit is not None:
            return Cell("", AUTO, limit)
    value = make_vector(arguments)
    if value is None:
        value = runtime_call(arguments)
    if value is None:
        value = opencl_call(arguments) or opencl_static(arguments)
    if value is not None:
        return Cell("", AUTO, value)
    if functions is None:
        note_check(arguments)
    call_unknown(interpreter, short, args)
    if functions is not None:
        chosen = choose_overload(interpreter, functions, args)
        if chosen is not None:
            forget_declared_call(interpreter, chosen, args)
            return unknown_result(interpreter, chosen)
    why = f"{short}() is not part of the program and not modelled"
    told = told_by_texts(load(interpreter, place) for place in args)
    label = f"result of {short}({told})"
    return Cell("", AUTO, OpaqueValue(label, why, None, interpreter.origin(short, line)))


def _is_declared(functions: FunctionValue | None, given: int) -> bool:
    """Whether a function outside of namespaces takes so many arguments: no library's."""
    return functions is not None and any(
        "::" not in each.qualified_name
        and sum(p.init is None for p in each.params) <= given <= len(each.params)
        for each in functions.functions
    )


def _limit(interpreter: HostInterpreter, name: str, callee: ex.Name) -> Value | None:
    inside = name.partition("<")[2].partition(">")[0].strip()
    given = callee.scope_args or callee.template_args
    if not inside and given:
        first = given[0]
        return (
            numeric_limit(resolve(interpreter, first), last_component(name))
            if isinstance(first, Type)
            else None
        )
    return (
        numeric_limit(resolve(interpreter, Type(inside)), last_component(name)) if inside else None
    )


def _call_value(
    interpreter: HostInterpreter,
    value: Value,
    args: Sequence[HostPlace],
    name: str,
    node: ex.Call | None = None,
) -> HostPlace:
    if isinstance(value, Closure):
        return call_closure(interpreter, value, args)
    if isinstance(value, FunctionValue):
        if value.alternatives:
            return _call_one_of(interpreter, value, args, name)
        result = call(interpreter, value, args)
        if result is not None:
            return result
    if isinstance(value, Aggregate):
        methods = find_method(interpreter, value.type, "operator()")
        if methods:
            result = call(interpreter, FunctionValue(tuple(methods)), args, value)
            if result is not None:
                return result
    drawn = random_number(interpreter, value)
    if drawn is not None:
        return Cell("", AUTO, drawn)
    found = opencl_functor(interpreter, value, args, node)
    if found is not None:
        return found
    call_unknown(interpreter, name, args)
    return Cell("", AUTO, OpaqueValue(f"result of {name}()", "what is called is not known"))


_MOST_CALLED: Final = 8
"""The most functions that are tried where it is not known which is called."""


def _call_one_of(
    interpreter: HostInterpreter, value: FunctionValue, args: Sequence[HostPlace], name: str
) -> HostPlace:
    """Call a function that is one of several: each in turn, as the branches of a condition are."""
    among = (value, *value.alternatives)

    can_launch = interpreter.reach.function_can_launch
    launching = [each for each in among if any(map(can_launch, each.functions))]
    tried = (launching or list(among))[:_MOST_CALLED]
    branches: list[Branch] = [partial(_try_call, interpreter, each, args) for each in tried]
    run_alternatives(interpreter, branches)
    why = "which function is called is not known"
    return Cell("", AUTO, OpaqueValue(f"result of {name}()", why))


def _try_call(
    interpreter: HostInterpreter, value: FunctionValue, args: Sequence[HostPlace]
) -> Signal | None:
    call(interpreter, replace(value, alternatives=()), args)
    return None


def _method_call(interpreter: HostInterpreter, node: ex.Call, callee: ex.Member) -> HostPlace:
    base_place = interpreter.place(callee.base)
    base = load(interpreter, base_place)
    name = callee.name
    if isinstance(base, (Pointer, Storage)) and not callee.arrow:
        found = _smart_pointer_method(interpreter, base_place, base, node)
        if found is not None:
            return found
    is_handle = object_of(base) is not None
    if not is_handle and (callee.arrow or isinstance(base, (Pointer, Storage))):
        base = pointed_object(interpreter, base)
        if isinstance(base, OpaqueValue) and base.type is not None and base.type.pointers:
            pointee = resolve(interpreter, base.type.pointee())
            if is_class(interpreter, pointee) and find_method(interpreter, pointee, name):
                base = Aggregate(pointee)  # an object of which nothing is known but its class
    args = argument_places(interpreter, node.args)
    result = opencl_method(interpreter, base, callee, args, node)
    if result is not None:
        return result
    if isinstance(base, Text):
        return _string_call(interpreter, base_place, base, name, args)
    if isinstance(base, Aggregate):
        found = _object_call(interpreter, base, base_place, callee, args, node.line)
        if found is not None:
            return found
    if isinstance(base, OpaqueValue):
        accessor = packed_accessor(interpreter, base, callee)
        if accessor is not None:
            return Cell("", accessor.type, accessor)
    call_unknown(interpreter, name, args)
    label = base.name if isinstance(base, OpaqueValue) else "an object"
    why = base.why if isinstance(base, OpaqueValue) else f"method {name}() is not modelled"
    given = _data_type(interpreter, callee)
    held = [load(interpreter, place) for place in args]
    asked = f"{label}.{name}({told_by_texts(held) or told_by_numbers(held)})"
    return Cell("", given or AUTO, OpaqueValue(asked, why, given))


def _data_type(interpreter: HostInterpreter, callee: ex.Member) -> Type | None:
    """What a method of an unknown class returns by its name: ``data_ptr<T>()`` a pointer."""
    first = callee.template_args[0] if callee.template_args else None
    if isinstance(first, Type) and last_component(callee.name) in _DATA_METHODS:
        return resolve(interpreter, first).pointer_to()
    return None


def _object_call(
    interpreter: HostInterpreter,
    base: Aggregate,
    place: HostPlace,
    callee: ex.Member,
    args: Sequence[HostPlace],
    line: int,
) -> HostPlace | None:
    name = callee.name
    found = container_method(interpreter, base, name, args)
    if found is not None:
        return found
    methods = _methods_seen(interpreter, base, place, name)
    if methods:
        given = template_arguments(interpreter, callee.template_args)
        temporary = not callee.arrow and isinstance(place, Cell) and not place.name
        seen = Type(base.type.name, const=place.type.const, reference=not temporary)
        seen = rvalue_type(seen) if temporary else seen
        result = call(interpreter, FunctionValue(tuple(methods), given), args, base, seen)
        if result is not None:
            return result
        return unknown_result(interpreter, methods[0])
    held = base.fields.get(name)
    if held is not None and (
        isinstance(held, (FunctionValue, Closure)) or object_of(held) is not None
    ):
        return _call_value(interpreter, held, args, name)
    if "stream" in base.type.name:
        return stream_method(interpreter, base, name, args, line)
    return None


def _methods_seen(
    interpreter: HostInterpreter, base: Aggregate, place: HostPlace, name: str
) -> list[Function]:
    """The methods that a call means: those of the object if virtual, else of the type it names."""
    methods = find_method(interpreter, base.type, name)
    declared = resolve(interpreter, place.type)
    if not methods or declared.name in ("auto", base.type.name) or "::" in name:
        return methods
    seen = find_method(interpreter, Type(declared.name, declared.args), name)
    return methods if not seen or interpreter.types.classes.is_virtual(declared, name) else seen


def _string_call(
    interpreter: HostInterpreter, place: HostPlace, text: Text, name: str, args: Sequence[HostPlace]
) -> HostPlace:
    if name in ("append", "push_back", "assign", "clear", "pop_back", "erase", "resize"):
        changed: Value = OpaqueValue(place.name, "a string that is changed")
        first = rvalue(interpreter, args[0]) if args else None
        if name == "clear":
            changed = Text("")
        elif isinstance(first, Text) and len(args) == 1:
            changed = joined_text(text, first.value) if name == "append" else Text(first.value)
        interpreter.store(place, changed)
        return place
    return Cell("", AUTO, text_method(interpreter, text, name, args))


def _smart_pointer_method(
    interpreter: HostInterpreter, place: HostPlace, base: Pointer | Storage, node: ex.Call
) -> HostPlace | None:
    callee = node.callee
    assert isinstance(callee, ex.Member)
    if callee.name in ("get", "release", "data", "value"):
        return Cell("", AUTO, base)
    if callee.name == "reset":
        value = interpreter.eval(node.args[0]) if node.args else Pointer(None, integer(0).value)
        interpreter.store(place, value)
        return Cell("", AUTO, integer(0))
    return None


_DATA_METHODS: Final = frozenset("data data_ptr const_data_ptr mutable_data_ptr ptr".split())
"""Methods of tensors and arrays that give the address of their elements."""

EVALUATORS: Final[Evaluators] = {
    ex.Call: _call,
}


LOCATORS: Final[Locators] = {
    ex.Call: _locate_call,
}

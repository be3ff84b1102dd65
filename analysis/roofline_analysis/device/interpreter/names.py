"""Literals and names: variables, fields, constants, globals and functions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from roofline_analysis.device.costs.integer_costs import WARP_SIZE_NODE
from roofline_analysis.device.interpreter.places import implicit_member
from roofline_analysis.device.interpreter.static_types import static_type
from roofline_analysis.device.state.conversions import coerce
from roofline_analysis.device.state.frames import function_around
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.parameters import parameter
from roofline_analysis.device.values import (
    CodeValue,
    DeviceValue,
    MemoryPlace,
    Place,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_analysis.language.symbols import Global, last_component
from roofline_analysis.language.types import wrapped
from roofline_analysis.regions.kernel_summary import Array, MemorySpace
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import constant
from roofline_core.program import expressions as ir
from roofline_core.program.types import Type

_MACRO: Final = re.compile(r"[A-Z][A-Z\d]*(?:_[A-Z\d]+)*")
"""A name that nothing declares and that looks like a macro of the build: one number, as an argument
of the kernel is."""


def literal(interpreter: DeviceInterpreter, node: ir.Literal) -> DeviceValue:
    """A number, or a string of which nothing is followed."""
    if isinstance(node.value, (int, float)):
        return number(wrapped(node.value, node.type_name), node.type_name)
    if node.value is None:
        return number(0, "long")
    return interpreter.opaque(Type("char", pointers=1, const=True), 0, "string")


def name(interpreter: DeviceInterpreter, node: ir.Name) -> DeviceValue:
    """What a name stands for, from the innermost scope out."""
    place = interpreter.scope.find(node.name)
    if place is not None:
        return _decayed(place, interpreter.read(place))
    bound = interpreter.constants.get(node.name)
    if bound is not None:
        return bound
    if node.name == "this" and interpreter.frames[-1].this is not None:
        return _address_of_object(interpreter, interpreter.frames[-1].this)
    if node.name == "warpSize":
        return Value("int", constant(interpreter.warp_size), node=(WARP_SIZE_NODE, ()))
    member = implicit_member(interpreter, node.name)
    if member is not None:
        return _decayed(member, interpreter.read(member))
    known = interpreter.typed_constant(node)
    if known is not None:
        return number(*known)
    return _global_name(interpreter, node)


def _address_of_object(interpreter: DeviceInterpreter, this: Place) -> DeviceValue:
    if isinstance(this, MemoryPlace):
        return this.pointer
    return PlacePointer(this, interpreter.place_type(this))


def _decayed(place: Place, value: DeviceValue) -> DeviceValue:
    """What is at a place; of an array the address of its first element."""
    if isinstance(value, StructValue) and value.type.dims:
        return PlacePointer(place, value.type.pointee())
    return value


def _global_name(interpreter: DeviceInterpreter, node: ir.Name) -> DeviceValue:
    cached = interpreter.globals.get(node.name)
    if cached is not None and _MACRO.fullmatch(node.name):
        return cached
    entry = interpreter.symbols.find_global(node.name, interpreter.path)
    if entry is not None and interpreter.symbols.is_specialised(node):
        return interpreter.opaque(
            entry.variable.type, 0, last_component(node.name), SymbolScope.NAME
        )
    if entry is not None:
        return _global_variable(interpreter, entry)
    static = _static_field(interpreter, node)
    if static is not None:
        return _global_variable(interpreter, static)
    functions, _ = interpreter.types.system.find_callees(
        node, interpreter.path, interpreter.types.scope, function_around(interpreter.frames)
    )
    if functions:
        return CodeValue(function=functions[0], template_args=node.template_args)
    if _MACRO.fullmatch(node.name):
        found = interpreter.globals[node.name] = parameter(interpreter, node.name, Type("int"))
        return found
    bare = last_component(node.name)
    return interpreter.opaque(Type("int"), 0, bare, SymbolScope.NAME)


def static_member(interpreter: DeviceInterpreter, node: ir.Member) -> ir.Name | None:
    """The static member of its class that ``object.name`` means, as a name; None if it is none."""
    if not interpreter.symbols.may_be_static(node.name):
        return None
    type_ = static_type(interpreter, node.base)
    if type_ is None or type_.dims or type_.pointers != int(node.arrow):
        return None
    owner = interpreter.types.resolve(replace(type_, pointers=0, reference=False, rvalue=False))
    scope = interpreter.types.system.classes.scope_of(owner)
    if scope is None or scope.struct is None:
        return None
    if interpreter.symbols.find_static_field(scope.struct, node.name) is None:
        return None
    return ir.Name(node.line, f"{owner.name}::{node.name}", scope_args=owner.args)


def _static_field(interpreter: DeviceInterpreter, node: ir.Name) -> Global | None:
    """A static member of the class around, its bases, or the class that a name is qualified by."""
    prefix, _, member = node.name.rpartition("::")
    owner = interpreter.types.scope.owner
    if prefix:
        owner = interpreter.types.resolve(Type(prefix, node.scope_args))
    scope = interpreter.types.system.classes.scope_of(owner) if owner is not None else None
    if scope is None or scope.struct is None:
        return None
    found = interpreter.symbols.find_static_field(scope.struct, member)
    if found is None:
        return None
    return Global(f"{scope.struct.qualified_name}::{member}", found, interpreter.path)


def _global_variable(interpreter: DeviceInterpreter, entry: Global) -> DeviceValue:
    key = entry.qualified_name
    name = last_component(key)
    cached = interpreter.globals.get(key)
    if cached is not None:
        return cached
    variable = entry.variable
    type_ = interpreter.types.resolve(variable.type)
    value: DeviceValue
    if "__shared__" in variable.qualifiers:
        value = PointerValue(
            interpreter.array(name, type_, MemorySpace.SHARED), number(0, "long"), type_.pointee()
        )
    elif type_.dims:
        constant_memory = "__constant__" in variable.qualifiers or type_.const
        space = MemorySpace.CONSTANT if constant_memory else MemorySpace.GLOBAL
        size = interpreter.types.size(type_)
        array = Array(
            name,
            space,
            type_.pointee(),
            read_only=space is MemorySpace.CONSTANT,
            size_bytes=constant(size) if size else None,
        )
        interpreter.arrays.setdefault(name, array)
        value = PointerValue(interpreter.arrays[name], number(0, "long"), type_.pointee())
    elif (
        "__device__" in variable.qualifiers
        and not type_.const
        and "constexpr" not in variable.qualifiers
    ):
        pointer = PointerValue(interpreter.array(name, type_), number(0, "long"), type_)
        return interpreter.read(MemoryPlace(pointer))
    elif "__constant__" in variable.qualifiers and not (interpreter.opencl and variable.init):
        value = parameter(interpreter, name, type_)
    elif variable.init is not None and (
        type_.const or variable.qualifiers & {"constexpr", "__constant__"}
    ):
        interpreter.globals[key] = interpreter.opaque(type_, 0, name)  # against a cycle
        value = coerce(interpreter, interpreter.evaluate(variable.init), type_)
    else:
        value = parameter(interpreter, name, type_)
    interpreter.globals[key] = value
    return value
